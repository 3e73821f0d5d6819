/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shm carrier between processes: floods, deaths, names, other users,
 * descriptors, waits.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STAGE_MAX 256

/* Memory shared by parent and children. */
struct stage {
	union weft_name name[STAGE_MAX];
	weft_au32 up; /* number of endpoints that have written their names */
	weft_au32 step;
	weft_au32 done;
	int count;
	int seconds;
};

static struct stage *stage_open(int count)
{
	struct stage *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	T_TRUE(s != MAP_FAILED);
	s->count = count;
	return s;
}

static void stage_close(struct stage *s)
{
	munmap(s, sizeof(*s));
}

static bool stage_reaches(weft_au32 *word, uint32_t n, struct end *e)
{
	struct t_limit limit;

	t_limit_set(&limit, 30);
	while (weft_load32(word) < n) {
		if (t_limit_expired(&limit))
			return false;
		if (e)
			e->c->ops->poll(e->c, 16);
		sched_yield();
	}
	return true;
}

/* Starts a child that runs fn(s, i) and exits with its return value. */
static pid_t stage_child(struct stage *s, int i, int (*fn)(struct stage *, int))
{
	pid_t parent = getpid();
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(99);
	_exit(fn(s, i));
}

static int stage_wait(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static size_t flood_len(uint64_t n)
{
	static const size_t len[] = { 8,   0,	 32,  33,   96, 97,
				      200, 1000, 512, 4096, 8,	8192 };

	return len[n % WEFT_COUNT_OF(len)];
}

/* All endpoints send to all others for some rounds, or for some seconds. */
static int flood_child(int i, void *arg)
{
	struct stage *s = arg;
	struct weft_peer *to[STAGE_MAX];
	uint64_t stop = weft_now_ns() + (uint64_t)s->seconds * 1000000000u;
	uint64_t rounds = s->seconds ? UINT64_MAX : (uint64_t)t_scale(400);
	struct end e;
	uint64_t n;

	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, NULL))
		return 1;
	s->name[i] = e.name;
	weft_add32(&s->up, 1);
	if (!stage_reaches(&s->up, (uint32_t)s->count, NULL))
		return 2;
	for (int k = 0; k < s->count; k++)
		to[k] = end_peer_name(&e, &s->name[k]);
	for (n = 0; n < rounds && !(s->seconds && weft_now_ns() > stop); n++) {
		for (int k = 0; k < s->count; k++) {
			if (end_send_all(&e, to[k], n,
					 flood_len(n + (uint64_t)k), 60))
				return 3;
		}
	}
	/* mark the end of the stream */
	for (int k = 0; k < s->count; k++) {
		if (end_send_all(&e, to[k], n, 9, 60))
			return 4;
	}
	weft_add32(&s->done, 1);
	if (!s->seconds && !end_wait_got(&e, (n + 1) * (uint64_t)s->count, 60))
		return 5;
	stage_reaches(&s->done, (uint32_t)s->count, &e);
	while (e.c->ops->poll(e.c, 64))
		;
	end_close(&e);
	return e.bad ? 6 : e.lost_err == EPROTO ? 7 : 0;
}

static void processes_flood_each_other(void **state)
{
	struct stage *s = stage_open(6);
	const char *seconds = getenv("WEFT_STRESS_SECONDS");

	t_processes(s->count, flood_child, s, 100);
	stage_close(s);
	s = stage_open(4);
	s->seconds = seconds ? atoi(seconds) : t_scale(2);
	t_processes(s->count, flood_child, s, s->seconds + 60);
	stage_close(s);
}

/* ---- death of a peer ----------------------------------------------------- */

static int sender(struct stage *s, int i)
{
	struct end e;
	struct weft_peer *to;

	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, NULL))
		return 1;
	to = end_peer_name(&e, &s->name[0]);
	for (uint64_t n = 0;; n++)
		end_send_all(&e, to, n, flood_len(n), 60);
}

