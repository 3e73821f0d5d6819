/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An attack by another user of the host on a job. Root starts the program
 * inside the job, so that it has more information than an unrelated process
 * (the server's port, the name of the job, a rank); the program changes its
 * user before the attack.
 *
 *   silent   connects to the PMIx server, prints "held" and sends nothing
 *   kin      as silent, but does not change its user
 *   mumble   as silent, but sends one byte to the server
 *   join     claims the job's user, joins as a rank, reads the job's key and
 *            calls abort; exit code 0: succeeded, 1: refused
 */
#include "src/base/attr.h"

#include <pmix.h>

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OTHER_USER 65534

extern char **environ;

/*
 * Overrides geteuid(), which PMIx uses: reports the user of the attacked job.
 */
WEFT_EXPORT uid_t geteuid(void)
{
	return 0;
}

WEFT_EXPORT uid_t getuid(void)
{
	return 0;
}

WEFT_EXPORT gid_t getegid(void)
{
	return 0;
}

WEFT_EXPORT gid_t getgid(void)
{
	return 0;
}

static int server_port(void)
{
	char **e, *colon;

	for (e = environ; *e; e++) {
		if (strncmp(*e, "PMIX_SERVER_URI", 15))
			continue;
		colon = strrchr(*e, ':');
		if (colon)
			return atoi(colon + 1);
	}
	return 0;
}

static int stay_silent(bool mumble)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)server_port()) };
	int s = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(s, (struct sockaddr *)&to, sizeof(to))) {
		perror("connect");
		return 2;
	}
	if (mumble && send(s, "", 1, 0) != 1)
		return 2;
	puts("held");
	fflush(stdout);
	/* The launcher ends all processes at the end of the job. */
	for (;;)
		pause();
}

static int join_job(void)
{
	pmix_proc_t me, all;
	pmix_value_t *v;

	if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS)
		return 1;
	PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
	if (PMIx_Get(&all, "weft.job.key", NULL, 0, &v) == PMIX_SUCCESS)
		puts("another user has the key");
	fflush(stdout);
	PMIx_Abort(7, "ended by another user", NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "kin") || !strcmp(argv[1], "mumble"))
		return stay_silent(argv[1][0] == 'm');
	if (setgid(OTHER_USER) || setuid(OTHER_USER))
		return 2;
	if (!strcmp(argv[1], "silent"))
		return stay_silent(false);
	return join_job();
}
