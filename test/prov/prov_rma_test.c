/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote memory between processes: reads, writes, atomics, events, refusals. */
#include "test/prov/prov_job.h"

#include "test/t.h"

#include <rdma/fi_ext_weft.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BIG ((size_t)8 << 20)
#define KEY 0x1234567890abcdefull

static void settle(struct job *j, ssize_t ret, const char *what)
{
	job_check(j, ret == 0, what, ret);
}

static void poll_queue(struct job *j)
{
	fi_cq_read(j->cq, NULL, 0);
	sched_yield();
}

static struct fid_mr *expose(struct job *j, void *buf, size_t len,
			     uint64_t access, uint64_t key)
{
	struct fid_mr *mr;

	settle(j, fi_mr_reg(j->domain, buf, len, access, 0, key, 0, &mr, NULL),
	       "fi_mr_reg");
	return mr;
}

static void do_write(struct job *j, int to, const void *buf, size_t len,
		     uint64_t addr, uint64_t key)
{
	ssize_t ret;

	while ((ret = fi_write(j->ep, buf, len, NULL, j->addr[to], addr, key,
			       &j->entry)) == -FI_EAGAIN)
		poll_queue(j);
	settle(j, ret, "fi_write");
}

static void do_read(struct job *j, int from, void *buf, size_t len,
		    uint64_t addr, uint64_t key)
{
	ssize_t ret;

	while ((ret = fi_read(j->ep, buf, len, NULL, j->addr[from], addr, key,
			      &j->entry)) == -FI_EAGAIN)
		poll_queue(j);
	settle(j, ret, "fi_read");
}

/* ---- bytes --------------------------------------------------------------- */

static void body_bytes(struct job *j)
{
	static const size_t len[] = { 0,    1,	  8,	 65,	   500,
				      4096, 9001, 65537, 1u << 20, 8u << 20 };
	char *mem = calloc(1, BIG + 16), *buf = malloc(BIG);
	struct fid_mr *mr =
		expose(j, mem, BIG + 16, FI_REMOTE_READ | FI_REMOTE_WRITE, KEY);
	int peer = !j->rank;

	job_barrier(j);
	for (size_t i = 0; i < sizeof(len) / sizeof(*len); i++) {
		t_fill(buf, len[i], i + (size_t)j->rank * 50);
		do_write(j, peer, buf, len[i], i, KEY);
		job_wait(j, &j->entry);
		job_check(j,
			  (j->entry.flags & (FI_RMA | FI_WRITE)) ==
				  (FI_RMA | FI_WRITE),
			  "flags", (long)j->entry.flags);
		memset(buf, 0, len[i]);
		do_read(j, peer, buf, len[i], i, KEY);
		job_wait(j, &j->entry);
		job_check(j,
			  t_differs(buf, len[i], i + (size_t)j->rank * 50) < 0,
			  "read back", (long)len[i]);
		job_barrier(j);
		job_check(j,
			  t_differs(mem + i, len[i], i + (size_t)peer * 50) < 0,
			  "written", (long)len[i]);
		job_barrier(j);
	}
	job_barrier(j);
	settle(j, fi_close(&mr->fid), "close mr");
	free(mem);
	free(buf);
}

static void writes_and_reads_of_every_size_are_correct(void **state)
{
	job_run(2, body_bytes, NULL);
}

/* The target waits in a barrier during which its engine makes no progress. */
static void body_passive(struct job *j)
{
	uint64_t mem[64] = { 0 }, buf[64];
	struct fid_mr *mr = expose(j, mem, sizeof(mem), FI_REMOTE_WRITE, 7);

	job_barrier(j);
	if (j->rank == 0) {
		t_fill(buf, sizeof(buf), 1);
		do_write(j, 1, buf, sizeof(buf), 0, 7);
		job_wait(j, &j->entry);
		weft_store64(&j->all->word[0], 1);
	} else {
		while (!weft_load64(&j->all->word[0]))
			sched_yield();
		job_check(j, t_differs(mem, sizeof(mem), 1) < 0, "bytes", 0);
	}
	job_barrier(j);
	settle(j, fi_close(&mr->fid), "close mr");
}