static void a_killed_sender_is_reported(void **state)
{
	struct stage *s = stage_open(1);
	struct end *e = calloc(1, sizeof(*e));
	pid_t pid[4];

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	s->name[0] = e->name;
	for (int i = 0; i < 4; i++)
		pid[i] = stage_child(s, i, sender);
	T_TRUE(end_wait_got(e, 2000, 30));
	for (int i = 0; i < 4; i++) {
		while (!e->got_from[i])
			T_TRUE(end_wait_got(e, e->got + 100, 30));
		kill(pid[i], SIGKILL);
		/* the child has not been reaped yet: a zombie counts as dead */
		T_TRUE(end_wait_lost(e, (uint64_t)i + 1, 30));
		T_IS(e->lost_err, ECONNRESET);
		T_IS(end_send(e, e->lost_peer, 0, 8), -ECONNRESET);
	}
	for (int i = 0; i < 4; i++)
		stage_wait(pid[i]);
	T_IS(e->bad, 0);
	end_close(e);
	free(e);
	stage_close(s);
}

/*
 * Reserves s->count slots and dies before it publishes the first; the second
 * one, if any, is published.
 */
static int die_reserved(struct stage *s, int i)
{
	struct end e;
	struct shm_peer *p;
	uint64_t t;

	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, NULL))
		return 1;
	p = shm_peer_of(end_peer_name(&e, &s->name[0]));
	if (end_send_all(&e, &p->base, 0, 8, 20))
		return 2;
	/* this writer reserved the previous slot, too: no owner to record */
	t = weft_load64(&p->view.head->tail);
	while (!weft_cas64(
		&p->view.head->tail, &t,
		shm_tail_make(shm_tail_ticket(t) + (uint64_t)s->count,
			      p->writer)))
		;
	t = shm_tail_ticket(t) + 1;
	if (s->count > 1)
		weft_store64(&p->slot[t & (p->view.slots - 1)].word,
			     shm_slot_word(0, shm_word(shm_lap(t, p->lg),
						       SHM_SKIPPED, 0,
						       SHM_NO_WRITER)));
	weft_store32(&s->step, 1);
	kill(getpid(), SIGKILL);
	return 3;
}

/*
 * The number of slots per round is odd and the FIFO has 16, so every position
 * is used.
 */
static void stage_skips(int slots, uint64_t skipped)
{
	struct weft_carrier_attr attr = { .fifo_slots = 16 };
	struct stage *s = stage_open(slots);
	struct end *e = calloc(1, sizeof(*e));
	struct end *other = calloc(1, sizeof(*other));
	struct weft_carrier_stats st;
	struct weft_peer *to;
	uint64_t n = 0;

	T_OK(end_open(e, &weft_carrier_shm, 100, &attr));
	T_OK(end_open(other, &weft_carrier_shm, 101, NULL));
	s->name[0] = e->name;
	to = end_peer(other, e);
	for (int round = 1; round <= 16; round++) {
		pid_t pid;

		for (int k = 0; k < 3; k++)
			T_OK(end_send_all(other, to, n++, 8, 10));
		weft_store32(&s->step, 0);
		pid = stage_child(s, round, die_reserved);
		T_TRUE(stage_reaches(&s->step, 1, NULL));
		stage_wait(pid);
		for (int k = 0; k < 2; k++)
			T_OK(end_send_all(other, to, n++, 200, 10));
		T_TRUE(end_wait_lost(e, (uint64_t)round, 20));
		T_TRUE(end_wait_got(e, n + (uint64_t)round, 20));
		T_IS(e->got_from[101], n);
	}
	e->c->ops->stats(e->c, &st);
	T_IS(st.skipped, skipped);
	T_IS(e->bad, 0);
	end_close(other);
	end_close(e);
	free(other);
	free(e);
	stage_close(s);
}

static void a_slot_of_a_dead_writer_is_skipped(void **state)
{
	stage_skips(1, 16);
}

static void slots_of_an_incomplete_long_packet_are_skipped(void **state)
{
	stage_skips(3, 32);
}

/*
 * Opens an endpoint at the name that the parent chose; reports the packets that
 * arrive.
 */
static int listener(struct stage *s, int i)
{
	struct weft_carrier_attr attr = { .name = s->name[i] };
	struct end e;

	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, &attr))
		return 1;
	s->name[i] = e.name;
	weft_add32(&s->up, 1);
	if (!end_wait_got(&e, 3, 20))
		return 2;
	weft_add32(&s->done, 1);
	end_send_all(&e, e.last, 0, 5000, 20);
	for (;;)
		e.c->ops->poll(e.c, 4);
}

/*
 * The hint of a remote name contains the pid of a local process (this one) and
 * a descriptor that is not a region.
 */
