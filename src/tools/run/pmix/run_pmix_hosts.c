/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences and data of ranks on other hosts (run_pmix_hosts.h). Two threads send
 * frames: the library's thread in callbacks, and the main thread. The main
 * thread alone receives. Pending operations are in one list: a fence is
 * identified by its signature (the list of its ranks), a request for data by a
 * number.
 */
#include "src/tools/run/pmix/run_pmix_hosts.h"
#include "src/tools/run/pmix/run_pmix_spawn.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pending {
	struct pending *next;
	/* signature of a fence; empty: a request for data */
	struct run_bytes signature;
	uint32_t id; /* id of a request for data, or of a spawn */
	pmix_modex_cbfunc_t done;
	void *arg;
	struct run_spawn_request *spawn; /* NULL: not a spawn */
};

static struct {
	int fd;
	const struct run_layout *layout;
	int self;
	const char *nspace;
	/* channel for reading, used by the main thread */
	struct run_channel channel;
	pthread_mutex_t lock; /* protects the fields below, and sending */
	struct pending *list;
	uint32_t last_id;
	/* called for exits of ranks on other hosts; NULL: exits end the job */
	void (*on_exit)(void *arg, int rank, int code);
	void *on_exit_arg;
} hosts = { .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

void run_pmix_hosts_open(int fd, const struct run_layout *layout, int self,
			 const char *nspace)
{
	hosts.fd = fd;
	hosts.nspace = nspace;
	hosts.layout = layout;
	hosts.self = self;
	run_channel_open(&hosts.channel, fd, fd);
}

int run_pmix_hosts_fd(void)
{
	return hosts.fd;
}

const char *run_pmix_hosts_self(void)
{
	return hosts.layout->host[hosts.self].name;
}

static pmix_status_t send_frame(enum run_frame_kind kind,
				const struct run_bytes *b)
{
	int err;

	pthread_mutex_lock(&hosts.lock);
	err = run_frame_write(hosts.fd, kind, b);
	pthread_mutex_unlock(&hosts.lock);
	return err ? PMIX_ERR_UNREACH : PMIX_SUCCESS;
}

/* Adds a pending operation, which takes ownership of the signature. */
static struct pending *pending_add(struct run_bytes *signature,
				   pmix_modex_cbfunc_t done, void *arg)
{
	struct pending *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (signature)
		p->signature = *signature;
	p->done = done;
	p->arg = arg;
	pthread_mutex_lock(&hosts.lock);
	p->id = ++hosts.last_id;
	p->next = hosts.list;
	hosts.list = p;
	pthread_mutex_unlock(&hosts.lock);
	return p;
}

static void pending_free(struct pending *p)
{
	run_bytes_free(&p->signature);
	free(p);
}

static bool is_same(const struct pending *p, const char *signature, size_t len,
		    uint32_t id)
{
	if (!signature)
		return !p->signature.len && p->id == id;
	return p->signature.len == len && len &&
	       !memcmp(p->signature.data, signature, len);
}

/* Removes a pending operation from the list; NULL: there is none. */
static struct pending *pending_take(const char *signature, size_t len,
				    uint32_t id)
{
	struct pending **at, *p;

	pthread_mutex_lock(&hosts.lock);
	for (at = &hosts.list; *at; at = &(*at)->next)
		if (is_same(*at, signature, len, id))
			break;
	p = *at;
	if (p)
		*at = p->next;
	pthread_mutex_unlock(&hosts.lock);
	return p;
}

/* ---- fences -------------------------------------------------------------- */

static bool is_of_this_host(pmix_rank_t rank)
{
	const struct run_layout_host *h = &hosts.layout->host[hosts.self];

	return rank >= (pmix_rank_t)h->first &&
	       rank - (pmix_rank_t)h->first < (pmix_rank_t)h->count;
}

/* Writes the ranks of a fence. Returns whether other hosts take part. */
static bool fence_signature(const pmix_proc_t procs[], size_t n,
			    struct run_bytes *b)
{
	bool several = false;

	for (size_t i = 0; i < n; i++) {
		pmix_rank_t rank = procs[i].rank;

		several = several || rank == PMIX_RANK_WILDCARD ||
			  !is_of_this_host(rank);
		run_bytes_u32(b, rank == PMIX_RANK_WILDCARD ? RUN_FENCE_ALL
							    : rank);
	}
	return several;
}

pmix_status_t run_pmix_hosts_fence(const pmix_proc_t procs[], size_t nprocs,
				   char *data, size_t len,
				   pmix_modex_cbfunc_t done, void *arg)
{
	struct run_bytes sig = { 0 }, body = { 0 };
	pmix_status_t rc = PMIX_ERR_NOMEM;
	struct pending *p;

	if (!fence_signature(procs, nprocs, &sig)) {
		run_bytes_free(&sig);
		done(PMIX_SUCCESS, data, len, arg, free, data);
		return PMIX_SUCCESS;
	}
	run_bytes_block(&body, sig.data, sig.len);
	run_bytes_block(&body, data, len);
	p = sig.lost || body.lost ? NULL : pending_add(&sig, done, arg);
	if (p)
		rc = send_frame(RUN_FRAME_FENCE, &body);
	else
		run_bytes_free(&sig);
	if (p && rc != PMIX_SUCCESS)
		pending_free(
			pending_take(p->signature.data, p->signature.len, 0));
	run_bytes_free(&body);
	if (rc == PMIX_SUCCESS)
		free(data);
	return rc;
}

/* ---- data of a rank ------------------------------------------------------ */

pmix_status_t run_pmix_hosts_modex(const pmix_proc_t *proc,
				   pmix_modex_cbfunc_t done, void *arg)
{
	struct run_bytes body = { 0 };
	struct pending *p;
	pmix_status_t rc;

	if (is_of_this_host(proc->rank))
		return PMIX_ERR_NOT_FOUND;
	p = pending_add(NULL, done, arg);
	if (!p)
		return PMIX_ERR_NOMEM;
	run_bytes_u32(&body, p->id);
	run_bytes_u32(&body, proc->rank);
	rc = send_frame(RUN_FRAME_MODEX, &body);
	if (rc != PMIX_SUCCESS)
		pending_free(pending_take(NULL, 0, p->id));
	run_bytes_free(&body);
	return rc;
}

struct question {
	uint32_t host;
	uint32_t id;
};

/* Sends the data of a rank of this host. Called by the library's thread. */
static void answer(pmix_status_t status, char *data, size_t len, void *arg)
{
	struct question *q = arg;
	struct run_bytes body = { 0 };

	run_bytes_u32(&body, q->host);
	run_bytes_u32(&body, q->id);
	run_bytes_u32(&body, (uint32_t)status);
	run_bytes_block(&body, data, status == PMIX_SUCCESS ? len : 0);
	send_frame(RUN_FRAME_MODEX_DONE, &body);
	run_bytes_free(&body);
	free(q);
}

static int handle_question(struct run_scan *s)
{
	struct question *q = calloc(1, sizeof(*q));
	pmix_status_t rc;
	pmix_proc_t proc;
	uint32_t rank;

	if (!q)
		return -ENOMEM;
	q->host = run_scan_u32(s);
	q->id = run_scan_u32(s);
	rank = run_scan_u32(s);
	if (s->bad || !is_of_this_host(rank)) {
		free(q);
		return -EPROTO;
	}
	PMIX_LOAD_PROCID(&proc, hosts.nspace, rank);
	rc = PMIx_server_dmodex_request(&proc, answer, q);
	if (rc != PMIX_SUCCESS)
		answer(rc, NULL, 0, q);
	return 0;
}

/* ---- spawns -------------------------------------------------------------- */

void run_pmix_hosts_spawn(struct run_spawn_request *q)
{
	struct run_bytes body = { 0 };
	struct pending *p = pending_add(NULL, NULL, NULL);
	pmix_status_t rc = PMIX_ERR_NOMEM;

	if (p) {
		p->spawn = q;
		run_bytes_u32(&body, p->id);
		run_request_write(&q->what, &body);
		rc = send_frame(RUN_FRAME_SPAWN, &body);
	}
	run_bytes_free(&body);
	if (rc == PMIX_SUCCESS)
		return;
	if (p)
		pending_free(pending_take(NULL, 0, p->id));
	run_pmix_spawn_answer(q, rc);
}

static int handle_spawned(struct run_scan *s)
{
	struct pending *p = pending_take(NULL, 0, run_scan_u32(s));
	pmix_status_t status = (pmix_status_t)run_scan_u32(s);

	if (!p || !p->spawn || s->bad)
		return -EPROTO;
	run_pmix_spawn_answer(p->spawn, status);
	pending_free(p);
	return 0;
}

/* ---- exits of ranks ------------------------------------------------------ */

void run_pmix_hosts_on_exit(void (*fn)(void *arg, int rank, int code),
			    void *arg)
{
	hosts.on_exit = fn;
	hosts.on_exit_arg = arg;
}

void run_pmix_hosts_send_exit(int rank, int code)
{
	struct run_bytes body = { 0 };

	run_bytes_u32(&body, (uint32_t)rank);
	run_bytes_u32(&body, (uint32_t)code);
	send_frame(RUN_FRAME_RANK_EXIT, &body);
	run_bytes_free(&body);
}

void run_pmix_hosts_send_survived(void)
{
	struct run_bytes none = { 0 };

	send_frame(RUN_FRAME_SURVIVED, &none);
}

void run_pmix_hosts_send_apart(void)
{
	struct run_bytes none = { 0 };

	send_frame(RUN_FRAME_APART, &none);
}

void run_pmix_hosts_send_started(void)
{
	struct run_bytes none = { 0 };

	if (hosts.fd >= 0)
		send_frame(RUN_FRAME_STARTED, &none);
}

static int handle_exit(struct run_scan *s)
{
	uint32_t rank = run_scan_u32(s), code = run_scan_u32(s);

	if (s->bad || rank >= (uint32_t)hosts.layout->nranks ||
	    is_of_this_host(rank) || !hosts.on_exit)
		return -EPROTO;
	hosts.on_exit(hosts.on_exit_arg, (int)rank, (int)code);
	return 0;
}

/* ---- completion ---------------------------------------------------------- */

/*
 * Passes the status and the data of an operation to the library, and frees the
 * operation. An operation whose frame is invalid stays pending.
 */
static int complete(const char *signature, size_t sig_len, uint32_t id,
		    struct run_scan *s)
{
	pmix_status_t status = (pmix_status_t)run_scan_u32(s);
	size_t len;
	const char *data = run_scan_block(s, &len);
	struct pending *p;
	char *copy;

	if (s->bad)
		return -EPROTO;
	copy = malloc(len + 1);
	if (!copy)
		return -ENOMEM;
	p = pending_take(signature, sig_len, id);
	if (!p || !p->done) {
		free(copy);
		return -EPROTO;
	}
	memcpy(copy, data, len);
	p->done(status, copy, len, p->arg, free, copy);
	pending_free(p);
	return 0;
}

static int handle_frame(struct run_frame *f)
{
	struct run_scan *s = &f->body;
	const char *signature;
	size_t len;

	switch (f->kind) {
	case RUN_FRAME_FENCE_DONE:
		signature = run_scan_block(s, &len);
		return complete(signature, len, 0, s);
	case RUN_FRAME_MODEX_DONE:
		return complete(NULL, 0, run_scan_u32(s), s);
	case RUN_FRAME_MODEX:
		return handle_question(s);
	case RUN_FRAME_SPAWN_DONE:
		return handle_spawned(s);
	case RUN_FRAME_RANK_EXIT:
		return handle_exit(s);
	case RUN_FRAME_END:
		return -ECANCELED;
	default:
		return -EPROTO;
	}
}

int run_pmix_hosts_read(void)
{
	struct run_frame f;
	int rc, err = run_channel_fill(&hosts.channel);

	while (!err && (rc = run_channel_next(&hosts.channel, &f)))
		err = rc < 0 ? rc : handle_frame(&f);
	return err;
}
