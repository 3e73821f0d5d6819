/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx server: start, and registration of the job. The server is never
 * finalized: that can wait indefinitely for the lock of a dead client (PMIx
 * 4.2), and all of its memory is released when mpiexec exits. On one host the
 * library itself has all the data of a fence: run_pmix_cb.c returns it.
 *
 * Environment variables limit the plugins, here and (inherited) in the ranks,
 * because most of PMIx_Init's time is spent on searching for plugins that are
 * not used.
 */
#include "src/tools/run/pmix/run_pmix.h"
#include "src/base/attr.h"
#include "src/base/limit.h"
#include "src/tools/run/daemon/run_layout.h"
#include "src/tools/run/run_bind.h"
#include "src/tools/run/pmix/run_peercred.h"
#include "src/tools/run/pmix/run_pmix_cb.h"
#include "src/tools/run/run_env.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <pmix.h>
#include <pmix_server.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Counts pending registrations, which the library's thread completes. */
struct run_latch {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int pending;
	pmix_status_t status;
};

/* Variables for the ranks, from PMIx_server_setup_fork(). */
static char **rank_env;

static void latch_done(pmix_status_t status, void *arg)
{
	struct run_latch *l = arg;

	pthread_mutex_lock(&l->mutex);
	if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
		l->status = status;
	if (--l->pending == 0)
		pthread_cond_signal(&l->cond);
	pthread_mutex_unlock(&l->mutex);
}

static pmix_status_t latch_wait(struct run_latch *l)
{
	pthread_mutex_lock(&l->mutex);
	while (l->pending > 0)
		pthread_cond_wait(&l->cond, &l->mutex);
	pthread_mutex_unlock(&l->mutex);
	return l->status;
}

static int pmix_fails(const char *what, pmix_status_t rc)
{
	run_message("PMIx: %s: %s", what, PMIx_Error_string(rc));
	return -EIO;
}

/* Limits the plugins by environment variables; user values are kept. */
static void narrow_plugins(void)
{
	static const char *const choice[][2] = {
		{ "PMIX_MCA_gds", "hash" },
		{ "PMIX_MCA_pcompress_base_silence_warning", "1" },
		{ "PMIX_MCA_pmix_mca_base_component_disable_dlopen", "1" },
	};
	size_t i;

	for (i = 0; i < WEFT_COUNT_OF(choice); i++)
		setenv(choice[i][0], choice[i][1], 0);
}

int run_pmix_open(struct run_job *job)
{
	pmix_topology_t topo = { .source = "hwloc",
				 .topology = run_bind_topology(job->bind) };
	bool no = false;
	pmix_info_t info[5];
	size_t n = WEFT_COUNT_OF(info);
	char why[WEFT_LIMIT_TEXT];
	pmix_status_t rc;
	int err;

	err = run_loopback();
	if (!err)
		err = run_pmix_cb_open(job->nspace);
	if (err)
		return err;
	run_pmix_query_open(job);
	if (!run_peercred_installed()) {
		run_message("the PMIx server cannot be protected from other "
			    "users");
		return -EPERM;
	}
	narrow_plugins();
	/*
	 * only tools' rendezvous files would be placed in these directories,
	 * and tool support is off
	 */
	PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TMPDIR, "/tmp", PMIX_STRING);
	PMIX_INFO_LOAD(&info[1], PMIX_SYSTEM_TMPDIR, "/tmp", PMIX_STRING);
	PMIX_INFO_LOAD(&info[2], PMIX_HOSTNAME, job->host, PMIX_STRING);
	PMIX_INFO_LOAD(&info[3], PMIX_SERVER_TOOL_SUPPORT, &no, PMIX_BOOL);
	/* otherwise the server would discover the topology a second time */
	PMIX_INFO_LOAD(&info[4], PMIX_TOPOLOGY2, &topo, PMIX_TOPO);
	if (!topo.topology)
		n--;
	err = weft_limit_try_thread();
	if (err) {
		run_message("PMIx: no thread can be started: %s%s",
			    strerror(-err),
			    weft_limit_thread(why, run_tasks(job)));
		return err;
	}
	rc = PMIx_server_init(run_pmix_module(), info, n);
	if (rc != PMIX_SUCCESS)
		return pmix_fails("server does not start", rc);
	/* the library does not check whether its second thread started */
	err = run_peercred_test_listener();
	if (err)
		run_message(
			"PMIx: the thread that accepts the ranks' connections "
			"does not run%s",
			weft_limit_thread(why, run_tasks(job)));
	return err;
}

