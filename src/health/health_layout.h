/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared format of src/health, see health.h: one region for the ranks of a job
 * on one host.
 *
 *   0      +---------------------------------------------+
 *          | head    job and period                  512 |
 *   512    | slot    one for each rank here          512 |
 *          | ...                                         |
 *          +---------------------------------------------+
 *
 * A slot is written only by its rank and read by all processes that map the
 * region. It contains the rank's identity, its two registers (host and
 * interface), and a neighbour status register for each port of the torus: the
 * state of that neighbour as detected by this rank.
 */
#ifndef WEFT_HEALTH_LAYOUT_H
#define WEFT_HEALTH_LAYOUT_H

#include "prov/watch/watch.h"
#include "src/base/atomic.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#define HEALTH_MAGIC   UINT64_C(0x68746c6165682077) /* ASCII "w health" */
#define HEALTH_VERSION 1u
#define HEALTH_NAME    "weft-health" /* name of the region in /proc/PID/fd */

enum { HEALTH_DIMS = 3, HEALTH_SLOTS_MAX = 1 << 17 };
enum { HEALTH_JOB = 160, HEALTH_HOST = 64 };
#define HEALTH_NO_SLOT UINT32_MAX

static_assert(2 * HEALTH_DIMS == WEFT_WATCH_PORTS, "two ports a dimension");

/*
 * Information about the job; written once, before the descriptor is passed to
 * other processes. Readers copy it.
 */
struct health_job_info {
	uint64_t magic;
	uint32_t version;
	uint32_t slots;
	uint64_t bytes;
	uint64_t period_ns;
	uint32_t ranks; /* number of ranks of the job on all hosts */
	uint32_t shape[HEALTH_DIMS];
	uint64_t pad[2];
	char job[HEALTH_JOB]; /* name of the job; zero-terminated like `host` */
	char host[HEALTH_HOST];
	uint64_t pad2[4];
};

struct health_head {
	struct health_job_info what; /* cache lines 0 to 4 */
	/* cache line 5: sensors of the host, written by one of its ranks */
	alignas(64) weft_au64 sensed_ns;
	/* temperature in thousandths of a degree, or HEALTH_NONE */
	weft_au32 temp_mc;
	weft_au32 load_cpcpu; /* runnable tasks per processor, times 100 */
	weft_au32 warns;      /* bit i: sensor i is out of bounds */
	uint32_t pad3;
	uint64_t pad4[5];
	uint64_t pad5[16];
};

static_assert(sizeof(struct health_head) == 512 &&
		      offsetof(struct health_job_info, job) == 64 &&
		      offsetof(struct health_head, sensed_ns) == 320,
	      "shared format");

#define HEALTH_NONE ((uint32_t)INT32_MIN) /* no such sensor on this host */

enum { HEALTH_FREE, HEALTH_JOINED, HEALTH_LEFT };

/* A watchdog register: a counter that its owner increments. */
struct health_register {
	weft_au64 beats;
	weft_au64 beat_ns; /* time of the last heartbeat */
	weft_au32 warns;   /* bit mask of the sensors that are out of bounds */
	uint32_t pad;
	uint64_t pad2;
};

/* Neighbour status register: state of the neighbour behind a port. */
struct health_neighbour {
	/* slot of the neighbour; HEALTH_NO_SLOT: the port is empty */
	weft_au32 slot;
	/*
	 * {checks:16, host:8, nic:8}; checks: number of checks without a
	 * heartbeat until detection; host, nic: enum weft_watch_state
	 */
	weft_au32 states;
	weft_au64 since_ns; /* time of detection */
	/* neighbour's last heartbeat, as recorded by the neighbour */
	weft_au64 beat_ns;
	uint64_t pad;
};

struct health_slot {
	/* cache line 0: written once by the rank; state is stored last */
	alignas(64) weft_au32 state;
	weft_au32 rank;
	weft_au32 pid;
	weft_au32 ns; /* pid namespace; 0: unknown */
	weft_au64 start;
	uint64_t pad[5];
	/* cache line 1: written by the rank in every round */
	struct health_register host, nic;
	/* cache lines 2 to 4: updated by the rank in every round */
	struct health_neighbour neighbour[WEFT_WATCH_PORTS];
	uint64_t pad2[24];
};

static_assert(sizeof(struct health_slot) == 512 &&
		      offsetof(struct health_slot, host) == 64 &&
		      offsetof(struct health_slot, neighbour) == 128,
	      "shared format");

static inline uint32_t health_states(uint32_t checks, uint8_t host, uint8_t nic)
{
	return (checks > UINT16_MAX ? UINT16_MAX : checks) << 16 |
	       (uint32_t)host << 8 | nic;
}

static inline uint32_t health_state_checks(uint32_t states)
{
	return states >> 16;
}

/* Returns a valid state for any value, since the region is untrusted. */
static inline uint8_t health_host(uint32_t states)
{
	uint8_t s = states >> 8 & 0xff;

	return s <= WEFT_WATCH_BROKEN ? s : WEFT_WATCH_UNKNOWN;
}

static inline uint8_t health_nic(uint32_t states)
{
	uint8_t s = states & 0xff;

	return s <= WEFT_WATCH_BROKEN ? s : WEFT_WATCH_UNKNOWN;
}

#endif
