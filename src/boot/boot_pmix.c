/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx client. It queries job-level data; it publishes the endpoint name of
 * this process once, with one fence that collects all names; and it gets the
 * names of other processes at the first contact with them. Called by
 * boot_init.c and boot_wire_up.c. A process that got its job from boot_direct.c
 * connects to PMIx when a function needs it for the first time.
 */
#include "src/boot/boot_pmix.h"

#include "src/boot/boot_direct.h"
#include "src/boot/boot_format.h"
#include "src/boot/boot_value.h"

#include "src/base/atomic.h"
#include "src/base/limit.h"
#include "src/job/job_log.h"
#include "src/job/job_page.h"
#include "src/diag/diag_call.h"
#include "src/core/core_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <pmix.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PMIX_NAME_KEY "weft.ep"
#define PMIX_SAME_KEY "weft.job"
/* maximum size of a published value including its version record, bytes */
#define VALUE_MAX     1024
/*
 * requests for a value of a later generation: maximum number, and interval in
 * us
 */
#define LATER_TRIES   3000
#define LATER_US      20000

static pmix_proc_t me;
static bool open;
static bool connected; /* PMIx_Init has completed */
/* job status page with the names; NULL: the names are in PMIx */
static struct weft_job_page *job_page;
/* number of this rank's entry in the job status page */
static uint32_t entry_number;
/*
 * number of times that this process has disconnected from PMIx; the keys differ
 * after each time
 */
static unsigned generation;
/*
 * A session starts in one process alone, so its start executes no fences. The
 * other processes may execute these fences in MPI_Init, so this process
 * executes them later, in its MPI_Init.
 */
static bool without_fences;
static unsigned owed_fences;

/*
 * Address space reserved for PMIx_Abort: PMIx does not check its allocations,
 * so a process at its memory limit releases this before the call.
 */
#define PMIX_SPARE_BYTES ((size_t)512 << 10)
/*
 * Address space that must be available for the tables of PMIx_Init(), which use
 * about 1 MiB.
 */
#define PMIX_INIT_BYTES	 ((size_t)4 << 20)
static void *spare;

static void spare_release(void)
{
	if (spare)
		munmap(spare, PMIX_SPARE_BYTES);
	spare = NULL;
}

static int env_int(const char *name)
{
	const char *v = getenv(name);

	return v ? atoi(v) : 0;
}

/*
 * Returns the name of an environment variable that a launcher has set, or NULL
 * if there is no launcher.
 */
static const char *launcher_variable(void)
{
	if (getenv("PMIX_RANK"))
		return "PMIX_RANK";
	if (getenv("PMIX_NAMESPACE"))
		return "PMIX_NAMESPACE";
	if (env_int("OMPI_COMM_WORLD_SIZE") > 1)
		return "OMPI_COMM_WORLD_SIZE";
	if (env_int("PMI_SIZE") > 1)
		return "PMI_SIZE";
	if (env_int("SLURM_NTASKS") > 1 && getenv("SLURM_STEP_ID") &&
	    getenv("SLURM_PROCID"))
		return "SLURM_NTASKS";
	return NULL;
}

/*
 * Returns the integer value of a key for a rank or for the job; `fallback` if
 * there is none.
 */
static int get_int(pmix_rank_t rank, const char *key, int fallback)
{
	pmix_proc_t p;
	pmix_value_t *v;
	pmix_info_t info;
	/* after PMIx_Finalize the client has no copy of the job's data */
	bool optional = !generation;
	uint64_t n;

	PMIX_LOAD_PROCID(&p, me.nspace, rank);
	PMIX_INFO_LOAD(&info, PMIX_OPTIONAL, &optional, PMIX_BOOL);
	if (PMIx_Get(&p, key, &info, 1, &v) != PMIX_SUCCESS)
		return fallback;
	switch (v->type) {
	case PMIX_UINT16:
		n = v->data.uint16;
		break;
	case PMIX_UINT32:
		n = v->data.uint32;
		break;
	case PMIX_INT:
		n = (uint64_t)v->data.integer;
		break;
	default:
		n = (uint64_t)fallback;
	}
	PMIX_VALUE_RELEASE(v);
	return (int)n;
}

