/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that an MPI program in virtual time measures (repro_mpi.h). */
#include "src/tools/reproduce/repro_mpi.h"
#include "src/base/attr.h"
#include "src/tools/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the job of a row ---------------------------------------------------- */

/*
 * Experiments that an MPI program can repeat, and the operation of that
 * program.
 */
enum mpi_form {
	FORM_COLL,  /* all members */
	FORM_PAIR,  /* rank 0 and the last rank */
	FORM_ENDS,  /* half of the ranks, with the other half */
	FORM_NODES, /* the ranks of the first node, with those of the last */
	FORM_WORDS, /* all ranks, on words of rank 0 */
};

static const struct form {
	const char *experiment;
	/* name of the operation; NULL: argument kind= of the row */
	const char *operation;
	enum mpi_form form;
} forms[] = {
	{ "gather", NULL, FORM_COLL },
	{ "software", NULL, FORM_COLL },
	{ "conditional", "barrier", FORM_COLL },
	{ "pingpong", "pingpong", FORM_PAIR },
	{ "get", "get", FORM_PAIR },
	{ "stream", "pairs", FORM_ENDS },
	{ "puts", "puts", FORM_NODES },
	{ "words", "atomics", FORM_WORDS },
};

static const struct form *form_of(const struct repro_row *row)
{
	size_t n = strcspn(row->exp, " ");

	for (unsigned i = 0; i < WEFT_COUNT_OF(forms); i++)
		if (strlen(forms[i].experiment) == n &&
		    !strncmp(row->exp, forms[i].experiment, n))
			return &forms[i];
	return NULL;
}

/*
 * Returns the algorithm of Weft for a row; for the authors' software
 * collectives it is a tree algorithm.
 */
static const char *algorithm_of(const struct form *f, const char *operation)
{
	if (strcmp(f->experiment, "software"))
		return "auto";
	return strcmp(operation, "bcast") ? "tree" : "binomial";
}

static int word_of(const struct repro_row *row, const struct form *f,
		   struct repro_mpi_job *j)
{
	char kind[64];
	const char *op = f->operation ? f->operation
				      : repro_arg(row, "kind", kind, "barrier");
	unsigned bytes = (unsigned)repro_arg_number(row, "bytes", 8);
	unsigned detail = j->ranks - 1;

	if (!strcmp(op, "barrier"))
		bytes = 0;
	if (f->form == FORM_COLL || f->form == FORM_ENDS) {
		snprintf(j->word, sizeof(j->word), "%s:%u:%s", op, bytes,
			 algorithm_of(f, op));
		return 0;
	}
	if (f->form == FORM_NODES)
		detail = j->per;
	else if (f->form == FORM_WORDS)
		detail = (unsigned)repro_arg_number(row, "variables", 1);
	snprintf(j->word, sizeof(j->word), "%s:%u:%u", op, bytes, detail);
	return 0;
}

int repro_mpi_job(const struct repro *r, const struct repro_row *row,
		  struct repro_mpi_job *j)
{
	const struct form *f = form_of(row);
	char shape[64], variant[64];
	uint64_t ranks = repro_arg_number(row, "members",
					  repro_arg_number(row, "nodes", 0));
	int n;

	if (!f)
		return -EINVAL;
	j->per = (uint32_t)repro_arg_number(
		row, f->form == FORM_NODES ? "procs" : "per", 1);
	if (!ranks && (f->form == FORM_PAIR || f->form == FORM_NODES))
		ranks = (repro_arg_number(row, "to", 1) + 1) * j->per;
	if (!ranks || ranks > 4096)
		return -EINVAL;
	j->ranks = (uint32_t)ranks;
	n = snprintf(j->machine, sizeof(j->machine), "%s", r->machine);
	if (repro_arg(row, "variant", variant, NULL))
		n += snprintf(j->machine + n, sizeof(j->machine) - (size_t)n,
			      "@%s", variant);
	if (n > 0 && (size_t)n < sizeof(j->machine) &&
	    repro_arg(row, "shape", shape, NULL))
		n += snprintf(j->machine + n, sizeof(j->machine) - (size_t)n,
			      ":%s", shape);
	if ((size_t)n >= sizeof(j->machine))
		return -EINVAL;
	return word_of(row, f, j);
}

bool repro_by_mpi(const struct repro *r, const struct repro_row *row)
{
	struct repro_mpi_job j;
	char by[64];

	if (r->by == REPRO_BY_MODEL)
		return false;
	if (strcmp(repro_arg(row, "by", by, ""), "mpi") && !r->by)
		return false;
	return !repro_mpi_job(r, row, &j);
}

/* ---- results of jobs ----------------------------------------------------- */

