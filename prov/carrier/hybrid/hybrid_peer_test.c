/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of a peer's carrier, and the loss of peers, with two carriers that
 * this test defines: peers at 127.0.0.1 share memory, others do not. The port
 * in a peer's name is the index of its record.
 */
#include "prov/carrier/hybrid/hybrid.h"
#include "prov/carrier/shm/shm_reach.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 8, SHM, SOCK, OWN_PORT = 7 };

/* A carrier, and its peers by port. */
struct fake {
	struct weft_carrier base;
	struct weft_peer *peer; /* array of PORTS entries */
	union weft_name name[PORTS];
	int result; /* of ops->peer */
};

static struct weft_peer shm_peer[PORTS], sock_peer[PORTS], reused[PORTS];
static struct fake shm, sock;
static struct hybrid hybrid;
static int reach; /* result of weft_shm_reach() for local names */

static struct {
	int lost, lost_err, delivered;
	struct weft_peer *src;
} seen;

static int fake_peer(struct weft_carrier *c, const union weft_name *name,
		     struct weft_peer **peer_p)
{
	struct fake *f = (struct fake *)c;
	int port = ntohs(name->in.sin_port);

	f->name[port] = *name;
	f->peer[port].name = &f->name[port];
	*peer_p = &f->peer[port];
	return f->result;
}

static const struct weft_carrier_ops fake_ops = { .peer = fake_peer };

static union weft_name name_of(const char *host, int port)
{
	union weft_name name = { .in.sin_family = AF_INET };

	name.in.sin_port = htons((uint16_t)port);
	T_IS(inet_pton(AF_INET, host, &name.in.sin_addr), 1);
	return name;
}

int weft_shm_reach(struct weft_carrier *c, const union weft_name *name,
		   char why[WEFT_SHM_WHY])
{
	T_PTR(c, &shm.base);
	snprintf(why, WEFT_SHM_WHY, "another host");
	return ntohl(name->in.sin_addr.s_addr) == INADDR_LOOPBACK
		       ? reach
		       : -EHOSTUNREACH;
}

static int on_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	seen.delivered++;
	seen.src = src;
	return 0;
}

static void on_lost(void *arg, struct weft_peer *peer, int err)
{
	seen.lost++;
	seen.lost_err = err;
	seen.src = peer;
}

static const struct weft_carrier_up up = { .deliver = on_deliver,
					   .lost = on_lost };

static void carrier_open(void)
{
	memset(shm_peer, 0, sizeof(shm_peer));
	memset(sock_peer, 0, sizeof(sock_peer));
	memset(reused, 0, sizeof(reused));
	memset(&seen, 0, sizeof(seen));
	shm = (struct fake){ .base.ops = &fake_ops, .peer = shm_peer };
	sock = (struct fake){ .base.ops = &fake_ops, .peer = sock_peer };
	reach = 0;
	hybrid = (struct hybrid){ .shm = &shm.base,
				  .sock = &sock.base,
				  .name = name_of("127.0.0.1", OWN_PORT),
				  .up = &up,
				  .cpus = 2 };
	weft_hash_init(&hybrid.by_name);
	weft_list_init(&hybrid.ending);
}

static void carrier_close(void)
{
	hybrid_peers_free(&hybrid);
}

static struct hybrid_peer *peer_of(const char *host, int port)
{
	const union weft_name name = name_of(host, port);
	struct weft_peer *p;

	T_OK(hybrid_peer(&hybrid.base, &name, &p));
	T_TRUE(weft_name_equal(p->name, &name));
	return hybrid_peer_of(p);
}

static int deliver(struct weft_peer *src)
{
	const struct weft_pkt pkt = { .type = 1 };

	return hybrid_peer_up.deliver(&hybrid, src, &pkt, NULL);
}

/* ---- cases --------------------------------------------------------------- */

static void local_peers_use_shared_memory(void **state)
{
	struct hybrid_peer *local, *remote, *own;

	carrier_open();
	local = peer_of("127.0.0.1", 1);
	T_PTR(local->carrier, &shm.base);
	T_PTR(local->carrier_peer, &shm_peer[1]);
	T_PTR(shm_peer[1].up, local);
	T_IS(weft_load32(&hybrid.local_peers), 1);
	remote = peer_of("10.0.0.1", 2);
	T_PTR(remote->carrier, &sock.base);
	T_PTR(sock_peer[2].up, remote);
	T_IS(weft_load32(&hybrid.local_peers), 1);
	T_IS(weft_load32(&hybrid.oversubscribed), 0);
	/* this process itself is not a local peer */
	own = peer_of("127.0.0.1", OWN_PORT);
	T_PTR(own->carrier, &shm.base);
	T_IS(weft_load32(&hybrid.local_peers), 1);
	T_IS(weft_load32(&hybrid.oversubscribed), 1);
	/* another request for the same name returns the same peer */
	T_PTR(peer_of("127.0.0.1", 1), local);
	T_IS(own->base.index, 2);
	carrier_close();
}

