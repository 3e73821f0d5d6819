/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawned jobs of a job on several hosts (run_children.h). */
#include "src/tools/run/daemon/run_children.h"
#include "src/tools/run/opts/run_opts.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <fcntl.h>
#include <pmix_common.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct run_child {
	pid_t pid;
	bool started; /* the ranks have been started on all hosts */
	int host;     /* host of the rank that has spawned the job */
	uint32_t id;  /* id of its request */
	/* hosts of the job, with the numbers of its ranks as slots */
	struct run_hosts placed;
};

int run_children_open(struct run_children *c, const struct run_opts *o,
		      const struct run_layout *own)
{
	const struct run_remote *w = &o->remote;
	int err = run_alloc_open(&c->alloc, w->spawned ? &w->list : &w->hosts,
				 w->spawned ? 0 : o->model.ppn);

	c->opts = o;
	for (int i = 0; !err && i < own->nhosts; i++)
		run_alloc_use(&c->alloc, own->host[i].name, own->host[i].count);
	return err;
}

static void child_remove(struct run_children *c, int i)
{
	struct run_child *p = &c->child[i];

	for (int k = 0; k < p->placed.count; k++)
		run_alloc_use(&c->alloc, p->placed.host[k].name,
			      -p->placed.host[k].slots);
	run_hosts_free(&p->placed);
	*p = c->child[--c->count];
}

void run_children_close(struct run_children *c)
{
	while (c->count)
		child_remove(c, c->count - 1);
	free(c->child);
	run_alloc_close(&c->alloc);
}

/* ---- start --------------------------------------------------------------- */

/* Returns "a:2,b:1". Freed by the caller. */
static char *hosts_text(const struct run_hosts *h)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; f && i < h->count; i++) {
		const char *name = h->host[i].name;

		fprintf(f, strchr(name, ':') ? "%s[%s]:%d" : "%s%s:%d",
			i ? "," : "", name, h->host[i].slots);
	}
	if (f)
		fclose(f);
	return text;
}

/* Starts a further mpiexec. Returns its pid or -errno. */
static pid_t start(struct run_children *c, const struct run_request *r,
		   const char *placed, char *variable)
{
	const struct run_opts *o = c->opts;
	const char *agent = o->remote.agent ? o->remote.agent : "ssh";
	char limit[32];
	const char *options[] = { "-q",
				  "-launcher",
				  "ssh",
				  "-launcher-exec",
				  agent,
				  "-host",
				  placed,
				  o->survive ? "--survive" : "-q",
				  o->timeout_s > 0 ? "--timeout" : NULL,
				  limit,
				  NULL };
	const struct run_nested how = { .options = options,
					.sigmask = c->sigmask,
					.nofile = &c->nofile };
	size_t n = 0;
	char **env;
	pid_t pid;

	/* the time limit counts from the start of the spawned job */
	snprintf(limit, sizeof(limit), "%g", o->timeout_s);
	while (r->env[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	if (!env)
		return -ENOMEM;
	env[0] = variable;
	memcpy(env + 1, r->env, n * sizeof(*env));
	pid = run_nested_start(&how, r->words, env);
	free(env);
	return pid;
}

static pid_t start_on(struct run_children *c, const struct run_request *r,
		      const struct run_hosts *placed)
{
	char *all = hosts_text(&c->alloc.hosts), *here = hosts_text(placed);
	char *variable = NULL;
	pid_t pid = -ENOMEM;

	if (all && here && asprintf(&variable, RUN_CHILDREN_VAR "=%s", all) > 0)
		pid = start(c, r, here, variable);
	free(variable);
	free(all);
	free(here);
	return pid;
}

/* Places and starts a job. Returns 0 or -errno. */
static int child_new(struct run_children *c, struct run_child *p,
		     const struct run_request *r)
{
	struct run_child *more =
		realloc(c->child, ((size_t)c->count + 1) * sizeof(*c->child));
	int err = more ? 0 : -ENOMEM;

	if (more)
		c->child = more;
	if (!err)
		err = run_alloc_place(&c->alloc, r, &p->placed);
	if (err)
		return err;
	p->pid = start_on(c, r, &p->placed);
	if (p->pid < 0) {
		run_hosts_free(&p->placed);
		return p->pid;
	}
	for (int i = 0; i < p->placed.count; i++)
		run_alloc_use(&c->alloc, p->placed.host[i].name,
			      p->placed.host[i].slots);
	c->child[c->count++] = *p;
	return 0;
}

static int status_of(int err)
{
	switch (err) {
	case -EHOSTUNREACH:
		return PMIX_ERR_UNREACH;
	case -EINVAL:
		run_message("MPI_Comm_spawn_multiple: two programs use the "
			    "same host, and a program between them another "
			    "one; put the programs of a host together");
		return PMIX_ERR_JOB_FAILED_TO_LAUNCH;
	case -ENOMEM:
		return PMIX_ERR_NOMEM;
	default:
		return PMIX_ERR_JOB_FAILED_TO_LAUNCH;
	}
}

int run_children_request(struct run_children *c, int host, struct run_scan *s,
			 bool refused)
{
	struct run_child p = { .host = host, .id = run_scan_u32(s) };
	struct run_request r;
	int err = run_request_read(s, &r);

	if (err)
		return err;
	err = refused ? -ECANCELED : child_new(c, &p, &r);
	run_request_free(&r);
	if (err)
		c->answer(c->arg, host, p.id, status_of(err));
	return 0;
}

/* ---- start and end of a job ---------------------------------------------- */

static void check_started(struct run_children *c, struct run_child *p)
{
	if (p->started || !run_nested_has_started(p->pid))
		return;
	p->started = true;
	c->answer(c->arg, p->host, p->id, PMIX_SUCCESS);
}

void run_children_started(struct run_children *c)
{
	for (int i = 0; i < c->count; i++)
		check_started(c, &c->child[i]);
}

/* Returns the answer for a job that has not been started. */
static int failure_of(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

	return code == RUN_EXIT_NOENT || code == RUN_EXIT_NOEXEC
		       ? PMIX_ERR_JOB_EXE_NOT_FOUND
		       : PMIX_ERR_JOB_FAILED_TO_LAUNCH;
}

bool run_children_reap(struct run_children *c, int *status_p, bool *apart_p)
{
	bool started;

	for (int i = 0; i < c->count;) {
		struct run_child *p = &c->child[i];

		if (waitpid(p->pid, status_p, WNOHANG) != p->pid) {
			i++;
			continue;
		}
		check_started(c, p);
		run_nested_reap(p->pid, apart_p);
		started = p->started;
		if (!started)
			c->answer(c->arg, p->host, p->id,
				  failure_of(*status_p));
		child_remove(c, i);
		if (started)
			return true;
	}
	return false;
}