static void a_name_of_another_host_matches_no_local_process(void **state)
{
	const int fds[] = { 0, STDERR_FILENO, 60000 };
	struct end *e = calloc(1, sizeof(*e));

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	for (uint32_t i = 0; i < 3; i++) {
		union weft_name name = e->name;
		struct weft_peer *to;

		name.in.sin_port = htons((uint16_t)(1000 + i));
		weft_name_hint_set(
			&name, shm_hint_make((uint32_t)getpid(), fds[i], 7));
		to = end_peer_name(e, &name);
		T_TRUE(to);
		T_IS(end_send_all(e, to, 0, 8, 20), -ECONNRESET);
		T_TRUE(end_wait_lost(e, i + 1, 20));
	}
	end_close(e);
	free(e);
}

static void a_name_is_reused_after_a_death(void **state)
{
	struct stage *s = stage_open(2);
	struct end *e = calloc(1, sizeof(*e));
	struct weft_peer *old = NULL;
	struct weft_peer *to;

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	for (uint32_t generation = 1; generation <= 3; generation++) {
		pid_t pid = stage_child(s, 1, listener);

		T_TRUE(stage_reaches(&s->up, generation, NULL));
		memset(s->name[1].in.sin_zero, 0, 8);
		to = end_peer_name(e, &s->name[1]);
		T_TRUE(to && to != old);
		for (uint64_t n = 0; n < 3; n++)
			T_OK(end_send_all(e, to, n, 100, 20));
		e->got_from[1] = 0;
		T_TRUE(end_wait_got(e, generation, 20));
		T_PTR(e->last, to);
		kill(pid, SIGKILL);
		stage_wait(pid);
		/* in generation 2 the loss is detected by a send */
		if (generation != 2)
			T_TRUE(end_wait_lost(e, generation, 20));
		else
			while (end_send(e, to, 9, 8) != -ECONNRESET)
				e->c->ops->poll(e->c, 1);
		old = to;
	}
	T_IS(e->lost, 3);
	T_IS(e->bad, 0);
	end_close(e);
	free(e);
	stage_close(s);
}

/* ---- close --------------------------------------------------------------- */

static int send_and_close(struct stage *s, int i)
{
	struct end e;
	struct weft_peer *to;

	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, NULL))
		return 1;
	to = end_peer_name(&e, &s->name[0]);
	for (uint64_t n = 0; n < 20; n++) {
		if (end_send_all(&e, to, n, i == 1 ? 6000 + n : 60, 20))
			return 2;
	}
	if (i == 1)
		end_close(&e);
	return 0;
}

static void packets_are_delivered_after_their_sender_exited(void **state)
{
	struct stage *s = stage_open(1);
	struct end *e = calloc(1, sizeof(*e));
	pid_t pid;

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	s->name[0] = e->name;
	for (int i = 1; i <= 2; i++) {
		pid = stage_child(s, i, send_and_close);
		/* the child exits before the first poll */
		T_IS(stage_wait(pid), 0);
	}
	T_TRUE(end_wait_lost(e, 2, 20));
	T_IS(e->got, 40);
	T_IS(e->bad, 0);
	end_close(e);
	free(e);
	stage_close(s);
}

/* ---- other users --------------------------------------------------------- */

static int raw_connect(const union weft_name *n, uid_t uid)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int len = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1,
			   "weft.%u.%u%s", uid, ntohs(n->in.sin_port),
			   weft_name_is_ipv6(n) ? ".ip6" : "");

	if (connect(fd, (struct sockaddr *)&un,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				(size_t)len)))
		return -1;
	return fd;
}

/* Requests the region as another user; only the end of file may arrive. */
static int other_user(struct stage *s, int i)
{
	uint64_t request[2] = { 1, 0 };
	char ctl[256], buf[64];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct msghdr h = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = ctl,
			    .msg_controllen = sizeof(ctl) };
	int fd;

	if (setuid(65534))
		return 77;
	fd = raw_connect(&s->name[0], 0);
	if (fd < 0 || write(fd, request, sizeof(request)) != sizeof(request))
		return 1;
	/* expect ECONNRESET (unread data) or end of file, but no reply */
	if (recvmsg(fd, &h, 0) > 0)
		return 2;
	return i;
}