static int report_no_memory(void)
{
	char why[WEFT_LIMIT_TEXT];

	weft_log_once(WEFT_LOG_ERROR, "pmix: out of memory%s",
		      weft_limit_space(why, 0));
	return -ENOMEM;
}

static int report_wrong_hosts(const struct weft_job *job)
{
	weft_log_once(WEFT_LOG_ERROR,
		      "pmix: the launcher's values contradict each other: rank "
		      "%d of %d, %d ranks on this host",
		      job->rank, job->size, job->local_size);
	return -EPROTO;
}

static int get_local_peers(struct weft_job *job)
{
	pmix_proc_t p;
	pmix_value_t *v;
	int n;

	if (job->local_size < 1 || job->local_size > job->size)
		return report_wrong_hosts(job);
	job->local = malloc((size_t)job->local_size * sizeof(*job->local));
	if (!job->local)
		return report_no_memory();
	job->local[0] = job->rank;
	PMIX_LOAD_PROCID(&p, me.nspace, PMIX_RANK_WILDCARD);
	n = 1;
	if (PMIx_Get(&p, PMIX_LOCAL_PEERS, NULL, 0, &v) == PMIX_SUCCESS) {
		/* if PMIx is out of memory, it returns a value without text */
		if (v->type == PMIX_STRING)
			n = v->data.string
				    ? weft_value_ranks(v->data.string,
						       job->size, job->local,
						       job->local_size)
				    : 0;
		PMIX_VALUE_RELEASE(v);
	}
	if (n < 0)
		return report_wrong_hosts(job);
	if (!n)
		return report_no_memory();
	job->local_size = n;
	return 0;
}

/*
 * Reports that the PMIx server cannot be reached. The message includes the
 * limit of the address space, which PMIx does not report.
 */
static int report_no_server(const char *trace, pmix_status_t st)
{
	char why[WEFT_LIMIT_TEXT];

	weft_log_once(
		WEFT_LOG_ERROR,
		"%s is set, so a launcher started this process, but its PMIx "
		"server does not answer (%s%s). Use Weft's mpiexec, Open MPI's "
		"mpirun or srun --mpi=pmix; WEFT_SINGLETON=1 runs it alone.",
		trace, PMIx_Error_string(st), weft_limit_space(why, 0));
	return -ENOTCONN;
}

/* Reports that the PMIx thread cannot be started. */
static int report_no_thread(int err)
{
	char why[WEFT_LIMIT_TEXT];
	unsigned ranks = (unsigned)env_int("WEFT_LOCAL_RANKS");

	/*
	 * tasks: each rank and its PMIx thread, mpiexec with two threads, and a
	 * collector process
	 */
	weft_log_once(WEFT_LOG_ERROR, "pmix: no thread can be started: %s%s",
		      strerror(-err), weft_limit_thread(why, 2 * ranks + 4));
	return err;
}

/*
 * Checks, before PMIx_Init() is called, that PMIx can start its thread and that
 * there is address space for the thread's stack and for PMIx's tables: if
 * memory is exhausted, PMIx crashes the process.
 */
