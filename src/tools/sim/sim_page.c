/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the HTML page of weft-sim --html: loads, latencies and links. */
#include "src/tools/sim/sim_out.h"
#include "src/tools/sim/sim_links.h"
#include "prov/net/file/net_file.h"
#include "src/tools/page/page.h"

#include <inttypes.h>
#include <string.h>

static const char *const modes[] = { "open", "closed", "exchange" };

static void put_fact(struct json *j, const char *name, const char *text)
{
	json_array(j, NULL);
	json_text(j, NULL, name);
	json_text(j, NULL, text);
	json_close(j);
}

static void put_facts(struct json *j, const struct sim_opts *o,
		      const struct sim_result *r, const char *shape)
{
	const struct sim_spec *s = &o->spec;
	char text[128];

	json_array(j, "facts");
	put_fact(j, "machine", s->cfg.name);
	snprintf(text, sizeof(text), "%s, %u nodes", shape, r->nodes);
	put_fact(j, "shape", text);
	snprintf(text, sizeof(text), "%s, messages of %" PRIu64 " B, %s",
		 sim_pattern_name(s->pattern), s->bytes, sim_routing_name(s));
	put_fact(j, "traffic", text);
	snprintf(text, sizeof(text), "%" PRIu64, s->seed);
	put_fact(j, "seed", text);
	json_close(j);
	json_text(j, "mode", modes[s->mode]);
	json_number(j, "peak_gbs", r->peak / 1e3);
}

static void put_latency(struct json *j, const struct sim_hist *h)
{
	json_object(j, "latency_ns");
	json_number(j, "mean", sim_hist_mean(h) / 1e3);
	json_number(j, "p50", (double)sim_hist_quantile(h, 0.5) / 1e3);
	json_number(j, "p95", (double)sim_hist_quantile(h, 0.95) / 1e3);
	json_number(j, "p99", (double)sim_hist_quantile(h, 0.99) / 1e3);
	json_number(j, "max", (double)h->max / 1e3);
	json_close(j);
	json_array(j, "histogram_ns");
	for (unsigned c = 0; c < SIM_HIST_CELLS; c++) {
		if (!h->cell[c])
			continue;
		json_array(j, NULL);
		json_number(j, NULL, (double)sim_hist_from(c) / 1e3);
		json_int(j, NULL, (int64_t)h->cell[c]);
		json_close(j);
	}
	json_close(j);
}

static void put_point(struct json *j, const struct sim_opts *o,
		      const struct sim_result *r, unsigned i)
{
	char hash[24];

	json_object(j, NULL);
	if (o->spec.mode == SIM_OPEN)
		json_number(j, "load", o->load[i]);
	json_number(j, "offered_gbs", r->offered / 1e3);
	json_number(j, "accepted_gbs", r->accepted / 1e3);
	json_number(j, "of_peak", r->accepted / r->peak);
	json_int(j, "messages", (int64_t)r->messages);
	json_number(j, "hops", r->hops);
	put_latency(j, &r->latency);
	json_int(j, "events", (int64_t)r->count.events);
	snprintf(hash, sizeof(hash), "%016" PRIx64, r->count.hash);
	json_text(j, "hash", hash);
	json_close(j);
}

static void put_classes(struct json *j, const struct sim_opts *o,
			const struct sim_result *r)
{
	struct sim_class c[NET_CLASSES_MAX];
	unsigned count = sim_links_classes(&o->spec.cfg, r, c);

	json_array(j, "classes");
	for (unsigned i = 0; i < count; i++) {
		if (!c[i].links)
			continue;
		json_object(j, NULL);
		json_text(j, "name", c[i].name);
		json_int(j, "links", c[i].links);
		json_int(j, "used", c[i].used);
		json_int(j, "packets", (int64_t)c[i].packets);
		json_int(j, "bytes",
			 (int64_t)(c[i].chunks * o->spec.cfg.chunk_bytes));
		json_number(j, "busy", c[i].use);
		json_number(j, "most", c[i].most);
		json_number(j, "queued", c[i].queued);
		json_close(j);
	}
	json_close(j);
}

static void put_link(struct json *j, const struct net_config *cfg,
		     const struct sim_link *l)
{
	char class[NET_CLASS_NAME], node[64];

	net_class_name(cfg, net_class_of(cfg, l->node, l->port), class);
	net_node_name(cfg, l->node, node, sizeof(node));
	json_array(j, NULL);
	json_text(j, NULL, node);
	json_text(j, NULL, class);
	json_int(j, NULL, (int64_t)l->count.packets);
	json_int(j, NULL, (int64_t)(l->count.chunks * cfg->chunk_bytes));
	json_int(j, NULL, (int64_t)l->count.busy_ps);
	json_int(j, NULL, (int64_t)l->count.queued_ps);
	json_close(j);
}

static void put_links(struct json *j, const struct sim_opts *o,
		      const struct sim_result *r)
{
	uint64_t all = (uint64_t)r->places * r->ports;
	int64_t idle = 0;

	json_object(j, "links");
	json_int(j, "time_ps", (int64_t)r->time_ps);
	put_classes(j, o, r);
	json_array(j, "link");
	for (uint64_t i = 0; i < all; i++) {
		if (r->link[i].there && r->link[i].count.packets)
			put_link(j, &o->spec.cfg, &r->link[i]);
		else
			idle += r->link[i].there;
	}
	json_close(j);
	json_int(j, "idle", idle);
	json_close(j);
}

int sim_page(const struct sim_opts *o, const struct sim_result *r)
{
	char shape[64], title[160];
	struct page p;
	int err;

	net_file_shape_text(&o->spec.cfg, shape, sizeof(shape));
	snprintf(title, sizeof(title), "%s %s: %s traffic", o->spec.cfg.name,
		 shape, sim_pattern_name(o->spec.pattern));
	err = page_open(&p, o->html, "sim", title);
	if (!err) {
		put_facts(&p.data, o, r, shape);
		json_array(&p.data, "points");
		for (unsigned i = 0; i < o->loads; i++)
			put_point(&p.data, o, &r[i], i);
		json_close(&p.data);
		put_links(&p.data, o, &r[o->loads - 1]);
		err = page_close(&p);
	}
	if (err)
		fprintf(stderr, "weft-sim: cannot write %s: %s\n", o->html,
			strerror(-err));
	return err;
}
