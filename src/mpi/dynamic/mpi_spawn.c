/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_spawn. The root opens a port and requests the start of the
 * processes; their MPI_Init connects to the port, on which the parents accept.
 */
#include "src/mpi/mpi_export.h"

#include "src/boot/boot_spawn.h"
#include "src/comm/comm_channel.h"
#include "src/comm/comm_port.h"
#include "src/core/core_state.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/mpi/dynamic/mpi_dynamic.h"
#include "src/mpi/mpi_check.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Arguments of one program, significant at the root only. */
struct program {
	const char *command;
	char **argv;
	int maxprocs;
	MPI_Info info;
};

/* A program with the values of its info keys. */
struct planned {
	struct weft_spawn_app app;
	char wdir[MPI_MAX_INFO_VAL];
	char path[MPI_MAX_INFO_VAL];
	char host[MPI_MAX_INFO_VAL];
	char hostfile[MPI_MAX_INFO_VAL];
};

/* ---- info keys ----------------------------------------------------------- */

static const char *key_of(MPI_Info handle, const char *key,
			  char value[MPI_MAX_INFO_VAL])
{
	struct weft_info *info = weft_info_of(handle);

	return info && weft_info_get(info, key, value, MPI_MAX_INFO_VAL) >= 0
		       ? value
		       : NULL;
}

/* Returns the largest number of a range first:last:step up to max, or -1. */
static long range_largest(const char *text, long max, const char **end_p)
{
	char *end;
	long first = strtol(text, &end, 10), last = first, step = 1;
	long best = -1;

	if (*end == ':')
		last = strtol(end + 1, &end, 10);
	if (*end == ':')
		step = strtol(end + 1, &end, 10);
	*end_p = end;
	if (!step || end == text)
		return -1;
	for (long v = first; step > 0 ? v <= last : v >= last; v += step)
		if (v >= 0 && v <= max && v > best)
			best = v;
	return best;
}

/*
 * Returns the number of processes that the info key "soft" allows: the largest
 * number up to max in its list of ranges; -1: none.
 */
static int soft_count(MPI_Info info, int max)
{
	char value[MPI_MAX_INFO_VAL];
	const char *at = key_of(info, "soft", value);
	long best = -1, n;

	if (!at)
		return max;
	while (*at) {
		n = range_largest(at, max, &at);
		best = n > best ? n : best;
		if (*at != ',')
			break;
		at++;
	}
	return (int)best;
}

/*
 * Checks the info key "arch": all hosts of a job have the architecture of this
 * host.
 */
static int check_arch(const char *func, struct weft_comm *c, MPI_Info info)
{
	char value[MPI_MAX_INFO_VAL];
	const char *arch = key_of(info, "arch", value);
	struct utsname u;

	if (!arch || uname(&u) || !strcmp(arch, u.machine))
		return 0;
	return weft_err_arg(c, func, MPI_ERR_SPAWN, 4,
			    "key arch is %s, the hosts of this job are %s",
			    arch, u.machine);
}

static int plan(const char *func, struct weft_comm *c, const struct program *p,
		struct planned *q)
{
	int n;

	if (!p->command || !*p->command)
		return weft_err_arg(c, func, MPI_ERR_SPAWN, 1,
				    "there is no command");
	if (p->maxprocs < 0)
		return weft_err_arg(c, func, MPI_ERR_SPAWN, 3,
				    "negative number of processes %d",
				    p->maxprocs);
	if (mpi_check_info(c, func, 4, p->info))
		return MPI_ERR_INFO;
	if (check_arch(func, c, p->info))
		return MPI_ERR_SPAWN;
	n = soft_count(p->info, p->maxprocs);
	if (n < 1)
		return weft_err_arg(c, func, MPI_ERR_SPAWN, 4,
				    "no process of %s can be started: maxprocs "
				    "is %d, and key soft allows no number",
				    p->command, p->maxprocs);
	q->app = (struct weft_spawn_app){
		.command = p->command,
		.args = p->argv,
		.n = n,
		.wdir = key_of(p->info, "wdir", q->wdir),
		.path = key_of(p->info, "path", q->path),
		.host = key_of(p->info, "host", q->host),
		.hostfile = key_of(p->info, "hostfile", q->hostfile),
	};
	return 0;
}

/* ---- the root ------------------------------------------------------------ */

