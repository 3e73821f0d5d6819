/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared regions: sealed, mapped whole or in part, refused when foreign. */
#include "test/t.h"
#include "src/base/region.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void two_mappings_see_one_memory(void **state)
{
	struct weft_region a, b;

	(void)state;
	T_OK(weft_region_open(&a, "weft-test", 1 << 20));
	T_OK(weft_region_attach(&b, a.fd, 1 << 20));
	T_TRUE(a.base != b.base);
	strcpy(a.base, "warp");
	T_STR((char *)b.base, "warp");
	weft_region_close(&b);
	weft_region_close(&a);
}

static void a_mapping_outlives_its_maker(void **state)
{
	struct weft_region r;
	pid_t pid;

	(void)state;
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

static void what_could_raise_sigbus_is_refused(void **state)
{
	struct weft_region r, b;
	int plain = memfd_create("plain", MFD_CLOEXEC);

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(two_mappings_see_one_memory),
		T_CASE(a_mapping_outlives_its_maker),
		T_CASE(what_could_raise_sigbus_is_refused),
	};

	return T_RUN(tests);
}