/* Returns the ranks of this host: "0,1,2,...". Freed by the caller. */
static char *rank_list(const struct run_job *job)
{
	char *text = malloc((size_t)job->nlocal * 12 + 1), *p = text;
	int i;

	for (i = 0; text && i < job->nlocal; i++)
		p += sprintf(p, i ? ",%d" : "%d", job->first + i);
	return text;
}

/* Returns the number of a rank among the ranks of its host. */
static int local_rank(const struct run_job *job, int rank)
{
	int host = job->layout ? run_layout_host_of(job->layout, rank) : -1;

	return host < 0 ? rank : rank - job->layout->host[host].first;
}

static void info_u32(pmix_info_t *info, const char *key, uint32_t v)
{
	PMIX_INFO_LOAD(info, key, &v, PMIX_UINT32);
}

static void info_text(pmix_info_t *info, const char *key, const char *v)
{
	PMIX_INFO_LOAD(info, key, v, PMIX_STRING);
}

/*
 * Fills in the data of one rank that PMIx cannot derive from the maps. Every
 * rank stores the data of all ranks, so each key takes memory for n * n values.
 */
static void proc_info(const struct run_job *job, int i, pmix_info_t *info)
{
	bool several = job->opts->napps > 1;
	pmix_data_array_t array;
	pmix_rank_t rank = (pmix_rank_t)i;
	uint16_t local = (uint16_t)local_rank(job, i);
	pmix_info_t *p;

	PMIX_DATA_ARRAY_CONSTRUCT(&array, several ? 4 : 3, PMIX_INFO);
	p = array.array;
	PMIX_INFO_LOAD(&p[0], PMIX_RANK, &rank, PMIX_PROC_RANK);
	PMIX_INFO_LOAD(&p[1], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
	PMIX_INFO_LOAD(&p[2], PMIX_NODE_RANK, &local, PMIX_UINT16);
	if (several)
		info_u32(&p[3], PMIX_APPNUM, job->rank[i].app);
	PMIX_INFO_LOAD(info, PMIX_PROC_DATA, &array, PMIX_DATA_ARRAY);
	PMIX_DATA_ARRAY_DESTRUCT(&array);
}

/* Writes the hosts and their ranks in PMIx's notation. */
static void job_maps(const struct run_job *job, char *ranks, char **nodes_p,
		     char **procs_p)
{
	char *names = job->layout ? run_layout_names(job->layout) : NULL;
	char *all = job->layout ? run_layout_ranks(job->layout) : NULL;

	PMIx_generate_regex(names ? names : job->host, nodes_p);
	PMIx_generate_ppn(all ? all : ranks, procs_p);
	free(names);
	free(all);
}

/*
 * Returns the value of MPI_UNIVERSE_SIZE; a spawned job has the value of its
 * parents.
 */
static uint32_t universe(const struct run_job *job)
{
	const char *text = getenv(RUN_ENV_UNIVERSE);
	int n = job->opts->model.universe;

	if (!n && text)
		n = atoi(text);
	return (uint32_t)(n > job->nranks ? n : job->nranks);
}

static void job_info(const struct run_job *job, char *ranks, pmix_info_t *info)
{
	pmix_byte_object_t key = { .bytes = (char *)job->key,
				   .size = sizeof(job->key) };
	pmix_rank_t leader = (pmix_rank_t)job->first;
	char *regex = NULL, *ppn = NULL;
	uint32_t n = (uint32_t)job->nranks, local = (uint32_t)job->nlocal;

	job_maps(job, ranks, &regex, &ppn);
	info_u32(&info[0], PMIX_UNIV_SIZE, universe(job));
	info_u32(&info[1], PMIX_JOB_SIZE, n);
	info_u32(&info[2], PMIX_LOCAL_SIZE, local);
	info_u32(&info[3], PMIX_NODE_SIZE, local);
	info_u32(&info[4], PMIX_MAX_PROCS, n);
	info_u32(&info[5], PMIX_NUM_NODES,
		 job->layout ? (uint32_t)job->layout->nhosts : 1);
	info_u32(&info[6], PMIX_JOB_NUM_APPS, (uint32_t)job->opts->napps);
	info_text(&info[7], PMIX_LOCAL_PEERS, ranks);
	PMIX_INFO_LOAD(&info[8], PMIX_LOCALLDR, &leader, PMIX_PROC_RANK);
	PMIX_INFO_LOAD(&info[9], PMIX_NODE_MAP, regex, PMIX_REGEX);
	PMIX_INFO_LOAD(&info[10], PMIX_PROC_MAP, ppn, PMIX_REGEX);
	info_text(&info[11], PMIX_JOBID, job->nspace);
	PMIX_INFO_LOAD(&info[12], RUN_KEY_JOB_KEY, &key, PMIX_BYTE_OBJECT);
	free(regex);
	free(ppn);
}

enum { JOB_KEYS = 13 };

static int register_nspace(struct run_job *job)
{
	size_t n = JOB_KEYS + (size_t)job->nranks;
	char *ranks = rank_list(job);
	pmix_nspace_t ns;
	pmix_info_t *info;
	pmix_status_t rc;
	int i;

	PMIX_INFO_CREATE(info, n);
	if (!info || !ranks)
		return -ENOMEM;
	job_info(job, ranks, info);
	for (i = 0; i < job->nranks; i++)
		proc_info(job, i, &info[JOB_KEYS + i]);
	PMIX_LOAD_NSPACE(ns, job->nspace);
	rc = PMIx_server_register_nspace(ns, job->nlocal, info, n, NULL, NULL);
	PMIX_INFO_FREE(info, n);
	free(ranks);
	if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED)
		return pmix_fails("registration of the job", rc);
	return 0;
}

