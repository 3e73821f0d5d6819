/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory and waits of the algorithms "shared"; see coll_shared.h. */
#include "coll/coll_shared.h"

#include "coll/coll_prog.h"
#include "src/base/clock.h"
#include "src/core/core_state.h"
#include "src/msg/msg_pause.h"
#include "src/offload/offload_device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Maximum and minimum size of a slot, bytes. With slots of SLOT_MAX the
 * exchange of counters takes little time compared with the copies, and all
 * slots of a few ranks fit into the caches.
 */
#define SLOT_MAX  ((size_t)256 << 10)
#define SLOT_MIN  ((size_t)64 << 10)
/* bytes of all slots, unless slots of SLOT_MIN need more */
#define SLOTS_ALL ((size_t)8 << 20)
#define PAGE	  ((size_t)4096)

/* calls of a communicator before its memory is opened, which takes 0.3 ms */
#define CALLS_BEFORE 2
/* value of weft_comm.shared_calls: the memory could not be opened */
#define CALLS_NEVER  UINT32_MAX

/* ---- layout -------------------------------------------------------------- */

size_t coll_shared_slot_bytes(int n)
{
	size_t bytes = SLOT_MAX;

	while (bytes > SLOT_MIN && bytes * 2 * (size_t)n > SLOTS_ALL)
		bytes /= 2;
	return bytes;
}

static size_t head_bytes(int n)
{
	size_t bytes = sizeof(struct coll_shared_head) +
		       (size_t)n * sizeof(struct coll_shared_line);

	return (bytes + PAGE - 1) / PAGE * PAGE;
}

size_t coll_shared_bytes(int n, size_t slot_bytes)
{
	return head_bytes(n) + 2 * (size_t)n * slot_bytes;
}

void coll_shared_init(struct coll_shared *s, const struct weft_comm *comm,
		      void *memory, size_t slot_bytes, uint32_t round)
{
	weft_au32 *mine;

	s->comm = comm;
	s->head = memory;
	s->slots = (char *)memory + head_bytes(comm->size);
	s->slot_bytes = slot_bytes;
	s->round = round;
	mine = s->head->line[comm->rank].round;
	for (int i = 0; i < COLL_SHARED_STAGES; i++)
		weft_store32(&mine[i], round);
}

/* ---- open and close ------------------------------------------------------ */

/* Location of rank 0's memory, from which the other ranks map it. */
struct place {
	int64_t pid;
	int32_t fd;
	int32_t error;
	uint64_t token;
};

static int create(struct coll_shared *s, size_t bytes, struct place *at)
{
	struct coll_shared_head *head;
	int rc = weft_region_open(&s->region, "weft-collectives", bytes);

	if (rc)
		return rc;
	head = s->region.base;
	at->pid = getpid();
	at->fd = s->region.fd;
	at->token = (weft_now_ns() ^ (uint64_t)at->pid << 32) | 1;
	head->token = at->token;
	return 0;
}

static int map(struct coll_shared *s, size_t bytes, const struct place *at)
{
	const struct coll_shared_head *head;
	int fd = weft_region_open_remote_fd((pid_t)at->pid, at->fd), rc;

	if (fd < 0)
		return fd;
	rc = weft_region_attach(&s->region, fd, bytes);
	s->region.fd = fd;
	head = s->region.base;
	return rc ? rc : head->token == at->token ? 0 : -EINVAL;
}

/*
 * Allocates this rank's slots, so that a lack of memory causes an error here
 * instead of a signal later.
 */
static int reserve(const struct coll_shared *s, const struct weft_comm *comm,
		   size_t slot_bytes)
{
	size_t at =
		head_bytes(comm->size) + 2 * (size_t)comm->rank * slot_bytes;

	return posix_fallocate(s->region.fd, (off_t)at, 2 * (off_t)slot_bytes)
		       ? -ENOMEM
		       : 0;
}

/* Broadcasts `bytes` bytes at `at` from rank 0. */
static void from_first(struct coll_prog *p, void *at, size_t bytes)
{
	MPI_Count n = (MPI_Count)bytes;

	for (int i = 1; !p->rank && i < p->size; i++)
		coll_send(p, at, n, coll_byte(), i);
	if (p->rank)
		coll_recv_wait(p, at, n, coll_byte(), 0);
	coll_wait_all(p);
}

/* Operations that may use the memory, at one rank or at all ranks. */
enum use {
	USE_NONE,
	USE_REDUCTIONS,
	USE_ALL,
};

/* Returns the minimum over all ranks; collective. */
static enum use least_use(struct coll_prog *p, enum use use)
{
	char mine = (char)use, least = mine;

	if (p->rank)
		coll_send(p, &mine, 1, coll_byte(), 0);
	for (int i = 1; !p->rank && i < p->size; i++) {
		coll_recv_wait(p, &mine, 1, coll_byte(), i);
		if (mine < least)
			least = mine;
	}
	coll_wait_all(p);
	from_first(p, &least, 1);
	return p->err ? USE_NONE : (enum use)least;
}

