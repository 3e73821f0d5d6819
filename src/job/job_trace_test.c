/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that events are read in order, also those of writers that have died. */
#include "src/base/clock.h"
#include "src/job/job_trace.h"
#include "test/t.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 4, EVENTS = 5000 };

static void write_all(int fd, uint32_t me)
{
	struct trace_event e = { .kind = TRACE_SEND };
	struct weft_trace t;

	if (weft_trace_attach(&t, fd, me))
		_exit(1);
	for (uint64_t i = 0; i < EVENTS; i++) {
		e.t = i;
		e.id = me;
		weft_trace_event(&t, &e);
	}
	kill(getpid(), SIGKILL);
}

/* Returns the number of events of a writer and checks their order. */
static uint64_t count_events(const struct weft_trace_file *f, uint32_t writer)
{
	const struct trace_entry *e;
	uint64_t pos = 0, n = 0;
	size_t bytes;

	while ((e = weft_trace_next(f, TRACE_EVENTS, writer, &pos, &bytes)))
		for (size_t i = 0; i < bytes / sizeof(*e); i++, n++) {
			assert_int_equal(e[i].t, n);
			assert_int_equal(e[i].id, writer);
		}
	return n;
}

static void events_of_killed_writers_are_complete(void **state)
{
	int fd = weft_trace_create("/tmp/x"), status;
	struct weft_trace_file f;
	pid_t pid[WRITERS];

	assert_true(fd >= 0);
	for (uint32_t i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			write_all(fd, i);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_true(WIFSIGNALED(status));
	}
	assert_int_equal(weft_trace_read(&f, fd), 0);
	for (uint32_t i = 0; i < WRITERS; i++)
		assert_int_equal(count_events(&f, i), EVENTS);
	assert_int_equal(f.lost, 0);
	weft_trace_close(&f);
	close(fd);
}

/* The file ends with the last chunk, which is not full. */
static void detach_and_reattach_keep_all_events(void **state)
{
	struct trace_event e = { .kind = TRACE_SEND };
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f;
	struct weft_trace t;

	for (int attach = 0; attach < 2; attach++) {
		assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
		for (int i = 0; i < EVENTS / 2; i++, e.t++)
			weft_trace_event(&t, &e);
		weft_trace_detach(&t);
	}
	assert_int_equal(weft_trace_read(&f, fd), 0);
	assert_int_equal(count_events(&f, 0), EVENTS);
	weft_trace_close(&f);
	close(fd);
}

/* A writer dies between writing a full event buffer and restarting it. */
static void full_buffer_of_dead_writer_is_read_once(void **state)
{
	struct trace_event e = { .kind = TRACE_SEND };
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f;
	struct weft_trace t;
	uint64_t full;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	do {
		weft_trace_event(&t, &e);
		e.t++;
	} while (t.next != t.end);
	full = weft_load64(&t.event_buf->state);
	assert_true(weft_trace_flush(&t));
	assert_int_equal(weft_trace_read(&f, fd), 0);
	assert_int_equal(count_events(&f, 0), e.t);
	weft_store64(&t.event_buf->state, full);
	assert_int_equal(count_events(&f, 0), e.t);
	weft_trace_close(&f);
	weft_trace_detach(&t);
	close(fd);
}

static struct trace_event first_event(const struct weft_trace_file *f)
{
	const struct trace_entry *e;
	uint64_t pos = 0;
	size_t bytes;

	e = weft_trace_next(f, TRACE_EVENTS, 0, &pos, &bytes);
	assert_non_null(e);
	return weft_trace_get(
		f, (const void *)((const char *)e - TRACE_CHUNK_HEAD), e);
}

/*
 * The converted times are compared with the clock, which is read before and
 * after the counter.
 */
static void counter_times_convert_to_clock(void **state)
{
	struct trace_event e = { .kind = TRACE_CALL, .word = 5, .id = 6 };
	uint64_t low[2], high[2], least, most;
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f;
	struct weft_trace t;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	if (!weft_trace_use_counter(&t))
		skip();
	low[0] = weft_now_ns();
	e.t = weft_counter_after();
	high[0] = weft_now_ns();
	do
		low[1] = weft_now_ns();
	while (low[1] < high[0] + 2000000);
	e.span = weft_counter_after() - e.t;
	high[1] = weft_now_ns();
	weft_trace_event(&t, &e);
	assert_int_equal(weft_trace_read(&f, fd), 0);
	e = first_event(&f);
	/* tolerance of 0.1 %: the host may adjust its clock meanwhile */
	least = (low[1] - high[0]) / 1000 * 999;
	most = (high[1] - low[0]) / 1000 * 1001 + 1000;
	assert_in_range(e.span / 1000, least, most);
	assert_in_range(e.t / 1000, low[0] - 100000, high[0] + 100000);
	assert_int_equal(e.kind, TRACE_CALL);
	assert_int_equal(e.word, 5);
	assert_int_equal(e.id, 6);
	weft_trace_close(&f);
	weft_trace_detach(&t);
	close(fd);
}