/*
 * Starts the programs. Returns 0 or an error class; the error text is written
 * to `text`.
 */
static int start(const struct planned *q, int count, const char *port,
		 char text[MPI_MAX_ERROR_STRING])
{
	struct weft_spawn_app *app = calloc((size_t)count, sizeof(*app));
	int rc = app ? 0 : -ENOMEM;

	for (int i = 0; !rc && i < count; i++)
		app[i] = q[i].app;
	if (!rc)
		rc = weft_spawn(app, count, port);
	free(app);
	if (rc == -ENOENT)
		snprintf(text, MPI_MAX_ERROR_STRING,
			 "%.200s%s cannot be found or executed, or its "
			 "directory does not exist",
			 q[0].app.command,
			 count > 1 ? " or another program" : "");
	else if (rc == -EHOSTUNREACH)
		snprintf(text, MPI_MAX_ERROR_STRING,
			 "key host or hostfile names a host that is not one of "
			 "this job's (mpiexec -host), or hosts that cannot be "
			 "read");
	else if (rc == -ENOSPC)
		snprintf(text, MPI_MAX_ERROR_STRING,
			 "no free places are left for these processes; "
			 "mpiexec --usize N reserves places of the machine for "
			 "N ranks, with those of the first program");
	else if (rc == -ENOTSUP)
		snprintf(text, MPI_MAX_ERROR_STRING,
			 "the launcher of this job cannot start processes");
	else if (rc)
		snprintf(
			text, MPI_MAX_ERROR_STRING,
			"the launcher has not started the processes (error %d)",
			-rc);
	return rc ? MPI_ERR_SPAWN : 0;
}

/* Result of the root, which is sent to the other members. */
struct outcome {
	int class; /* error class, or 0 */
	int total; /* sum of maxprocs; 0: the arguments are not valid */
	char text[MPI_MAX_ERROR_STRING];
};

static int root_part(const char *func, struct weft_comm *c,
		     const struct program *p, int count,
		     char port[MPI_MAX_PORT_NAME], struct outcome *o)
{
	struct planned *q = calloc((size_t)count, sizeof(*q));
	int err = q ? 0 : weft_err_rc(c, func, -ENOMEM);

	for (int i = 0; !err && i < count; i++)
		err = plan(func, c, &p[i], &q[i]);
	for (int i = 0; !err && i < count; i++)
		o->total += p[i].maxprocs;
	if (!err)
		err = weft_err_rc(c, func, weft_comm_port_open(port));
	if (!err) {
		o->class = start(q, count, port, o->text);
		if (o->class)
			weft_comm_port_close(port);
	} else {
		o->class = MPI_ERR_SPAWN;
		snprintf(o->text, sizeof(o->text),
			 "the root has refused the arguments");
	}
	free(q);
	return err;
}

/*
 * Sets the codes of all processes. With the info key "soft" fewer processes
 * than maxprocs may have been started: the codes of the others are errors.
 */
static int set_errcodes(const struct program *p, int count, int root,
			struct weft_comm *c, const struct outcome *o,
			int *codes)
{
	struct weft_channel m = weft_channel_of(c);
	char *failed = malloc((size_t)o->total + 1), *at = failed;
	int rc = failed ? 0 : -ENOMEM;

	for (int i = 0; !rc && o->total && c->rank == root && i < count; i++) {
		int n = soft_count(p[i].info, p[i].maxprocs);

		for (int k = 0; k < p[i].maxprocs; k++)
			*at++ = o->class || k >= n;
	}
	if (!rc)
		rc = weft_channel_bcast(&m, root, failed, (size_t)o->total);
	for (int i = 0; !rc && codes != MPI_ERRCODES_IGNORE && i < o->total;
	     i++)
		codes[i] = failed[i] ? MPI_ERR_SPAWN : MPI_SUCCESS;
	free(failed);
	return rc;
}

/* Starts the programs and creates the intercommunicator; collective. */
static int spawn(const char *func, const struct program *p, int count, int root,
		 struct weft_comm *c, MPI_Comm *intercomm, int *codes)
{
	char port[MPI_MAX_PORT_NAME] = "";
	struct outcome o = { .class = 0 };
	struct weft_channel m = weft_channel_of(c);
	struct weft_comm *made = NULL;
	int err = 0, rc;

