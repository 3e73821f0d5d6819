/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of shared regions: sealing, mapping, and refusal of unsealed memory. */
#include "test/t.h"
#include "src/base/region.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void two_mappings_share_memory(void **state)
{
	struct weft_region a, b;

	T_OK(weft_region_open(&a, "weft-test", 1 << 20));
	T_OK(weft_region_attach(&b, a.fd, 1 << 20));
	T_TRUE(a.base != b.base);
	strcpy(a.base, "warp");
	T_STR((char *)b.base, "warp");
	weft_region_close(&b);
	weft_region_close(&a);
}

static void mapping_survives_writer_exit(void **state)
{
	struct weft_region r;
	pid_t pid;

	T_OK(weft_region_open(&r, "weft-test", 4096));
	pid = fork();
	if (!pid) {
		strcpy(r.base, "from the child");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	T_STR((char *)r.base, "from the child");
	weft_region_close(&r);
}

static void unsealed_or_short_memory_is_refused(void **state)
{
	struct weft_region r, b;
	int plain = memfd_create("plain", MFD_CLOEXEC);

	T_OK(ftruncate(plain, 8192));
	T_IS(weft_region_attach(&b, plain, 4096), -EINVAL);
	T_IS(weft_region_attach(&b, -1, 4096), -EINVAL);
	close(plain);
	T_OK(weft_region_open(&r, "weft-test", 4096));
	T_TRUE(ftruncate(r.fd, 0) < 0);
	T_IS(weft_region_attach(&b, r.fd, 8192), -EINVAL);
	weft_region_close(&b);
	weft_region_close(&r);
	weft_region_close(&r);
}

static void mapping_after_seal_is_read_only(void **state)
{
	struct weft_region a, b, c;
	void *m;
	int ret;

	T_OK(weft_region_open_unsealed(&a, "weft-test", 4096));
	T_OK(weft_region_attach(&b, a.fd, 4096));
	ret = weft_region_seal(&a);
	if (ret == -EINVAL) {
		weft_region_close(&b);
		weft_region_close(&a);
		skip(); /* not supported by kernels before 5.1 */
	}
	T_OK(ret);
	T_TRUE(weft_region_attach(&c, a.fd, 4096) < 0);
	T_TRUE(pwrite(a.fd, "x", 1, 0) < 0);
	strcpy(b.base, "as before");
	T_STR((char *)a.base, "as before");
	m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, a.fd, 0);
	T_TRUE(m != MAP_FAILED);
	T_STR((char *)m, "as before");
	munmap(m, 4096);
	weft_region_close(&c);
	weft_region_close(&b);
	weft_region_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(two_mappings_share_memory),
		T_CASE(mapping_survives_writer_exit),
		T_CASE(unsealed_or_short_memory_is_refused),
		T_CASE(mapping_after_seal_is_read_only),
	};

	return T_RUN(tests);
}
