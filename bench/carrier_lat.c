/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shm carrier compared with the limits of the host, with two processes:
 *
 *   latency   one-way time from carrier send to deliver, and R, the time of a
 *             cache line from one core to the other (raw ping-pong)
 *   rate      packets per second, 8 bytes
 *   stream    MB/s per packet size (the receiver copies the data), and memcpy
 *
 * All tests run in interleaved rounds, and the medians are printed; "best" as
 * second argument prints the best round instead, for a shared host.
 *
 *   carrier_lat [rounds [best]]
 */
#include "prov/carrier/carrier.h"
#include "src/base/atomic.h"
#include "src/base/attr.h"
#include "src/base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUND_TRIPS_MAX 101
#define BUF_BYTES	65536

static const size_t sizes[] = {
	8, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192
};

struct bench_page {
	alignas(128) weft_au64 ping;
	alignas(128) weft_au64 pong;
	/* rounds of the raw ping-pong that the child answers; 0: none */
	alignas(128) weft_au32 raw;
	weft_au32 up;
	/* size in bytes of the child's reply to every packet; 0: none */
	weft_au32 echo;
	/* number of packets after which the child replies once */
	weft_au64 want;
	union weft_name name;
};

struct bench {
	struct bench_page *page;
	struct weft_carrier *c;
	struct weft_peer *to;
	uint64_t got;
	size_t offset; /* offset in buf */
	uint8_t buf[BUF_BYTES];
};

static int bench_deliver(void *arg, struct weft_peer *src,
			 const struct weft_pkt *pkt, const void *payload)
{
	struct bench *b = arg;

	if (b->offset + pkt->len > BUF_BYTES)
		b->offset = 0;
	memcpy(b->buf + b->offset, payload, pkt->len);
	b->offset += pkt->len > 96 ? pkt->len : 0;
	b->to = src;
	b->got++;
	return 0;
}

static void bench_lost(void *arg, struct weft_peer *peer, int err)
{
	if (err != ESHUTDOWN)
		fprintf(stderr, "carrier_lat: peer lost: %s\n", strerror(err));
	exit(0);
}

static const struct weft_carrier_up bench_up = { .deliver = bench_deliver,
						 .lost = bench_lost };

static void bench_open(struct bench *b, int core)
{
	struct weft_carrier_attr attr = { .up = &bench_up, .up_arg = b };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	sched_setaffinity(0, sizeof(set), &set);
	attr.name.in.sin_family = AF_INET;
	attr.name.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (weft_carrier_shm.open(&attr, &b->c)) {
		fprintf(stderr, "carrier_lat: cannot open the carrier\n");
		exit(1);
	}
}

static void bench_send(struct bench *b, size_t len)
{
	struct weft_pkt pkt = { .type = 1, .len = (uint16_t)len };
	struct iovec iov = { .iov_base = b->buf, .iov_len = len };

	while (weft_carrier_shm.send(b->c, b->to, &pkt, &iov, 1) == -EAGAIN)
		weft_carrier_shm.poll(b->c, 1);
}

static void raw_reply(struct bench_page *p)
{
	uint32_t n = weft_load32(&p->raw);

	for (uint64_t i = 1; i <= n; i++) {
		while (weft_load64(&p->ping) != i)
			;
		weft_store64(&p->pong, i);
	}
	weft_store32(&p->raw, 0);
}

static void bench_child(struct bench_page *p)
{
	struct bench *b = calloc(1, sizeof(*b));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	b->page = p;
	bench_open(b, 1);
	b->c->ops->name_get(b->c, &p->name);
	weft_store32(&p->up, 1);
	for (;;) {
		uint64_t before = b->got;

		if (weft_load32_relaxed(&p->raw))
			raw_reply(p);
		weft_carrier_shm.poll(b->c, 32);
		if (b->got == before)
			continue;
		if (weft_load32_relaxed(&p->echo)) {
			bench_send(b, weft_load32_relaxed(&p->echo));
			b->got = 0;
		} else if (b->got == weft_load64_relaxed(&p->want)) {
			bench_send(b, 0);
			b->got = 0;
		}
	}
}

