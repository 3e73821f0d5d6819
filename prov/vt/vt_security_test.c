/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Security of a world: its owner, the processes that may write it, and
 * detection of dead ranks.
 */
#include "test/support/carrier_fixture.h"
#include "prov/vt/vt.h"
#include "test/support/vt_fixture.h"
#include "test/support/log_text.h"
#include "test/t.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct weft_vt_conf bgq = { .machine = "bgq",
					 .map = "",
					 .packet_bytes = 512 };

/* Memory that two processes share in addition to the world. */
struct page {
	char handle[WEFT_VT_HANDLE];
	char machine[sizeof(PLAY_FILE)]; /* path of the machine file */
	weft_au32 step;
};

static struct page *page_open(void)
{
	struct page *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(p != MAP_FAILED);
	return p;
}

/* Waits for a step; aborts the calling process after 60 s. */
static void wait_for_step(struct page *p, uint32_t step)
{
	struct t_limit limit;

	t_limit_set(&limit, 60);
	while (weft_load32(&p->step) < step) {
		if (t_limit_expired(&limit)) {
			fprintf(stderr, "step %u is never reached\n", step);
			abort();
		}
		sched_yield();
	}
}

static pid_t start(struct page *p, int (*fn)(struct page *p))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	alarm(120);
	_exit(fn(p));
}

static int end_of(pid_t pid)
{
	int status = -1;

	T_IS(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- owner of a world ---------------------------------------------------- */

/* Returns the configuration with a machine file that another user can read. */
static struct weft_vt_conf conf_of(const struct page *p)
{
	struct weft_vt_conf conf = bgq;

	conf.machine = p->machine;
	return conf;
}

static int make_world(struct page *p)
{
	struct weft_vt_conf conf = conf_of(p);
	struct weft_vt *w;

	if (setuid(65534) || weft_vt_create(&conf, 2, &w, p->handle))
		return 1;
	weft_store32(&p->step, 1);
	wait_for_step(p, 2);
	weft_vt_close(w);
	return 0;
}

static void the_world_of_another_user_is_refused(void **state)
{
	struct page *p = page_open();
	struct weft_vt_conf conf = conf_of(p);
	struct weft_vt *w = NULL;
	pid_t pid;
	int ret;

	if (geteuid())
		skip();
	/* the source tree may be in a folder that only root can read */
	strcpy(p->machine, PLAY_FILE);
	play_file(p->machine, "bgq", "name", "name = bgq\n");
	T_OK(chmod(p->machine, 0644));
	pid = start(p, make_world);
	wait_for_step(p, 1);
	ret = weft_vt_attach(&conf, p->handle, 1, &w);
	weft_store32(&p->step, 2);
	unlink(p->machine);
	T_IS(end_of(pid), 0);
	T_IS(ret, -EPERM);
	T_NULL(w);
	munmap(p, sizeof(*p));
}

/* ---- write access -------------------------------------------------------- */

static struct vt *open_rank(struct page *p, uint32_t rank, struct end *e)
{
	struct weft_carrier_attr attr = { .up = NULL };

	if (weft_vt_attach(&bgq, p->handle, rank, &attr.world) ||
	    end_open(e, &weft_carrier_vt, rank, &attr))
		return NULL;
	return vt_of(e->c);
}

static int wait_briefly(struct page *p)
{
	struct end e;

	if (!open_rank(p, 1, &e))
		return 1;
	if (e.c->ops->wait(e.c, 1000) != -ETIMEDOUT)
		return 2;
	weft_add32(&p->step, 1);
	wait_for_step(p, 2);
	end_close(&e);
	return 0;
}

static void a_complete_world_cannot_be_mapped_for_writing(void **state)
{
	struct weft_carrier_attr attr = { .up = NULL };
	struct page *p = page_open();
	struct weft_vt *w, *second = NULL;
	struct end e;
	bool too_old;
	pid_t pid;
	int ret;

	T_OK(weft_vt_create(&bgq, 2, &w, p->handle));
	attr.world = w;
	T_OK(end_open(&e, &weft_carrier_vt, 0, &attr));
	pid = start(p, wait_briefly);
	T_IS(e.c->ops->wait(e.c, 1000), -ETIMEDOUT);
	ret = weft_vt_attach(&bgq, p->handle, 1, &second);
	too_old = weft_region_seal(&w->region) == -EINVAL;
	weft_add32(&p->step, 1);
	end_close(&e);
	T_IS(end_of(pid), 0);
	weft_vt_close(w);
	munmap(p, sizeof(*p));
	if (!ret)
		weft_vt_close(second);
	if (too_old)
		skip(); /* kernels before 5.1 do not support this */
	T_TRUE(ret < 0);
}

static void *wake_rank(void *arg)
{
	struct vt *v = vt_of(((struct end *)arg)->c);

	while (weft_load32(&v->me->status) != WEFT_VT_BLOCKED)
		sched_yield();
	v->base.ops->wake(&v->base);
	return NULL;
}

/* A thread wakes rank 0, which waits for rank 1, which has not started yet. */
static void a_world_is_writable_until_all_ranks_attach(void **state)
{
	struct weft_carrier_attr attr = { .threads = true };
	struct weft_vt *w, *other = NULL;
	char handle[WEFT_VT_HANDLE];
	struct end e;
	pthread_t th;

	T_OK(weft_vt_create(&bgq, 2, &w, handle));
	attr.world = w;
	T_OK(end_open(&e, &weft_carrier_vt, 0, &attr));
	T_OK(pthread_create(&th, NULL, wake_rank, &e));
	T_OK(e.c->ops->wait(e.c, FOREVER));
	T_OK(pthread_join(th, NULL));
	T_OK(weft_vt_attach(&bgq, handle, 1, &other));
	weft_vt_close(other);
	end_close(&e);
	weft_vt_close(w);
}

static void a_world_of_another_version_is_refused(void **state)
{
	struct weft_vt *w, *other = NULL;
	char handle[WEFT_VT_HANDLE];

	T_OK(weft_vt_create(&bgq, 2, &w, handle));
	w->head->magic++;
	log_text_begin();
	T_IS(weft_vt_attach(&bgq, handle, 1, &other), -EPROTO);
	T_TRUE(log_text_contains("the world segment of rank 0 has format 4, "
				 "this process has format 3:"));
	weft_vt_close(w);
}

/* ---- dead ranks ---------------------------------------------------------- */

/* The process dies, and another living process gets its pid. */
static int die_and_be_replaced(struct page *p)
{
	struct end e;
	struct vt *v = open_rank(p, 1, &e);

	if (!v)
		return 1;
	weft_store32(&v->me->pid, 1);
	weft_store32(&p->step, 1);
	raise(SIGKILL);
	return 2;
}

static int die_and_check(struct page *p)
{
	union weft_name name;
	struct end e;
	struct vt *v = open_rank(p, 0, &e);

	if (!v)
		return 1;
	weft_vt_name(v->w, 1, &name);
	end_peer_name(&e, &name);
	wait_for_step(p, 1);
	while (!e.lost)
		if (!e.c->ops->poll(e.c, 1) && !e.lost &&
		    e.c->ops->wait(e.c, FOREVER) == -EDEADLK)
			return 2;
	return e.lost_err == ECONNRESET ? 0 : 3;
}

static void a_rank_whose_pid_was_reused_is_dead(void **state)
{
	struct page *p = page_open();
	struct weft_vt *w;
	pid_t pid[2];

	T_OK(weft_vt_create(&bgq, 2, &w, p->handle));
	pid[0] = start(p, die_and_check);
	pid[1] = start(p, die_and_be_replaced);
	T_IS(end_of(pid[1]), 128);
	T_IS(end_of(pid[0]), 0);
	weft_vt_close(w);
	munmap(p, sizeof(*p));
}

static bool first_thread_has_ended(void)
{
	char line[512] = "", *c;
	FILE *f = fopen("/proc/self/stat", "r");

	if (!f)
		return false;
	c = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return c && c[2] == 'Z';
}

static void *run_thread(void *arg)
{
	struct page *p = arg;
	union weft_name name;
	struct end e;
	struct vt *v = open_rank(p, 1, &e);

	if (!v)
		_exit(1);
	while (!first_thread_has_ended())
		sched_yield();
	weft_store32(&p->step, 1);
	wait_for_step(p, 2);
	weft_vt_name(v->w, 0, &name);
	if (end_send(&e, end_peer_name(&e, &name), 0, 8))
		_exit(2);
	end_close(&e);
	_exit(0);
}

static int end_main_thread(struct page *p)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run_thread, p))
		return 3;
	pthread_exit(NULL);
}

