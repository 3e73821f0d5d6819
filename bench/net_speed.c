/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the network model: uniform random traffic of full packets on a
 * torus, with dynamic routing, for a limited virtual time.
 *
 *   net_speed [DIMS [LOAD [MICROSECONDS [ZONE]]]]      8x8x8 0.5 200 1
 *   net_speed gemini:8x8x8 ...    a machine other than bgq, zone 0
 *
 * LOAD is a fraction of the capacity of the longest dimension (8/k packets per
 * node and packet time). Prints packet-hops and events per second of CPU time,
 * and the memory in use.
 */
#include "prov/net/net.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"

#include "src/base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { STREAMS = 8 };

struct load {
	struct net *net;
	uint32_t nodes;
	uint64_t gap_ps; /* mean time between messages of one stream, ps */
	uint64_t end_ps;
	struct stream {
		uint64_t due; /* time of the next message of the stream, ps */
		uint64_t count;
	} * stream;
	uint64_t packets, latency_ps, warm_ps, packet_ps;
	uint32_t bytes; /* size of a packet in bytes */
	unsigned zone;
};

/*
 * Returns a random number for a stream and message, independent of the order of
 * calls.
 */
static uint64_t random_at(uint64_t stream, uint64_t n, unsigned what)
{
	uint64_t x = weft_hash_mix(stream * 1000003 + n * 7 + what + 1);

	return weft_hash_mix(x + 0x9e3779b97f4a7c15u);
}

static void next(struct load *l, uint64_t now, uint32_t stream)
{
	struct stream *st = &l->stream[stream];
	uint64_t n = st->count++;
	double u = (double)(random_at(stream, n, 0) >> 11) * 0x1p-53;
	uint32_t node = stream / STREAMS;
	struct net_msg msg = { .src = node,
			       .bytes = l->bytes,
			       .fifo = stream & UINT16_MAX };
	int err;

	st->due += (uint64_t)(-log(1 - u) * (double)l->gap_ps);
	if (st->due > l->end_ps)
		return;
	msg.dst = (uint32_t)(random_at(stream, n, 1) % (l->nodes - 1));
	msg.dst += msg.dst >= node;
	msg.zone = (uint8_t)l->zone;
	msg.cookie = (uint64_t)stream << 40 | (st->due / 1000 & 0xffffffffff);
	err = net_send(l->net, st->due > now ? st->due : now, &msg);
	if (err) {
		fprintf(stderr,
			"net_speed: cannot send from node %u to %u: %s\n", node,
			msg.dst, strerror(-err));
		exit(1);
	}
}

static void on_sent(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	next(arg, at, (uint32_t)(cookie >> 40));
}

static void on_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct load *l = arg;

	if (at < l->warm_ps || at > l->end_ps)
		return;
	l->packets++;
	l->latency_ps += at - (cookie & 0xffffffffff) * 1000;
}

static const struct net_up up = { .sent = on_sent, .arrived = on_arrived };

static uint32_t parse(struct net_config *cfg, const char *dims)
{
	uint32_t nodes = 1;
	char *end;

	cfg->dims = 0;
	memset(cfg->midplane, 0, sizeof(cfg->midplane));
	do {
		cfg->size[cfg->dims] = (uint16_t)strtoul(dims, &end, 10);
		cfg->wrap[cfg->dims] = 1;
		cfg->order[cfg->dims] = cfg->dims;
		nodes *= cfg->size[cfg->dims++];
		dims = end + 1;
	} while (*end && cfg->dims < NET_DIMS_MAX);
	return nodes;
}

/*
 * Configures zone 0: one mask of dimensions for each dimension length, the
 * longest length first. Returns the longest length.
 */
static unsigned zones(struct net_config *cfg)
{
	unsigned d, n = 0, k, longest = 0;

	memset(cfg->zone, 0, sizeof(cfg->zone));
	for (k = 128; k; k--) {
		for (d = 0; d < cfg->dims; d++)
			if (cfg->size[d] == k)
				cfg->zone[0][n] |= (uint8_t)(1u << d);
		if (cfg->zone[0][n]) {
			longest = n ? longest : k;
			n++;
		}
	}
	for (k = 1; k < NET_ZONES; k++)
		cfg->zone[k][0] = (uint8_t)((1u << cfg->dims) - 1);
	return longest;
}

/*
 * Returns the CPU time of this process, since other processes may share the
 * core.
 */
