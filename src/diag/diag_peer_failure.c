/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detection of dead processes of the job, by queries to the provider during
 * long waits.
 */
#include "src/diag/diag_peer_failure.h"

#include "src/diag/diag_health.h"
#include "src/boot/boot_hosts.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"
#include "src/boot/boot_world.h"
#include "src/recover/recover_failed.h"

#include <errno.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdio.h>
#include <stdlib.h>

#define CONTACT_MAX 64 /* maximum number of first contacts per check */

/* table of the provider's peers; NULL: the provider does not report deaths */
static struct fi_weft_peers *peers;
static struct weft_list comms = { &comms, &comms };
/* error for receives from each process, indexed like weft_core.proc; 0: none */
static int *failure_of;
enum source { UNKNOWN, WANTED, CONTACTED };
static uint8_t *sources; /* enum source, indexed as weft_core.proc */
/* looks up the address of a process and passes it to the provider */
static int (*find_address)(int proc);

void weft_comm_list_add(struct weft_comm *c)
{
	weft_lock();
	weft_list_push_back(&comms, &c->link);
	weft_unlock();
}

void weft_comm_list_remove(struct weft_comm *c)
{
	weft_lock();
	weft_list_remove(&c->link);
	weft_unlock();
}

void weft_comm_list_each(void (*visit)(struct weft_comm *c))
{
	struct weft_list *n;

	for (n = comms.next; n != &comms; n = n->next)
		visit(weft_container_of(n, struct weft_comm, link));
}

struct weft_comm *weft_comm_list_find(uint64_t ctx)
{
	struct weft_list *n;

	for (n = comms.next; n != &comms; n = n->next) {
		struct weft_comm *c =
			weft_container_of(n, struct weft_comm, link);

		if (c->ctx == ctx)
			return c;
	}
	return NULL;
}

static const struct weft_comm *comm_of(uint64_t word)
{
	return weft_comm_list_find(word >> WEFT_TAG_CTX_SHIFT
						   << WEFT_TAG_CTX_SHIFT);
}

/*
 * Returns whether this is a receive of the application from any source, either
 * in a job on several hosts or in a communicator with processes of other jobs.
 * (On one host the launcher ends the job when a process of the job dies.)
 */
static bool is_from_any_source(const struct weft_comm *c, uint64_t word,
			       uint64_t ignore)
{
	return ignore & WEFT_TAG_SRC && (weft_hosts_several() || c->foreign) &&
	       (word >> WEFT_TAG_KIND_SHIFT & 3) == WEFT_CTX_P2P;
}

/*
 * Returns the error with which a posted receive must complete because its
 * source is dead or unreachable; 0: none.
 */
static int receive_error(void *arg, uint64_t word, uint64_t ignore)
{
	const struct weft_comm *c = comm_of(word);
	int source = weft_tag_source(word);

	if (!c)
		return 0;
	if (is_from_any_source(c, word, ignore)) {
		/*
		 * A source that has left MPI is ignored here, because other
		 * processes may still send.
		 */
		for (int i = 0; i < c->peers; i++) {
			if (failure_of[c->proc[i]] == ECONNRESET)
				return ECONNRESET;
		}
		return 0;
	}
	if (ignore & WEFT_TAG_SRC || source >= c->peers)
		return 0;
	return failure_of[c->proc[source]];
}

/* Records the dead processes. Returns false if there are none. */
static bool update_dead(void)
{
	if (weft_core.survives)
		weft_failed_update();
	if (!peers || !(peers->deaths(weft_core.ep) || weft_failed_count()))
		return false;
	if (!failure_of)
		failure_of = calloc((size_t)weft_core.proc_room,
				    sizeof(*failure_of));
	for (int i = 0; failure_of && i < weft_failed_count(); i++)
		failure_of[weft_failed_proc(i)] = ECONNRESET;
	for (int i = 0; failure_of && i < weft_core.procs; i++) {
		fi_addr_t addr = weft_core.proc[i].real;

		if (!failure_of[i] && addr != FI_ADDR_NOTAVAIL)
			failure_of[i] = peers->dead(weft_core.ep, addr);
	}
	return failure_of;
}

static void want_contact(int proc)
{
	if (sources[proc] == UNKNOWN && proc != weft_core.job.rank)
		sources[proc] = WANTED;
}

