/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness as in APEnet+ (LO|FA|MO): which component monitors which
 * other one, and how failures are inferred. The functions use no clock and no
 * static memory, and send no messages; the caller calls each component's
 * function once per period.
 *
 *      host  --- writes ---> host register  <--- checks -- interface
 *      host  --- checks ---> own register   <--- writes -- interface
 *                                                   |  status word to
 *                                                   v  each neighbour
 *      host  --- reads ----> neighbour registers of six ports
 *        |
 *        +----- reports, over a service network ----> master
 *
 * If the host fails, its interface detects the missing heartbeat and reports
 * it in its status words; the neighbours' hosts read the words and report to
 * the master. If the interface fails, its host detects the missing heartbeat
 * and reports to the master. If both fail, the neighbours receive no more
 * status words. If all neighbours fail, too, no report arrives, and the master
 * does not know the state of the node.
 */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_WATCH_PORTS 6
#define WEFT_WATCH_NEVER UINT64_MAX

/*
 * State of a host or interface; if reports about it differ, the highest value
 * is used.
 */
enum weft_watch_state {
	WEFT_WATCH_UNKNOWN, /* no report */
	WEFT_WATCH_NORMAL,
	/* heartbeat present, but a sensor is out of its bounds */
	WEFT_WATCH_SICK,
	WEFT_WATCH_BROKEN, /* no heartbeat (omission fault) */
};
const char *weft_watch_name(enum weft_watch_state state);

/* ---- sensors ------------------------------------------------------------- */

/*
 * A sensor (temperature, voltage, power): a value of any kind, with its bounds.
 */
struct weft_watch_sensor {
	int32_t value, low, high;
};
/*
 * Returns a bit mask of the sensors that are out of bounds; `count` is at most
 * 32.
 */
uint32_t weft_watch_sensors(const struct weft_watch_sensor *sensor,
			    unsigned count);

/* ---- registers ----------------------------------------------------------- */

/*
 * A register that its owner writes in every period, and that another component
 * checks.
 */
struct weft_watch_register {
	uint64_t beats;
	uint32_t sensors; /* bit mask of the sensors that are out of bounds */
};

/* State that a component keeps for a register that it monitors. */
struct weft_watch_monitor {
	uint64_t beats;
	uint32_t missed; /* consecutive checks without a new heartbeat */
	bool open;	 /* the register has been checked before */
	uint8_t state;	 /* enum weft_watch_state */
};

/*
 * Checks a register once. The first check returns "unknown". After `misses`
 * consecutive checks without a new heartbeat the result is "broken"; after a
 * new heartbeat it is "normal" again.
 */
enum weft_watch_state weft_watch_check(struct weft_watch_monitor *monitor,
				       const struct weft_watch_register *reg,
				       uint32_t misses);

/*
 * Status word that an interface sends to its neighbours; it fits into a control
 * word.
 */
struct weft_watch_word {
	uint32_t node;
	uint8_t host, nic; /* enum weft_watch_state */
};

/* The registers of a node, and the monitor states of its host and interface. */
struct weft_watch_node {
	uint32_t node;
	uint8_t links; /* bit mask of the ports with a neighbour */
	struct weft_watch_register host, nic;
	/* monitor of the host, kept by the interface */
	struct weft_watch_monitor of_host;
	/* monitor of the interface, kept by the host */
	struct weft_watch_monitor of_nic;
	/* neighbour registers: last status word, number of words received */
	struct weft_watch_word neighbour[WEFT_WATCH_PORTS];
	struct weft_watch_register neighbour_words[WEFT_WATCH_PORTS];
	struct weft_watch_monitor neighbour_monitor[WEFT_WATCH_PORTS];
};

#define WEFT_WATCH_NO_NODE UINT32_MAX
/*
 * Initializes the registers of a node. neighbour: the node at each port, or
 * WEFT_WATCH_NO_NODE.
 */
void weft_watch_node_init(struct weft_watch_node *n, uint32_t node,
			  const uint32_t neighbour[WEFT_WATCH_PORTS]);

/*
 * Runs one period of the interface: increments its heartbeat, checks the
 * heartbeat of its host and the status words of its neighbours, and returns the
 * status word to send to them.
 */
struct weft_watch_word weft_watch_nic(struct weft_watch_node *n);
/* Records a status word that a neighbour has sent to a port. */
void weft_watch_word_receive(struct weft_watch_node *n, unsigned port,
			     const struct weft_watch_word *word);

/*
 * Report of a host to the master about one node: the host's own or a neighbour.
 */
struct weft_watch_report {
	uint32_t about;
	uint8_t host, nic; /* enum weft_watch_state */
	/*
	 * port of the reporting node that leads to the node; WEFT_WATCH_PORTS:
	 * a report about itself
	 */
	uint8_t port;
};

/*
 * Runs one period of the host: increments its heartbeat, checks the heartbeat
 * of its interface, and reads the neighbour registers. Returns the number of
 * reports; the first is about the node itself.
 */
unsigned weft_watch_host(struct weft_watch_node *n,
			 struct weft_watch_report report[WEFT_WATCH_PORTS + 1]);

/* ---- the master's view --------------------------------------------------- */

/*
 * The latest reports to the master about one node, and their times in the
 * caller's units.
 */
struct weft_watch_view {
	/* time of the node's own report; WEFT_WATCH_NEVER: none */
	uint64_t own_time;
	uint8_t own_host, own_nic;
	/* time of the report of the neighbour at each port */
	uint64_t time[WEFT_WATCH_PORTS];
	uint8_t host[WEFT_WATCH_PORTS], nic[WEFT_WATCH_PORTS];
};

struct weft_watch_result {
	uint8_t host, nic; /* enum weft_watch_state */
	/* bit mask of the ports on which no status words arrive */
	uint8_t silent;
};

void weft_watch_view_init(struct weft_watch_view *v);
/*
 * Records a report about a node. port: the node's port that leads to the
 * reporting node.
 */
void weft_watch_report_add(struct weft_watch_view *v, uint64_t at,
			   const struct weft_watch_report *report,
			   unsigned port);
/*
 * Returns the states of the node's host and interface that follow from the
 * reports not older than `fresh`.
 */
struct weft_watch_result weft_watch_evaluate(const struct weft_watch_view *v,
					     uint64_t now, uint64_t fresh);

#endif