static double cpu_seconds(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (double)ru.ru_utime.tv_sec + (double)ru.ru_stime.tv_sec +
	       1e-6 * (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
}

static void report(const struct load *l, double peak, double s, size_t bytes)
{
	struct net_count c;
	struct rusage ru;

	net_count_get(l->net, &c);
	getrusage(RUSAGE_SELF, &ru);
	printf("nodes %u, hops %llu, events %llu (%.2f per hop), "
	       "escapes %.2f %%\n",
	       l->nodes, (unsigned long long)c.hops,
	       (unsigned long long)c.events, (double)c.events / (double)c.hops,
	       100.0 * (double)c.escapes / (double)c.hops);
	printf("accepted %.1f %% of peak, mean latency %.3f us, hash %016llx"
	       "\n",
	       100 * (double)l->packets * (double)l->packet_ps /
		       ((double)(l->end_ps - l->warm_ps) * l->nodes * peak),
	       (double)l->latency_ps / (double)l->packets / 1e6,
	       (unsigned long long)c.hash);
	printf("%.2f M packet-hops/s, %.2f M events/s, %.3f s, "
	       "block %zu MB, resident %ld MB\n",
	       (double)c.hops / s / 1e6, (double)c.events / s / 1e6, s,
	       bytes >> 20, ru.ru_maxrss >> 10);
}

/*
 * Configures a machine by its name. Returns the number of packets per node and
 * packet time that its bisection can carry.
 */
static double machine(struct load *l, struct net_config *cfg, const char *name)
{
	double peak = 1e9, one;
	struct net_error_text why;
	unsigned d;

	if (net_file_load(name, 0, cfg, &why)) {
		fprintf(stderr, "net_speed: %s\n", why.text);
		exit(1);
	}
	l->nodes = net_shape_nodes(cfg);
	for (d = 0; d < cfg->dims; d++) {
		one = 8.0 * (cfg->links[d] ? cfg->links[d] : 1) /
		      (cfg->size[d] * net_router_nodes(cfg));
		peak = one < peak ? one : peak;
	}
	return peak;
}

static void packet(struct load *l, const struct net_config *cfg)
{
	uint32_t chunks = cfg->payload_bytes / cfg->chunk_bytes;

	l->bytes = cfg->payload_bytes;
	l->packet_ps =
		cfg->tick_ps *
		(uint64_t)(cfg->protocol_ticks +
			   net_wire_ticks(cfg, net_wire_bytes(cfg, chunks),
					  cfg->link_ps_per_byte_x1000));
}

/*
 * Returns the number of packets to reserve: 14 per port if buffers are
 * saturated, otherwise two or three.
 */
static uint32_t packet_capacity(const struct load *l,
				const struct net_config *cfg, double load)
{
	unsigned d, ports = 0;

	for (d = 0; d < cfg->dims; d++)
		ports += cfg->links[d] ? cfg->links[d] : 1;
	return l->nodes * (uint32_t)(ports * (load > 0.8 ? 28 : 6) + 40);
}

int main(int argc, char **argv)
{
	struct load l = { .zone = 1 };
	struct net_config cfg;
	double load = argc > 2 ? atof(argv[2]) : 0.5, peak;
	uint32_t packets, i;
	double start;
	size_t bytes;

	l.end_ps = (uint64_t)((argc > 3 ? atof(argv[3]) : 200) * 1e6);
	l.zone = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
	if (argc > 1 && strchr(argv[1], ':')) {
		peak = machine(&l, &cfg, argv[1]);
		l.zone = 0;
	} else {
		net_config_bgq(&cfg);
		l.nodes = parse(&cfg, argc > 1 ? argv[1] : "8x8x8");
		peak = 8.0 / zones(&cfg);
	}
	packet(&l, &cfg);
	packets = packet_capacity(&l, &cfg, load);
	bytes = net_bytes(&cfg, packets);
	l.net = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(l.net, bytes, MADV_HUGEPAGE);
	if (l.net == MAP_FAILED || net_open(l.net, bytes, &cfg, packets))
		return 1;
	l.gap_ps = (uint64_t)((double)l.packet_ps * STREAMS / (load * peak));
	l.warm_ps = l.end_ps / 2;
	l.stream = calloc((size_t)l.nodes * STREAMS, sizeof(*l.stream));
	start = cpu_seconds();
	for (i = 0; i < l.nodes * STREAMS; i++)
		next(&l, 0, i);
	net_run(l.net, l.end_ps, &up, &l, NULL);
	report(&l, peak, cpu_seconds() - start, bytes);
	free(l.stream);
	return net_check(l.net) ? 1 : 0;
}
