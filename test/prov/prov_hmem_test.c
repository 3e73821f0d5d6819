/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Emulated device memory between processes: messages and remote accesses of
 * endpoints with FI_HMEM. A processor access to device memory raises SIGSEGV,
 * so a test that passes has used only the device's copy functions.
 */
#include "test/prov/prov_job.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <rdma/fi_ext_weft.h>
#include <stdlib.h>
#include <string.h>

#define MOST (1u << 20)

static const size_t sizes[] = { 1, 100, 5000, 40000, 300001, MOST };

static struct fi_weft_mem *mem;
static char *host, *device, *check;

static void open_mem(struct job *j)
{
	int ret = fi_open_ops(&j->domain->fid, FI_WEFT_MEM, 0, (void **)&mem,
			      NULL);

	job_check(j, !ret, "FI_WEFT_MEM", ret);
	ret = mem->alloc(&j->domain->fid, MOST, (void **)&device);
	job_check(j, !ret, "alloc", ret);
	host = malloc(MOST);
	check = malloc(MOST);
	job_check(j, host && check, "malloc", 0);
}

static void close_mem(struct job *j)
{
	int ret = mem->free(&j->domain->fid, device);

	job_check(j, !ret, "free", ret);
	free(host);
	free(check);
}

/* Writes a pattern into memory of either kind. */
static void fill(struct job *j, char *at, size_t n, uint64_t seed)
{
	t_fill(check, n, seed);
	if (at == host)
		memcpy(host, check, n);
	else
		job_check(j, !mem->in(&j->domain->fid, at, check, n), "in", 0);
}

static void expect(struct job *j, const char *at, size_t n, uint64_t seed)
{
	char *got = malloc(n);

	if (at == host)
		memcpy(got, host, n);
	else
		job_check(j, !mem->out(&j->domain->fid, got, at, n), "out", 0);
	job_check(j, t_differs(got, n, seed) == -1, "bytes", (long)n);
	free(got);
}

static void wipe(struct job *j, char *at)
{
	memset(check, 0, MOST);
	if (at == host)
		memset(host, 0, MOST);
	else
		job_check(j, !mem->in(&j->domain->fid, at, check, MOST), "in",
			  0);
}

/* ---- messages ---- */

static void message(struct job *j, char *from, char *to, size_t n)
{
	static uint64_t tag;

	tag++;
	if (j->rank == 0) {
		fill(j, from, n, tag);
		job_tsend(j, 1, from, n, tag, &tag);
		job_wait(j, &tag);
	} else {
		wipe(j, to);
		job_trecv(j, 0, to, MOST, tag, 0, &tag);
		job_wait(j, &tag);
		expect(j, to, n, tag);
	}
	job_barrier(j);
}

static void body_messages(struct job *j)
{
	open_mem(j);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			message(j, i & 1 ? device : host, i & 2 ? device : host,
				sizes[s]);
	}
	close_mem(j);
}

static void messages_between_all_memory_kinds_arrive(void **state)
{
	const struct job_opts o = { .caps = FI_HMEM };

	job_run(2, body_messages, &o);
}

/* Sends one message in two segments, one in each kind of memory. */
static void body_pieces(struct job *j)
{
	struct iovec iov[2];
	int ret;

	open_mem(j);
	iov[0] = (struct iovec){ j->rank ? device : host, 1000 };
	iov[1] = (struct iovec){ j->rank ? host : device, 1000 };
	fill(j, host, 1000, 1);
	fill(j, device, 1000, 2);
	job_barrier(j);
	ret = (int)(j->rank ? fi_trecvv(j->ep, iov, NULL, 2, j->addr[0], 9, 0,
					&iov)
			    : fi_tsendv(j->ep, iov, NULL, 2, j->addr[1], 9,
					&iov));
	job_check(j, !ret, "vector", ret);
	job_wait(j, &iov);
	if (j->rank) {
		expect(j, device, 1000, 1);
		expect(j, host, 1000, 2);
	}
	job_barrier(j);
	close_mem(j);
}

static void a_message_may_have_segments_of_both_kinds(void **state)
{
	const struct job_opts o = { .caps = FI_HMEM };

	job_run(2, body_pieces, &o);
}

/* ---- remote accesses ---- */

static struct fid_mr *reg(struct job *j, char *at, int iface, uint64_t key)
{
	const struct iovec iov = { at, MOST };
	const struct fi_mr_attr attr = {
		.mr_iov = &iov,
		.iov_count = 1,
		.access = FI_REMOTE_READ | FI_REMOTE_WRITE,
		.requested_key = key,
		.iface = (enum fi_hmem_iface)iface,
	};
	struct fid_mr *mr;
	int ret = fi_mr_regattr(j->domain, &attr, 0, &mr);