	if (c->rank == root)
		err = root_part(func, c, p, count, port, &o);
	rc = weft_channel_bcast(&m, root, &o, sizeof(o));
	if (rc)
		return weft_err_rc(c, func, rc);
	rc = set_errcodes(p, count, root, c, &o, codes);
	if (o.class && !err)
		err = weft_err_arg(c, func, o.class, 0, "%s", o.text);
	if (err)
		return err;
	if (!rc)
		rc = weft_comm_port_accept(c, root, port, &made);
	if (c->rank == root)
		weft_comm_port_close(port);
	if (rc)
		return weft_err_rc(c, func, rc);
	*intercomm = weft_comm_handle(made);
	return MPI_SUCCESS;
}

static int check_spawn(const char *func, int arg, int root, MPI_Comm comm,
		       MPI_Comm *intercomm, struct weft_comm **comm_p)
{
	int err = mpi_check_intra(func, arg + 1, comm, comm_p);

	mpi_comm_set_null(intercomm);
	if (!err)
		err = mpi_check_dynamic_root(*comm_p, func, arg, root);
	if (!err)
		err = weft_check_ptr(*comm_p, func, arg + 2, intercomm,
				     "intercomm");
	return err;
}

#pragma weak MPI_Comm_spawn = PMPI_Comm_spawn
int PMPI_Comm_spawn(const char *command, char *argv[], int maxprocs,
		    MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm,
		    int array_of_errcodes[])
{
	MPI_ENTER_COLL(comm, root, MPI_NO_DATA);
	const struct program p = { command, argv, maxprocs, info };
	struct weft_comm *c;
	int err = check_spawn(__func__, 5, root, comm, intercomm, &c);

	return err ? err
		   : spawn(__func__, &p, 1, root, c, intercomm,
			   array_of_errcodes);
}

#pragma weak MPI_Comm_spawn_multiple = PMPI_Comm_spawn_multiple
int PMPI_Comm_spawn_multiple(int count, char *array_of_commands[],
			     char **array_of_argv[],
			     const int array_of_maxprocs[],
			     const MPI_Info array_of_info[], int root,
			     MPI_Comm comm, MPI_Comm *intercomm,
			     int array_of_errcodes[])
{
	MPI_ENTER_COLL(comm, root, MPI_NO_DATA);
	struct program *p = NULL;
	struct weft_comm *c;
	int err = check_spawn(__func__, 6, root, comm, intercomm, &c);

	if (err)
		return err;
	if (c->rank != root)
		count = 0;
	else if (count < 1)
		return weft_err_arg(c, __func__, MPI_ERR_ARG, 1,
				    "%d programs: at least one is needed",
				    count);
	p = calloc((size_t)(unsigned)count + 1, sizeof(*p));
	if (!p)
		return weft_err_rc(c, __func__, -ENOMEM);
	for (int i = 0; i < count; i++)
		p[i] = (struct program){
			array_of_commands[i],
			array_of_argv ? array_of_argv[i] : MPI_ARGV_NULL,
			array_of_maxprocs[i],
			array_of_info ? array_of_info[i] : MPI_INFO_NULL,
		};
	err = spawn(__func__, p, count, root, c, intercomm, array_of_errcodes);
	free(p);
	return err;
}

/* ---- the spawned job ----------------------------------------------------- */

int mpi_spawn_connect(void)
{
	char *port = getenv(WEFT_SPAWN_PORT);
	int rc;

	if (!port)
		return 0;
	port = strdup(port);
	/* removed, because jobs that this process starts have other parents */
	unsetenv(WEFT_SPAWN_PORT);
	rc = port ? weft_comm_port_connect(weft_core.world, 0, port,
					   &weft_core.parent)
		  : -ENOMEM;
	if (!rc)
		snprintf(weft_core.parent->name, sizeof(weft_core.parent->name),
			 "MPI_COMM_PARENT");
	free(port);
	return rc;
}

#pragma weak MPI_Comm_get_parent = PMPI_Comm_get_parent
int PMPI_Comm_get_parent(MPI_Comm *parent)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, parent, "parent");

	if (err)
		return err;
	if (!weft_core.world)
		return weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	*parent = weft_core.parent ? weft_comm_handle(weft_core.parent)
				   : MPI_COMM_NULL;
	return MPI_SUCCESS;
}
