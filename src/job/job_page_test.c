/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the job status page with several threads and processes. */
#include "src/job/job_page.h"
#include "test/t.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct weft_job_page shared;

static void call_names_map_to_ids(void **state)
{
	struct weft_job_page r;
	char name[JOB_PAGE_NAME];
	uint32_t a, b;

	T_OK(weft_job_page_open(&r, 2, false));
	a = weft_job_page_id(&r, "MPI_Send");
	b = weft_job_page_id(&r, "MPI_Recv");
	T_TRUE(a && b && a != b);
	T_IS(weft_job_page_id(&r, "MPI_Send"), a);
	T_TRUE(weft_job_page_name(&r, b, name));
	T_STR(name, "MPI_Recv");
	T_FALSE(weft_job_page_name(&r, 0, name));
	T_FALSE(weft_job_page_name(&r, JOB_PAGE_NAMES, name));
	weft_job_page_close(&r);
}

static void page_of_another_version_is_named(void **state)
{
	struct weft_job_page r, other;

	T_OK(weft_job_page_open(&r, 1, false));
	T_IS(weft_job_page_other(r.region.fd), 0);
	r.head->version = JOB_PAGE_VERSION + 4;
	T_IS(weft_job_page_other(r.region.fd), JOB_PAGE_VERSION + 4);
	T_IS(weft_job_page_attach(&other, r.region.fd), -EINVAL);
	r.head->magic++;
	T_IS(weft_job_page_other(r.region.fd), 0);
	weft_job_page_close(&r);
	T_IS(weft_job_page_other(-1), 0);
}

static void full_name_table_returns_0(void **state)
{
	struct weft_job_page r;
	char name[JOB_PAGE_NAME + 8];
	int given = 0;

	T_OK(weft_job_page_open(&r, 1, false));
	for (int i = 0; i < JOB_PAGE_NAMES + 5; i++) {
		snprintf(name, sizeof(name), "call_%d", i);
		given += weft_job_page_id(&r, name) != 0;
	}
	T_IS(given, JOB_PAGE_NAMES - 1);
	weft_job_page_close(&r);
}

static void job_page_shows_call_of_dead_rank(void **state)
{
	struct weft_job_page r;
	char text[128];
	pid_t pid;
	int status;

	T_OK(weft_job_page_open(&r, 3, false));
	pid = fork();
	if (pid == 0) {
		struct weft_job_page mine;
		struct job_page_member *m;

		if (weft_job_page_attach(&mine, r.region.fd))
			_exit(1);
		m = weft_job_page_member(&mine, 2);
		weft_store32(&m->in[0], weft_job_page_id(&mine, "MPI_Recv"));
		weft_store32(&m->in[3], weft_job_page_id(&mine, "MPI_Send"));
		weft_store32(&m->in[4], weft_job_page_id(&mine, "MPI_Send"));
		abort();
	}
	T_IS(waitpid(pid, &status, 0), pid);
	T_TRUE(WIFSIGNALED(status));
	T_TRUE(weft_job_page_in(&r, 2, text, sizeof(text)));
	T_STR(text, "MPI_Recv, MPI_Send");
	T_FALSE(weft_job_page_in(&r, 1, text, sizeof(text)));
	T_FALSE(weft_job_page_in(&r, 3, text, sizeof(text)));
	weft_job_page_close(&r);
}

static void text_is_reported_once(void **state)
{
	struct weft_job_page r;
	char text[24];

	T_OK(weft_job_page_open(&r, 2, false));
	T_TRUE(weft_job_page_first(&r, "no such option"));
	T_FALSE(weft_job_page_first(&r, "no such option"));
	T_TRUE(weft_job_page_first(&r, "another"));
	/* If the table is full, a text is repeated rather than lost. */
	for (int i = 0; i < 2 * JOB_PAGE_ONCE; i++) {
		snprintf(text, sizeof(text), "line %d", i);
		T_TRUE(weft_job_page_first(&r, text));
	}
	T_TRUE(weft_job_page_first(&r, text));
	T_FALSE(weft_job_page_first(&r, "another"));
	weft_job_page_close(&r);
}

