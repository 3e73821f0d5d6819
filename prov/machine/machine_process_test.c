/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Units of all machines and other processes: random packets of an unrelated
 * process, exchange through shared memory, and the death of a peer.
 */
#include "test/support/unit_grid.h"

#include "src/base/rng.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

static int no_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	return 0;
}

static void no_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up no_up = {
	.deliver = no_deliver,
	.lost = no_lost,
};

/* Makes a packet of random bytes; fields are often close to their limits. */
static void random_packet(struct weft_rng *r, struct weft_pkt *pkt,
			  void *payload)
{
	static const uint8_t types[] = { 0x55, 0x60, 0x70, 0x50, 0x40, 7 };

	weft_rng_fill(r, pkt, sizeof(*pkt));
	weft_rng_fill(r, payload, 2048);
	pkt->type = types[weft_rng_below(r, WEFT_COUNT_OF(types))];
	pkt->carrier = 0;
	pkt->len = (uint16_t)weft_rng_below(r, 2048);
	if (weft_rng_below(r, 2))
		pkt->flags = (uint8_t)weft_rng_below(r, 9);
	if (weft_rng_below(r, 2))
		pkt->unit = (uint32_t)weft_rng_below(r, 4);
	if (weft_rng_below(r, 2))
		pkt->tag = weft_rng_below(r, 1 << 14);
	if (pkt->type == 0x40 && weft_rng_below(r, 2)) {
		/* puts into a ring of apenet */
		pkt->flags = 0x1b;
		pkt->tag = UINT64_C(1) << 63 | weft_rng_below(r, 1 << 17);
		pkt->data = weft_rng_below(r, 20);
	}
	if (pkt->type == 0x55 && weft_rng_below(r, 2)) {
		pkt->len = (uint16_t)(weft_rng_below(r, 17) * 32);
		pkt->unit = (uint32_t)weft_rng_below(r, 3) << 29 |
			    (uint32_t)pkt->len / 32 << 24;
	}
}

static void random_packets_of_another_process_are_harmless(void **state)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &no_up,
	};
	unsigned char payload[2048];
	struct weft_carrier *c;
	struct weft_peer *peer;
	struct weft_pkt pkt;
	struct weft_rng r;
	struct side s[SIDES];

	weft_rng_init(&r, 12, 0);
	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		pair_open(s, &grid[i], false);
		T_OK(grid[i].carrier->open(&a, &c));
		T_OK(c->ops->peer(c, &s[1].name, &peer));
		for (int k = 0; k < t_scale(5000); k++) {
			struct iovec iov = { payload, 0 };

			random_packet(&r, &pkt, payload);
			iov.iov_len = pkt.len;
			c->ops->send(c, peer, &pkt, &iov, 1);
			c->ops->poll(c, 16);
			s[1].u->ops->poll(s[1].u, 16);
			if (k % 64 == 0)
				pair_exchange(s, (uint64_t)k / 64 + 1);
		}
		c->ops->close(c);
		pair_close(s);
	}
}

/* Addresses of processes that connect to each other. */
struct board {
	union weft_name name[SIDES];
	_Atomic int ready[SIDES];
	_Atomic int finished;
};

struct job {
	const struct grid *g;
	struct board *board;
};

static int child(int i, void *arg)
{
	struct job *j = arg;
	struct side s;
	uint64_t n = (uint64_t)t_scale(5000);

	side_open(&s, j->g, false);
	j->board->name[i] = s.name;
	j->board->ready[i] = 1;
	while (!j->board->ready[!i])
		usleep(100);
	side_connect(&s, &j->board->name[!i]);
	while (s.sent < n || s.taken < n) {
		if (s.sent < n)
			side_send(&s);
		s.u->ops->poll(s.u, 16);
	}
	j->board->finished++;
	while (j->board->finished < SIDES)
		s.u->ops->poll(s.u, 16);
	s.u->ops->close(s.u);
	return 0;
}

static void processes_communicate_by_shared_memory(void **state)
{
	struct board *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		struct job j = { &grid[i], b };

		if (grid[i].carrier != &weft_carrier_shm)
			continue;
		memset(b, 0, sizeof(*b));
		t_processes(SIDES, child, &j, 60);
	}
	munmap(b, sizeof(*b));
}

/* Lets the parent read `theirs`, until the process is killed. */
static void victim(const struct job *j, unsigned char *theirs, size_t bytes)
{
	struct side s;

	side_open(&s, j->g, false);
	mem_open(&s, theirs, bytes, READ_WRITE);
	j->board->name[1] = s.name;
	j->board->ready[1] = 1;
	for (;;)
		s.u->ops->poll(s.u, 16);
}

/* Returns the result of a transfer from the other process. */
static int get_from(struct side *s, void *theirs, size_t bytes)
{
	unsigned char mine[4096];
	struct bulk b;
	int err;

	bulk_fill(&b, s, mine, theirs, bytes);
	do {
		err = s->u->ops->get(s->u, s->peer, &b.d);
		s->u->ops->poll(s->u, 16);
	} while (err == -EAGAIN);
	return err ? err : s->dma_err;
}

static void a_transfer_with_a_dead_process_ends(void **state)
{
	static unsigned char theirs[4096];
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct side s;
	pid_t pid;

	for (size_t i = 0; i < WEFT_COUNT_OF(grid); i++) {
		const struct job j = { &grid[i], board };

		if (!checks_memory(&grid[i]) ||
		    grid[i].carrier != &weft_carrier_shm)
			continue;
		memset(board, 0, sizeof(*board));
		pid = fork();
		if (!pid)
			victim(&j, theirs, sizeof(theirs));
		while (!board->ready[1])
			usleep(100);
		side_open(&s, &grid[i], false);
		side_connect(&s, &board->name[1]);
		T_OK(get_from(&s, theirs, sizeof(theirs)));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		T_IS(get_from(&s, theirs, sizeof(theirs)), -ECONNRESET);
		s.u->ops->close(s.u);
	}
	munmap(board, sizeof(*board));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(random_packets_of_another_process_are_harmless),
		T_CASE(processes_communicate_by_shared_memory),
		T_CASE(a_transfer_with_a_dead_process_ends),
	};

	return T_RUN(tests);
}
