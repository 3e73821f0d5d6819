/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of access control: both kernel interfaces report the owner of a
 * connection, and connections of other users are refused.
 */
#include "src/tools/run/pmix/run_peercred.h"
#include "test/t.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_USER 65534

static int listen_at(struct sockaddr_in *at)
{
	socklen_t len = sizeof(*at);
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memset(at, 0, sizeof(*at));
	at->sin_family = AF_INET;
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	T_OK(bind(s, (struct sockaddr *)at, sizeof(*at)));
	T_OK(listen(s, 8));
	T_OK(getsockname(s, (struct sockaddr *)at, &len));
	return s;
}

static int connect_to(const struct sockaddr_in *at)
{
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(s, (const struct sockaddr *)at, sizeof(*at)))
		_exit(1);
	/* accept() does not return before data has arrived */
	T_IS(write(s, "words", 5), 5);
	return s;
}

static void ends_of(int sd, struct run_connection *e)
{
	socklen_t local = sizeof(e->local), remote = sizeof(e->remote);

	T_OK(getsockname(sd, (struct sockaddr *)&e->local, &local));
	T_OK(getpeername(sd, (struct sockaddr *)&e->remote, &remote));
}

static void libraries_call_the_replaced_accept(void **state)
{
	T_TRUE(run_peercred_installed());
}

/* The kernel may lack the module that the first interface needs. */
static void both_interfaces_report_the_owner(void **state)
{
	struct sockaddr_in at;
	struct run_connection e;
	int s = listen_at(&at), remote = connect_to(&at);
	int local = accept(s, NULL, NULL);
	uid_t uid = 12345;
	int ret;

	T_TRUE(local >= 0);
	ends_of(local, &e);
	ret = run_peercred_diag(&e, &uid);
	T_TRUE(!ret || ret == -EOPNOTSUPP || ret == -ENOENT);
	if (!ret)
		T_IS(uid, geteuid());
	uid = 12345;
	T_OK(run_peercred_proc(&e, &uid));
	T_IS(uid, geteuid());
	close(remote);
	/* a closed socket has no owner, whatever the kernel reports */
	T_IS(run_peercred_proc(&e, &uid), -ENOENT);
	T_TRUE(run_peercred_diag(&e, &uid) < 0);
	close(local);
	close(s);
	if (ret)
		skip();
}

static void a_closed_connection_is_not_accepted(void **state)
{
	struct sockaddr_in at;
	int s = listen_at(&at), remote = connect_to(&at);

	close(remote);
	T_IS(accept(s, NULL, NULL), -1);
	T_IS(errno, EAGAIN);
	close(s);
}

/* Starts a process that connects as another user and waits for EOF. */
static pid_t start_other_user(const struct sockaddr_in *at)
{
	pid_t pid = fork();
	char c;
	int s;

	if (pid)
		return pid;
	if (setuid(OTHER_USER))
		_exit(2);
	s = connect_to(at);
	_exit(read(s, &c, 1) > 0);
}

static void connection_of_another_user_is_refused(void **state)
{
	struct sockaddr_in at;
	int s = listen_at(&at), remote, local, status;
	pid_t pid;

	if (geteuid()) {
		close(s);
		skip();
	}
	pid = start_other_user(&at);
	T_IS(accept(s, NULL, NULL), -1);
	T_IS(errno, EAGAIN);
	T_IS(waitpid(pid, &status, 0), pid);
	T_IS(status, 0);
	remote = connect_to(&at);
	local = accept(s, NULL, NULL);
	T_TRUE(local >= 0);
	close(local);
	close(remote);
	close(s);
}

static void *accept_until_connected(void *arg)
{
	int s = *(int *)arg, got;

	/*
	 * -1 with EAGAIN: the connection of the test; a descriptor: the last
	 * connection
	 */
	do
		got = accept(s, NULL, NULL);
	while (got < 0 && errno == EAGAIN);
	close(got);
	return NULL;
}

static void running_listener_is_detected(void **state)
{
	struct sockaddr_in at;
	int s = listen_at(&at);
	pthread_t th;
	int remote;

	T_OK(pthread_create(&th, NULL, accept_until_connected, &s));
	T_OK(run_peercred_test_listener());
	T_OK(run_peercred_test_listener());
	remote = connect_to(&at);
	pthread_join(th, NULL);
	close(remote);
	/* no thread calls accept() any more */
	T_IS(run_peercred_test_listener(), -ETIMEDOUT);
	close(s);
	T_IS(run_peercred_test_listener(), -ECONNREFUSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(libraries_call_the_replaced_accept),
		T_CASE(both_interfaces_report_the_owner),
		T_CASE(a_closed_connection_is_not_accepted),
		T_CASE(running_listener_is_detected),
		T_CASE(connection_of_another_user_is_refused),
	};

	return T_RUN(tests);
}