static void invalid_region_is_refused(void **state)
{
	struct weft_region region;
	struct weft_job_page r;
	int fd[2];

	T_OK(weft_region_open(&region, "garbage", 1 << 20));
	T_IS(weft_job_page_attach(&r, region.fd), -EINVAL);
	T_TRUE(!r.region.base && !r.head); /* nothing stays mapped */
	memset(region.base, 0x5a, region.bytes);
	T_IS(weft_job_page_attach(&r, region.fd), -EINVAL);
	T_TRUE(!r.region.base && !r.head);
	weft_region_close(&region);
	T_OK(pipe(fd));
	T_IS(weft_job_page_attach(&r, fd[0]), -EINVAL);
	close(fd[0]);
	close(fd[1]);
	T_TRUE(weft_job_page_attach(&r, 999) < 0);
}

static void launcher_reads_counts_and_text(void **state)
{
	struct weft_job_page r, mine;
	char *text;
	uint32_t id;

	T_OK(weft_job_page_open(&r, 4, true));
	T_NULL(weft_job_page_text(&r));
	T_OK(weft_job_page_attach(&mine, r.region.fd));
	id = weft_job_page_id(&mine, "MPI_Send");
	weft_add64(&weft_job_page_call_count(&mine, 3, id)->count, 5);
	weft_job_page_text_add(&mine, "one\n");
	weft_job_page_text_add(&mine, "two\n");
	T_IS(weft_load64(&weft_job_page_call_count(&r, 3, id)->count), 5);
	text = weft_job_page_text(&r);
	T_STR(text, "one\ntwo\n");
	free(text);
	weft_job_page_close(&mine);
	weft_job_page_close(&r);
}

static void *get_names(void *arg)
{
	char name[32], got[JOB_PAGE_NAME];
	uint32_t id;

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "call_%d", i);
		id = weft_job_page_id(&shared, name);
		if (!id || !weft_job_page_name(&shared, id, got) ||
		    strcmp(got, name))
			++*(int *)arg;
	}
	return NULL;
}

static void concurrent_threads_get_valid_ids(void **state)
{
	int wrong[4] = { 0 };

	T_OK(weft_job_page_open(&shared, 1, false));
	t_threads(4, get_names, wrong, sizeof(wrong[0]));
	for (int i = 0; i < 4; i++)
		T_IS(wrong[i], 0);
	weft_job_page_close(&shared);
}

/*
 * Simulates a member that consists of four processes in succession; process
 * `number` reads the entries with this number, or later ones, of all members.
 */
static int put_entries(int i, void *arg)
{
	struct weft_job_page r;
	char entry[JOB_PAGE_ENTRY];
	size_t len;

	if (weft_job_page_attach(&r, *(int *)arg))
		return 1;
	for (uint32_t number = 1; number <= 4; number++) {
		int mine[2] = { i, (int)number }, got[2];

		if (weft_job_page_entry_put(&r, (uint32_t)i, mine,
					    sizeof(mine)) != number)
			return 2;
		for (uint32_t k = 0; k < r.members; k++) {
			len = sizeof(entry);
			if (weft_job_page_entry_get(&r, k, number, entry,
						    &len) ||
			    len != sizeof(got))
				return 3;
			memcpy(got, entry, sizeof(got));
			if (got[0] != (int)k || got[1] < (int)number)
				return 4;
		}
	}
	weft_job_page_close(&r);
	return 0;
}

static void members_exchange_entries(void **state)
{
	struct weft_job_page r;
	char entry[4];
	size_t len = sizeof(entry);

	T_OK(weft_job_page_open(&r, 5, false));
	weft_job_page_set_job(&r, "weft-1");
	T_TRUE(weft_job_page_is_of(&r, "weft-1"));
	T_FALSE(weft_job_page_is_of(&r, "weft-2"));
	t_processes(5, put_entries, &r.region.fd, 60);
	T_IS(weft_job_page_entry_get(&r, 0, 1, entry, &len), -EPROTO);
	T_IS(weft_job_page_entry_get(&r, 5, 1, entry, &len), -EINVAL);
	weft_job_page_close(&r);
}

#define ROUNDS	  400
#define PROCESSES 6

/* Ids that the processes got, per round. */
struct results {
	weft_au32 arrived[ROUNDS];
	uint32_t got[ROUNDS][PROCESSES];
};

/*
 * All processes look up the same new name concurrently. Page faults delay the
 * process that writes the name.
 */