static int register_clients(struct run_job *job)
{
	struct run_latch latch = { .mutex = PTHREAD_MUTEX_INITIALIZER,
				   .cond = PTHREAD_COND_INITIALIZER,
				   .pending = job->nlocal };
	pmix_status_t rc;
	pmix_proc_t proc;
	int i;

	for (i = 0; i < job->nlocal; i++) {
		PMIX_LOAD_PROCID(&proc, job->nspace,
				 (pmix_rank_t)(job->first + i));
		rc = PMIx_server_register_client(&proc, getuid(), getgid(),
						 NULL, latch_done, &latch);
		if (rc != PMIX_SUCCESS)
			latch_done(rc, &latch);
	}
	rc = latch_wait(&latch);
	if (rc != PMIX_SUCCESS)
		return pmix_fails("registration of a rank", rc);
	return 0;
}

/* Gets the environment once; ranks differ only in PMIX_RANK. */
static int fetch_env(struct run_job *job)
{
	pmix_proc_t proc;
	pmix_status_t rc;
	char **e;

	PMIX_LOAD_PROCID(&proc, job->nspace, (pmix_rank_t)job->first);
	rc = PMIx_server_setup_fork(&proc, &rank_env);
	if (rc != PMIX_SUCCESS)
		return pmix_fails("environment of a rank", rc);
	for (e = rank_env; *e; e++)
		if (!strncmp(*e, "PMIX_RANK=", 10))
			break;
	for (; *e; e++)
		e[0] = e[1];
	return 0;
}

int run_pmix_register(struct run_job *job)
{
	int err;

	err = register_nspace(job);
	if (!err)
		err = register_clients(job);
	if (!err)
		err = fetch_env(job);
	return err;
}

char **run_pmix_env(void)
{
	return rank_env;
}