	job_check(j, !ret, "fi_mr_regattr", ret);
	return mr;
}

static void expect_refusal(struct job *j, char *at, int iface, int err)
{
	const struct iovec iov = { at, MOST };
	const struct fi_mr_attr attr = {
		.mr_iov = &iov,
		.iov_count = 1,
		.access = FI_REMOTE_READ,
		.requested_key = 77,
		.iface = (enum fi_hmem_iface)iface,
	};
	struct fid_mr *mr;
	int ret = fi_mr_regattr(j->domain, &attr, 0, &mr);

	job_check(j, ret == err, "a wrong registration", ret);
}

static void access(struct job *j, char *here, char *there, uint64_t key)
{
	int ret;

	if (j->rank)
		wipe(j, there);
	job_barrier(j);
	if (j->rank == 0) {
		fill(j, here, 300001, key);
		ret = (int)fi_write(j->ep, here, 300001, NULL, j->addr[1], 10,
				    key, &key);
		job_check(j, !ret, "fi_write", ret);
		job_wait(j, &key);
		wipe(j, here);
		ret = (int)fi_read(j->ep, here, 300001, NULL, j->addr[1], 10,
				   key, &key);
		job_check(j, !ret, "fi_read", ret);
		job_wait(j, &key);
		expect(j, here, 300001, key);
	}
	job_barrier(j);
	if (j->rank)
		expect(j, there + 10, 300001, key);
	job_barrier(j);
}

static void body_access(struct job *j)
{
	struct fid_mr *mr[2];

	open_mem(j);
	mr[0] = reg(j, host, FI_HMEM_SYSTEM, 1);
	mr[1] = reg(j, device, FI_WEFT_DEVICE, 2);
	access(j, host, device, 2);
	access(j, device, device, 2);
	expect_refusal(j, device, FI_HMEM_SYSTEM, -FI_EINVAL);
	expect_refusal(j, host, FI_WEFT_DEVICE, -FI_EINVAL);
	expect_refusal(j, host, FI_HMEM_CUDA, -FI_ENOSYS);
	job_barrier(j);
	fi_close(&mr[0]->fid);
	fi_close(&mr[1]->fid);
	close_mem(j);
}

static void device_memory_is_read_and_written(void **state)
{
	const struct job_opts o = { .caps = FI_HMEM };

	job_run(2, body_access, &o);
}

/* ---- staging ---- */

static int p2p_of(struct job *j)
{
	size_t len = sizeof(int);
	int p2p = -1;
	int ret = fi_getopt(&j->ep->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P,
			    &p2p, &len);

	job_check(j, !ret && len == sizeof(int), "fi_getopt", ret);
	return p2p;
}

static int p2p_set(struct job *j, int p2p)
{
	return fi_setopt(&j->ep->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P, &p2p,
			 sizeof(p2p));
}

/* Enables device memory on an endpoint without FI_HMEM, on any machine. */
static void enable_device(struct job *j)
{
	int ret;

	ret = p2p_set(j, FI_HMEM_P2P_ENABLED);
	job_check(j, ret == -FI_ENOPROTOOPT, "no FI_HMEM, an option", ret);
	ret = mem->use(j->ep);
	job_check(j, !ret, "use", ret);
}

static void inject_short_messages(struct job *j)
{
	fill(j, device, 100, 5);
	if (j->rank == 0) {
		int ret = (int)fi_tinject(j->ep, device, 64, j->addr[1], 500);

		job_check(j, !ret, "fi_tinject", ret);
		wipe(j, device); /* the buffer may be reused after an inject */
	} else {
		job_trecv(j, 0, device + 4096, 64, 500, 0, &j);
		job_wait(j, &j);
		expect(j, device + 4096, 64, 5);
	}
	job_barrier(j);
}

/* A longer message is truncated; bytes after the buffer are unchanged. */
static void truncate_long_message(struct job *j)
{
	struct fi_cq_err_entry e = { 0 };
	struct fi_cq_tagged_entry c;
	ssize_t n;

	wipe(j, device);
	if (j->rank == 0) {
		fill(j, device, 200000, 6);
		job_tsend(j, 1, device, 200000, 600, &j);
		job_wait(j, &j);
	} else {
		job_trecv(j, 0, device, 100001, 600, 0, &j);
		do
			n = fi_cq_read(j->cq, &c, 1);
		while (n == -FI_EAGAIN);
		job_check(j, n == -FI_EAVAIL, "an error entry", n);
		fi_cq_readerr(j->cq, &e, 0);
		job_check(j, e.err == FI_ETRUNC && e.len == 100001,
			  "truncation", e.err);
		expect(j, device, 100001, 6);
		job_check(j,
			  !mem->out(&j->domain->fid, check, device + 100001,
				    99999),
			  "out", 0);
		for (n = 0; n < 99999; n++)
			job_check(j, !check[n], "after the buffer", n);
	}
	job_barrier(j);
}