static void another_user_gets_no_region(void **state)
{
	struct stage *s = stage_open(1);
	struct end *e = calloc(1, sizeof(*e));
	struct weft_carrier_stats st;
	int status;
	pid_t pid;

	if (geteuid())
		skip();
	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	s->name[0] = e->name;
	pid = stage_child(s, 0, other_user);
	while (waitpid(pid, &status, WNOHANG) != pid) {
		e->c->ops->poll(e->c, 1);
		sched_yield();
	}
	T_IS(status, 0);
	e->c->ops->stats(e->c, &st);
	T_IS(st.refused, 1);
	end_close(e);
	free(e);
	stage_close(s);
}

/* Binds the socket name of an endpoint of root. */
static int squatter(struct stage *s, int i)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int len = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1,
			   "weft.0.%u%s", ntohs(s->name[0].in.sin_port),
			   weft_name_is_ipv6(&s->name[0]) ? ".ip6" : "");

	if (setuid(65534) ||
	    bind(fd, (struct sockaddr *)&un,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     (size_t)len)) ||
	    listen(fd, 64))
		return 1;
	weft_store32(&s->up, 1);
	return stage_reaches(&s->done, 1, NULL) ? i : 2;
}

static void a_name_bound_by_another_user_is_not_contacted(void **state)
{
	struct stage *s = stage_open(1);
	struct end *e = calloc(1, sizeof(*e));
	struct weft_peer *to;
	pid_t pid;

	if (geteuid())
		skip();
	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	s->name[0] = t_loopback();
	s->name[0].in.sin_port = htons(ntohs(e->name.in.sin_port) ^ 1);
	pid = stage_child(s, 0, squatter);
	T_TRUE(stage_reaches(&s->up, 1, NULL));
	to = end_peer_name(e, &s->name[0]);
	for (int i = 0; i < 20; i++) {
		T_AGAIN(end_send(e, to, 0, 8));
		usleep(1000);
	}
	weft_store32(&s->done, 1);
	T_IS(stage_wait(pid), 0);
	end_close(e);
	free(e);
	stage_close(s);
}

/*
 * After setuid() /proc/PID/fd is not readable, so descriptors are passed
 * through sockets.
 */
static int setuid_child(int i, void *arg)
{
	struct stage *s = arg;
	struct weft_peer *to;
	struct end e;

	if (setuid(65534))
		return 1;
	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, NULL))
		return 2;
	s->name[i] = e.name;
	weft_add32(&s->up, 1);
	stage_reaches(&s->up, (uint32_t)s->count, NULL);
	for (int k = 0; k < s->count; k++) {
		to = end_peer_name(&e, &s->name[k]);
		for (uint64_t n = 0; n < 10; n++) {
			if (end_send_all(&e, to, n, n * 300, 30))
				return 3;
		}
	}
	if (!end_wait_got(&e, (uint64_t)s->count * 10, 30))
		return 4;
	weft_add32(&s->done, 1);
	stage_reaches(&s->done, (uint32_t)s->count, &e);
	end_close(&e);
	return e.bad ? 5 : 0;
}

static void regions_are_passed_if_proc_refuses_access(void **state)
{
	struct stage *s = stage_open(12);

	if (geteuid())
		skip();
	t_processes(s->count, setuid_child, s, 60);
	stage_close(s);
}

/* ---- many peers, few descriptors ----------------------------------------- */

static int open_many(struct stage *s, int i)
{
	struct end *e = calloc((size_t)s->count, sizeof(*e));

	for (int k = 0; k < s->count; k++) {
		if (end_open(&e[k], &weft_carrier_shm, (uint32_t)k, NULL))
			return 1;
		s->name[k] = e[k].name;
		e[k].echo = true;
	}
	weft_store32(&s->up, 1);
	while (!weft_load32(&s->done)) {
		for (int k = 0; k < s->count; k++)
			e[k].c->ops->poll(e[k].c, 16);
		sched_yield();
	}
	for (int k = 0; k < s->count; k++) {
		i += (int)e[k].bad;
		end_close(&e[k]);
	}
	free(e);
	return i;
}

