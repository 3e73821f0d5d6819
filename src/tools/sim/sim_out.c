/* SPDX-License-Identifier: BSD-3-Clause */
/* Text and CSV output of weft-sim, and the choice of the writer. */
#include "src/tools/sim/sim_out_int.h"
#include "src/tools/sim/sim_links.h"
#include "prov/net/file/net_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const double parts[] = { 0.5, 0.95, 0.99, 0.999 };

static const char *mode_text(const struct sim_opts *o, char *buf, size_t len)
{
	const struct sim_spec *s = &o->spec;

	if (s->mode == SIM_CLOSED)
		snprintf(buf, len, "closed loop, %u in flight", s->window);
	else if (s->mode == SIM_EXCHANGE)
		snprintf(buf, len, "exchange, once");
	else
		snprintf(buf, len, "open loop");
	return buf;
}

static void text_begin(const struct sim_opts *o, const struct sim_result *r)
{
	const struct sim_spec *s = &o->spec;
	char shape[64], mode[64];

	net_file_shape_text(&s->cfg, shape, sizeof(shape));
	printf("machine  %s %s, %u nodes\n", s->cfg.name, shape, r->nodes);
	printf("traffic  %s, %s, messages of %" PRIu64 " B, %s",
	       sim_pattern_name(s->pattern), mode_text(o, mode, sizeof(mode)),
	       s->bytes, sim_routing_name(s));
	if (s->routing == NET_DYNAMIC && s->cfg.zone[0][0])
		printf(", zone set %u", s->zone);
	printf(", seed %" PRIu64 "\n", s->seed);
	printf("peak     %.4f GB/s of payload per node: the busiest cut is "
	       "saturated\n\n",
	       r->peak / 1e3);
	printf("%8s %9s %9s %7s  %9s %9s %9s %9s %9s  %6s\n", "load", "offered",
	       "accepted", "peak", "mean", "p50", "p95", "p99", "max", "hops");
	printf("%8s %9s %9s %7s  %9s %9s %9s %9s %9s\n", "", "GB/s", "GB/s",
	       "%", "ns", "ns", "ns", "ns", "ns");
}

static void text_point(const struct sim_opts *o, const struct sim_result *r,
		       unsigned i)
{
	const struct sim_hist *h = &r->latency;

	if (o->spec.mode == SIM_OPEN)
		printf("%8.3f ", o->load[i]);
	else
		printf("%8s ", "-");
	printf("%9.4f %9.4f %7.2f  %9.1f %9.1f %9.1f %9.1f %9.1f  %6.3f%s\n",
	       r->offered / 1e3, r->accepted / 1e3, 100 * r->accepted / r->peak,
	       sim_hist_mean(h) / 1e3, (double)sim_hist_quantile(h, 0.5) / 1e3,
	       (double)sim_hist_quantile(h, 0.95) / 1e3,
	       (double)sim_hist_quantile(h, 0.99) / 1e3, (double)h->max / 1e3,
	       r->hops, r->accepted < 0.97 * r->offered ? "  saturated" : "");
}

static void text_links(const struct sim_opts *o, const struct sim_result *r)
{
	struct sim_class c[NET_CLASSES_MAX];
	unsigned count = sim_links_classes(&o->spec.cfg, r, c);

	printf("\n%-6s %7s %8s %8s %12s %12s %9s %9s\n", "links", "number",
	       "use %", "most %", "packets", "chunks", "queued", "wait ns");
	for (unsigned i = 0; i < count; i++)
		if (c[i].links)
			printf("%-6s %7u %8.2f %8.2f %12" PRIu64 " %12" PRIu64
			       " %9.3f %9.2f\n",
			       c[i].name, c[i].links, 100 * c[i].use,
			       100 * c[i].most, c[i].packets, c[i].chunks,
			       c[i].queued, c[i].wait_ns);
}

static void text_channels(const struct sim_opts *o, const struct sim_result *r)
{
	static const char *const name[SIM_CHANNELS] = {
		[NET_VC_DYN] = "dynamic",
		[NET_VC_DET] = "deterministic",
		[NET_VC_HIGH] = "high",
		[NET_VC_SYS] = "system",
	};

	if (!o->spec.channels)
		return;
	printf("\n%-13s %12s\n", "channels", "chunks");
	for (unsigned i = 0; i < SIM_CHANNELS; i++)
		printf("%-13s %12" PRIu64 "\n", name[i], r->channel[i]);
}