static int check_main_thread_end(struct page *p)
{
	struct end e;
	struct vt *v = open_rank(p, 0, &e);

	if (!v)
		return 1;
	wait_for_step(p, 1);
	for (int i = 0; i < 8; i++)
		vt_engine_watch(v);
	if (weft_load32(&v->w->rank_of[1].status) != WEFT_VT_RUN)
		return 2;
	weft_store32(&p->step, 2);
	while (!e.got)
		if (!e.c->ops->poll(e.c, 1) && e.c->ops->wait(e.c, FOREVER))
			return 3;
	end_close(&e);
	return 0;
}

static void a_rank_lives_after_its_main_thread_ended(void **state)
{
	struct page *p = page_open();
	struct weft_vt *w;
	pid_t pid[2];

	T_OK(weft_vt_create(&bgq, 2, &w, p->handle));
	pid[0] = start(p, check_main_thread_end);
	pid[1] = start(p, end_main_thread);
	T_IS(end_of(pid[0]), 0);
	T_IS(end_of(pid[1]), 0);
	weft_vt_close(w);
	munmap(p, sizeof(*p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_world_of_another_user_is_refused),
		T_CASE(a_complete_world_cannot_be_mapped_for_writing),
		T_CASE(a_world_is_writable_until_all_ranks_attach),
		T_CASE(a_world_of_another_version_is_refused),
		T_CASE(a_rank_whose_pid_was_reused_is_dead),
		T_CASE(a_rank_lives_after_its_main_thread_ended),
	};

	return T_RUN(tests);
}
