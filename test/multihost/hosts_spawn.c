/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job of hosts_spawn.sh: hosts_spawn ACTION ROOT [N HOST]...
 *
 * Rank ROOT spawns N processes for each pair; HOST is the value of key host
 * ("-": none; "@FILE": key hostfile). Parents and children print their hosts,
 * exchange messages, and execute ACTION.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS = 4, LONG = 300000 };

static int rank, size;
static char host[MPI_MAX_PROCESSOR_NAME];
static unsigned char out[LONG], in[LONG];

static void fail(const char *what)
{
	printf("rank %d on %s: WRONG: %s\n", rank, host, what);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Every process sends a long message to every process of the other side. */
static void exchange(MPI_Comm inter, int side)
{
	MPI_Request r;
	int n;

	MPI_Comm_remote_size(inter, &n);
	for (int i = 0; i < n; i++) {
		memset(out, side * 64 + rank, sizeof(out));
		MPI_Isend(out, LONG, MPI_BYTE, i, 7, inter, &r);
		MPI_Recv(in, LONG, MPI_BYTE, i, 7, inter, MPI_STATUS_IGNORE);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		for (int k = 0; k < LONG; k++)
			if (in[k] != !side * 64 + i)
				fail("message");
	}
}

static void merge(MPI_Comm inter, int side)
{
	MPI_Comm all;
	int me, n, sum;

	MPI_Intercomm_merge(inter, side, &all);
	MPI_Comm_rank(all, &me);
	MPI_Comm_size(all, &n);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all);
	if (sum != n * (n - 1) / 2)
		fail("sum");
	MPI_Comm_free(&all);
}

static void both(MPI_Comm inter, int side)
{
	exchange(inter, side);
	merge(inter, side);
}

static void set_key(MPI_Info *info, char *value)
{
	MPI_Info_create(info);
	if (value[0] == '@')
		MPI_Info_set(*info, "hostfile", value + 1);
	else if (strcmp(value, "-"))
		MPI_Info_set(*info, "host", value);
}

/* Spawns this program; argv: N HOST ... Returns an error code of MPI. */
static int spawn(char *self, char *action, int root, char **argv, MPI_Comm *c)
{
	char *word[] = { action, NULL };
	char *command[PROGRAMS], **args[PROGRAMS];
	int n[PROGRAMS], count = 0, err;
	MPI_Info info[PROGRAMS];

	for (; count < PROGRAMS && argv[0] && argv[1]; argv += 2, count++) {
		command[count] = self;
		args[count] = word;
		n[count] = atoi(argv[0]);
		set_key(&info[count], argv[1]);
	}
	if (count == 1)
		err = MPI_Comm_spawn(self, word, n[0], info[0], root,
				     MPI_COMM_WORLD, c, MPI_ERRCODES_IGNORE);
	else
		err = MPI_Comm_spawn_multiple(count, command, args, n, info,
					      root, MPI_COMM_WORLD, c,
					      MPI_ERRCODES_IGNORE);
	for (int i = 0; i < count; i++)
		MPI_Info_free(&info[i]);
	return err;
}

static void print_error(int err)
{
	char text[MPI_MAX_ERROR_STRING];
	int class, len;

	MPI_Error_class(err, &class);
	MPI_Error_string(err, text, &len);
	printf("rank %d: %s: %s\n", rank,
	       class == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "another class",
	       text);
}

static void wait_for_ever(void)
{
	sleep(1000);
}

static void child_acts(char **argv, MPI_Comm *parent)
{
	char *none[] = { "2", "-", NULL };
	MPI_Comm c;
	int err;

	if (!strcmp(argv[1], "sleep") || !strcmp(argv[1], "parent-kill"))
		wait_for_ever();
	if (!strcmp(argv[1], "kill") && rank == size - 1)
		raise(SIGKILL);
	if (!strcmp(argv[1], "abort") && rank == size - 1)
		MPI_Abort(MPI_COMM_WORLD, 6);
	if (!strcmp(argv[1], "exit") && rank == size - 1)
		exit(3);
	if (!strcmp(argv[1], "again")) {
		err = spawn(argv[0], "end", size - 1, none, &c);
		if (err) {
			print_error(err);
			fail("spawn of a spawned job");
		}
		both(c, 0);
		MPI_Comm_disconnect(&c);
	}
	MPI_Comm_disconnect(parent);
	if (!strcmp(argv[1], "late")) {
		sleep(1);
		printf("late rank %d\n", rank);
	}
}

static int child(char **argv, MPI_Comm parent)
{
	int *appnum, flag;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag);
	printf("child %d of %d on %s, program %d\n", rank, size, host,
	       flag ? *appnum : -1);
	fflush(stdout);
	both(parent, 1);
	child_acts(argv, &parent);
	MPI_Finalize();
	return 0;
}

static void parent_acts(const char *action, MPI_Comm *c)
{
	char byte;

	if (!strcmp(action, "parent-kill") && rank == size - 1)
		raise(SIGKILL);
	if (!strcmp(action, "sleep"))
		wait_for_ever();
	/* a process that fails does not answer */
	if (!strcmp(action, "kill") || !strcmp(action, "exit") ||
	    !strcmp(action, "abort") || !strcmp(action, "parent-kill"))
		MPI_Recv(&byte, 1, MPI_BYTE, 0, 99, *c, MPI_STATUS_IGNORE);
	MPI_Comm_disconnect(c);
}

int main(int argc, char **argv)
{
	MPI_Comm parent, c;
	int len, err;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(host, &len);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (parent != MPI_COMM_NULL)
		return child(argv, parent);
	err = spawn(argv[0], argv[1], atoi(argv[2]), argv + 3, &c);
	if (err) {
		print_error(err);
	} else {
		both(c, 0);
		printf("parent %d of %d on %s\n", rank, size, host);
		fflush(stdout);
		parent_acts(argv[1], &c);
	}
	MPI_Finalize();
	return 0;
}