static void text_busiest(const struct sim_opts *o, const struct sim_result *r)
{
	const struct sim_link *link[1000];
	unsigned count = sim_links_busiest(r, o->busiest, link);
	const struct net_config *cfg = &o->spec.cfg;
	char class[NET_CLASS_NAME], node[64];

	if (count)
		printf("\nbusiest links\n");
	for (unsigned i = 0; i < count; i++) {
		const struct sim_link *l = link[i];

		net_class_name(cfg, net_class_of(cfg, l->node, l->port), class);
		net_link_name(cfg, l->node, l->port, node, sizeof(node));
		printf("  %s %s  %6.2f %%  %" PRIu64 " packets\n", node, class,
		       100 * (double)link[i]->count.busy_ps /
			       (double)r->time_ps,
		       link[i]->count.packets);
	}
}

static void text_end(const struct sim_opts *o, const struct sim_result *r)
{
	const struct net_count *c = &r->count;

	text_links(o, r);
	text_channels(o, r);
	text_busiest(o, r);
	sim_faults_text(o, r);
	if (o->histogram) {
		printf("\n%12s %12s\n", "from ns", "messages");
		for (unsigned i = 0; i < SIM_HIST_CELLS; i++)
			if (r->latency.cell[i])
				printf("%12.1f %12" PRIu64 "\n",
				       (double)sim_hist_from(i) / 1e3,
				       r->latency.cell[i]);
	}
	printf("\ntime     %.3f us, %" PRIu64 " messages counted, %" PRIu64
	       " wait at their sources\n",
	       (double)r->time_ps / 1e6, r->messages, r->waiting);
	printf("model    %" PRIu64 " events, %" PRIu64 " packet-hops, %" PRIu64
	       " by the escape channel, hash %016" PRIx64 "\n",
	       c->events, c->hops, c->escapes, c->hash);
}

/* ---- CSV ----------------------------------------------------------------- */

static void csv_begin(const struct sim_opts *o, const struct sim_result *r)
{
	printf("load,offered_gbs,accepted_gbs,peak_gbs,of_peak,messages,"
	       "latency_mean_ns,latency_min_ns");
	for (unsigned i = 0; i < WEFT_COUNT_OF(parts); i++)
		printf(",latency_p%g_ns", 100 * parts[i]);
	printf(",latency_max_ns,hops,time_us,waiting,events,packet_hops,"
	       "escapes");
	for (unsigned c = 0; c < net_classes(&o->spec.cfg); c++) {
		char name[NET_CLASS_NAME];

		net_class_name(&o->spec.cfg, c, name);
		printf(",use_%s,wait_ns_%s", name, name);
	}
	printf("\n");
}

static void csv_point(const struct sim_opts *o, const struct sim_result *r,
		      unsigned i)
{
	const struct sim_hist *h = &r->latency;
	struct sim_class c[NET_CLASSES_MAX];
	unsigned count = sim_links_classes(&o->spec.cfg, r, c);

	if (o->spec.mode == SIM_OPEN)
		printf("%g", o->load[i]);
	printf(",%.6f,%.6f,%.6f,%.6f,%" PRIu64 ",%.3f,%.3f", r->offered / 1e3,
	       r->accepted / 1e3, r->peak / 1e3, r->accepted / r->peak,
	       r->messages, sim_hist_mean(h) / 1e3,
	       h->count ? (double)h->min / 1e3 : 0);
	for (unsigned k = 0; k < WEFT_COUNT_OF(parts); k++)
		printf(",%.3f", (double)sim_hist_quantile(h, parts[k]) / 1e3);
	printf(",%.3f,%.4f,%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
	       (double)h->max / 1e3, r->hops, (double)r->time_ps / 1e6,
	       r->waiting, r->count.events, r->count.hops, r->count.escapes);
	for (unsigned p = 0; p < count; p++)
		printf(",%.5f,%.3f", c[p].use, c[p].wait_ns);
	printf("\n");
}

static void csv_end(const struct sim_opts *o, const struct sim_result *r)
{
	(void)o;
	(void)r;
}

const struct sim_writer *sim_writer(enum sim_format format)
{
	static const struct sim_writer text = { text_begin, text_point,
						text_end };
	static const struct sim_writer csv = { csv_begin, csv_point, csv_end };

	return format == SIM_JSON  ? &sim_json
	       : format == SIM_CSV ? &csv
				   : &text;
}