static int get_names_together(int i, void *arg)
{
	struct results *d = arg;
	char name[JOB_PAGE_NAME];

	for (int k = 0; k < ROUNDS; k++) {
		snprintf(name, sizeof(name), "call_%d", k);
		weft_add32(&d->arrived[k], 1);
		while (weft_load32(&d->arrived[k]) < PROCESSES)
			sched_yield();
		d->got[k][i] = weft_job_page_id(&shared, name);
	}
	return 0;
}

static void concurrent_id_lookups_agree(void **state)
{
	struct results *d = mmap(NULL, sizeof(*d), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(d != MAP_FAILED);
	T_OK(weft_job_page_open(&shared, 1, false));
	t_processes(PROCESSES, get_names_together, d, 60);
	for (int k = 0; k < ROUNDS; k++) {
		for (int i = 1; i < PROCESSES; i++)
			T_IS(d->got[k][i], d->got[k][0]);
	}
	weft_job_page_close(&shared);
	munmap(d, sizeof(*d));
}

/* A member waits until the launcher has recorded an exit. */
static void members_are_notified_of_exits(void **state)
{
	T_OK(weft_job_page_open(&shared, 3, false));
	T_IS(weft_job_page_exits(&shared), 0);
	T_FALSE(weft_job_page_has_exited(&shared, 1));
	weft_job_page_record_exit(&shared, 1);
	T_IS(weft_job_page_exits(&shared), 1);
	T_TRUE(weft_job_page_has_exited(&shared, 1));
	T_FALSE(weft_job_page_has_exited(&shared, 2));
	weft_job_page_record_exit(&shared, 3); /* no such member */
	T_IS(weft_job_page_exits(&shared), 1);
	/* the number of exits has changed: no wait */
	weft_job_page_wait_exit(&shared, 0);
	weft_job_page_close(&shared);
}

/*
 * Members record the same event in any order: the page keeps its first and last
 * time.
 */
static void events_have_their_first_and_last_time(void **state)
{
	struct weft_job_page_event e = {
		.kind = JOB_PAGE_FAILURE, .number = 17, .rank = 17, .at_ps = 5
	};
	static const uint64_t begin[] = { 30, 10, 20 };
	const struct job_page_event *x;
	unsigned n = 0;

	T_OK(weft_job_page_open(&shared, 3, true));
	for (int i = 0; i < 3; i++) {
		e.begin_ps = begin[i];
		e.end_ps = begin[i] + 5;
		weft_job_page_event_add(&shared, &e);
	}
	e.kind = JOB_PAGE_SHRINK; /* another event with this number */
	weft_job_page_event_add(&shared, &e);
	x = weft_job_page_events(&shared);
	for (int i = 0; i < JOB_PAGE_EVENTS; i++) {
		if (!weft_load64(&x[i].key))
			continue;
		n++;
		if ((weft_load64(&x[i].key) & 0xff) != JOB_PAGE_FAILURE)
			continue;
		T_IS(weft_load32(&x[i].members), 3);
		T_IS(weft_load64(&x[i].begin_ps), 10 + 1);
		T_IS(weft_load64(&x[i].end_ps), 35 + 1);
		T_IS(weft_load64(&x[i].first_end_ps), 15 + 1);
		T_IS(weft_load64(&x[i].detail), 17);
		T_IS(weft_load64(&x[i].at_ps), 5 + 1);
	}
	T_IS(n, 2);
	/* a full table drops events */
	for (e.number = 100; e.number < 100 + 2 * JOB_PAGE_EVENTS; e.number++)
		weft_job_page_event_add(&shared, &e);
	weft_job_page_close(&shared);
	T_OK(weft_job_page_open(&shared, 3, false));
	T_TRUE(!weft_job_page_events(&shared));
	weft_job_page_event_add(&shared, &e);
	weft_job_page_close(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(call_names_map_to_ids),
		T_CASE(page_of_another_version_is_named),
		T_CASE(events_have_their_first_and_last_time),
		T_CASE(full_name_table_returns_0),
		T_CASE(job_page_shows_call_of_dead_rank),
		T_CASE(text_is_reported_once),
		T_CASE(invalid_region_is_refused),
		T_CASE(launcher_reads_counts_and_text),
		T_CASE(concurrent_threads_get_valid_ids),
		T_CASE(members_exchange_entries),
		T_CASE(members_are_notified_of_exits),
		T_CASE(concurrent_id_lookups_agree),
	};

	return T_RUN(tests);
}