static void a_write_by_dma_needs_no_target_progress(void **state)
{
	const char *dma = getenv("FI_WEFT_DMA");

	if (dma && dma[0] == '0')
		skip();
	job_run(2, body_passive, NULL);
}

/* ---- synchronous RMA ----------------------------------------------------- */

static void sync_access_works(struct job *j, const struct fi_weft_rma_sync *now)
{
	fi_addr_t to = j->addr[1];
	uint64_t out[8], in[8] = { 0 };

	t_fill(out, sizeof(out), 2);
	settle(j, now->write(j->ep, out, sizeof(out), to, 64, 7), "write");
	settle(j, now->read(j->ep, in, sizeof(in), to, 64, 7), "read");
	job_check(j, !memcmp(in, out, sizeof(in)), "read back", 0);
	job_check(j, now->write(j->ep, in, 64, to, 449, 7) == -FI_EAGAIN,
		  "beyond the end", 0);
	job_check(j, now->write(j->ep, in, 8, to, 0, 8) == -FI_EAGAIN,
		  "no such key", 0);
	job_check(j, now->write(j->ep, in, 8, to, 0, 9) == -FI_EAGAIN,
		  "read only", 0);
	job_check(j, fi_cq_read(j->cq, &j->entry, 1) == -FI_EAGAIN,
		  "nothing in the queue", 0);
}

/*
 * Returns whether the machine is native; units of other machines copy the bytes
 * themselves.
 */
static bool is_native(void)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return !machine || !strcmp(machine, "native");
}

static void sync_access_is_refused(struct job *j,
				   const struct fi_weft_rma_sync *now)
{
	uint64_t out[8] = { 0 };

	job_check(j,
		  now->write(j->ep, out, sizeof(out), j->addr[1], 64, 7) ==
			  -FI_EAGAIN,
		  "the unit is bypassed", 0);
	t_fill(out, sizeof(out), 2);
	do_write(j, 1, out, sizeof(out), 64, 7);
	job_wait(j, &j->entry);
}

/*
 * The target makes no progress; the first write only establishes the
 * connection.
 */
static void body_sync(struct job *j)
{
	uint64_t mem[64] = { 0 }, nil[64] = { 0 };
	struct fid_mr *mr = expose(j, mem, sizeof(mem),
				   FI_REMOTE_READ | FI_REMOTE_WRITE, 7);
	struct fid_mr *ro = expose(j, mem, sizeof(mem), FI_REMOTE_READ, 9);
	void *now = NULL;

	settle(j, fi_open_ops(&j->ep->fid, FI_WEFT_RMA_SYNC, 0, &now, NULL),
	       "ops");
	job_barrier(j);
	if (j->rank == 0) {
		do_write(j, 1, nil, 8, 0, 7);
		job_wait(j, &j->entry);
		if (is_native())
			sync_access_works(j, now);
		else
			sync_access_is_refused(j, now);
		weft_store64(&j->all->word[0], 1);
	} else {
		while (!weft_load64(&j->all->word[0]))
			sched_yield();
		job_check(j, t_differs((char *)mem + 64, 64, 2) < 0, "bytes",
			  0);
		job_check(j, !memcmp(mem + 16, nil, sizeof(mem) - 128),
			  "others", 0);
	}
	job_barrier(j);
	settle(j, fi_close(&mr->fid), "close mr");
	settle(j, fi_close(&ro->fid), "close mr");
}

static void a_synchronous_access_is_complete_on_return(void **state)
{
	const char *dma = getenv("FI_WEFT_DMA");

	if (dma && dma[0] == '0')
		skip();
	job_run(2, body_sync, NULL);
}

/* ---- atomics on words, by the unit --------------------------------------- */

static bool machine_is(const char *name)
{
	const char *machine = getenv("FI_WEFT_MACHINE");

	return machine && !strcmp(machine, name);
}

static int word_op(struct job *j, const struct fi_weft_amo_sync *amo,
		   enum fi_op op, uint64_t operand, uint64_t *old)
{
	const struct fi_weft_amo_word w = {
		.at = &j->all->word[1],
		.remote = 8,
		.key = 7,
		.operand = &operand,
		.result = old,
		.type = FI_UINT64,
		.op = op,
	};

	return amo->word(j->ep, j->addr[1], &w);
}