static double raw_latency(struct bench *b, uint32_t n)
{
	struct bench_page *p = b->page;
	uint64_t t;

	weft_store64(&p->ping, 0);
	weft_store64(&p->pong, 0);
	weft_store32(&p->raw, n);
	t = weft_now_ns();
	for (uint64_t i = 1; i <= n; i++) {
		weft_store64(&p->ping, i);
		while (weft_load64(&p->pong) != i)
			;
	}
	t = weft_now_ns() - t;
	while (weft_load32(&p->raw))
		;
	return (double)t / n / 2;
}

static double carrier_latency(struct bench *b, size_t len, uint32_t n)
{
	uint64_t t;

	weft_store32(&b->page->echo, (uint32_t)len);
	b->got = 0;
	t = weft_now_ns();
	for (uint32_t i = 0; i < n; i++) {
		bench_send(b, len);
		while (b->got == i)
			weft_carrier_shm.poll(b->c, 1);
	}
	t = weft_now_ns() - t;
	weft_store32(&b->page->echo, 0);
	return (double)t / n / 2;
}

/* Returns the nanoseconds per packet of a stream. */
static double carrier_stream(struct bench *b, size_t len, uint32_t n)
{
	uint64_t t;

	weft_store64(&b->page->want, n);
	b->got = 0;
	t = weft_now_ns();
	for (uint32_t i = 0; i < n; i++)
		bench_send(b, len);
	while (!b->got)
		weft_carrier_shm.poll(b->c, 1);
	return (double)(weft_now_ns() - t) / n;
}

static double memcpy_stream(struct bench *b, size_t len, uint32_t n)
{
	static uint8_t from[BUF_BYTES];
	size_t at = 0;
	uint64_t t = weft_now_ns();

	for (uint32_t i = 0; i < n; i++) {
		memcpy(b->buf + at, from + at, len);
		__asm__ volatile("" ::"r"(b->buf) : "memory");
		at = at + 2 * len > BUF_BYTES ? 0 : at + len;
	}
	return (double)(weft_now_ns() - t) / n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool best; /* whether the best round is printed instead of the median */

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_value);
	return v[best ? 0 : n / 2];
}

static void bench_run(struct bench *b, int rounds)
{
	static double raw[ROUND_TRIPS_MAX];
	static double lat[WEFT_COUNT_OF(sizes)][ROUND_TRIPS_MAX];
	static double str[WEFT_COUNT_OF(sizes)][ROUND_TRIPS_MAX];
	static double cpy[WEFT_COUNT_OF(sizes)][ROUND_TRIPS_MAX];

	carrier_latency(b, 8, 1000);
	for (int k = 0; k < rounds; k++) {
		raw[k] = raw_latency(b, 2000);
		for (size_t i = 0; i < WEFT_COUNT_OF(sizes); i++) {
			uint32_t n = sizes[i] > 1024 ? 1000 : 5000;

			lat[i][k] = carrier_latency(b, sizes[i], 500);
			str[i][k] = carrier_stream(b, sizes[i], n);
			cpy[i][k] = memcpy_stream(b, sizes[i], n);
		}
	}
	printf("# raw line R %.1f ns one way\n", median(raw, rounds));
	printf("# %6s %12s %8s %12s %12s %12s\n", "bytes", "ns one way", "/ R",
	       "Mpackets/s", "MB/s", "memcpy MB/s");
	for (size_t i = 0; i < WEFT_COUNT_OF(sizes); i++) {
		double ns = median(str[i], rounds);

		printf("%8zu %12.1f %8.2f %12.2f %12.0f %12.0f\n", sizes[i],
		       median(lat[i], rounds),
		       median(lat[i], rounds) / median(raw, rounds), 1e3 / ns,
		       (double)sizes[i] * 1e3 / ns,
		       (double)sizes[i] * 1e3 / median(cpy[i], rounds));
	}
}

int main(int argc, char **argv)
{
	struct bench_page *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct bench *b = calloc(1, sizeof(*b));
	int rounds = argc > 1 ? atoi(argv[1]) : 15;
	pid_t pid = fork();

	best = argc > 2;
	if (!pid)
		bench_child(p);
	if (rounds < 1 || rounds > ROUND_TRIPS_MAX)
		rounds = ROUND_TRIPS_MAX;
	b->page = p;
	bench_open(b, 0);
	while (!weft_load32(&p->up))
		sched_yield();
	if (!b->c->ops->peer(b->c, &p->name, &b->to))
		bench_run(b, rounds);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	b->c->ops->close(b->c);
	free(b);
	return 0;
}
