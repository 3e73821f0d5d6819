/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The master's evaluation of reports. A node reports about itself while its
 * host works. A failed host is reported by its interface, through the
 * neighbours; a failed interface is reported by its host, or detected by the
 * absence of status words on all its links.
 */
#include "prov/watch/watch.h"

void weft_watch_view_init(struct weft_watch_view *v)
{
	*v = (struct weft_watch_view){ .own_time = WEFT_WATCH_NEVER };
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		v->time[p] = WEFT_WATCH_NEVER;
}

void weft_watch_report_add(struct weft_watch_view *v, uint64_t at,
			   const struct weft_watch_report *report,
			   unsigned port)
{
	if (report->port == WEFT_WATCH_PORTS) {
		v->own_time = at;
		v->own_host = report->host;
		v->own_nic = report->nic;
	} else if (port < WEFT_WATCH_PORTS) {
		v->time[port] = at;
		v->host[port] = report->host;
		v->nic[port] = report->nic;
	}
}

static uint8_t worse(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static bool is_fresh(uint64_t at, uint64_t now, uint64_t fresh)
{
	return at != WEFT_WATCH_NEVER && now - at <= fresh;
}

/*
 * Merged reports of the neighbours. host and nic are the states in the newest
 * report, or the worst states if several reports have the same time.
 */
struct neighbour_reports {
	uint64_t time;
	uint8_t host, nic;
	/* bit masks of ports with and without status words */
	uint8_t with_words, silent;
};

static struct neighbour_reports merge_reports(const struct weft_watch_view *v,
					      uint64_t now, uint64_t fresh)
{
	struct neighbour_reports h = { .time = WEFT_WATCH_NEVER };

	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++) {
		if (!is_fresh(v->time[p], now, fresh))
			continue;
		if (v->nic[p] == WEFT_WATCH_BROKEN) {
			h.silent |= (uint8_t)(1u << p);
			continue;
		}
		h.with_words |= (uint8_t)(1u << p);
		if (h.time == WEFT_WATCH_NEVER || v->time[p] > h.time) {
			h.time = v->time[p];
			h.host = v->host[p];
			h.nic = v->nic[p];
		} else if (v->time[p] == h.time) {
			h.host = worse(h.host, v->host[p]);
			h.nic = worse(h.nic, v->nic[p]);
		}
	}
	return h;
}

/*
 * Returns the state of a host that has sent no report: the state from its
 * interface's status words, or "broken" if no status words arrive.
 */
static uint8_t host_of(const struct neighbour_reports *h)
{
	if (h->with_words)
		return h->host;
	return h->silent ? WEFT_WATCH_BROKEN : WEFT_WATCH_UNKNOWN;
}

struct weft_watch_result weft_watch_evaluate(const struct weft_watch_view *v,
					     uint64_t now, uint64_t fresh)
{
	struct neighbour_reports h = merge_reports(v, now, fresh);
	struct weft_watch_result p = { .silent = h.silent };
	bool own = is_fresh(v->own_time, now, fresh);
	bool host_broken = h.with_words && h.host == WEFT_WATCH_BROKEN;

	/* a newer status word "broken" overrides the host's own report */
	p.host = own && !(host_broken && h.time > v->own_time) ? v->own_host
							       : host_of(&h);
	if (h.silent && !h.with_words)
		p.nic = WEFT_WATCH_BROKEN;
	else
		p.nic = worse(h.nic, own ? v->own_nic : WEFT_WATCH_UNKNOWN);
	return p;
}