/* Checks that accesses that the target's region does not allow are refused. */
static void words_are_checked(struct job *j, const struct fi_weft_amo_sync *amo)
{
	uint64_t one = 1;
	struct fi_weft_amo_word w = {
		.at = &j->all->word[1],
		.remote = 8,
		.key = 9, /* read only */
		.operand = &one,
		.type = FI_UINT64,
		.op = FI_SUM,
	};

	job_check(j, amo->word(j->ep, j->addr[1], &w) == -FI_EACCES,
		  "read only", 0);
	w.key = 7;
	w.remote = sizeof(j->all->word);
	job_check(j, amo->word(j->ep, j->addr[1], &w) == -FI_EFAULT,
		  "beyond the end", 0);
	w.key = 8;
	job_check(j, amo->word(j->ep, j->addr[1], &w) == -FI_EAGAIN,
		  "no such key", 0);
	w.key = 7;
	w.remote = 12;
	w.at = (char *)&j->all->word[1] + 4;
	job_check(j, amo->word(j->ep, j->addr[1], &w) == -FI_EOPNOTSUPP,
		  "not aligned", 0);
}

static void words_are_changed(struct job *j, const struct fi_weft_amo_sync *amo)
{
	weft_au64 *word = &j->all->word[1];
	uint64_t old = 0;
	int rc;

	settle(j, word_op(j, amo, FI_SUM, 5, NULL), "sum");
	settle(j, word_op(j, amo, FI_SUM, 1, &old), "fetch");
	job_check(j, old == 5 && weft_load64(word) == 6, "values", (long)old);
	rc = word_op(j, amo, FI_SUM, 10, &old);
	if (machine_is("bgq"))
		job_check(j, rc == -FI_EOPNOTSUPP, "only increments", rc);
	else
		job_check(j, !rc && old == 6, "fetch and add", (long)old);
	job_check(j, weft_load64(word) == (machine_is("bgq") ? 6 : 16), "sums",
		  0);
	words_are_checked(j, amo);
	job_check(j, weft_load64(word) == (machine_is("bgq") ? 6 : 16),
		  "a refused atomic changes nothing", 0);
}

/* The word is in shared memory; the target makes no progress. */
static void body_words(struct job *j)
{
	struct fid_mr *mr = expose(j, j->all->word, sizeof(j->all->word),
				   FI_REMOTE_READ | FI_REMOTE_WRITE, 7);
	struct fid_mr *ro = expose(j, j->all->word, sizeof(j->all->word),
				   FI_REMOTE_READ, 9);
	struct fi_weft_amo_sync *amo;
	uint64_t nil = 0;
	void *ops = NULL;

	settle(j, fi_open_ops(&j->ep->fid, FI_WEFT_AMO_SYNC, 0, &ops, NULL),
	       "ops");
	amo = ops;
	job_barrier(j);
	if (j->rank == 0) {
		do_write(j, 1, &nil, 8, 16, 7);
		job_wait(j, &j->entry);
		job_check(j,
			  amo->usable(j->ep) ==
				  (machine_is("bgq") || machine_is("gemini") ||
				   machine_is("qsnet2")),
			  "usable", 0);
		if (amo->usable(j->ep))
			words_are_changed(j, amo);
		else
			job_check(j,
				  word_op(j, amo, FI_SUM, 1, NULL) ==
					  -FI_EAGAIN,
				  "no atomics", 0);
		weft_store64(&j->all->word[0], 1);
	} else {
		while (!weft_load64(&j->all->word[0]))
			sched_yield();
	}
	job_barrier(j);
	settle(j, fi_close(&mr->fid), "close mr");
	settle(j, fi_close(&ro->fid), "close mr");
}

static void the_unit_changes_words_of_shared_memory(void **state)
{
	const char *dma = getenv("FI_WEFT_DMA");

	if (dma && dma[0] == '0')
		skip();
	job_run(2, body_words, NULL);
}

/* ---- refusals ------------------------------------------------------------ */

