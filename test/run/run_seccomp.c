/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_seccomp ERRNO CALL[,CALL...] PROGRAM ARGUMENTS...: runs PROGRAM under a
 * seccomp filter that makes these system calls fail with ERRNO, as containers
 * do.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} calls[] = {
	{ "sched_getaffinity", SYS_sched_getaffinity },
	{ "sched_setaffinity", SYS_sched_setaffinity },
	{ "memfd_create", SYS_memfd_create },
};

static int number_of(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].number;
	return -1;
}

/* Installs a filter for one system call. */
static int forbid(int number, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, code };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int main(int argc, char **argv)
{
	char *save = NULL, *name;

	if (argc < 4)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 77;
	name = strtok_r(argv[2], ",", &save);
	for (; name; name = strtok_r(NULL, ",", &save))
		if (number_of(name) < 0 ||
		    forbid(number_of(name), atoi(argv[1])))
			return 77;
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
