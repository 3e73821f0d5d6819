/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness as APEnet+ has it (LO|FA|MO): who watches whom, and what
 * follows from it. Pure rules: no clock, no memory of their own, no messages;
 * who drives them has a period, and calls each part once in it.
 *
 *      host  --- writes ---> host register  <--- looks --- interface
 *      host  --- looks ----> own register   <--- writes -- interface
 *                                                   |  a word to each
 *                                                   v  neighbour
 *      host  --- reads ----> neighbour registers of six ports
 *        |
 *        +----- tells, over a service network ------> master
 *
 * The host dies: its interface misses a beat and its words say so; neighbours'
 * hosts read it and tell the master. The interface dies: its host misses a beat
 * and tells the master. Both die: no words come any more. All around die, too:
 * nobody tells anything of it, and that is what the master knows: unknown.
 */
#ifndef WEFT_WATCH_H
#define WEFT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_WATCH_PORTS 6
#define WEFT_WATCH_NEVER UINT64_MAX

/* Of a host or an interface; of two that are told, the higher one counts. */
enum weft_watch_state {
	WEFT_WATCH_UNKNOWN, /* nobody has told */
	WEFT_WATCH_NORMAL,
	WEFT_WATCH_SICK,   /* it beats, and a sensor warns */
	WEFT_WATCH_BROKEN, /* it does not beat: omission */
};
const char *weft_watch_name(enum weft_watch_state state);

/* ---- sensors ------------------------------------------------------------- */

/* Temperature, voltage, power: anything that has bounds. */
struct weft_watch_sensor {
	int32_t value, low, high;
};
/* Bit i: sensor i is out of its bounds; at most 32. */
uint32_t weft_watch_sensors(const struct weft_watch_sensor *sensor,
			    unsigned count);

/* ---- registers ----------------------------------------------------------- */

/* What its owner writes in every period, and another looks at. */
struct weft_watch_register {
	uint64_t beats;
	uint32_t sensors; /* bits of those that warn */
};

/* What a watcher remembers of a register. */
struct weft_watch_eye {
	uint64_t beats;
	uint32_t missed; /* looks in a row that found nothing new */
	bool open;	 /* it has looked before */
	uint8_t state;	 /* enum weft_watch_state */
};

/*
 * One look. The first one cannot know. Without a beat for so many looks in a
 * row its owner is broken; one that beats again is well again.
 */
enum weft_watch_state weft_watch_look(struct weft_watch_eye *eye,
				      const struct weft_watch_register *reg,
				      uint32_t misses);

/* What an interface tells its neighbours; it fits a word of the link. */
struct weft_watch_word {
	uint32_t node;
	uint8_t host, nic; /* enum weft_watch_state */
};

/* The registers of a node, and what its two halves remember. */
struct weft_watch_node {
	uint32_t node;
	uint8_t links; /* ports that lead somewhere, a bit each */
	struct weft_watch_register host, nic;
	struct weft_watch_eye of_host; /* the interface's */
	struct weft_watch_eye of_nic;  /* the host's */
	/* neighbour status registers: the last word, and whether words come */
	struct weft_watch_word near[WEFT_WATCH_PORTS];
	struct weft_watch_register near_heard[WEFT_WATCH_PORTS];
	struct weft_watch_eye of_near[WEFT_WATCH_PORTS];
};

#define WEFT_WATCH_NOBODY UINT32_MAX
/* near: who is behind each port, or WEFT_WATCH_NOBODY. */
void weft_watch_node_init(struct weft_watch_node *n, uint32_t node,
			  const uint32_t near[WEFT_WATCH_PORTS]);

/*
 * The interface's part of a period: beats, looks at its host and at what has
 * come from its neighbours, and says what to tell them.
 */
struct weft_watch_word weft_watch_nic(struct weft_watch_node *n);
/* A neighbour's word has come in by a port. */
void weft_watch_hear(struct weft_watch_node *n, unsigned port,
		     const struct weft_watch_word *word);

/* What a host tells the master of one node: itself or a neighbour. */
struct weft_watch_report {
	uint32_t about;
	uint8_t host, nic; /* enum weft_watch_state */
	/* of the port at the teller; WEFT_WATCH_PORTS: of itself */
	uint8_t port;
};

/*
 * The host's part of a period: beats, looks at its interface, reads the
 * neighbour registers. Returns how many reports it has, itself first.
 */
unsigned weft_watch_host(struct weft_watch_node *n,
			 struct weft_watch_report report[WEFT_WATCH_PORTS + 1]);

/* ---- the master's picture ------------------------------------------------ */

/* What the master was told of a node, and when; times as the caller counts. */
struct weft_watch_view {
	uint64_t own_at; /* by itself; WEFT_WATCH_NEVER: not yet */
	uint8_t own_host, own_nic;
	/* by the neighbour at each of its own ports */
	uint64_t at[WEFT_WATCH_PORTS];
	uint8_t host[WEFT_WATCH_PORTS], nic[WEFT_WATCH_PORTS];
};

struct weft_watch_picture {
	uint8_t host, nic; /* enum weft_watch_state */
	uint8_t silent;	   /* ports whose links bring nothing, a bit each */
};

void weft_watch_view_init(struct weft_watch_view *v);
/* A report about the node; port: its own one that leads to the teller. */
void weft_watch_tell(struct weft_watch_view *v, uint64_t at,
		     const struct weft_watch_report *report, unsigned port);
/* What follows from reports that are not older than fresh. */
struct weft_watch_picture weft_watch_see(const struct weft_watch_view *v,
					 uint64_t now, uint64_t fresh);

#endif