static void body_refused(struct job *j)
{
	char mem[256], buf[256] = { 0 };
	struct fid_mr *ro = expose(j, mem, 256, FI_REMOTE_READ, 1);
	struct fid_mr *wo = expose(j, mem, 256, FI_REMOTE_WRITE, 2);
	struct fid_mr *dup;
	int peer = !j->rank;

	job_check(j,
		  fi_mr_reg(j->domain, mem, 1, FI_REMOTE_READ, 0, 1, 0, &dup,
			    NULL) == -FI_ENOKEY,
		  "duplicate key", 0);
	job_barrier(j);
	do_write(j, peer, buf, 8, 0, 1);
	job_wait_err(j, FI_EACCES);
	do_read(j, peer, buf, 8, 0, 2);
	job_wait_err(j, FI_EACCES);
	do_write(j, peer, buf, 8, 249, 2);
	job_wait_err(j, FI_EFAULT);
	do_read(j, peer, buf, 100, 200, 1);
	job_wait_err(j, FI_EFAULT);
	do_read(j, peer, buf, 8, UINT64_MAX - 3, 1);
	job_wait_err(j, FI_EFAULT);
	do_write(j, peer, buf, 8, 0, 3);
	job_wait_err(j, FI_ENOKEY);
	do_write(j, peer, buf, 256, 0, 2);
	job_wait(j, &j->entry);
	job_barrier(j);
	settle(j, fi_close(&ro->fid), "close mr");
	settle(j, fi_close(&wo->fid), "close mr");
	job_barrier(j);
	do_write(j, peer, buf, 8, 0, 2);
	job_wait_err(j, FI_ENOKEY);
	job_barrier(j);
}

static void bad_keys_ranges_and_rights_are_refused(void **state)
{
	job_run(2, body_refused, NULL);
}

/* ---- remote CQ data and counters ----------------------------------------- */

static void body_data(struct job *j)
{
	uint64_t mem[9] = { 0 }, buf[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct fid_mr *mr = expose(j, mem, sizeof(mem), FI_REMOTE_WRITE, 9);
	ssize_t ret;

	job_barrier(j);
	if (j->rank == 0) {
		while ((ret = fi_writedata(j->ep, buf, sizeof(buf), NULL,
					   0xabcdef, j->addr[1], 0, 9, buf)) ==
		       -FI_EAGAIN)
			poll_queue(j);
		settle(j, ret, "fi_writedata");
		job_wait(j, buf);
		while ((ret = fi_inject_writedata(j->ep, buf, 8, 0x55,
						  j->addr[1], 64, 9)) ==
		       -FI_EAGAIN)
			poll_queue(j);
		settle(j, ret, "fi_inject_writedata");
	} else {
		job_wait(j, NULL);
		job_check(j, j->entry.data == 0xabcdef, "data",
			  (long)j->entry.data);
		job_check(j,
			  j->entry.flags == (FI_RMA | FI_REMOTE_WRITE |
					     FI_REMOTE_CQ_DATA),
			  "flags", (long)j->entry.flags);
		job_check(j, !memcmp(mem, buf, sizeof(buf)), "bytes", 0);
		job_wait(j, NULL);
		job_check(j, j->entry.data == 0x55 && mem[8] == 1, "second", 0);
	}
	job_barrier(j);
	settle(j, fi_close(&mr->fid), "close mr");
}

static void data_of_a_write_is_reported_in_the_target_queue(void **state)
{
	job_run(2, body_data, NULL);
}

static void body_counters(struct job *j)
{
	uint64_t mem[8] = { 0 }, buf[8] = { 0 }, in = 0;
	struct fid_mr *mr = expose(j, mem, sizeof(mem),
				   FI_REMOTE_READ | FI_REMOTE_WRITE, 9);
	int peer = !j->rank, i;
	ssize_t ret;

	job_barrier(j);
	for (i = 0; i < 10; i++) {
		do_write(j, peer, buf, 8, 0, 9);
		do_read(j, peer, buf, 8, 0, 9);
		while ((ret = fi_inject_write(j->ep, buf, 8, j->addr[peer], 8,
					      9)) == -FI_EAGAIN)
			poll_queue(j);
		settle(j, ret, "fi_inject_write");
		job_trecv(j, peer, &in, 8, 4, 0, &in);
		job_tinject(j, peer, buf, 8, 4);
		job_wait_cntr(j, j->rx_cntr, (uint64_t)i + 1);
	}
	job_wait_cntr(j, j->tx_cntr, 40);
	job_wait_cntr(j, j->remote_cntr, 30);
	job_barrier(j);
	job_check(j, fi_cntr_read(j->remote_cntr) == 30, "remote", 0);
	settle(j, fi_close(&mr->fid), "close mr");
}

static void each_kind_of_operation_is_counted(void **state)
{
	const struct job_opts o = { .counters = 1 };

	job_run(2, body_counters, &o);
}

/* ---- atomics ------------------------------------------------------------- */

#define CELLS 64

static size_t bytes_of(enum fi_datatype t)
{
	static const size_t b[] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };

	return b[t];
}