static void many_peers_use_no_descriptors(void **state)
{
	struct stage *s = stage_open(200);
	struct end *e = calloc(1, sizeof(*e));
	struct rlimit was, few = { 64, 64 };
	pid_t pid = stage_child(s, 0, open_many);
	int before;

	T_TRUE(stage_reaches(&s->up, 1, NULL));
	T_OK(end_open(e, &weft_carrier_shm, 250, NULL));
	before = t_open_files();
	getrlimit(RLIMIT_NOFILE, &was);
	few.rlim_max = was.rlim_max;
	T_OK(setrlimit(RLIMIT_NOFILE, &few));
	for (int k = 0; k < s->count; k++) {
		struct weft_peer *to = end_peer_name(e, &s->name[k]);

		for (uint64_t n = 0; n < 4; n++)
			T_OK(end_send_all(e, to, n, 700 * n, 30));
	}
	T_TRUE(end_wait_got(e, 4u * (uint64_t)s->count, 60));
	T_IS(t_open_files(), before);
	setrlimit(RLIMIT_NOFILE, &was);
	weft_store32(&s->done, 1);
	T_IS(stage_wait(pid), 0);
	T_IS(e->bad, 0);
	end_close(e);
	free(e);
	stage_close(s);
}

/* ---- waiting ------------------------------------------------------------- */

static int slow_sender(struct stage *s, int i)
{
	struct weft_peer *to;
	struct end e;

	if (end_open(&e, &weft_carrier_shm, (uint32_t)i, NULL))
		return 1;
	to = end_peer_name(&e, &s->name[0]);
	for (uint64_t n = 0; n < 20; n++) {
		if (!stage_reaches(&s->step, (uint32_t)n + 1, &e))
			return 2;
		usleep(2000);
		if (end_send_all(&e, to, n, 8, 20))
			return 3;
	}
	end_close(&e);
	return 0;
}

static void the_wait_descriptor_signals_packets(void **state)
{
	struct stage *s = stage_open(1);
	struct end *e = calloc(1, sizeof(*e));
	struct pollfd pfd = { .events = POLLIN };
	pid_t pid;
	int ret;

	T_OK(end_open(e, &weft_carrier_shm, 100, NULL));
	pfd.fd = e->c->ops->wait_fd(e->c);
	T_TRUE(pfd.fd >= 0);
	s->name[0] = e->name;
	pid = stage_child(s, 1, slow_sender);
	for (uint64_t n = 0; n < 20; n++) {
		weft_store32(&s->step, (uint32_t)n + 1);
		while (e->got <= n) {
			ret = e->c->ops->arm(e->c);
			if (!ret)
				T_IS(poll(&pfd, 1, 5000), 1);
			else
				T_AGAIN(ret);
			e->c->ops->poll(e->c, 4);
		}
	}
	/* wake() ends a wait, too */
	T_IS(stage_wait(pid), 0);
	T_TRUE(end_wait_lost(e, 1, 20));
	while (e->c->ops->arm(e->c))
		;
	e->c->ops->wake(e->c);
	T_IS(poll(&pfd, 1, 5000), 1);
	end_close(e);
	free(e);
	stage_close(s);
}

static void close_leaves_no_open_descriptors(void **state)
{
	int before = t_open_files();

	for (int i = 0; i < 20; i++) {
		struct end a, b;

		T_OK(end_open(&a, &weft_carrier_shm, 1, NULL));
		T_OK(end_open(&b, &weft_carrier_shm, 2, NULL));
		T_TRUE(a.c->ops->wait_fd(a.c) >= 0);
		T_OK(end_send_all(&a, end_peer(&a, &b), 0, 900, 10));
		T_TRUE(end_wait_got(&b, 1, 10));
		end_close(&a);
		end_close(&b);
	}
	T_IS(t_open_files(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(processes_flood_each_other),
		T_CASE(a_killed_sender_is_reported),
		T_CASE(a_slot_of_a_dead_writer_is_skipped),
		T_CASE(slots_of_an_incomplete_long_packet_are_skipped),
		T_CASE(a_name_of_another_host_matches_no_local_process),
		T_CASE(a_name_is_reused_after_a_death),
		T_CASE(packets_are_delivered_after_their_sender_exited),
		T_CASE(another_user_gets_no_region),
		T_CASE(a_name_bound_by_another_user_is_not_contacted),
		T_CASE(regions_are_passed_if_proc_refuses_access),
		T_CASE(many_peers_use_no_descriptors),
		T_CASE(the_wait_descriptor_signals_packets),
		T_CASE(close_leaves_no_open_descriptors),
	};

	return T_RUN(tests);
}
