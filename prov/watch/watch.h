/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness as in APEnet+ (LO|FA|MO): which part watches which, and the
 * conclusions. Pure rules: no clock, no memory of their own, no messages; the
 * caller has a period, and calls each part once per period.
 *
 *      host  --- writes ---> host register  <--- checks -- interface
 *      host  --- checks ---> own register   <--- writes -- interface
 *                                                   |  a word to each
 *                                                   v  neighbour
 *      host  --- reads ----> neighbour registers of six ports
 *        |
 *        +----- reports, over a service network ----> master
 *
 * The host fails: its interface misses a heartbeat and reports it in its words;
 * the neighbours' hosts read it and report to the master. The interface fails:
 * its host misses a heartbeat and reports to the master. Both fail: no more
 * words arrive. All neighbours fail, too: no report arrives, and the master
 * concludes: unknown.
 */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_WATCH_PORTS 6
#define WEFT_WATCH_NEVER UINT64_MAX

/* State of a host or interface; of two reported states the higher counts. */
enum weft_watch_state {
	WEFT_WATCH_UNKNOWN, /* no report */
	WEFT_WATCH_NORMAL,
	WEFT_WATCH_SICK,   /* heartbeat present, and a sensor warns */
	WEFT_WATCH_BROKEN, /* no heartbeat: omission */
};
const char *weft_watch_name(enum weft_watch_state state);

/* ---- sensors ------------------------------------------------------------- */

/* Temperature, voltage, power: any value with bounds. */
struct weft_watch_sensor {
	int32_t value, low, high;
};
/* Bit i: sensor i is out of its bounds; at most 32 sensors. */
uint32_t weft_watch_sensors(const struct weft_watch_sensor *sensor,
			    unsigned count);

/* ---- registers ----------------------------------------------------------- */

/* Written by its owner in every period, and checked by another part. */
struct weft_watch_register {
	uint64_t beats;
	uint32_t sensors; /* bits of the sensors that warn */
};

/* A watcher's state of a register. */
struct weft_watch_monitor {
	uint64_t beats;
	uint32_t missed; /* consecutive checks without a new heartbeat */
	bool open;	 /* the register has been checked before */
	uint8_t state;	 /* enum weft_watch_state */
};

/*
 * Checks a register once. The first check gives unknown. After misses
 * consecutive checks without a heartbeat its owner is broken; a new heartbeat
 * makes it normal again.
 */
enum weft_watch_state weft_watch_check(struct weft_watch_monitor *eye,
				       const struct weft_watch_register *reg,
				       uint32_t misses);

/* Status that an interface sends its neighbours; it fits a word of the link. */
struct weft_watch_word {
	uint32_t node;
	uint8_t host, nic; /* enum weft_watch_state */
};

/* The registers of a node, and the watcher state of its two halves. */
struct weft_watch_node {
	uint32_t node;
	uint8_t links; /* ports with a neighbour, a bit each */
	struct weft_watch_register host, nic;
	struct weft_watch_monitor of_host; /* kept by the interface */
	struct weft_watch_monitor of_nic;  /* kept by the host */
	/* neighbour status registers: the last word, and a count of words */
	struct weft_watch_word near[WEFT_WATCH_PORTS];
	struct weft_watch_register near_words[WEFT_WATCH_PORTS];
	struct weft_watch_monitor of_near[WEFT_WATCH_PORTS];
};

#define WEFT_WATCH_NO_NODE UINT32_MAX
/* near: the node behind each port, or WEFT_WATCH_NO_NODE. */
void weft_watch_node_init(struct weft_watch_node *n, uint32_t node,
			  const uint32_t near[WEFT_WATCH_PORTS]);

/*
 * The interface's part of a period: counts its heartbeat, checks its host and
 * the words of its neighbours, and returns the word to send them.
 */
struct weft_watch_word weft_watch_nic(struct weft_watch_node *n);
/* Records a neighbour's word that has arrived at a port. */
void weft_watch_word_receive(struct weft_watch_node *n, unsigned port,
			     const struct weft_watch_word *word);

/* Report of a host to the master about one node: itself or a neighbour. */
struct weft_watch_report {
	uint32_t about;
	uint8_t host, nic; /* enum weft_watch_state */
	/* port at the reporting node; WEFT_WATCH_PORTS: about itself */
	uint8_t port;
};

/*
 * The host's part of a period: counts its heartbeat, checks its interface,
 * reads the neighbour registers. Returns the number of reports, its own first.
 */
unsigned weft_watch_host(struct weft_watch_node *n,
			 struct weft_watch_report report[WEFT_WATCH_PORTS + 1]);

/* ---- the master's view --------------------------------------------------- */

/* Reports to the master about a node, and their times in the caller's units. */
struct weft_watch_view {
	uint64_t own_at; /* own report; WEFT_WATCH_NEVER: none */
	uint8_t own_host, own_nic;
	/* reports of the neighbour at each of its ports */
	uint64_t at[WEFT_WATCH_PORTS];
	uint8_t host[WEFT_WATCH_PORTS], nic[WEFT_WATCH_PORTS];
};

struct weft_watch_result {
	uint8_t host, nic; /* enum weft_watch_state */
	uint8_t silent;	   /* ports without words, a bit each */
};

void weft_watch_view_init(struct weft_watch_view *v);
/* Records a report about the node; port: its port to the reporting node. */
void weft_watch_report_add(struct weft_watch_view *v, uint64_t at,
			   const struct weft_watch_report *report,
			   unsigned port);
/* State that follows from the reports that are not older than fresh. */
struct weft_watch_result weft_watch_evaluate(const struct weft_watch_view *v,
					     uint64_t now, uint64_t fresh);

#endif