/* The field span of a send holds its length, not a time. */
static void send_sizes_are_not_converted_as_times(void **state)
{
	struct trace_event e = { .kind = TRACE_SEND, .size = 4096 };
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f;
	struct weft_trace t;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	weft_trace_use_counter(&t);
	weft_trace_event(&t, &e);
	assert_int_equal(weft_trace_read(&f, fd), 0);
	assert_int_equal(first_event(&f).size, 4096);
	weft_trace_close(&f);
	weft_trace_detach(&t);
	close(fd);
}

static struct trace_event event_at(const struct weft_trace_file *f, size_t i)
{
	const struct trace_entry *e;
	uint64_t pos = 0;
	size_t bytes;

	e = weft_trace_next(f, TRACE_EVENTS, 0, &pos, &bytes);
	assert_true(e && i < bytes / sizeof(*e));
	return weft_trace_get(
		f, (const void *)((const char *)e - TRACE_CHUNK_HEAD), e + i);
}

static void put_arguments(struct weft_trace *t)
{
	const struct trace_event event[] = {
		{ .kind = TRACE_CALL, .id = 1023, .size = TRACE_SIZE_MOST - 1 },
		{ .kind = TRACE_CALL, .id = 3, .size = UINT64_C(5) << 32 },
		{ .kind = TRACE_CALL, .id = 4, .root = 8, .root_rank = 9 },
		{ .kind = TRACE_SEND, .id = 77, .size = 1, .later = true },
		{ .kind = TRACE_SEND, .id = 78, .size = UINT64_C(1) << 40 },
		{ .kind = TRACE_RECV, .t = 9, .span = 4, .size = 99 },
		{ .kind = TRACE_RECV, .size = UINT64_C(1) << 40 },
	};

	for (size_t i = 0; i < sizeof(event) / sizeof(*event); i++)
		weft_trace_event(t, &event[i]);
}

/* A call with a root, or a size that does not fit, needs one more event. */
static void trace_call_arguments_round_trip(void **state)
{
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f;
	struct weft_trace t;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	put_arguments(&t);
	assert_int_equal(weft_trace_read(&f, fd), 0);
	assert_int_equal(event_at(&f, 0).id, 1023);
	assert_int_equal(event_at(&f, 0).size, TRACE_SIZE_MOST - 1);
	assert_int_equal(event_at(&f, 1).kind, TRACE_MORE);
	assert_int_equal(event_at(&f, 1).size, UINT64_C(5) << 32);
	assert_int_equal(event_at(&f, 2).id, 3);
	assert_int_equal(event_at(&f, 3).kind, TRACE_MORE);
	assert_int_equal(event_at(&f, 3).root, 8);
	assert_int_equal(event_at(&f, 3).root_rank, 9);
	assert_int_equal(event_at(&f, 5).id, 77);
	assert_true(event_at(&f, 5).later);
	assert_false(event_at(&f, 6).later);
	assert_int_equal(event_at(&f, 6).size, UINT64_C(1) << 40);
	assert_int_equal(event_at(&f, 7).span, 4);
	assert_int_equal(event_at(&f, 7).size, 99);
	assert_int_equal(event_at(&f, 8).size, UINT32_MAX);
	weft_trace_close(&f);
	weft_trace_detach(&t);
	close(fd);
}

/* A rank that ends normally leaves no call open. */
static void detach_clears_open_calls(void **state)
{
	int fd = weft_trace_create("/tmp/x");
	const struct trace_chunk *c;
	struct weft_trace_file f;
	struct trace_open *o;
	struct weft_trace t;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	o = weft_trace_open_calls(&t);
	assert_non_null(o);
	weft_store32(&o[TRACE_THREADS - 1].id, 5);
	assert_int_equal(weft_trace_read(&f, fd), 0);
	c = weft_trace_chunk(&f, 0);
	assert_int_equal(weft_load32(&c->open[TRACE_THREADS - 1].id), 5);
	weft_trace_detach(&t);
	assert_int_equal(weft_load32(&c->open[TRACE_THREADS - 1].id), 0);
	weft_trace_close(&f);
	close(fd);
}

/*
 * Fills an event buffer while another thread reads it (for ThreadSanitizer).
 * Every event of the current generation must be complete.
 */
static void *fill(void *arg)
{
	struct weft_trace *t = arg;
	struct trace_event e = { .kind = TRACE_SEND };

	while (t->next != t->end) {
		e.t++;
		e.size = ~e.t;
		e.word = 3 * e.t;
		weft_trace_event(t, &e);
	}
	return NULL;
}

static void concurrent_reader_sees_whole_events(void **state)
{
	struct trace_event e = { .kind = TRACE_SEND };
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f = { .chunks = 1 };
	const struct trace_entry *first;
	struct weft_trace t;
	pthread_t thread;
	size_t n = 0, all;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	assert_true(weft_trace_flush(&t));
	weft_trace_event(&t, &e);
	f.base = (char *)t.event_buf - TRACE_HEAD;
	f.bytes = TRACE_HEAD + TRACE_CHUNK;
	first = t.next - 1;
	all = (size_t)(t.end - first);
	assert_int_equal(pthread_create(&thread, NULL, fill, &t), 0);
	while (n < all) {
		size_t seen = weft_trace_valid_bytes(&f, 0) / sizeof(*first);

		assert_true(seen >= n);
		for (n = n ? n : 1; n < seen; n++) {
			assert_int_equal(first[n].t, n);
			assert_int_equal(first[n].span, ~first[n].t);
			assert_int_equal(first[n].word, 3 * n);
		}
	}
	pthread_join(thread, NULL);
	weft_trace_detach(&t);
	close(fd);
}

