/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion queues: formats, order, errors, growth, waiting. */
#include "prov/ofi/queue/weft_cq.h"
#include "test/support/weft_fake.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <poll.h>
#include <string.h>

static struct fid_cq *cq_open(struct fake *f, enum fi_cq_format format,
			      enum fi_wait_obj obj)
{
	struct fi_cq_attr attr = { .format = format, .wait_obj = obj };
	struct fid_cq *cq;

	T_OK(fi_cq_open(f->domain, &attr, &cq, NULL));
	return cq;
}

static struct weft_cq *weft_cq_of(struct fid_cq *cq)
{
	return weft_container_of(cq, struct weft_cq, fid);
}

/* Allocations fail while this is set (by the linker's --wrap). */
static bool out_of_memory;

void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	return out_of_memory ? NULL : __real_aligned_alloc(align, n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return out_of_memory ? NULL : __real_calloc(n, size);
}

static const struct weft_cqe sample = {
	.context = (void *)0x10,
	.flags = FI_RECV | FI_TAGGED,
	.len = 77,
	.buf = (void *)0x20,
	.data = 5,
	.tag = 6,
	.src = 3,
};

static void every_format_gets_all_its_fields(void **state)
{
	static const struct {
		enum fi_cq_format format;
		size_t bytes;
	} row[] = {
		{ FI_CQ_FORMAT_UNSPEC, sizeof(struct fi_cq_tagged_entry) },
		{ FI_CQ_FORMAT_CONTEXT, sizeof(struct fi_cq_entry) },
		{ FI_CQ_FORMAT_MSG, sizeof(struct fi_cq_msg_entry) },
		{ FI_CQ_FORMAT_DATA, sizeof(struct fi_cq_data_entry) },
		{ FI_CQ_FORMAT_TAGGED, sizeof(struct fi_cq_tagged_entry) },
	};
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	for (size_t i = 0; i < WEFT_COUNT_OF(row); i++) {
		struct fid_cq *cq = cq_open(&f, row[i].format, FI_WAIT_NONE);
		struct fi_cq_tagged_entry e[2];
		char *past = (char *)e + row[i].bytes;

		memset(e, 0xee, sizeof(e));
		T_OK(weft_cq_write(weft_cq_of(cq), &sample));
		T_IS(fi_cq_read(cq, e, 1), 1);
		T_MEM(e, &sample, row[i].bytes);
		T_IS((unsigned char)*past, 0xee);
		T_AGAIN(fi_cq_read(cq, e, 1));
		T_OK(fi_close(&cq->fid));
	}
	fake_close(&f);
}

static void entries_are_read_in_order_with_their_sources(void **state)
{
	struct fi_cq_attr attr = { .size = 8, .format = FI_CQ_FORMAT_DATA };
	struct fi_cq_data_entry e[7];
	const uint64_t total = 10000;
	fi_addr_t src[7];
	uint64_t next = 0;
	struct fid_cq *cq;
	struct fake f;

	fake_open(&f, FI_THREAD_DOMAIN, FI_PROGRESS_MANUAL);
	T_OK(fi_cq_open(f.domain, &attr, &cq, NULL));
	for (uint64_t i = 0; i < total; i++) {
		struct weft_cqe c = { .data = i, .src = i * 2 };

		T_OK(weft_cq_write(weft_cq_of(cq), &c));
		if (i % 100 == 99)
			for (int k = 0; k < 3; k++, next++) {
				T_IS(fi_cq_readfrom(cq, e, 1, src), 1);
				T_IS(e[0].data, next);
			}
	}
	while (next < total) {
		ssize_t n = fi_cq_readfrom(cq, e, 7, src);

		T_TRUE(n > 0);
		for (ssize_t k = 0; k < n; k++, next++) {
			T_IS(e[k].data, next);
			T_IS(src[k], next * 2);
		}
	}
	T_OK(fi_close(&cq->fid));
	fake_close(&f);
}

