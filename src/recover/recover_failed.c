/* SPDX-License-Identifier: BSD-3-Clause */
/* Failed processes (recover_failed.h). */
#include "src/recover/recover_failed.h"

#include "src/base/clock.h"
#include "src/base/log.h"
#include "src/boot/boot_foreign.h"
#include "src/core/core_state.h"
#include "src/diag/diag_call.h"
#include "src/job/job_page.h"
#include "src/os/wait_policy.h"
#include "src/recover/recover_record.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdlib.h>

/*
 * Time after the detection of a failure, in ns, from which the process counts
 * as silent even if the provider does not report it (it has exchanged no packet
 * with the process). Packets in shared memory are read by the next polls.
 */
#define SILENT_NS (60 * WEFT_MS)

struct failure {
	int proc;
	uint64_t ns; /* time of the detection */
	/*
	 * number of the failure as reported by the backend, plus 1; 0: not
	 * reported
	 */
	uint32_t number;
	bool ended; /* the provider was notified */
};

static struct {
	/*
	 * table of the provider's peers; NULL: the provider reports no deaths
	 */
	struct fi_weft_peers *peers;
	uint64_t deaths; /* number of deaths that the provider has reported */
	/* job status page; NULL: the job was not started by Weft's mpiexec */
	struct weft_job_page *page;
	uint32_t exits;	   /* number of exits that the page has reported */
	uint32_t reported; /* number of failures reported by the backend */
	int procs;	   /* number of processes known at the last report */
	struct failure *list;
	int count;
	bool *is_failed; /* array, indexed like weft_core.proc */
} failed;

int weft_failed_open(void)
{
	size_t room = (size_t)weft_core.proc_room;
	void *ops = NULL;
	uint32_t me;

	failed.list = calloc(room, sizeof(*failed.list));
	failed.is_failed = calloc(room, sizeof(*failed.is_failed));
	if (!failed.list || !failed.is_failed)
		return -ENOMEM;
	if (!fi_open_ops(&weft_core.domain->fid, FI_WEFT_PEERS, 0, &ops, NULL))
		failed.peers = ops;
	/*
	 * if the backend reports failures, the page is not used: the launcher's
	 * times are not those of the backend's clock
	 */
	if (weft_call_has_launcher() && !weft_core.backend->failure)
		failed.page = weft_call_job_page(&me);
	return 0;
}

void weft_failed_close(void)
{
	free(failed.list);
	free(failed.is_failed);
	failed.list = NULL;
	failed.is_failed = NULL;
	failed.page = NULL;
	failed.peers = NULL;
	failed.count = 0;
	failed.deaths = 0;
	failed.exits = 0;
	failed.reported = 0;
	failed.procs = 0;
}

/*
 * Records the failure of a process. failed_ps: time of the failure; 0: unknown.
 * quiet: the failure is not in the report.
 */
static void add(int proc, uint64_t failed_ps, bool quiet)
{
	if (failed.is_failed[proc] || proc == weft_core.job.rank)
		return;
	/* the report contains only the ranks of this job */
	if (!quiet && proc < weft_core.job.size)
		weft_recover_record_failure(proc, failed_ps);
	failed.is_failed[proc] = true;
	failed.list[failed.count++] =
		(struct failure){ .proc = proc, .ns = weft_now_ns() };
	weft_log(WEFT_LOG_INFO, "rank %d has failed", proc);
}

void weft_failed_add(int proc)
{
	add(proc, 0, false);
}

static void update_from_page(void)
{
	uint32_t exits = failed.page ? weft_job_page_exits(failed.page) : 0;
	int n = weft_core.job.size;

	if (exits == failed.exits)
		return;
	failed.exits = exits;
	for (int i = 0; i < n && i < (int)failed.page->members; i++)
		if (weft_job_page_has_exited(failed.page, (uint32_t)i))
			weft_failed_add(i);
}

static void update_from_provider(void)
{
	uint64_t deaths = failed.peers ? failed.peers->deaths(weft_core.ep) : 0;

	if (deaths == failed.deaths)
		return;
	failed.deaths = deaths;
	for (int i = 0; i < weft_core.procs; i++) {
		fi_addr_t addr = weft_core.proc[i].real;

		if (addr != FI_ADDR_NOTAVAIL &&
		    failed.peers->dead(weft_core.ep, addr))
			weft_failed_add(i);
	}
}

/* Finds the failure of a process that the decision of a ballot contains. */
static struct failure *find(int proc)
{
	for (int i = 0; i < failed.count; i++)
		if (failed.list[i].proc == proc)
			return &failed.list[i];
	return NULL;
}

static void update_from_backend(void)
{
	struct fi_weft_failure f;

	/*
	 * a process that was added since the last check may have failed before
	 */
	if (failed.procs != weft_core.procs)
		failed.reported = 0;
	failed.procs = weft_core.procs;
	while (!weft_core.backend->failure(failed.reported, &f)) {
		int proc = weft_foreign_of_rank((int)f.rank);
		struct failure *x;

		failed.reported++;
		if (proc < 0)
			continue;
		add(proc, f.failed_ps, f.has_left);
		x = find(proc);
		if (x)
			x->number = failed.reported;
	}
}

bool weft_failed_update(void)
{
	int before = failed.count;

	if (weft_core.backend->failure) {
		update_from_backend();
	} else {
		update_from_page();
		update_from_provider();
	}
	return failed.count != before;
}

int weft_failed_count(void)
{
	return failed.count;
}

int weft_failed_proc(int i)
{
	return failed.list[i].proc;
}

bool weft_failed_is(int proc)
{
	return failed.is_failed && failed.is_failed[proc];
}

/*
 * Notifies the provider, which would detect the failure of a process on another
 * host only by the silence of the process.
 */
static void notify_provider(struct failure *f)
{
	fi_addr_t addr = weft_core.proc[f->proc].real;

	if (!f->ended && addr != FI_ADDR_NOTAVAIL && failed.peers)
		failed.peers->ended(weft_core.ep, addr);
	f->ended = true;
}

static bool is_silent(struct failure *f)
{
	fi_addr_t addr = weft_core.proc[f->proc].real;
	struct fi_weft_failure x;

	if (weft_core.backend->failure)
		return f->number &&
		       !weft_core.backend->failure(f->number - 1, &x) &&
		       x.is_silent;
	if (addr != FI_ADDR_NOTAVAIL && failed.peers &&
	    failed.peers->dead(weft_core.ep, addr))
		return true;
	if (weft_now_ns() - f->ns <= SILENT_NS)
		return false;
	notify_provider(f);
	return true;
}

bool weft_failed_is_silent(int proc)
{
	struct failure *f = find(proc);

	return f && is_silent(f);
}

bool weft_failed_all_silent(void)
{
	for (int i = failed.count - 1; i >= 0; i--)
		if (!is_silent(&failed.list[i]))
			return false;
	return true;
}

static bool lists(const int *procs, int n, int proc)
{
	for (int i = 0; i < n; i++)
		if (procs[i] == proc)
			return true;
	return false;
}

bool weft_failed_is_member(const struct weft_comm *c, int proc)
{
	return lists(c->proc, c->peers, proc) ||
	       (c->remote && lists(c->group->proc, c->group->size, proc));
}

int weft_failed_in(const struct weft_comm *c, int from)
{
	int n = 0;

	for (int i = from; i < failed.count; i++)
		n += weft_failed_is_member(c, failed.list[i].proc);
	return n;
}