/* Converts to double; sums of small numbers are exact in every type. */
static double value(enum fi_datatype t, const void *p)
{
	switch (t) {
	case FI_INT8:
		return *(const int8_t *)p;
	case FI_UINT8:
		return *(const uint8_t *)p;
	case FI_INT16:
		return *(const int16_t *)p;
	case FI_UINT16:
		return *(const uint16_t *)p;
	case FI_INT32:
		return *(const int32_t *)p;
	case FI_UINT32:
		return *(const uint32_t *)p;
	case FI_INT64:
		return (double)*(const int64_t *)p;
	case FI_UINT64:
		return (double)*(const uint64_t *)p;
	case FI_FLOAT:
		return (double)*(const float *)p;
	default:
		return *(const double *)p;
	}
}

static void put_value(enum fi_datatype t, void *p, double v)
{
	uint64_t u = (uint64_t)(int64_t)v;
	float f = (float)v;

	if (t == FI_FLOAT)
		memcpy(p, &f, sizeof(f));
	else if (t == FI_DOUBLE)
		memcpy(p, &v, sizeof(v));
	else
		memcpy(p, &u, bytes_of(t));
}

/* Returns the result of an operation for target a, operand b, comparand c. */
static double model(enum fi_op op, double a, double b, double c)
{
	int64_t ia = (int64_t)a, ib = (int64_t)b, ic = (int64_t)c;

	switch (op) {
	case FI_MIN:
		return a < b ? a : b;
	case FI_MAX:
		return a > b ? a : b;
	case FI_SUM:
		return a + b;
	case FI_PROD:
		return a * b;
	case FI_LOR:
		return a != 0 || b != 0;
	case FI_LAND:
		return a != 0 && b != 0;
	case FI_LXOR:
		return (a != 0) != (b != 0);
	case FI_BOR:
		return (double)(ia | ib);
	case FI_BAND:
		return (double)(ia & ib);
	case FI_BXOR:
		return (double)(ia ^ ib);
	case FI_ATOMIC_READ:
		return a;
	case FI_ATOMIC_WRITE:
		return b;
	case FI_CSWAP:
		return c == a ? b : a;
	case FI_CSWAP_NE:
		return c != a ? b : a;
	case FI_CSWAP_LE:
		return c <= a ? b : a;
	case FI_CSWAP_LT:
		return c < a ? b : a;
	case FI_CSWAP_GE:
		return c >= a ? b : a;
	case FI_CSWAP_GT:
		return c > a ? b : a;
	default:
		return (double)((ib & ic) | (ia & ~ic));
	}
}

struct trial {
	double target[3], operand[3], compare[3];
};

static const struct trial trials[] = {
	{ { 5, 0, 3 }, { 3, 0, 3 }, { 5, 1, 2 } },
	{ { 7, 1, 0 }, { 2, 6, 9 }, { 3, 1, 0 } },
};

static void one_atomic(struct job *j, uint64_t *mem, enum fi_datatype t,
		       enum fi_op op, const struct trial *x)
{
	unsigned char operand[24] = { 0 }, compare[24] = { 0 }, old[24] = { 0 };
	size_t b = bytes_of(t), count;
	ssize_t ret;
	int form, i;

