/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages about unreachable peers, printed by endpoints that are bound to a
 * loopback address.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Redirects stderr to a file; returns the file. */
static FILE *stderr_begin(int *saved_p)
{
	FILE *f = tmpfile();

	T_NOT_NULL(f);
	*saved_p = dup(STDERR_FILENO);
	T_TRUE(dup2(fileno(f), STDERR_FILENO) >= 0);
	return f;
}

/* Restores stderr; returns whether the file contains the word. */
static bool stderr_end(FILE *f, int saved, const char *word)
{
	char text[4096];
	size_t n;

	T_TRUE(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return strstr(text, word);
}

/*
 * An endpoint at a loopback address reports that other hosts are not reachable.
 */
static void the_loopback_does_not_reach_other_hosts(void **state)
{
	union weft_name there = { .in.sin_family = AF_INET,
				  .in.sin_port = htons(4711),
				  .in.sin_addr.s_addr = htonl(0xc0000201) };
	struct weft_peer *p;
	struct end e;
	int saved, ret;
	FILE *f;

	T_OK(end_open(&e, &weft_carrier_sock, 1, NULL));
	f = stderr_begin(&saved);
	ret = e.c->ops->peer(e.c, &there, &p);
	T_TRUE(stderr_end(f, saved, "FI_WEFT_IFACE"));
	T_IS(ret, -EHOSTUNREACH);
	end_close(&e);
}

/*
 * If no process of this host has the loopback address of a peer, this is
 * reported.
 */
static void an_absent_peer_at_the_loopback_is_reported(void **state)
{
	struct weft_peer *p;
	struct end a, b;
	int saved;
	FILE *f;

	T_OK(end_open(&a, &weft_carrier_sock, 1, NULL));
	T_OK(end_open(&b, &weft_carrier_sock, 2, NULL));
	p = end_peer(&a, &b);
	end_close(&b);
	f = stderr_begin(&saved);
	while (!sock_of(a.c)->absent_logged) {
		T_IS(end_send(&a, p, 0, 8), -EAGAIN);
		usleep(1000);
	}
	T_TRUE(stderr_end(f, saved, "FI_WEFT_IFACE"));
	end_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(the_loopback_does_not_reach_other_hosts),
		T_CASE(an_absent_peer_at_the_loopback_is_reported),
	};

	return T_RUN(tests);
}