static void an_error_is_read_in_order_by_readerr(void **state)
{
	struct fi_cq_tagged_entry e[4];
	struct fi_cq_err_entry err = { 0 };
	struct fid_cq *cq;
	struct fake f;
	char text[64];

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	cq = cq_open(&f, FI_CQ_FORMAT_TAGGED, FI_WAIT_UNSPEC);
	T_IS(fi_cq_readerr(cq, &err, 0), -FI_EAGAIN);
	T_OK(weft_cq_write(weft_cq_of(cq), &sample));
	T_OK(weft_cq_write_err(weft_cq_of(cq), &sample, EOVERFLOW, 23));
	T_OK(weft_cq_write(weft_cq_of(cq), &sample));
	T_IS(fi_cq_readerr(cq, &err, 0), -FI_EAGAIN);
	T_IS(fi_cq_read(cq, e, 4), 1);
	T_IS(fi_cq_read(cq, e, 4), -FI_EAVAIL);
	T_IS(fi_cq_sread(cq, e, 4, NULL, -1), -FI_EAVAIL);
	T_IS(fi_cq_readerr(cq, &err, 0), 1);
	T_IS(err.err, FI_ETRUNC);
	T_PTR(err.op_context, sample.context);
	T_IS(err.len, 77);
	T_IS(err.olen, 23);
	T_IS(err.tag, 6);
	T_IS(err.data, 5);
	T_STR(fi_cq_strerror(cq, err.prov_errno, NULL, text, sizeof(text)),
	      "Truncation error");
	T_IS(fi_cq_read(cq, e, 4), 1);
	T_OK(fi_close(&cq->fid));
	fake_close(&f);
}

static void reading_an_empty_queue_makes_progress(void **state)
{
	struct fi_cq_tagged_entry e;
	struct fake_ep *ep;
	struct fid_cq *cq;
	struct fake f;

	fake_open(&f, FI_THREAD_DOMAIN, FI_PROGRESS_MANUAL);
	cq = cq_open(&f, FI_CQ_FORMAT_TAGGED, FI_WAIT_NONE);
	ep = fake_ep_open(&f, cq, NULL, NULL);
	T_AGAIN(fi_cq_read(cq, NULL, 0));
	fake_arrive(ep, 1);
	T_IS(fi_cq_read(cq, NULL, 0), 0);
	T_IS(ep->serial, 1);
	T_IS(fi_cq_read(cq, &e, 1), 1);
	T_IS(e.tag, ~0ull);
	/* A queue opened without a wait object refuses blocking reads. */
	T_IS(fi_cq_sread(cq, &e, 1, NULL, 0), -FI_EINVAL);
	fake_ep_close(ep);
	T_OK(fi_close(&cq->fid));
	fake_close(&f);
}

static void a_blocking_read_ends_on_timeout_or_signal(void **state)
{
	struct fi_cq_tagged_entry e;
	struct fid_cq *cq;
	struct fake f;
	uint64_t start;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	cq = cq_open(&f, FI_CQ_FORMAT_TAGGED, FI_WAIT_UNSPEC);
	start = weft_now_ns();
	T_AGAIN(fi_cq_sread(cq, &e, 1, NULL, 20));
	T_TRUE(weft_now_ns() - start >= 20000000u);
	T_OK(fi_cq_signal(cq));
	T_AGAIN(fi_cq_sread(cq, &e, 1, NULL, -1));
	T_AGAIN(fi_cq_sread(cq, &e, 1, NULL, 0));
	T_OK(fi_close(&cq->fid));
	fake_close(&f);
}

static void a_threshold_ends_a_blocking_read(void **state)
{
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_UNSPEC,
				   .wait_cond = FI_CQ_COND_THRESHOLD };
	struct fi_cq_tagged_entry e[8];
	size_t two = 2;
	struct fid_cq *cq;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_cq_open(f.domain, &attr, &cq, NULL));
	T_OK(weft_cq_write(weft_cq_of(cq), &sample));
	/* one entry is below the threshold, but is returned on timeout */
	T_IS(fi_cq_sread(cq, e, 8, &two, 10), 1);
	T_OK(weft_cq_write(weft_cq_of(cq), &sample));
	T_OK(weft_cq_write(weft_cq_of(cq), &sample));
	T_IS(fi_cq_sread(cq, e, 8, &two, -1), 2);
	T_OK(fi_close(&cq->fid));
	fake_close(&f);
}