static int record_source(void *arg, uint64_t word, uint64_t ignore)
{
	const struct weft_comm *c = comm_of(word);
	int source = weft_tag_source(word);

	if (!c)
		return 0;
	for (int i = 0; is_from_any_source(c, word, ignore) && i < c->peers;
	     i++)
		want_contact(c->proc[i]);
	if (!(ignore & WEFT_TAG_SRC) && source < c->peers)
		want_contact(c->proc[source]);
	return 0;
}

static bool may_contact(void)
{
	if (!peers || peers->size < sizeof(*peers) ||
	    (!weft_hosts_several() && weft_core.procs == weft_core.job.size))
		return false;
	if (!sources)
		sources = calloc((size_t)weft_core.proc_room, 1);
	return sources;
}

/*
 * Makes first contact with processes for which this rank waits, but to which it
 * has sent nothing: the provider reports the death only of processes whose
 * address it has.
 */
static void contact_wanted(void)
{
	for (int i = 0, n = 0; i < weft_core.procs && n < CONTACT_MAX; i++) {
		if (sources[i] != WANTED)
			continue;
		n++;
		sources[i] = CONTACTED;
		if (!find_address(i))
			peers->contact(weft_core.ep, weft_core.proc[i].real);
	}
}

/* Completes receives from dead processes with an error. Requires the lock. */
static void check_peers(void)
{
	if (may_contact()) {
		peers->fail(weft_core.ep, record_source, NULL);
		contact_wanted();
	}
	if (update_dead())
		peers->fail(weft_core.ep, receive_error, NULL);
}

static const struct weft_watcher watcher = { .idle = check_peers,
					     .ms = WEFT_PEER_FAILURE_CHECK_MS };
/*
 * Watcher without a periodic check: the death of a process wakes blocked ranks,
 * which then check.
 */
static const struct weft_watcher wakened = { .idle = check_peers, .ms = -1 };

void weft_failure_open(int (*find)(int proc))
{
	void *ops = NULL;

	find_address = find;
	if (fi_open_ops(&weft_core.domain->fid, FI_WEFT_PEERS, 0, &ops, NULL))
		return;
	peers = ops;
	if (weft_core.survives)
		return; /* receives are interrupted by src/recover instead */
	weft_progress_add_watcher(weft_core.traits.waits_end ? &wakened
							     : &watcher);
}

void weft_failure_close(void)
{
	free(failure_of);
	free(sources);
	failure_of = NULL;
	sources = NULL;
	peers = NULL;
}

bool weft_failure_in(const struct weft_comm *c)
{
	bool found = false;

	weft_lock();
	if (update_dead())
		for (int i = 0; i < c->peers; i++)
			found = found || failure_of[c->proc[i]];
	weft_unlock();
	return found;
}

int weft_failure_check(uint64_t word, uint64_t ignore)
{
	int err;

	weft_lock();
	if (may_contact()) {
		record_source(NULL, word, ignore);
		contact_wanted();
	}
	err = update_dead() ? receive_error(NULL, word, ignore) : 0;
	weft_unlock();
	return -err;
}

static size_t append_rank(char *text, size_t len, int proc, bool more)
{
	const char *host = weft_hosts_name(proc);
	char known[128];

	weft_core_health_text(proc, known, sizeof(known));
	return (size_t)snprintf(text, len, "%s %d%s%s%s", more ? "," : ": rank",
				proc, host ? " on " : "", host ? host : "",
				known);
}

/*
 * Lists processes that the health watch has found broken. A wait in the
 * collective unit has no sender, so no death was recorded for it.
 */
static void append_broken(char *text, size_t len)
{
	const struct weft_job *job = &weft_core.job;
	size_t pos = 0;

	for (int i = 0; job->local && i < job->local_size && pos < len; i++)
		if (weft_core_health_is_broken(job->local[i]))
			pos += append_rank(text + pos, len - pos, job->local[i],
					   pos != 0);
}

void weft_failure_text(char *text, size_t len)
{
	bool known;
	size_t pos = 0;

	*text = 0;
	if (weft_core.traits.reports_faults) {
		weft_world_failed_ranks(text, len);
		return;
	}
	weft_lock();
	known = update_dead();
	for (int i = 0; known && i < weft_core.job.size; i++) {
		if (failure_of[i] == ECONNRESET && pos < len)
			pos += append_rank(text + pos, len - pos, i, pos != 0);
	}
	weft_unlock();
	if (!pos)
		append_broken(text, len);
}