static void body_staged(struct job *j)
{
	open_mem(j);
	enable_device(j);
	if (p2p_of(j) == FI_HMEM_P2P_ENABLED)
		job_check(j, !p2p_set(j, FI_HMEM_P2P_DISABLED), "set", 0);
	else
		job_check(j, p2p_set(j, FI_HMEM_P2P_REQUIRED) == -FI_EOPNOTSUPP,
			  "peer to peer is refused", 0);
	job_check(j, p2p_of(j) == FI_HMEM_P2P_DISABLED, "staged", 0);
	job_check(j, p2p_set(j, 99) == -FI_EINVAL, "no such mode", 0);
	job_barrier(j);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			message(j, i & 1 ? device : host, i & 2 ? device : host,
				sizes[s]);
	}
	inject_short_messages(j);
	truncate_long_message(j);
	close_mem(j);
}

static void every_machine_stages_device_memory(void **state)
{
	static const char *const machines[] = { "apenet", "native", "bgq",
						"gemini", "qsnet2", "sunway" };
	const struct job_opts o = { .caps = 0 };

	for (unsigned i = 0; i < WEFT_COUNT_OF(machines); i++) {
		setenv("FI_WEFT_MACHINE", machines[i], 1);
		job_run(2, body_staged, &o);
	}
	setenv("FI_WEFT_MACHINE", "apenet", 1);
}

/* One side accesses device memory directly, the other one stages the data. */
static void body_one_end(struct job *j)
{
	open_mem(j);
	enable_device(j);
	if (j->rank)
		job_check(j, !p2p_set(j, FI_HMEM_P2P_DISABLED), "set", 0);
	for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		message(j, device, device, sizes[s]);
	close_mem(j);
}

static void one_side_may_be_staged(void **state)
{
	const struct job_opts o = { .caps = 0 };

	job_run(2, body_one_end, &o);
}

/* The origin's buffer is staged; peers do not access device memory. */
static void body_staged_access(struct job *j)
{
	struct fid_mr *mr;

	open_mem(j);
	enable_device(j);
	mr = reg(j, host, FI_HMEM_SYSTEM, 1);
	access(j, device, host, 1);
	expect_refusal(j, device, FI_WEFT_DEVICE, -FI_ENOSYS);
	job_barrier(j);
	fi_close(&mr->fid);
	close_mem(j);
}

static void remote_accesses_are_staged(void **state)
{
	const struct job_opts o = { .caps = 0 };

	setenv("FI_WEFT_MACHINE", "bgq", 1);
	job_run(2, body_staged_access, &o);
	setenv("FI_WEFT_MACHINE", "apenet", 1);
}

/* ---- fi_getinfo ---- */

static void fi_hmem_is_offered_only_with_device_access(void **state)
{
	struct fi_info *hints = fi_allocinfo(), *info;

	hints->fabric_attr->prov_name = strdup("weft");
	hints->caps = FI_MSG | FI_HMEM;
	hints->fabric_attr->name = strdup("weft-apenet");
	T_OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	T_TRUE(info->caps & FI_HMEM);
	fi_freeinfo(info);
	/* FI_HMEM is not offered unless it is requested */
	hints->caps = FI_MSG;
	T_OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	T_TRUE(!(info->caps & FI_HMEM));
	fi_freeinfo(info);
	free(hints->fabric_attr->name);
	hints->fabric_attr->name = strdup("weft-bgq");
	hints->caps = FI_MSG | FI_HMEM;
	T_IS(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info),
	     -FI_ENODATA);
	fi_freeinfo(hints);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(messages_between_all_memory_kinds_arrive),
		T_CASE(a_message_may_have_segments_of_both_kinds),
		T_CASE(device_memory_is_read_and_written),
		T_CASE(every_machine_stages_device_memory),
		T_CASE(one_side_may_be_staged),
		T_CASE(remote_accesses_are_staged),
		T_CASE(fi_hmem_is_offered_only_with_device_access),
	};

	setenv("FI_WEFT_MACHINE", "apenet", 1);
	/* the offers must not depend on a GPU of the host */
	setenv("FI_WEFT_CUDA", "no", 1);
	return T_RUN(tests);
}
