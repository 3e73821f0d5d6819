/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits of the host, measured without MPI, with which results are compared:
 * the one-way time of a cache line between two processes, a copy from memory to
 * memory, a futex wake between two processes, and the time in which each of 64
 * processes that only yield has run once, which is the lower bound for a
 * barrier of 64 ranks. Prints medians of rounds.
 */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS		  9
#define LINE_ROUND_TRIPS  200000
#define FUTEX_ROUND_TRIPS 20000
#define COPY_BYTES	  (1 << 20)
#define YIELDERS	  64
#define YIELD_S		  0.1

struct shared {
	_Alignas(64) _Atomic uint32_t ping;
	_Alignas(64) _Atomic uint32_t pong;
	_Atomic uint64_t yields;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* processors available to the program, read before pinning */
static cpu_set_t all;

static void pin(int cpu)
{
	cpu_set_t one;

	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &all) || cpu--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void spin_until(_Atomic uint32_t *w, uint32_t v)
{
	while (atomic_load_explicit(w, memory_order_acquire) != v)
		;
}

static void line_ping_pong(struct shared *s, int first, uint32_t rounds)
{
	for (uint32_t i = 1; i <= rounds; i++) {
		if (first) {
			atomic_store_explicit(&s->ping, i,
					      memory_order_release);
			spin_until(&s->pong, i);
		} else {
			spin_until(&s->ping, i);
			atomic_store_explicit(&s->pong, i,
					      memory_order_release);
		}
	}
}

static void futex_until(_Atomic uint32_t *w, uint32_t v)
{
	uint32_t now_is;

	while ((now_is = atomic_load(w)) != v)
		syscall(SYS_futex, w, FUTEX_WAIT, now_is, NULL, NULL, 0);
}

static void futex_set(_Atomic uint32_t *w, uint32_t v)
{
	atomic_store(w, v);
	syscall(SYS_futex, w, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_ping_pong(struct shared *s, int first, uint32_t rounds)
{
	for (uint32_t i = 1; i <= rounds; i++) {
		if (first) {
			futex_set(&s->ping, i);
			futex_until(&s->pong, i);
		} else {
			futex_until(&s->ping, i);
			futex_set(&s->pong, i);
		}
	}
}

/* Returns the one-way microseconds between two pinned processes. */
static double one_way(struct shared *s, uint32_t rounds,
		      void (*fn)(struct shared *, int, uint32_t))
{
	double start, t;
	pid_t pid;

	atomic_store(&s->ping, 0);
	atomic_store(&s->pong, 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(1);
		fn(s, 0, rounds);
		_exit(0);
	}
	pin(0);
	start = now();
	fn(s, 1, rounds);
	t = now() - start;
	waitpid(pid, NULL, 0);
	return t * 1e6 / (2.0 * rounds);
}

static void yield_until(struct shared *s, double end)
{
	uint64_t n = 0;

	for (; now() < end; n++)
		sched_yield();
	atomic_fetch_add(&s->yields, n);
}

/* Returns the microseconds in which each of many processes runs once. */
static double yield_round_us(struct shared *s)
{
	double end = now() + YIELD_S;

	atomic_store(&s->yields, 0);
	sched_setaffinity(0, sizeof(all), &all);
	for (int i = 0; i < YIELDERS; i++) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			yield_until(s, end);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return YIELD_S * 1e6 * YIELDERS / (double)atomic_load(&s->yields);
}

/* Returns the GB/s of copying 1 MiB; each byte is counted once. */
static double copy_rate(void)
{
	static char *a, *b;
	double start;
	int rounds = 2000;

	if (!a) {
		a = malloc(COPY_BYTES);
		b = malloc(COPY_BYTES);
		memset(a, 1, COPY_BYTES);
		memset(b, 2, COPY_BYTES);
	}
	start = now();
	for (int i = 0; i < rounds; i++) {
		memcpy(b, a, COPY_BYTES);
		__asm__ volatile("" ::"r"(b) : "memory");
	}
	return (double)COPY_BYTES * rounds / (now() - start) / 1e9;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void show(const char *what, double *v, const char *unit)
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	printf("%-26s %10.3f %s  (%.3f .. %.3f)\n", what, v[ROUNDS / 2], unit,
	       v[0], v[ROUNDS - 1]);
}

int main(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double line[ROUNDS], futex[ROUNDS], copy[ROUNDS], yield[ROUNDS];

	if (s == MAP_FAILED || sched_getaffinity(0, sizeof(all), &all) ||
	    CPU_COUNT(&all) < 2) {
		fprintf(stderr, "raw: needs two processors\n");
		return 77;
	}
	for (int i = 0; i < ROUNDS; i++) {
		line[i] = one_way(s, LINE_ROUND_TRIPS, line_ping_pong);
		futex[i] = one_way(s, FUTEX_ROUND_TRIPS, futex_ping_pong);
		copy[i] = copy_rate();
		yield[i] = yield_round_us(s);
	}
	show("cache-line one-way", line, "us");
	show("futex wake", futex, "us");
	show("memcpy 1 MiB", copy, "GB/s");
	show("64 processes yield once", yield, "us");
	return 0;
}
