/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch of a live job, as LO|FA|MO has it (prov/watch): the ranks of a job
 * on one host keep their watchdog registers in one shared region, and each
 * looks at its neighbours on the torus. Whoever reads the region is the master.
 *
 *   weft_health_open (first rank of the host) -> pass fd -> weft_health_close
 *   weft_health_attach (the others)           -> weft_health_close
 *       weft_health_join -> weft_health_turn, twice in a period, -> leave
 *   weft_health_peek (a tool, read only)      -> weft_health_close
 *       weft_health_see
 *
 * States: normal; sick: a sensor warns, or the process is there and does not
 * beat (stopped, or starved); broken: it is gone; unknown: nobody has told.
 * Turns are counted, not timed: a host that stands still as a whole finds
 * nobody sick afterwards.
 */
#ifndef WEFT_HEALTH_H
#define WEFT_HEALTH_H

#include "src/base/region.h"
#include "src/health/health_layout.h"

#define WEFT_HEALTH_TURNS 2 /* in a period */

struct weft_health {
	struct weft_region region;
	struct health_head *head;
	struct health_slot *slot;
	struct health_what what; /* a copy that was checked */
	uint32_t ns;		 /* our pid namespace */
	/* of a rank that has joined */
	uint32_t me;
	uint32_t near[WEFT_WATCH_PORTS]; /* HEALTH_NOBODY: none */
	struct weft_watch_eye eye[WEFT_WATCH_PORTS];
};

/* What the region is made for. */
struct weft_health_job {
	const char *name;
	const char *host;
	const char *torus; /* "4x2x1"; NULL: any */
	uint32_t ranks;	   /* of the job */
	uint32_t here;	   /* on this host */
	uint64_t period_ns;
};

/* Creates the region; 0 or -errno. */
int weft_health_open(struct weft_health *h, const struct weft_health_job *job);
/* The one behind fd, which stays the caller's. -EINVAL: it is none, -ESTALE:
 * it is another job's. */
int weft_health_attach(struct weft_health *h, int fd, const char *job);
/* The same, of any job, to read only. */
int weft_health_peek(struct weft_health *h, int fd);
void weft_health_close(struct weft_health *h);

/* The torus of so many ranks: the shape that was told where that has as many
 * nodes, else as cubic as the number allows; of a prime number a ring. */
void weft_health_shape(const char *torus, uint32_t count,
		       uint32_t shape[HEALTH_DIMS]);
/* Who is behind a port, or HEALTH_NOBODY; nobody is behind two. */
uint32_t weft_health_near(const uint32_t shape[HEALTH_DIMS], uint32_t slot,
			  unsigned port);

/* This process is the rank in that slot. -EINVAL: there is no such slot. */
int weft_health_join(struct weft_health *h, uint32_t slot, uint32_t rank);
/* In good order: nobody will call it broken. */
void weft_health_leave(struct weft_health *h);

/* A turn of the rank: beats, and looks at its neighbours. */
void weft_health_turn(struct weft_health *h, uint64_t now_ns);
/* A turn of its interface, by the thread that works in it. */
void weft_health_nic(struct weft_health *h, uint64_t now_ns, uint32_t warns);

/* ---- the master ---------------------------------------------------------- */

struct weft_health_view {
	uint32_t rank, pid;
	uint32_t state;	   /* HEALTH_FREE, _HERE, _LEFT */
	uint8_t host, nic; /* enum weft_watch_state */
	uint32_t by;	   /* rank that saw it; HEALTH_NOBODY: we did */
	uint32_t looks;	   /* turns of that one without a beat, until it knew */
	uint64_t known_ns; /* for so long it has been known */
	uint64_t beat_ns;  /* so long ago it beat */
};

/* What is known of a slot; false: there is no such slot. */
bool weft_health_see(const struct weft_health *h, uint32_t slot,
		     uint64_t now_ns, struct weft_health_view *v);
/* The slot of a rank, or HEALTH_NOBODY: it is not here. */
uint32_t weft_health_find_rank(const struct weft_health *h, uint32_t rank);
/* "broken, last beat 0.31 s ago, seen by rank 2 0.05 s ago" */
void weft_health_say(const struct weft_health_view *v, char *text, size_t len);

/* ---- finding a job ------------------------------------------------------- */

/*
 * The region of a job on this host: its name, or the pid of one of its ranks or
 * of a process above them, such as mpiexec. A descriptor, or -ESRCH.
 */
int weft_health_find(const char *job);

#endif
