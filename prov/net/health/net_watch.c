/* SPDX-License-Identifier: BSD-3-Clause */
/* Health checks on the model's links (net_watch.h). */
#include "prov/net/health/net_watch.h"
#include "prov/net/file/net_map.h"
#include "prov/watch/watch.h"
#include "src/base/hash.h"

#include <errno.h>
#include <stdlib.h>

enum { DEATHS_MAX = 256 };

/* Kinds of timers, by the action that they trigger. */
enum { ON_HOST, ON_NIC, ON_REPORT, ON_MASTER, ON_DEATH };
#define OURS	   (1ull << 63)
#define KIND_SHIFT 32

struct half {
	struct weft_watch_node reg;
	/* state of this node as known to the master */
	struct weft_watch_view view;
	/* reports in flight to the master */
	struct weft_watch_report report[WEFT_WATCH_PORTS + 1];
	unsigned reports;
	uint8_t dead;
};

struct net_watch {
	struct net *net;
	uint64_t period, service, until;
	uint64_t words;
	uint32_t nodes;
	unsigned ports, deaths, known;
	struct net_watch_failure death[DEATHS_MAX];
	struct half half[];
};

static int set_timer(struct net_watch *w, uint64_t at, unsigned kind,
		     uint32_t i)
{
	return at > w->until
		       ? 0
		       : net_timer(w->net, at,
				   OURS | (uint64_t)kind << KIND_SHIFT | i);
}

static void timer_repeat(struct net_watch *w, uint64_t at, unsigned kind,
			 uint32_t i)
{
	set_timer(w, at + w->period, kind, i);
}

/* ---- detection times ----------------------------------------------------- */

static void set_once(uint64_t *when, uint64_t at)
{
	if (*when == NET_NEVER)
		*when = at;
}

/*
 * Records the first and the last time at which the failure becomes visible in a
 * neighbour's register.
 */
static void detected_by_neighbour(struct net_watch *w, uint64_t at,
				  uint32_t node, unsigned what)
{
	struct net_watch_failure *d;

	for (unsigned i = 0; i < w->deaths; i++) {
		d = &w->death[i];
		if (d->node != node || !(d->what & what) || at < d->at)
			continue;
		set_once(&d->first_at, at);
		d->last_at = at;
	}
}

static void detected_by_own_half(struct net_watch *w, uint64_t at,
				 uint32_t node, unsigned what)
{
	for (unsigned i = 0; i < w->deaths; i++)
		if (w->death[i].node == node && w->death[i].what == what &&
		    at >= w->death[i].at)
			set_once(&w->death[i].own_at, at);
}

/*
 * Returns whether the master knows of the failure. WEFT_WATCH_UNKNOWN counts
 * only after four periods.
 */
static bool is_known(const struct net_watch *w,
		     const struct net_watch_failure *d, uint64_t at,
		     unsigned state)
{
	return state == WEFT_WATCH_BROKEN ||
	       (state == WEFT_WATCH_UNKNOWN && at >= d->at + 4 * w->period);
}

static void evaluate(struct net_watch *w, uint64_t at,
		     struct net_watch_failure *d)
{
	struct weft_watch_result p;

	if (d->master_at != NET_NEVER || at < d->at)
		return;
	p = weft_watch_evaluate(&w->half[d->node].view, at, 2 * w->period);
	if ((d->what & NET_WATCH_HOST && !is_known(w, d, at, p.host)) ||
	    (d->what & NET_WATCH_NIC && !is_known(w, d, at, p.nic)))
		return;
	d->host = p.host;
	d->nic = p.nic;
	d->master_at = at;
	w->known++;
}

/* ---- actions of a period ------------------------------------------------- */

static void on_nic(struct net_watch *w, uint64_t at, uint32_t n)
{
	struct half *h = &w->half[n];
	struct weft_watch_word word;

	if (h->dead & NET_WATCH_NIC)
		return;
	word = weft_watch_nic(&h->reg);
	if (word.host == WEFT_WATCH_BROKEN)
		detected_by_own_half(w, at, n, NET_WATCH_HOST);
	for (unsigned p = 0; p < w->ports; p++) {
		if (!(h->reg.links >> p & 1))
			continue;
		if (h->reg.neighbour_monitor[p].state == WEFT_WATCH_BROKEN &&
		    h->reg.neighbour_monitor[p].missed == 1)
			detected_by_neighbour(w, at, h->reg.neighbour[p].node,
					      NET_WATCH_NIC);
		w->words++;
		net_control_send(w->net, at, n, p,
				 n | (uint64_t)word.host << 32 |
					 (uint64_t)word.nic << 40);
	}
	timer_repeat(w, at, ON_NIC, n);
}

/* Returns the port of `node` that leads to the reporting node. */
static unsigned port_back(const struct net_watch *w, uint32_t node,
			  uint32_t reporter, unsigned port)
{
	const struct weft_watch_node *reg = &w->half[node].reg;
	unsigned back = port ^ 1;

	if (reg->neighbour[back].node == reporter)
		return back;
	for (back = 0; back < WEFT_WATCH_PORTS; back++)
		if (reg->neighbour[back].node == reporter)
			break;
	return back;
}