static int try_resources(void)
{
	size_t stack = 0;
	pthread_attr_t attr;
	void *p;
	int err = weft_limit_try_thread();

	if (err)
		return report_no_thread(err);
	if (!pthread_attr_init(&attr)) {
		pthread_attr_getstacksize(&attr, &stack);
		pthread_attr_destroy(&attr);
	}
	p = mmap(NULL, PMIX_INIT_BYTES + stack, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return report_no_memory();
	munmap(p, PMIX_INIT_BYTES + stack);
	return 0;
}

void weft_pmix_use_sessions(bool after_world)
{
	uint32_t mark = JOB_PAGE_SESSIONS | (after_world ? 0 : JOB_PAGE_STAYS);
	const char *job = getenv("PMIX_NAMESPACE");
	uint32_t my_index;
	struct weft_job_page *p = weft_call_job_page(&my_index);

	if (p && job && weft_job_page_is_of(p, job))
		atomic_fetch_or_explicit(&p->head->sessions, mark,
					 memory_order_acq_rel);
}

/* Connects to the PMIx server, unless this process has done so. */
static int connect_server(const char *trace)
{
	pmix_status_t st;
	int err;
	void *p;

	if (connected)
		return 0;
	err = try_resources();
	if (err)
		return err;
	st = PMIx_Init(&me, NULL, 0);
	/* other processes may have reached the limit since the first check */
	if (st == PMIX_ERROR && (err = weft_limit_try_thread()))
		return report_no_thread(err);
	if (st != PMIX_SUCCESS)
		return report_no_server(trace, st);
	connected = true;
	p = mmap(NULL, PMIX_SPARE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	spare = p == MAP_FAILED ? NULL : p;
	return 0;
}

int weft_pmix_connect(void)
{
	return open ? connect_server("PMIX_RANK") : -ENOTCONN;
}

/* Fills *job from PMIx. */
static int read_job(struct weft_job *job, const char *trace)
{
	job->launched = true;
	job->rank = (int)me.rank;
	job->size = get_int(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, 0);
	if (job->size < 1 || job->rank < 0 || job->rank >= job->size)
		return report_no_server(trace, PMIX_ERR_NOT_FOUND);
	job->member = job->rank;
	job->members = job->size;
	job->local_size = get_int(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, 1);
	job->appnum = get_int(me.rank, PMIX_APPNUM, -1);
	job->universe = get_int(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE, -1);
	return get_local_peers(job);
}

int weft_pmix_open(struct weft_job *job, bool alone)
{
	const char *trace = launcher_variable();
	int err;

	memset(job, 0, sizeof(*job));
	without_fences = alone;
	owed_fences = 0;
	job->size = 1;
	job->members = 1;
	job->local_size = 1;
	job->appnum = -1;
	job->universe = -1;
	if (!trace || env_int("WEFT_SINGLETON"))
		return 0;
	if (!getenv("PMIX_RANK"))
		return report_no_server(trace, PMIX_ERR_UNREACH);
	/* from here on error messages name the rank */
	job->rank = env_int("PMIX_RANK");
	weft_log_set_rank(job->rank);
	err = weft_direct_open(job);
	if (err < 0)
		return err;
	if (err) {
		PMIX_LOAD_PROCID(&me, getenv("PMIX_NAMESPACE"),
				 (pmix_rank_t)job->member);
		open = true;
		return 0;
	}
	err = connect_server(trace);
	if (err)
		return err;
	open = true;
	return read_job(job, trace);
}

static int to_errno(pmix_status_t st, const char *what)
{
	if (st == PMIX_SUCCESS)
		return 0;
	weft_log_once(WEFT_LOG_ERROR, "pmix: %s: %s", what,
		      PMIx_Error_string(st));
	return -EIO;
}

/* Returns the job status page if it belongs to this job. */
static struct weft_job_page *job_page_of_job(void)
{
	uint32_t my_index;
	struct weft_job_page *r = weft_call_job_page(&my_index);

	return r && my_index == me.rank &&
			       r->members == (uint32_t)weft_core.job.members &&
			       weft_job_page_is_of(r, me.nspace)
		       ? r
		       : NULL;
}

bool weft_pmix_launcher_is_weft(void)
{
	return open && job_page_of_job();
}

bool weft_pmix_sessions_used(void)
{
	struct weft_job_page *p = open ? job_page_of_job() : NULL;

	return p && weft_load32(&p->head->sessions) & JOB_PAGE_STAYS;
}

bool weft_pmix_names_are_shared(void)
{
	return job_page;
}

/* Writes the key of this generation. */
static const char *generation_key(const char *key, char text[PMIX_MAX_KEYLEN])
{
	if (!generation)
		return key;
	snprintf(text, PMIX_MAX_KEYLEN, "%s.%u", key, generation);
	return text;
}

static int publish(const char *key, const void *bytes, size_t len)
{
	char text[PMIX_MAX_KEYLEN];
	char value[VALUE_MAX];
	pmix_value_t v;
	int rc = weft_pmix_connect();

	if (rc)
		return rc;
	if (len > sizeof(value) - WEFT_FORMAT_RECORD)
		return -EMSGSIZE;
	weft_format_write(value);
	memcpy(value + WEFT_FORMAT_RECORD, bytes, len);
	v.type = PMIX_BYTE_OBJECT;
	v.data.bo.bytes = value;
	v.data.bo.size = len + WEFT_FORMAT_RECORD;
	rc = to_errno(PMIx_Put(PMIX_GLOBAL, generation_key(key, text), &v),
		      "put");
	return rc ? rc : to_errno(PMIx_Commit(), "commit");
}

/* Executes a fence, after which every process has all published data. */
static int collect_all(void)
{
	pmix_info_t info;
	bool collect = true;

	if (without_fences) {
		owed_fences++;
		return 0;
	}
	if (weft_pmix_connect())
		return -ENOTCONN;
	PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
	return to_errno(PMIx_Fence(NULL, 0, &info, 1), "fence");
}

int weft_pmix_collect(void)
{
	int rc = 0;

	without_fences = false;
	for (; owed_fences && !rc; owed_fences--)
		rc = collect_all();
	return rc;
}

int weft_pmix_put(const void *name, size_t len)
{
	char entry[JOB_PAGE_ENTRY];
	int rc;

	if (!open)
		return 0;
	/*
	 * each host of a job has its own page, so a page serves only jobs on
	 * one host
	 */
	if (len <= JOB_PAGE_ENTRY - WEFT_FORMAT_RECORD &&
	    weft_core.job.local_size == weft_core.job.size)
		job_page = job_page_of_job();
	else
		job_page = NULL;
	if (job_page) {
		weft_format_write(entry);
		memcpy(entry + WEFT_FORMAT_RECORD, name, len);
		entry_number = weft_job_page_entry_put(
			job_page, me.rank, entry, len + WEFT_FORMAT_RECORD);
		return 0;
	}
	rc = publish(PMIX_NAME_KEY, name, len);
	return rc ? rc : collect_all();
}

/*
 * Copies a value that `rank` has published; a value from another version of
 * Weft ends the job.
 */
static int strip(int rank, const char *value, size_t len, void *bytes,
		 size_t *len_p)
{
	char why[WEFT_FORMAT_WHY];
	int rc = weft_format_strip(rank, value, len, bytes, len_p, why);

	if (rc != -EPROTOTYPE)
		return rc;
	weft_log_once(WEFT_LOG_ERROR, "%s", why);
	weft_pmix_abort(1, why);
	_exit(1);
}

static int pmix_bytes_of(int rank, pmix_value_t *v, void *bytes, size_t *len_p)
{
	int rc = -EPROTO;

	if (v->type == PMIX_BYTE_OBJECT)
		rc = strip(rank, v->data.bo.bytes, v->data.bo.size, bytes,
			   len_p);
	PMIX_VALUE_RELEASE(v);
	return rc;
}

static bool is_missing(pmix_status_t st)
{
	return st == PMIX_ERR_NOT_FOUND || st == PMIX_ERR_PROC_ENTRY_NOT_FOUND;
}

/*
 * Gets a value of a process. A server that has earlier values of the process
 * does not wait for values of a later generation, so these are requested
 * repeatedly.
 */
static pmix_status_t get_value(const pmix_proc_t *p, const char *key,
			       pmix_value_t **v_p)
{
	bool refresh = true;
	pmix_info_t info;
	pmix_status_t st = PMIX_ERR_NOT_FOUND;

	if (!generation)
		return PMIx_Get(p, key, NULL, 0, v_p);
	PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, &refresh, PMIX_BOOL);
	for (int i = 0; is_missing(st) && i < LATER_TRIES; i++) {
		if (i)
			usleep(LATER_US);
		st = PMIx_Get(p, key, &info, 1, v_p);
	}
	return st;
}

static int fetch(int rank, const char *key, void *bytes, size_t *len_p)
{
	char text[PMIX_MAX_KEYLEN];
	pmix_proc_t p;
	pmix_value_t *v;
	int rc = weft_pmix_connect();

	if (rc)
		return rc;
	PMIX_LOAD_PROCID(&p, me.nspace, (pmix_rank_t)rank);
	rc = to_errno(get_value(&p, generation_key(key, text), &v), "get");
	return rc ? rc : pmix_bytes_of(rank, v, bytes, len_p);
}

const char *weft_pmix_job(void)
{
	return open ? me.nspace : "";
}

int weft_pmix_publish(const char *key, const void *bytes, size_t len)
{
	return publish(key, bytes, len);
}

int weft_pmix_fetch(int rank, const char *key, void *bytes, size_t *len_p,
		    int seconds)
{
	pmix_proc_t p;
	pmix_value_t *v;
	pmix_info_t info;
	pmix_status_t st;
	char text[PMIX_MAX_KEYLEN];

	if (weft_pmix_connect())
		return -ENOTCONN;
	PMIX_LOAD_PROCID(&p, me.nspace, (pmix_rank_t)rank);
	PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
	st = PMIx_Get(&p, generation_key(key, text), &info, 1, &v);
	if (st == PMIX_SUCCESS)
		return pmix_bytes_of(rank, v, bytes, len_p);
	return st == PMIX_ERR_TIMEOUT ? -ETIMEDOUT : -EIO;
}

int weft_pmix_bcast(void *bytes, size_t len)
{
	size_t got = len;
	int rc = 0;

	if (!me.rank)
		rc = publish(PMIX_SAME_KEY, bytes, len);
	if (!rc)
		rc = collect_all();
	if (!rc)
		rc = fetch(0, PMIX_SAME_KEY, bytes, &got);
	return rc || got == len ? rc : -EPROTO;
}

int weft_pmix_get(int rank, void *name, size_t *len_p)
{
	char entry[JOB_PAGE_ENTRY];
	size_t len = sizeof(entry);
	int rc;

	if (!job_page)
		return fetch(rank, PMIX_NAME_KEY, name, len_p);
	rc = weft_job_page_entry_get(job_page, (uint32_t)rank, entry_number,
				     entry, &len);
	return rc ? rc : strip(rank, entry, len, name, len_p);
}

struct fence {
	/*
	 * 1: status has been stored; 2: the callback no longer accesses this
	 * structure
	 */
	weft_au32 done;
	pmix_status_t status;
	void (*wake)(void);
};

static void fence_done(pmix_status_t status, void *arg)
{
	struct fence *f = arg;

	f->status = status;
	/* R1 pairs with A1 in weft_pmix_fence(): the status has been stored. */
	weft_store32(&f->done, 1);
	f->wake();
	/* R2 pairs with A2 in weft_pmix_fence(): f is no longer accessed */
	weft_store32(&f->done, 2);
}

int weft_pmix_fence(void (*idle)(void), void (*wake)(void))
{
	struct fence f = { .wake = wake };
	pmix_status_t st;

	/*
	 * ranks in virtual time have synchronized in the model, and have no
	 * connections to the launcher that must be closed together
	 */
	if (!open || weft_direct_is_open())
		return 0;
	st = PMIx_Fence_nb(NULL, 0, NULL, 0, fence_done, &f);
	if (st == PMIX_OPERATION_SUCCEEDED)
		return 0;
	if (st != PMIX_SUCCESS)
		return to_errno(st, "fence");
	/* A1 pairs with R1 in fence_done() */
	while (!weft_load32(&f.done))
		idle();
	/*
	 * A2 pairs with R2 in fence_done(): the data that wake() uses may be
	 * freed now
	 */
	while (weft_load32(&f.done) != 2)
		sched_yield();
	/* the launcher ends the job: another rank died or called MPI_Abort */
	if (f.status != PMIX_SUCCESS && f.status != PMIX_ERR_TIMEOUT)
		return -ECONNRESET;
	return to_errno(f.status, "fence");
}

void weft_pmix_abort(int code, const char *text)
{
	spare_release();
	if (!weft_direct_abort(code, text) && connected)
		PMIx_Abort(code, text, NULL, 0);
}

static void drop_log(int severity, const char *text)
{
}

/*
 * Disables libevent's log messages during PMIx_Finalize. PMIx 4.2 abandons its
 * finalize handshake after two seconds and closes its socket before it removes
 * the pending write event. If this happens, for example on a host with hundreds
 * of ranks on two cores, libevent logs a warning. Nothing is lost, since a
 * closed connection notifies the server as well.
 */
static void mute_libevent(bool mute)
{
	union {
		void *p;
		void (*set)(void (*log)(int severity, const char *text));
	} call = { .p = dlsym(RTLD_DEFAULT, "event_set_log_callback") };

	if (call.p)
		call.set(mute ? drop_log : NULL);
}

void weft_pmix_leave(void)
{
	if (connected) {
		mute_libevent(true);
		PMIx_Finalize(NULL, 0);
		mute_libevent(false);
	}
	spare_release();
	connected = false;
}

void weft_pmix_close(void)
{
	weft_pmix_leave();
	weft_direct_close();
	generation += open;
	open = false;
	job_page = NULL;
}