/* Opens the memory at all ranks, or at none. */
static bool open_all(struct coll_shared *s, struct coll_prog *p)
{
	struct weft_comm *comm = p->comm;
	size_t slot = coll_shared_slot_bytes(comm->size);
	size_t bytes = coll_shared_bytes(comm->size, slot);
	struct place at = { 0 };
	enum use use;
	int rc;

	if (!comm->rank)
		at.error = s ? create(s, bytes, &at) : -ENOMEM;
	from_first(p, &at, sizeof(at));
	rc = p->err ? p->err : at.error;
	if (!rc && comm->rank)
		rc = s ? map(s, bytes, &at) : -ENOMEM;
	if (!rc)
		rc = reserve(s, comm, slot);
	use = least_use(p, rc			? USE_NONE
			   : weft_device_used() ? USE_REDUCTIONS
						: USE_ALL);
	if (use == USE_NONE)
		return false;
	coll_shared_init(s, comm, s->region.base, slot, 0);
	s->only_reductions = use == USE_REDUCTIONS;
	return true;
}

static bool open_memory(struct coll_prog *p)
{
	struct coll_shared *s = calloc(1, sizeof(*s));

	if (s)
		s->region.fd = -1;
	if (!open_all(s, p)) {
		if (s)
			weft_region_close(&s->region);
		free(s);
		p->comm->shared_calls = CALLS_NEVER;
		return false;
	}
	close(s->region.fd);
	s->region.fd = -1;
	p->comm->shared = s;
	return true;
}

/* Returns whether the operation may use the open memory. */
static bool is_useful(const struct coll_shared *s,
		      const struct weft_coll_args *a)
{
	return a->op || !s->only_reductions;
}

bool coll_shared_prepare(struct coll_prog *p, const struct weft_coll_args *a)
{
	if (!p->comm->shared &&
	    (++p->comm->shared_calls <= CALLS_BEFORE || !open_memory(p)))
		return false;
	return is_useful(p->comm->shared, a);
}

void coll_shared_close(struct weft_comm *comm)
{
	if (!comm->shared)
		return;
	weft_region_close(&comm->shared->region);
	free(comm->shared);
	comm->shared = NULL;
}

/* ---- which calls --------------------------------------------------------- */

/*
 * Returns whether the job may use shared memory: it is live, on machine native
 * (the interface of an emulated machine moves the data itself), and all its
 * processes are on this host.
 */
static bool job_fits(void)
{
	const struct fi_domain_attr *domain =
		weft_core.info ? weft_core.info->domain_attr : NULL;

	return !weft_core.traits.polls_block && !weft_core.survives &&
	       weft_core.job.local_size == weft_core.job.size && domain &&
	       domain->name && !strcmp(domain->name, "native");
}

static bool comm_fits(const struct weft_comm *comm)
{
	return !comm->inter && !comm->foreign && comm->size > 1 &&
	       comm->size <= COLL_SHARED_RANKS &&
	       comm->shared_calls != CALLS_NEVER;
}

/*
 * Returns whether the data can be divided: elements of reductions must be
 * contiguous, and every rank must get at least one.
 */
static bool type_fits(const struct weft_coll_args *a)
{
	return !a->op ||
	       (weft_dt_is_run(a->r.dt, 2) && a->r.dt->size > 0 &&
		(size_t)a->r.dt->size <= SLOT_MIN / COLL_SHARED_RANKS);
}

bool coll_shared_fits(const struct weft_coll_args *a)
{
	return a->blocks && comm_fits(a->comm) && type_fits(a) && job_fits() &&
	       (!a->comm->shared || is_useful(a->comm->shared, a));
}

/* ---- rounds -------------------------------------------------------------- */

/* Returns whether a counter has reached a round; both may have wrapped. */
static bool has_reached(uint32_t counter, uint32_t round)
{
	return (int32_t)(counter - round) >= 0;
}

static void wait_round(struct coll_shared *s, int rank,
		       enum coll_shared_stage stage, uint32_t round)
{
	struct coll_shared_line *line = &s->head->line[rank];
	weft_au32 *word = &line->round[stage];
	struct weft_pause pause;
	uint32_t seen;

	if (has_reached(weft_load32(word), round) || s->err)
		return;
	pause = weft_pause_begin(s->comm);
	while ((seen = weft_load32(word)), !has_reached(seen, round) && !s->err)
		s->err = weft_pause(&pause, word, seen, WEFT_PAUSE_ANY,
				    &line->waiters);
}

void coll_shared_begin_reader(struct coll_shared *s)
{
	s->round++;
}

void coll_shared_begin(struct coll_shared *s)
{
	int n = s->comm->size, me = s->comm->rank;

	s->round++;
	for (int i = 1; i < n; i++)
		wait_round(s, (me + i) % n, COLL_SHARED_LEFT, s->round - 2);
}

char *coll_shared_slot(const struct coll_shared *s, int rank)
{
	return s->slots + (2 * (size_t)rank + (s->round & 1)) * s->slot_bytes;
}

void coll_shared_reach(struct coll_shared *s, enum coll_shared_stage stage)
{
	struct coll_shared_line *mine = &s->head->line[s->comm->rank];

	/*
	 * release: after the stores to the slot; seq_cst: before
	 * weft_pause_wake() loads the number of waiters
	 */
	atomic_store_explicit(&mine->round[stage], s->round,
			      memory_order_seq_cst);
	weft_pause_wake(&mine->round[stage], WEFT_PAUSE_ANY, &mine->waiters);
}

void coll_shared_wait(struct coll_shared *s, int rank,
		      enum coll_shared_stage stage)
{
	wait_round(s, rank, stage, s->round);
}
