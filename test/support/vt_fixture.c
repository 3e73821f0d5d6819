/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: ranks of virtual time, each a process that runs the body of a
 * test.
 */
#include "test/support/vt_fixture.h"

#include "prov/net/file/net_file.h"
#include "test/t.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Returns the configuration, with the packet size of the machine's largest
 * unit.
 */
static struct weft_vt_conf conf_of(const struct play *p)
{
	return (struct weft_vt_conf){ .machine =
					      p->machine ? p->machine : "bgq",
				      .map = "",
				      .faults = p->faults,
				      .universe = p->universe,
				      .packet_bytes = p->machine ? 2560 : 512 };
}

/* Combines words: op 0 adds; op 1 depends on the order of its operands. */
static uint32_t combine_words(unsigned op, unsigned type, void *acc,
			      const void *in, size_t bytes)
{
	for (size_t i = 0; i < bytes / 8; i++) {
		uint64_t a, b;

		memcpy(&a, (char *)acc + 8 * i, 8);
		memcpy(&b, (const char *)in + 8 * i, 8);
		a = op ? play_mix(a, b) : a + b;
		memcpy((char *)acc + 8 * i, &a, 8);
	}
	return 0;
}

/* Adds the word in `what` to the word in data. */
static int change_word(const void *what, size_t operand_bytes, void *data,
		       void *old, size_t bytes)
{
	uint64_t a, b;

	if (operand_bytes != 8 || bytes != 8)
		return -EPROTO;
	memcpy(&a, data, 8);
	memcpy(old, data, 8);
	memcpy(&b, what, 8);
	a += b;
	memcpy(data, &a, 8);
	return 0;
}

uint64_t play_mix(uint64_t a, uint64_t b)
{
	return 31 * a + 7 * b + 1;
}

uint64_t now(struct end *e)
{
	return e->c->ops->backend->now_ps(e->c, false);
}

struct weft_peer *rank_peer(struct play *p, struct end *e, uint32_t rank)
{
	union weft_name name;

	weft_vt_name(p->w, rank, &name);
	return end_peer_name(e, &name);
}

int play_rank(int i, void *arg)
{
	struct play *p = arg;
	struct weft_vt_conf conf = conf_of(p);
	struct weft_vt *w = p->w;
	struct weft_carrier_attr attr = { .combine = combine_words,
					  .change = change_word,
					  .threads = p->threads };
	struct end *e = calloc(1, sizeof(*e));
	cpu_set_t one;
	int ret;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (p->one_core)
		sched_setaffinity(0, sizeof(one), &one);
	if (i && weft_vt_attach(&conf, p->handle, (uint32_t)i, &w))
		return 90;
	attr.world = w;
	p->w = w;
	if (end_open(e, &weft_carrier_vt, (uint32_t)i, &attr))
		return 91;
	ret = p->body(p, e, (uint32_t)i);
	p->found->clock[i] = now(e);
	weft_vt_count(e->c, &p->found->count);
	if (!ret && e->bad)
		ret = 92;
	end_close(e);
	return ret;
}

void play_open(struct play *p)
{
	struct weft_vt_conf conf = conf_of(p);

	T_OK(weft_vt_create(&conf, (uint32_t)p->ranks, &p->w, p->handle));
	p->found = mmap(NULL, sizeof(*p->found), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_TRUE(p->found != MAP_FAILED);
}

void play_close(struct play *p)
{
	munmap(p->found, sizeof(*p->found));
	weft_vt_close(p->w);
}

void play(struct play *p, struct found *found_p)
{
	play_open(p);
	t_processes(p->ranks, play_rank, p, 60);
	*found_p = *p->found;
	play_close(p);
}

/* Returns whether a line of a machine file sets this key. */
static bool sets_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(line, key, n) && strchr(" =\t", line[n]);
}

void play_file(char *path, const char *machine, const char *without,
	       const char *instead)
{
	char from[4096], line[512];
	struct net_error_text why;
	FILE *in, *out = fdopen(mkstemp(path), "w");
	bool replaced = false;

	T_OK(net_file_find(machine, from, sizeof(from), &why));
	in = fopen(from, "r");
	T_TRUE(in && out);
	while (fgets(line, sizeof(line), in)) {
		bool matches = !replaced && sets_key(line, without);

		fputs(matches ? instead : line, out);
		replaced |= matches;
	}
	T_TRUE(replaced);
	fclose(in);
	fclose(out);
}

int wait_got(struct end *e, uint64_t want)
{
	while (e->got < want) {
		if (e->c->ops->poll(e->c, 16))
			continue;
		if (e->c->ops->wait(e->c, FOREVER))
			return 80;
	}
	return 0;
}

int send_waiting(struct end *e, struct weft_peer *to, uint64_t n, size_t len)
{
	int ret;

	while ((ret = end_send(e, to, n, len)) == -EAGAIN) {
		if (e->c->ops->poll(e->c, 16))
			continue;
		ret = e->c->ops->wait(e->c, FOREVER);
		if (ret && ret != -EAGAIN)
			return 81;
	}
	return ret ? 82 : 0;
}

static void record_time(void *arg, uint64_t time_ps, uint64_t cookie,
			uint32_t node, uint64_t offset, uint32_t bytes)
{
	(void)cookie;
	(void)node;
	(void)offset;
	(void)bytes;
	*(uint64_t *)arg = time_ps;
}

uint64_t unloaded_latency(struct net_config *cfg, uint32_t bytes)
{
	struct net_error_text why;
	struct net_msg m = {
		.src = 0, .dst = 1, .bytes = bytes, .routing = NET_DETERMINISTIC
	};
	const struct net_up up = { .packet = record_time };
	bool stop = false;
	uint64_t time_ps = 0;
	struct net *net;
	size_t room;

	T_OK(net_file_load("bgq", 2, cfg, &why));
	room = net_bytes(cfg, 64);
	net = calloc(1, room);
	T_OK(net_open(net, room, cfg, 64));
	T_OK(net_send(net, 0, &m));
	net_run(net, 1000000000, &up, &time_ps, &stop);
	free(net);
	return time_ps;
}

int play_route(struct play *p, struct end *e, uint32_t rank)
{
	struct weft_peer *member[RANKS_MAX];
	struct weft_backend_route a = { .key = 77,
					.routes = 8,
					.n = p->ranks,
					.me = (int)rank,
					.member = member };
	unsigned id = 0;
	int ret;

	for (int i = 0; i < p->ranks; i++)
		member[i] = rank_peer(p, e, (uint32_t)i);
	while ((ret = e->c->ops->backend->routes->open(e->c, &a, &id)) ==
	       -EAGAIN)
		e->c->ops->wait(e->c, FOREVER);
	return ret ? ret : id != 3;
}

int play_result(struct end *e, struct weft_backend_part *part, void *data)
{
	int ret;

	while ((ret = e->c->ops->backend->routes->take(e->c, 3, part, data)) ==
	       -EAGAIN) {
		if (e->c->ops->poll(e->c, 1))
			continue;
		if (e->c->ops->wait(e->c, FOREVER))
			return 1;
	}
	return ret;
}
