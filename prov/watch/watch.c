/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers and sensors of a node, and the periodic checks of its host and
 * interface.
 */
#include "prov/watch/watch.h"

/*
 * number of checks without a new heartbeat after which the owner of a register
 * is reported broken
 */
enum { MISSES = 1 };

const char *weft_watch_name(enum weft_watch_state state)
{
	static const char *const name[] = { "unknown", "normal", "sick",
					    "broken" };

	return state <= WEFT_WATCH_BROKEN ? name[state] : name[0];
}

uint32_t weft_watch_sensors(const struct weft_watch_sensor *sensor,
			    unsigned count)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < count && i < 32; i++)
		if (sensor[i].value < sensor[i].low ||
		    sensor[i].value > sensor[i].high)
			bits |= 1u << i;
	return bits;
}

enum weft_watch_state weft_watch_check(struct weft_watch_monitor *monitor,
				       const struct weft_watch_register *reg,
				       uint32_t misses)
{
	bool first = !monitor->open, beat = reg->beats != monitor->beats;

	monitor->open = true;
	monitor->beats = reg->beats;
	monitor->missed = beat || first ? 0 : monitor->missed + 1;
	if (first)
		monitor->state = WEFT_WATCH_UNKNOWN;
	else if (beat)
		monitor->state =
			reg->sensors ? WEFT_WATCH_SICK : WEFT_WATCH_NORMAL;
	else if (monitor->missed >= misses)
		monitor->state = WEFT_WATCH_BROKEN;
	return (enum weft_watch_state)monitor->state;
}

void weft_watch_node_init(struct weft_watch_node *n, uint32_t node,
			  const uint32_t neighbour[WEFT_WATCH_PORTS])
{
	*n = (struct weft_watch_node){ .node = node };
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++) {
		n->neighbour[p].node = neighbour[p];
		if (neighbour[p] != WEFT_WATCH_NO_NODE)
			n->links |= (uint8_t)(1u << p);
	}
}

struct weft_watch_word weft_watch_nic(struct weft_watch_node *n)
{
	struct weft_watch_word word = { .node = n->node };

	n->nic.beats++;
	word.nic = n->nic.sensors ? WEFT_WATCH_SICK : WEFT_WATCH_NORMAL;
	word.host = weft_watch_check(&n->of_host, &n->host, MISSES);
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		if (n->links >> p & 1)
			weft_watch_check(&n->neighbour_monitor[p],
					 &n->neighbour_words[p], MISSES);
	return word;
}

void weft_watch_word_receive(struct weft_watch_node *n, unsigned port,
			     const struct weft_watch_word *word)
{
	n->neighbour[port] = *word;
	n->neighbour_words[port].beats++;
}

/*
 * Returns the report about the neighbour at a port. If no status words arrive
 * from a neighbour, its interface is reported broken and its host unknown.
 */
static struct weft_watch_report port_report(const struct weft_watch_node *n,
					    unsigned port)
{
	bool silent = n->neighbour_monitor[port].state == WEFT_WATCH_BROKEN;

	return (struct weft_watch_report){
		.about = n->neighbour[port].node,
		.host = silent ? WEFT_WATCH_UNKNOWN : n->neighbour[port].host,
		.nic = silent ? WEFT_WATCH_BROKEN : n->neighbour[port].nic,
		.port = (uint8_t)port,
	};
}

unsigned weft_watch_host(struct weft_watch_node *n,
			 struct weft_watch_report report[WEFT_WATCH_PORTS + 1])
{
	unsigned count = 0;

	n->host.beats++;
	report[count++] = (struct weft_watch_report){
		.about = n->node,
		.host = n->host.sensors ? WEFT_WATCH_SICK : WEFT_WATCH_NORMAL,
		.nic = weft_watch_check(&n->of_nic, &n->nic, MISSES),
		.port = WEFT_WATCH_PORTS,
	};
	/* a dead interface no longer updates its neighbour registers */
	if (n->of_nic.state == WEFT_WATCH_BROKEN)
		return count;
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++)
		if (n->links >> p & 1)
			report[count++] = port_report(n, p);
	return count;
}
