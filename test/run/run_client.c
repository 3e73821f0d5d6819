/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small PMIx client for the tests of mpiexec. Commands on the command line
 * are executed in order; "3:command" only by rank 3.
 *
 *   init fence fini   PMIx_Init, a fence that collects data, PMIx_Finalize
 *   hello             prints "rank R of N"
 *   check             checks the data of all other ranks and the job key,
 *                     after the fence
 *   exit=N abort=N    exits, or calls PMIx_Abort
 *   kill=SIG          sends the signal to itself
 *   sleep=SECONDS     sleeps
 *   orphan            leaves a child process in a separate session
 *   ignore=SIG        ignores a signal
 */
#include <pmix.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t self;
static uint32_t size;

static void fail(const char *what, int rc)
{
	fprintf(stderr, "run_client: rank %u: %s: %s\n", self.rank, what,
		PMIx_Error_string(rc));
	exit(9);
}

static void do_init(int arg)
{
	pmix_proc_t all;
	pmix_value_t *v;
	int rc = PMIx_Init(&self, NULL, 0);

	if (rc != PMIX_SUCCESS)
		fail("PMIx_Init", rc);
	PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
	rc = PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &v);
	if (rc != PMIX_SUCCESS)
		fail("PMIX_JOB_SIZE", rc);
	size = v->data.uint32;
	PMIX_VALUE_RELEASE(v);
}

static void do_fence(int arg)
{
	pmix_proc_t all;
	pmix_info_t info;
	pmix_value_t v;
	bool yes = true;
	int rc;

	v.type = PMIX_UINT32;
	v.data.uint32 = self.rank * 7 + 1;
	PMIx_Put(PMIX_GLOBAL, "test.card", &v);
	PMIx_Commit();
	PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
	PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
	rc = PMIx_Fence(&all, 1, &info, 1);
	if (rc != PMIX_SUCCESS)
		fail("PMIx_Fence", rc);
}

static void check_key(void)
{
	pmix_proc_t all;
	pmix_value_t *v;
	int rc;

	PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
	rc = PMIx_Get(&all, "weft.job.key", NULL, 0, &v);
	if (rc != PMIX_SUCCESS)
		fail("job key", rc);
	if (v->type != PMIX_BYTE_OBJECT || v->data.bo.size != 32)
		fail("job key", PMIX_ERR_TYPE_MISMATCH);
	PMIX_VALUE_RELEASE(v);
}

static void do_check(int arg)
{
	pmix_proc_t peer;
	pmix_value_t *v;
	uint32_t i;
	int rc;

	check_key();
	for (i = 0; i < size; i++) {
		PMIX_LOAD_PROCID(&peer, self.nspace, i);
		rc = PMIx_Get(&peer, "test.card", NULL, 0, &v);
		if (rc != PMIX_SUCCESS)
			fail("data of a peer", rc);
		if (v->data.uint32 != i * 7 + 1)
			fail("wrong data of a peer", PMIX_ERROR);
		PMIX_VALUE_RELEASE(v);
	}
}

static void do_fini(int arg)
{
	int rc = PMIx_Finalize(NULL, 0);

	if (rc != PMIX_SUCCESS)
		fail("PMIx_Finalize", rc);
}

static void do_hello(int arg)
{
	printf("rank %u of %u\n", self.rank, size);
	fflush(stdout);
}

static void do_exit(int arg)
{
	_exit(arg);
}

static void do_abort(int arg)
{
	PMIx_Abort(arg, "abort requested by the test", NULL, 0);
	pause();
}

static void do_kill(int arg)
{
	kill(getpid(), arg);
}

static void do_sleep(int arg)
{
	sleep((unsigned)arg);
}

static void do_ignore(int arg)
{
	signal(arg, SIG_IGN);
}

static void do_orphan(int arg)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			sleep(300);
		_exit(0);
	}
}

static const struct {
	const char *word;
	void (*run)(int arg);
} verbs[] = {
	{ "init", do_init },	 { "fence", do_fence },	  { "check", do_check },
	{ "fini", do_fini },	 { "hello", do_hello },	  { "exit", do_exit },
	{ "abort", do_abort },	 { "kill", do_kill },	  { "sleep", do_sleep },
	{ "ignore", do_ignore }, { "orphan", do_orphan },
};

static void act(const char *word)
{
	const char *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) : strlen(word), i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strlen(verbs[i].word) != len ||
		    strncmp(verbs[i].word, word, len))
			continue;
		verbs[i].run(eq ? atoi(eq + 1) : 0);
		return;
	}
	fprintf(stderr, "run_client: unknown command %s\n", word);
	exit(8);
}

int main(int argc, char **argv)
{
	const char *rank = getenv("PMIX_RANK"), *colon;
	int i;

	for (i = 1; i < argc; i++) {
		colon = strchr(argv[i], ':');
		if (!colon)
			act(argv[i]);
		else if (rank && atoi(argv[i]) == atoi(rank))
			act(colon + 1);
	}
	return 0;
}