static struct result {
	struct repro_mpi_job job;
	double ps;
} results[REPRO_ROWS_MAX];
static unsigned result_count;

static bool same_job(const struct repro_mpi_job *a,
		     const struct repro_mpi_job *b)
{
	return a->ranks == b->ranks && a->per == b->per &&
	       !strcmp(a->machine, b->machine);
}

static const struct result *result_find(const struct repro_mpi_job *j)
{
	for (unsigned i = 0; i < result_count; i++)
		if (same_job(&results[i].job, j) &&
		    !strcmp(results[i].job.word, j->word))
			return &results[i];
	return NULL;
}

static void result_add(const struct repro_mpi_job *j, const char *line)
{
	struct result *to = &results[result_count];
	int n = 0;

	if (result_count == REPRO_ROWS_MAX)
		return;
	to->job = *j;
	if (sscanf(line, "%79s %lf%n", to->job.word, &to->ps, &n) == 2 && n &&
	    !result_find(&to->job))
		result_count++;
}

/* ---- the job ------------------------------------------------------------- */

/* Finds a program of this installation. */
static int beside(const char *name, char *path, size_t len)
{
	int err = weft_beside(name, path, len);

	if (err)
		fprintf(stderr,
			"weft-reproduce: no program %s beside this one\n",
			name);
	return err;
}

/* Fills the words of all rows that the job measures; returns their number. */
static unsigned words_of(const struct repro *r, const struct repro_mpi_job *j,
			 char (*word)[80], char **argv)
{
	struct repro_mpi_job other;
	unsigned n = 0;

	for (unsigned i = 0; i < r->count; i++) {
		if (!repro_by_mpi(r, &r->row[i]) ||
		    (r->quick && repro_slow(&r->row[i])) ||
		    repro_mpi_job(r, &r->row[i], &other) ||
		    !same_job(j, &other) || result_find(&other))
			continue;
		memcpy(word[n], other.word, sizeof(other.word));
		argv[n] = word[n];
		n++;
	}
	return n;
}

static int spawn(char **argv, int out, pid_t *pid_p)
{
	posix_spawn_file_actions_t a;
	int err = posix_spawn_file_actions_init(&a);

	if (err)
		return -err;
	err = posix_spawn_file_actions_adddup2(&a, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawn(pid_p, argv[0], &a, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&a);
	return -err;
}

/* Runs the command and stores the lines that it prints. */
static int run_command(const struct repro_mpi_job *j, char **argv)
{
	char line[256];
	int fd[2], status = 0, err;
	pid_t pid;
	FILE *f;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	err = spawn(argv, fd[1], &pid);
	close(fd[1]);
	f = fdopen(fd[0], "r");
	while (!err && f && fgets(line, sizeof(line), f))
		result_add(j, line);
	if (f)
		fclose(f);
	else
		close(fd[0]);
	if (!err && (waitpid(pid, &status, 0) != pid || status))
		err = -EIO;
	return err;
}

static int run_job(const struct repro *r, const struct repro_mpi_job *j)
{
	static char word[REPRO_ROWS_MAX][80];
	static char *argv[REPRO_ROWS_MAX + 16];
	char mpiexec[4096], program[4096], ranks[16], per[16];
	char *head[] = { mpiexec,
			 (char *)"-q",
			 (char *)"--machine",
			 (char *)(uintptr_t)j->machine,
			 (char *)"--ppn",
			 per,
			 (char *)"-n",
			 ranks,
			 program };
	unsigned n = WEFT_COUNT_OF(head);
	int err = beside("mpiexec", mpiexec, sizeof(mpiexec));

	if (!err)
		err = beside("weft-reproduce-mpi", program, sizeof(program));
	if (err)
		return err;
	snprintf(ranks, sizeof(ranks), "%u", j->ranks);
	snprintf(per, sizeof(per), "%u", j->per);
	memcpy(argv, head, sizeof(head));
	n += words_of(r, j, word, argv + n);
	argv[n] = NULL;
	return run_command(j, argv);
}

int repro_mpi_run(const struct repro *r, const struct repro_row *row,
		  enum repro_measure measure, double *model_p)
{
	const struct result *found;
	struct repro_mpi_job j;
	int err = repro_mpi_job(r, row, &j);

	if (!err && !result_find(&j))
		err = run_job(r, &j);
	found = err ? NULL : result_find(&j);
	if (!found)
		return err ? err : -EIO;
	*model_p = found->ps;
	/* rates: of data, or of messages per second */
	if (measure == REPRO_BYTES_PER_US)
		*model_p = (double)repro_arg_number(row, "bytes", 8) * 1e6 /
			   found->ps;
	else if (measure == REPRO_NUMBER)
		*model_p = 1e12 / found->ps;
	return 0;
}