static void on_report(struct net_watch *w, uint64_t at, uint32_t n)
{
	const struct weft_watch_report *r;

	for (unsigned i = 0; i < w->half[n].reports; i++) {
		r = &w->half[n].report[i];
		weft_watch_report_add(
			&w->half[r->about].view, at, r,
			r->port < WEFT_WATCH_PORTS
				? port_back(w, r->about, n, r->port)
				: 0);
	}
}

static void on_master(struct net_watch *w, uint64_t at)
{
	for (unsigned i = 0; i < w->deaths; i++)
		evaluate(w, at, &w->death[i]);
	timer_repeat(w, at, ON_MASTER, 0);
}

bool net_watch_timer(struct net_watch *w, uint64_t at, uint64_t cookie)
{
	uint32_t i = (uint32_t)cookie;
	struct half *h;

	if (!(cookie & OURS))
		return false;
	switch ((cookie & ~OURS) >> KIND_SHIFT) {
	case ON_HOST:
		h = &w->half[i];
		if (!(h->dead & NET_WATCH_HOST)) {
			h->reports = weft_watch_host(&h->reg, h->report);
			if (h->reg.of_nic.state == WEFT_WATCH_BROKEN)
				detected_by_own_half(w, at, i, NET_WATCH_NIC);
			set_timer(w, at + w->service, ON_REPORT, i);
			timer_repeat(w, at, ON_HOST, i);
		}
		break;
	case ON_NIC:
		on_nic(w, at, i);
		break;
	case ON_REPORT:
		on_report(w, at, i);
		break;
	case ON_MASTER:
		on_master(w, at);
		break;
	default:
		w->half[w->death[i].node].dead |= w->death[i].what;
	}
	return true;
}

void net_watch_word(struct net_watch *w, uint64_t at, uint64_t cookie,
		    uint32_t node, unsigned port)
{
	struct weft_watch_word word = { .node = (uint32_t)cookie,
					.host = (uint8_t)(cookie >> 32),
					.nic = (uint8_t)(cookie >> 40) };
	struct half *h = &w->half[node];

	if (h->dead & NET_WATCH_NIC)
		return;
	if (word.host == WEFT_WATCH_BROKEN &&
	    h->reg.neighbour[port].host != WEFT_WATCH_BROKEN)
		detected_by_neighbour(w, at, word.node, NET_WATCH_HOST);
	weft_watch_word_receive(&h->reg, port, &word);
}

/* ---- opening and closing ------------------------------------------------- */

/* Returns the time within each period at which a node acts. */
static uint64_t phase(const struct net_watch *w, uint64_t seed, uint64_t node)
{
	return weft_hash_mix(weft_hash_mix(seed + 1) ^ node) % w->period;
}

int net_watch_open(struct net_watch **w_p, struct net *net,
		   const struct net_config *cfg, uint64_t seed, uint64_t until)
{
	uint32_t nodes = net_nodes(net), n;
	struct net_watch *w;
	int ret = 0;

	if (!cfg->watch_ps || cfg->topology != NET_TORUS ||
	    net_router_nodes(cfg) > 1 || net_ports(net) > WEFT_WATCH_PORTS)
		return -EOPNOTSUPP;
	w = calloc(1, sizeof(*w) + nodes * sizeof(w->half[0]));
	if (!w)
		return -ENOMEM;
	w->net = net;
	w->period = cfg->watch_ps;
	w->service = cfg->watch_service_ps;
	w->until = until;
	w->nodes = nodes;
	w->ports = net_ports(net);
	for (n = 0; n < nodes && !ret; n++) {
		uint32_t near[WEFT_WATCH_PORTS];
		int64_t to;

		for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++) {
			to = p < w->ports ? net_neighbour(w->net, n, p) : -1;
			near[p] = to < 0 ? WEFT_WATCH_NO_NODE : (uint32_t)to;
		}
		weft_watch_node_init(&w->half[n].reg, n, near);
		weft_watch_view_init(&w->half[n].view);
		ret = set_timer(w, phase(w, seed, 2ull * n + 1), ON_HOST, n);
		if (!ret)
			ret = set_timer(w, phase(w, seed, 2ull * n + 2), ON_NIC,
					n);
	}
	if (!ret)
		ret = set_timer(w, phase(w, seed, 0), ON_MASTER, 0);
	if (ret)
		free(w);
	else
		*w_p = w;
	return ret;
}

void net_watch_close(struct net_watch *w)
{
	free(w);
}

int net_watch_fail(struct net_watch *w, uint64_t at, uint32_t node,
		   unsigned what)
{
	if (node >= w->nodes)
		return -EINVAL;
	if (w->deaths == DEATHS_MAX)
		return -ENOSPC;
	w->death[w->deaths] = (struct net_watch_failure){
		.node = node,
		.what = (uint8_t)what,
		.at = at,
		.own_at = NET_NEVER,
		.first_at = NET_NEVER,
		.last_at = NET_NEVER,
		.master_at = NET_NEVER,
	};
	return set_timer(w, at, ON_DEATH, w->deaths++);
}

const struct net_watch_failure *net_watch_get(const struct net_watch *w,
					      unsigned i)
{
	return i < w->deaths ? &w->death[i] : NULL;
}

bool net_watch_done(const struct net_watch *w)
{
	return w->known == w->deaths;
}

uint64_t net_watch_words(const struct net_watch *w)
{
	return w->words;
}
