/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_refuse locks|quota COMMAND...: executes the command in a process in which
 * the kernel refuses some system calls (seccomp), as on a file system without
 * locks (ENOLCK), or where a quota limits files to 1 MiB (EDQUOT).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIMIT (1u << 20)

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define JUMP(test, value, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_##test | BPF_K, value, yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define ALLOW	      RETURN(SECCOMP_RET_ALLOW)

/* The filters load the low words of arguments, assuming little-endian. */
static struct sock_filter locks[] = {
	LOAD(nr),
	JUMP(JEQ, SYS_fcntl, 0, 4),
	LOAD(args[1]),
	JUMP(JEQ, F_OFD_SETLKW, 1, 0),
	JUMP(JEQ, F_OFD_SETLK, 0, 1),
	REFUSE(ENOLCK),
	ALLOW,
};

static struct sock_filter quota[] = {
	LOAD(nr),
	JUMP(JEQ, SYS_fallocate, 4, 0), /* length in argument 3 */
	JUMP(JEQ, SYS_pwritev, 3, 0),	/* offset in argument 3 */
	JUMP(JEQ, SYS_pwrite64, 0, 5),
	LOAD(args[2]), /* length */
	BPF_STMT(BPF_MISC | BPF_TAX, 0),
	/* X is 0 after the jumps above */
	LOAD(args[3]),
	BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
	JUMP(JGT, LIMIT, 1, 0),
	ALLOW,
	REFUSE(EDQUOT),
};

int main(int argc, char **argv)
{
	struct sock_fprog p = { sizeof(locks) / sizeof(*locks), locks };

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "quota"))
		p = (struct sock_fprog){ sizeof(quota) / sizeof(*quota),
					 quota };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) {
		perror("run_refuse");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