/* The carrier of an endpoint that does not exist yet is chosen later. */
static void the_choice_waits_for_the_endpoint(void **state)
{
	struct hybrid_peer *p;

	carrier_open();
	reach = -EAGAIN;
	p = peer_of("127.0.0.1", 1);
	T_NULL(p->carrier);
	T_IS(hybrid_peer_connect(&hybrid, p), -EAGAIN);
	T_NULL(p->carrier);
	reach = 0;
	T_OK(hybrid_peer_connect(&hybrid, p));
	T_PTR(p->carrier, &shm.base);
	T_IS(weft_load32(&hybrid.local_peers), 1);
	/* no memory for the carrier's record */
	shm.result = -ENOMEM;
	p = peer_of("127.0.0.1", 2);
	T_IS(hybrid_peer_connect(&hybrid, p), -EAGAIN);
	carrier_close();
}

static void invalid_names_are_unreachable(void **state)
{
	union weft_name name[] = { name_of("10.0.0.1", 0),
				   name_of("0.0.0.0", 1) };
	struct weft_peer *p;

	carrier_open();
	for (size_t i = 0; i < 2; i++)
		T_IS(hybrid_peer(&hybrid.base, &name[i], &p), -EHOSTUNREACH);
	T_IS(hybrid.peer_count, 0);
	carrier_close();
}

/* A peer that no carrier reaches is reported once, at the next poll. */
static void an_unreachable_peer_is_lost_once(void **state)
{
	const union weft_name name = name_of("10.0.0.1", 1);
	struct hybrid_peer *p;
	struct weft_peer *base;

	carrier_open();
	sock.result = -EHOSTUNREACH;
	T_IS(hybrid_peer(&hybrid.base, &name, &base), -EHOSTUNREACH);
	p = hybrid.peer[0];
	T_IS(hybrid_peer_connect(&hybrid, p), -ECONNRESET);
	T_IS(hybrid_peer_connect(&hybrid, p), -ECONNRESET);
	T_IS(seen.lost, 0);
	hybrid_peer_report(&hybrid);
	hybrid_peer_report(&hybrid);
	T_IS(seen.lost, 1);
	T_IS(seen.lost_err, ECONNRESET);
	T_PTR(seen.src, &p->base);
	T_IS(p->base.lost, ECONNRESET);
	T_IS(hybrid_peer_connect(&hybrid, p), -ECONNRESET);
	carrier_close();
}

/*
 * Packets from a peer may arrive on a carrier other than the one that sends
 * packets to the peer.
 */
static void a_peer_lost_on_one_carrier_is_lost_on_both(void **state)
{
	struct hybrid_peer *p, *again;

	carrier_open();
	p = peer_of("127.0.0.1", 1);
	sock.name[1] = p->name;
	sock_peer[1].name = &sock.name[1];
	T_OK(deliver(&sock_peer[1]));
	T_IS(seen.delivered, 1);
	T_PTR(seen.src, &p->base);
	hybrid_peer_up.lost(&hybrid, &shm_peer[1], ECONNRESET);
	T_IS(seen.lost, 1);
	T_PTR(seen.src, &p->base);
	/* later packets are dropped, and the second loss is not reported */
	T_OK(deliver(&sock_peer[1]));
	T_IS(seen.delivered, 1);
	hybrid_peer_up.lost(&hybrid, &sock_peer[1], ESHUTDOWN);
	T_IS(seen.lost, 1);
	T_IS(p->base.lost, ECONNRESET);
	/* the next process with that name is another peer */
	again = peer_of("127.0.0.1", 1);
	T_TRUE(again != p);
	T_IS(again->base.lost, 0);
	T_IS(again->base.index, 1);
	carrier_close();
}

/* A new process has the name of a peer whose loss was not noticed. */
static void a_reused_name_is_a_new_peer(void **state)
{
	struct hybrid_peer *p, *again;

	carrier_open();
	p = peer_of("10.0.0.1", 1);
	sock.peer = reused;
	again = peer_of("10.0.0.1", 1);
	T_TRUE(again != p);
	T_PTR(again->carrier_peer, &reused[1]);
	/* the loss of the earlier process does not concern the new one */
	hybrid_peer_up.lost(&hybrid, &sock_peer[1], ECONNRESET);
	T_PTR(seen.src, &p->base);
	T_PTR(peer_of("10.0.0.1", 1), again);
	carrier_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(local_peers_use_shared_memory),
		T_CASE(the_choice_waits_for_the_endpoint),
		T_CASE(invalid_names_are_unreachable),
		T_CASE(an_unreachable_peer_is_lost_once),
		T_CASE(a_peer_lost_on_one_carrier_is_lost_on_both),
		T_CASE(a_reused_name_is_a_new_peer),
	};

	return T_RUN(tests);
}
