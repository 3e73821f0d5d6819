/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault awareness of a live job, as in LO|FA|MO (prov/watch): the ranks of a
 * job on one host keep their watchdog registers in one shared region, and
 * each rank checks its neighbours on a torus. Any process that reads the
 * region acts as LO|FA|MO's master.
 *
 *   weft_health_open (first rank of the host) -> pass fd -> weft_health_close
 *   weft_health_attach (other ranks)          -> weft_health_close
 *       weft_health_join -> weft_health_round, twice per period, -> leave
 *   weft_health_attach_readonly (a tool)      -> weft_health_close
 *       weft_health_view_get
 *
 * States: normal; sick: a sensor warns, or the process exists without
 * heartbeats (stopped, or starved); broken: the process has exited; unknown:
 * no report. Rounds are counted, not timed: if a whole host is suspended, no
 * rank is reported sick afterwards.
 */
#ifndef WEFT_HEALTH_H
#define WEFT_HEALTH_H

#include "src/base/region.h"
#include "src/health/health_layout.h"

#define WEFT_HEALTH_ROUNDS 2 /* rounds per period */

struct weft_health {
	struct weft_region region;
	struct health_head *head;
	struct health_slot *slot;
	struct health_job_info what; /* checked copy of the job information */
	uint32_t ns;		     /* pid namespace of this process */
	/*
	 * fields of a rank that has joined: its slot, its neighbours' slots,
	 * and their monitors
	 */
	uint32_t me;
	/* slot of the neighbour behind each port; HEALTH_NO_SLOT: none */
	uint32_t neighbour[WEFT_WATCH_PORTS];
	struct weft_watch_monitor monitor[WEFT_WATCH_PORTS];
};

/* Description of the job for a new region. */
struct weft_health_job {
	const char *name;
	const char *host;
	const char *torus; /* shape, as "4x2x1"; NULL: as cubic as possible */
	uint32_t ranks;	   /* number of ranks of the job */
	uint32_t here;	   /* number of ranks on this host */
	uint64_t period_ns;
};

int weft_health_open(struct weft_health *h, const struct weft_health_job *job);
/*
 * Maps the region behind fd, which the caller keeps. Returns 0 or -errno;
 * -EINVAL: not a region, -ESTALE: a region of another job.
 */
int weft_health_attach(struct weft_health *h, int fd, const char *job);
/* Maps the region of any job, read only. */
int weft_health_attach_readonly(struct weft_health *h, int fd);
void weft_health_close(struct weft_health *h);

/*
 * Computes the shape of a torus of `count` ranks: the given shape if it has
 * this number of nodes, otherwise as cubic as possible (a ring for a prime
 * number).
 */
void weft_health_shape(const char *torus, uint32_t count,
		       uint32_t shape[HEALTH_DIMS]);
/*
 * Returns the slot of the neighbour behind a port, or HEALTH_NO_SLOT. A
 * neighbour is behind at most one port.
 */
uint32_t weft_health_neighbour(const uint32_t shape[HEALTH_DIMS], uint32_t slot,
			       unsigned port);

/* Registers this process in the slot. Returns 0; -EINVAL: no such slot. */
int weft_health_join(struct weft_health *h, uint32_t slot, uint32_t rank);
/* Marks a regular exit: the rank will not be reported broken. */
void weft_health_leave(struct weft_health *h);

/* Executes a round: increments the heartbeat, checks the neighbours. */
void weft_health_round(struct weft_health *h, uint64_t now_ns);
/*
 * Executes one watchdog round of the rank's network interface; called by the
 * thread that makes progress on the interface.
 */
void weft_health_nic(struct weft_health *h, uint64_t now_ns, uint32_t warns);

/* ---- reading the states -------------------------------------------------- */

struct weft_health_view {
	uint32_t rank, pid;
	uint32_t state;	   /* HEALTH_FREE, _JOINED, _LEFT */
	uint8_t host, nic; /* enum weft_watch_state */
	/* rank that detected the state; HEALTH_NO_SLOT: this process */
	uint32_t by;
	/* number of checks without a heartbeat until detection */
	uint32_t checks;
	uint64_t known_ns; /* ns since detection */
	uint64_t beat_ns;  /* ns since the last heartbeat */
};

/* Reads the state of a slot. Returns false if there is no such slot. */
bool weft_health_view_get(const struct weft_health *h, uint32_t slot,
			  uint64_t now_ns, struct weft_health_view *v);
/* Returns the slot of a rank, or HEALTH_NO_SLOT: not on this host. */
uint32_t weft_health_find_rank(const struct weft_health *h, uint32_t rank);
/*
 * Writes the state as text: "broken, last heartbeat 0.31 s ago, detected by
 * rank 2 0.05 s ago".
 */
void weft_health_view_format(const struct weft_health_view *v, char *text,
			     size_t len);

/* ---- finding a job ------------------------------------------------------- */

/*
 * Finds the region of a job on this host, by the name of the job, or by the pid
 * of one of its ranks or of an ancestor process, such as mpiexec. Returns a
 * descriptor or -ESRCH.
 */
int weft_health_find(const char *job);

#endif
