/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the results of weft-sim as one JSON object. */
#include "src/tools/sim/sim_out_int.h"
#include "src/tools/sim/sim_links.h"
#include "prov/net/file/net_file.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const modes[] = { "open", "closed", "exchange" };

static void sim_json_begin(const struct sim_opts *o, const struct sim_result *r)
{
	const struct sim_spec *s = &o->spec;
	char shape[64];

	net_file_shape_text(&s->cfg, shape, sizeof(shape));
	printf("{\n  \"machine\": \"%s\",\n  \"shape\": \"%s\",\n"
	       "  \"nodes\": %u,\n",
	       s->cfg.name, shape, r->nodes);
	printf("  \"pattern\": \"%s\",\n  \"mode\": \"%s\",\n"
	       "  \"bytes\": %" PRIu64 ",\n  \"routing\": \"%s\",\n"
	       "  \"zone\": %u,\n  \"seed\": %" PRIu64 ",\n",
	       sim_pattern_name(s->pattern), modes[s->mode], s->bytes,
	       sim_routing_name(s), s->zone, s->seed);
	printf("  \"peak_gbs\": %.6f,\n  \"points\": [", r->peak / 1e3);
}

static void put_latency(const struct sim_hist *h)
{
	bool first = true;

	printf("      \"latency_ns\": { \"mean\": %.3f, \"min\": %.3f, "
	       "\"p50\": %.3f, \"p95\": %.3f, \"p99\": %.3f, \"p99.9\": %.3f, "
	       "\"max\": %.3f },\n",
	       sim_hist_mean(h) / 1e3, h->count ? (double)h->min / 1e3 : 0,
	       (double)sim_hist_quantile(h, 0.5) / 1e3,
	       (double)sim_hist_quantile(h, 0.95) / 1e3,
	       (double)sim_hist_quantile(h, 0.99) / 1e3,
	       (double)sim_hist_quantile(h, 0.999) / 1e3, (double)h->max / 1e3);
	printf("      \"histogram_ns\": [");
	for (unsigned c = 0; c < SIM_HIST_CELLS; c++)
		if (h->cell[c]) {
			printf("%s[%.1f, %" PRIu64 "]", first ? "" : ", ",
			       (double)sim_hist_from(c) / 1e3, h->cell[c]);
			first = false;
		}
	printf("],\n");
}

static void put_links(const struct sim_opts *o, const struct sim_result *r)
{
	struct sim_class c[NET_CLASSES_MAX];
	unsigned count = sim_links_classes(&o->spec.cfg, r, c);
	bool first = true;

	printf("      \"links\": [");
	for (unsigned i = 0; i < count; i++) {
		if (!c[i].links)
			continue;
		printf("%s\n        { \"port\": \"%s\", \"links\": %u, "
		       "\"use\": %.6f, \"most\": %.6f, \"packets\": %" PRIu64
		       ", \"chunks\": %" PRIu64 ", \"queued\": %.6f, "
		       "\"wait_ns\": %.3f }",
		       first ? "" : ",", c[i].name, c[i].links, c[i].use,
		       c[i].most, c[i].packets, c[i].chunks, c[i].queued,
		       c[i].wait_ns);
		first = false;
	}
	printf("\n      ],\n");
}

static void put_busiest(const struct sim_opts *o, const struct sim_result *r)
{
	const struct sim_link *link[1000];
	unsigned count = sim_links_busiest(r, o->busiest, link);
	const struct net_config *cfg = &o->spec.cfg;
	char class[NET_CLASS_NAME], node[64];

	printf("      \"busiest\": [");
	for (unsigned i = 0; i < count; i++) {
		net_class_name(cfg,
			       net_class_of(cfg, link[i]->node, link[i]->port),
			       class);
		sim_place_text(cfg, link[i]->node, node, sizeof(node));
		printf("%s\n        { \"node\": [%s], \"port\": \"%s\", "
		       "\"number\": %u, \"use\": %.6f }",
		       i ? "," : "", node, class, link[i]->port,
		       (double)link[i]->count.busy_ps / (double)r->time_ps);
	}
	printf("%s],\n", count ? "\n      " : "");
}

static void point(const struct sim_opts *o, const struct sim_result *r,
		  unsigned i)
{
	printf("%s\n    {\n", i ? "," : "");
	if (o->spec.mode == SIM_OPEN)
		printf("      \"load\": %g,\n", o->load[i]);
	printf("      \"offered_gbs\": %.6f,\n      \"accepted_gbs\": %.6f,\n"
	       "      \"of_peak\": %.6f,\n      \"messages\": %" PRIu64
	       ",\n      \"waiting\": %" PRIu64 ",\n",
	       r->offered / 1e3, r->accepted / 1e3, r->accepted / r->peak,
	       r->messages, r->waiting);
	printf("      \"hops\": %.4f,\n      \"time_us\": %.3f,\n", r->hops,
	       (double)r->time_ps / 1e6);
	put_latency(&r->latency);
	put_links(o, r);
	if (o->spec.channels)
		printf("      \"channels\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64
		       ", %" PRIu64 "],\n",
		       r->channel[0], r->channel[1], r->channel[2],
		       r->channel[3]);
	put_busiest(o, r);
	sim_faults_json(o, r);
	printf("      \"events\": %" PRIu64 ",\n      \"packet_hops\": %" PRIu64
	       ",\n      \"escapes\": %" PRIu64
	       ",\n      \"hash\": \"%016" PRIx64 "\"\n    }",
	       r->count.events, r->count.hops, r->count.escapes, r->count.hash);
}

static void json_end(const struct sim_opts *o, const struct sim_result *r)
{
	(void)o;
	(void)r;
	printf("\n  ]\n}\n");
}

const struct sim_writer sim_json = { sim_json_begin, point, json_end };