static void the_wait_descriptor_reports_packets_and_signals(void **state)
{
	struct fi_cq_tagged_entry e;
	struct fake_ep *ep;
	struct fid_cq *cq;
	struct fid *fid;
	struct pollfd p = { .events = POLLIN };
	enum fi_wait_obj obj;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	cq = cq_open(&f, FI_CQ_FORMAT_TAGGED, FI_WAIT_FD);
	ep = fake_ep_open(&f, cq, NULL, NULL);
	fid = &cq->fid;
	T_OK(fi_control(fid, FI_GETWAIT, &p.fd));
	T_OK(fi_control(fid, FI_GETWAITOBJ, &obj));
	T_IS(obj, FI_WAIT_FD);
	T_OK(fi_trywait(f.fabric, &fid, 1));
	T_IS(poll(&p, 1, 0), 0);
	fake_arrive(ep, 1);
	T_IS(poll(&p, 1, 1000), 1);
	T_AGAIN(fi_trywait(f.fabric, &fid, 1));
	T_IS(fi_cq_read(cq, &e, 1), 1);
	T_OK(fi_trywait(f.fabric, &fid, 1));
	T_IS(poll(&p, 1, 0), 0);
	T_OK(fi_cq_signal(cq));
	T_IS(poll(&p, 1, 1000), 1);
	T_AGAIN(fi_cq_sread(cq, &e, 1, NULL, -1));
	T_OK(fi_trywait(f.fabric, &fid, 1));
	T_IS(poll(&p, 1, 0), 0);
	fake_ep_close(ep);
	T_OK(fi_close(fid));
	fake_close(&f);
}

/* If a completion is lost, the stored entries are read, then an error. */
static void a_queue_that_cannot_grow_reports_overrun(void **state)
{
	struct fi_cq_attr attr = { .size = 64, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cq_tagged_entry e[100];
	struct fid *fid;
	struct fid_cq *cq;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	for (int errors = 0; errors < 2; errors++) {
		T_OK(fi_cq_open(f.domain, &attr, &cq, NULL));
		fid = &cq->fid;
		for (int i = 0; i < (errors ? 10 : 64); i++)
			T_OK(weft_cq_write(weft_cq_of(cq), &sample));
		out_of_memory = true;
		T_IS(errors ? weft_cq_write_err(weft_cq_of(cq), &sample, EIO, 0)
			    : weft_cq_write(weft_cq_of(cq), &sample),
		     -ENOMEM);
		out_of_memory = false;
		T_IS(fi_cq_read(cq, e, 100), errors ? 10 : 64);
		T_IS(fi_cq_read(cq, e, 100), -FI_EOVERRUN);
		T_IS(fi_cq_sread(cq, e, 1, NULL, -1), -FI_EOVERRUN);
		T_AGAIN(fi_trywait(f.fabric, &fid, 1));
		T_OK(fi_close(fid));
	}
	fake_close(&f);
}

static void unsupported_wait_objects_are_refused(void **state)
{
	static const enum fi_wait_obj no[] = { FI_WAIT_SET, FI_WAIT_MUTEX_COND,
					       FI_WAIT_POLLFD };
	struct fi_cq_attr attr = { .wait_obj = FI_WAIT_YIELD };
	struct fid_cq *cq;
	struct fake f;
	int fd;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_cq_open(f.domain, &attr, &cq, NULL));
	T_IS(fi_control(&cq->fid, FI_GETWAIT, &fd), -FI_ENOSYS);
	T_OK(fi_close(&cq->fid));
	for (size_t i = 0; i < WEFT_COUNT_OF(no); i++) {
		attr.wait_obj = no[i];
		T_IS(fi_cq_open(f.domain, &attr, &cq, NULL), -FI_ENOSYS);
	}
	attr = (struct fi_cq_attr){ .flags = FI_PEEK };
	T_IS(fi_cq_open(f.domain, &attr, &cq, NULL), -FI_EBADFLAGS);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_format_gets_all_its_fields),
		T_CASE(entries_are_read_in_order_with_their_sources),
		T_CASE(an_error_is_read_in_order_by_readerr),
		T_CASE(reading_an_empty_queue_makes_progress),
		T_CASE(a_blocking_read_ends_on_timeout_or_signal),
		T_CASE(a_threshold_ends_a_blocking_read),
		T_CASE(the_wait_descriptor_reports_packets_and_signals),
		T_CASE(a_queue_that_cannot_grow_reports_overrun),
		T_CASE(unsupported_wait_objects_are_refused),
	};
	return T_RUN(tests);
}