static void record_types_are_separate(void **state)
{
	const struct trace_link l = { .name = "A+", .packets = 7 };
	int fd = weft_trace_create("x");
	const struct trace_link *got;
	struct weft_trace_file f;
	struct weft_trace t;
	uint64_t pos = 0;
	size_t bytes;

	assert_int_equal(weft_trace_attach(&t, fd, 3), 0);
	weft_trace_put(&t, TRACE_LINKS, &l, sizeof(l));
	weft_trace_put(&t, TRACE_NOTES, "a\tb\n", 4);
	weft_trace_detach(&t);
	/* a record written after detach is ignored */
	weft_trace_put(&t, TRACE_LINKS, &l, sizeof(l));
	assert_int_equal(weft_trace_read(&f, fd), 0);
	assert_null(weft_trace_next(&f, TRACE_EVENTS, TRACE_ALL_WRITERS, &pos,
				    &bytes));
	pos = 0;
	got = weft_trace_next(&f, TRACE_LINKS, TRACE_ALL_WRITERS, &pos, &bytes);
	assert_non_null(got);
	assert_int_equal(bytes, sizeof(l));
	assert_int_equal(got->packets, 7);
	weft_trace_close(&f);
	close(fd);
}

static void records_continue_in_the_next_chunk(void **state)
{
	enum { LINKS = 2000 };
	struct trace_link l = { .name = "A+" };
	int fd = weft_trace_create("/tmp/x");
	const struct trace_link *got;
	struct weft_trace_file f;
	struct weft_trace t;
	uint64_t pos = 0, n = 0;
	size_t bytes;

	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	for (l.packets = 0; l.packets < LINKS; l.packets++)
		weft_trace_put(&t, TRACE_LINKS, &l, sizeof(l));
	weft_trace_detach(&t);
	assert_int_equal(weft_trace_read(&f, fd), 0);
	while ((got = weft_trace_next(&f, TRACE_LINKS, 0, &pos, &bytes)))
		for (size_t i = 0; i < bytes / sizeof(l); i++, n++)
			assert_int_equal(got[i].packets, n);
	assert_int_equal(n, LINKS);
	weft_trace_close(&f);
	close(fd);
}

/* A file size limit simulates a full disk. */
static void reader_reports_lost_events_on_full_disk(void **state)
{
	struct rlimit was,
		small = { TRACE_HEAD + 2 * TRACE_CHUNK, RLIM_INFINITY };
	struct trace_event e = { .kind = TRACE_CALL };
	int fd = weft_trace_create("/tmp/x");
	struct weft_trace_file f;
	struct weft_trace t;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small.rlim_max = was.rlim_max;
	assert_int_equal(weft_trace_attach(&t, fd, 0), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (e.t = 0; e.t < EVENTS; e.t++)
		weft_trace_event(&t, &e);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_int_equal(t.fd, -1);
	assert_int_equal(weft_trace_read(&f, fd), 0);
	assert_int_equal(f.lost, 1);
	assert_int_equal(count_events(&f, 0),
			 2 * ((TRACE_CHUNK - TRACE_CHUNK_HEAD) / 32));
	weft_trace_close(&f);
	close(fd);
}

static void invalid_trace_file_is_refused(void **state)
{
	int fd = open("/dev/null", O_RDWR);
	struct weft_trace t;

	assert_int_equal(weft_trace_attach(&t, fd, 0), -EINVAL);
	assert_int_equal(weft_trace_attach(&t, -1, 0), -EINVAL);
	assert_int_equal(weft_trace_create("/nowhere/x"), -ENOENT);
	close(fd);
	fd = weft_trace_create("/tmp/x");
	assert_int_equal(pwrite(fd, "none", 4, 0), 4);
	assert_int_equal(weft_trace_attach(&t, fd, 0), -EINVAL);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_killed_writers_are_complete),
		cmocka_unit_test(detach_and_reattach_keep_all_events),
		cmocka_unit_test(full_buffer_of_dead_writer_is_read_once),
		cmocka_unit_test(counter_times_convert_to_clock),
		cmocka_unit_test(send_sizes_are_not_converted_as_times),
		cmocka_unit_test(trace_call_arguments_round_trip),
		cmocka_unit_test(detach_clears_open_calls),
		cmocka_unit_test(concurrent_reader_sees_whole_events),
		cmocka_unit_test(record_types_are_separate),
		cmocka_unit_test(records_continue_in_the_next_chunk),
		cmocka_unit_test(reader_reports_lost_events_on_full_disk),
		cmocka_unit_test(invalid_trace_file_is_refused),
	};

	return T_RUN(tests);
}