	for (form = 0; form < 3; form++) {
		int ok = form == 0 ? fi_atomicvalid(j->ep, t, op, &count)
			 : form == 1
				 ? fi_fetch_atomicvalid(j->ep, t, op, &count)
				 : fi_compare_atomicvalid(j->ep, t, op, &count);
		if (ok)
			continue;
		job_check(j, count >= 3, "count", (long)count);
		for (i = 0; i < 3; i++) {
			put_value(t, (char *)mem + (size_t)i * b, x->target[i]);
			put_value(t, operand + (size_t)i * b, x->operand[i]);
			put_value(t, compare + (size_t)i * b, x->compare[i]);
		}
		do {
			if (form == 0)
				ret = fi_atomic(j->ep, operand, 3, NULL,
						j->addr[j->rank], 0, 5, t, op,
						old);
			else if (form == 1)
				ret = fi_fetch_atomic(
					j->ep, operand, 3, NULL, old, NULL,
					j->addr[j->rank], 0, 5, t, op, old);
			else
				ret = fi_compare_atomic(j->ep, operand, 3, NULL,
							compare, NULL, old,
							NULL, j->addr[j->rank],
							0, 5, t, op, old);
			fi_cq_read(j->cq, NULL, 0);
		} while (ret == -FI_EAGAIN);
		settle(j, ret, "atomic");
		job_wait(j, old);
		for (i = 0; i < 3; i++) {
			double got = value(t, (char *)mem + (size_t)i * b);
			double want = model(op, x->target[i], x->operand[i],
					    x->compare[i]);

			job_check(j, got == want, "result", (long)op * 100 + t);
			if (form)
				job_check(j,
					  value(t, old + (size_t)i * b) ==
						  x->target[i],
					  "old value", (long)op * 100 + t);
		}
	}
}

static void body_types(struct job *j)
{
	uint64_t mem[8] = { 0 };
	struct fid_mr *mr = expose(j, mem, sizeof(mem),
				   FI_REMOTE_READ | FI_REMOTE_WRITE, 5);
	size_t count;
	int t, op;

	for (t = FI_INT8; t <= FI_DOUBLE; t++) {
		for (op = FI_MIN; op <= FI_MSWAP; op++) {
			one_atomic(j, mem, (enum fi_datatype)t, (enum fi_op)op,
				   &trials[0]);
			one_atomic(j, mem, (enum fi_datatype)t, (enum fi_op)op,
				   &trials[1]);
		}
	}
	job_check(j,
		  fi_atomicvalid(j->ep, FI_INT128, FI_SUM, &count) ==
			  -FI_EOPNOTSUPP,
		  "128 bits", 0);
	settle(j, fi_close(&mr->fid), "close mr");
}

static void atomics_of_every_type_and_operation_are_correct(void **state)
{
	job_run(1, body_types, NULL);
}

static void body_contended(struct job *j)
{
	uint64_t mem[CELLS] = { 0 }, one = 1, old = 0;
	struct fid_mr *mr = expose(j, mem, sizeof(mem),
				   FI_REMOTE_READ | FI_REMOTE_WRITE, 5);
	int n = t_scale(2000), i;
	ssize_t ret;

	job_barrier(j);
	for (i = 0; i < n; i++) {
		do {
			ret = i % 2 ? fi_fetch_atomic(j->ep, &one, 1, NULL,
						      &old, NULL, j->addr[0], 8,
						      5, FI_UINT64, FI_SUM,
						      &old)
				    : fi_atomic(j->ep, &one, 1, NULL,
						j->addr[0], 8, 5, FI_UINT64,
						FI_SUM, &old);
			fi_cq_read(j->cq, NULL, 0);
		} while (ret == -FI_EAGAIN);
		settle(j, ret, "atomic");
		if (i % 16 == 15)
			job_wait_any(j, 16);
	}
	job_wait_any(j, n % 16);
	job_barrier(j);
	if (j->rank == 0)
		job_check(j, mem[1] == (uint64_t)(n * j->size), "sum",
			  (long)mem[1]);
	settle(j, fi_close(&mr->fid), "close mr");
}

static void contended_atomic_sums_are_exact(void **state)
{
	job_run(5, body_contended, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(writes_and_reads_of_every_size_are_correct),
		T_CASE(a_write_by_dma_needs_no_target_progress),
		T_CASE(a_synchronous_access_is_complete_on_return),
		T_CASE(the_unit_changes_words_of_shared_memory),
		T_CASE(bad_keys_ranges_and_rights_are_refused),
		T_CASE(data_of_a_write_is_reported_in_the_target_queue),
		T_CASE(each_kind_of_operation_is_counted),
		T_CASE(atomics_of_every_type_and_operation_are_correct),
		T_CASE(contended_atomic_sums_are_exact),
	};

	return T_RUN(tests);
}
