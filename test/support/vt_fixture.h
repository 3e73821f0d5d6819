/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: a world of virtual time whose ranks are processes. Each rank runs
 * the test's body; results are written to a shared page.
 */
#ifndef WEFT_VT_FIXTURE_H
#define WEFT_VT_FIXTURE_H

#include "test/support/carrier_fixture.h"
#include "prov/vt/vt.h"
#include "prov/net/file/net_config.h"

#define RANKS_MAX 32
#define FOREVER	  UINT64_MAX
#define NS	  1000u

/* Results of the ranks. */
struct found {
	uint64_t clock[RANKS_MAX];
	uint64_t value[RANKS_MAX];
	struct weft_vt_count count;
};

struct play {
	int ranks;
	const char *machine; /* machine name or file; NULL: bgq */
	const char *faults;  /* fault plan; NULL: none */
	uint32_t universe;   /* ranks, spawned ones included; 0: none spawned */
	int (*body)(struct play *p, struct end *e, uint32_t rank);
	struct weft_vt *w;
	char handle[WEFT_VT_HANDLE];
	struct found *found;
	uint64_t seed; /* seed of the random delays */
	bool one_core;
	bool threads;
};

/* Runs the body on all ranks; fails the test unless all bodies return 0. */
void play(struct play *p, struct found *found_p);
/*
 * Steps of play(), for tests that start the processes themselves; play_rank()
 * runs the body on rank i.
 */
void play_open(struct play *p);
int play_rank(int i, void *arg);
void play_close(struct play *p);

/*
 * Writes a modified copy of a machine file, for play.machine, in which the line
 * of one key is replaced by another line. path initially contains PLAY_FILE;
 * the caller unlinks the file.
 */
#define PLAY_FILE "/tmp/weft-vt-XXXXXX"
void play_file(char *path, const char *machine, const char *without,
	       const char *instead);

/* Returns the result of op 1 of a class route for two words. */
uint64_t play_mix(uint64_t a, uint64_t b);
uint64_t now(struct end *e);
struct weft_peer *rank_peer(struct play *p, struct end *e, uint32_t rank);
/* Waits in virtual time until want packets have arrived. */
int wait_got(struct end *e, uint64_t want);
int send_waiting(struct end *e, struct weft_peer *to, uint64_t n, size_t len);
/* Opens class route 3 on all ranks; returns 0 if it was opened. */
int play_route(struct play *p, struct end *e, uint32_t rank);
/* Waits for the result of part->seq on class route 3. */
int play_result(struct end *e, struct weft_backend_part *part, void *data);
/* Returns the arrival time in ps of a single packet on an idle machine. */
uint64_t unloaded_latency(struct net_config *cfg, uint32_t bytes);

#endif
