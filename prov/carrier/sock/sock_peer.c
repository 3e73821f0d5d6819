/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peer records. A name may have several owners one after the other; each
 * datagram carries the time when its sender was opened (incarnation). If a
 * later incarnation has the name, the earlier one has ended, and late datagrams
 * of the earlier one are dropped.
 *
 *   NEW --HELLO--> HELLO_SENT --answer, or no refusal--> OPEN --> lost
 *                    |  ^
 *          refused --+  +--- later
 *                   ABSENT
 *
 * First contact needs no call by the peer, which may be outside MPI. A host
 * refuses datagrams to a port without an owner; a port that is not refused in
 * time has an owner, and data can be queued in the owner's socket.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/attr.h"
#include "src/base/log.h"
#include "src/base/must.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define PEER_MAX	       65536u
/* longest time until the local host or a remote host refuses a datagram */
#define PEER_LOCAL_REFUSAL_NS  UINT64_C(20000000)
#define PEER_REMOTE_REFUSAL_NS UINT64_C(100000000)
#define PEER_HELLO_MIN_NS      UINT64_C(1000000)
#define PEER_HELLO_MAX_NS      UINT64_C(64000000)
#define PEER_PROBE_NS	       UINT64_C(50000000)
/* time after which an absent peer with a loopback address is reported */
#define PEER_ABSENT_LOG_NS     UINT64_C(2000000000)
/* initial length of sock_peer.flight, enough for most peers */
#define PEER_FLIGHT_FIRST      32u
/* receive window until the peer advertises its own, bytes */
#define PEER_ROOM_FIRST	       262144u

void sock_peer_busy(struct sock *s, struct sock_peer *p)
{
	s->peers_changed = true;
	if (weft_list_empty(&p->busy))
		weft_list_push_back(&s->busy, &p->busy);
}

static int peer_table_grow(struct sock *s)
{
	uint32_t room = s->peer_room ? s->peer_room * 2 : 16;
	struct sock_peer **more;

	if (s->peer_count < s->peer_room)
		return 0;
	if (s->peer_count >= PEER_MAX)
		return -ENOMEM;
	more = realloc(s->peer, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->peer = more;
	s->peer_room = room;
	return 0;
}

/*
 * Sets the size of the largest datagram to p, rounded down to a multiple of
 * eight, since records are padded to eight bytes.
 */
void sock_peer_dgram_max_set(struct sock_peer *p, uint32_t dgram_max)
{
	static_assert(sizeof(struct sock_head) % 8 == 0, "records follow it");
	p->dgram_max = dgram_max & ~7u;
	p->base.whole = (uint16_t)(p->dgram_max - sizeof(struct sock_head) -
				   sizeof(struct sock_record) -
				   sizeof(struct weft_pkt));
}

/*
 * Returns whether a peer with another name has the same key. Keys of IPv6 names
 * have 64 bits, so this does not happen by chance; the new name is refused.
 */
static bool peer_key_is_taken(const struct sock *s, const union weft_name *name)
{
	const struct sock_peer *p =
		weft_hash_get(&s->by_name, weft_name_key(name));

	return p && !weft_name_equal(&p->name, name);
}

static int peer_new(struct sock *s, const union weft_name *name,
		    struct sock_peer **p_p)
{
	struct sock_peer *p;
	uint32_t dgram_max;
	bool local;
	int ret = sock_name_route(s, name, &dgram_max, &local);

	if (!ret && peer_key_is_taken(s, name))
		ret = -EHOSTUNREACH;
	if (!ret)
		ret = peer_table_grow(s);
	if (ret)
		return ret;
	p = calloc(1, sizeof(*p));
	if (!p || weft_hash_set(&s->by_name, weft_name_key(name), p)) {
		free(p);
		return -ENOMEM;
	}
	p->name = weft_name_make(weft_name_ip(name), name->in.sin_port);
	p->base.name = &p->name;
	p->stream.name = p->name;
	p->base.index = s->peer_count;
	sock_peer_dgram_max_set(p, dgram_max - s->tag);
	p->local = local;
	p->room = PEER_ROOM_FIRST;
	p->hello_backoff_ns = PEER_HELLO_MIN_NS;
	p->self = weft_name_equal(name, &s->name);
	if (p->self) {
		p->remote_gen = s->gen;
		p->state = SOCK_OPEN;
	}
	weft_list_init(&p->busy);
	sock_pace_init(&p->pace, p->dgram_max);
	s->peer[s->peer_count++] = p;
	s->last_found = p; /* replaces an earlier record with this name */
	*p_p = p;
	return 0;
}

struct sock_peer *sock_peer_find(struct sock *s, const union weft_name *name)
{
	struct sock_peer *p = s->last_found;

	if (p && weft_name_equal(&p->name, name))
		return p;
	p = weft_hash_get(&s->by_name, weft_name_key(name));
	if (!p || !weft_name_equal(&p->name, name))
		return NULL;
	s->last_found = p;
	return p;
}

int sock_peer_get(struct sock *s, const union weft_name *name,
		  struct sock_peer **p_p)
{
	struct sock_peer *old = sock_peer_find(s, name);
	int ret;

	if (old && !old->base.lost) {
		*p_p = old;
		return 0;
	}
	ret = peer_new(s, name, p_p);
	if (!ret && old)
		(*p_p)->ended_gen =
			old->remote_gen ? old->remote_gen : old->ended_gen;
	return ret;
}

/*
 * Handles the first datagram from p, or from the process that now has its name.
 */
static struct sock_peer *peer_first_contact(struct sock *s, struct sock_peer *p,
					    const struct sock_head *h,
					    const uint8_t *public)
{
	if (!p || h->from <= p->ended_gen ||
	    (s->tag && !sock_keys_agree(s, p, h->from, public)))
		return NULL;
	p->remote_gen = h->from;
	p->stream.gen = h->from;
	p->refused = false;
	p->state = SOCK_OPEN;
	sock_peer_busy(s, p);
	return p;
}

struct sock_peer *sock_peer_of_head(struct sock *s, const union weft_name *name,
				    const struct sock_head *h,
				    const uint8_t *public)
{
	struct sock_peer *p = sock_peer_find(s, name);

	if (p && p->remote_gen == h->from)
		return p->base.lost ? NULL : p;
	if (p && p->remote_gen) {
		/*
		 * the progress thread reports no losses: it drops the datagram,
		 * which the sender will retransmit
		 */
		if (h->from < p->remote_gen || s->in_progress_thread)
			return NULL;
		/* the name has a new owner */
		p->refused = true;
		sock_peer_fail(s, p, ECONNRESET);
		p = NULL;
	}
	/* a peer that only answers or closes gets no record */
	if ((!p || p->base.lost) &&
	    ((h->kind != SOCK_HELLO && h->kind != SOCK_DATA) ||
	     sock_peer_get(s, name, &p)))
		return NULL;
	return peer_first_contact(s, p, h, public);
}

static void peer_hello(struct sock *s, struct sock_peer *p)
{
	p->state = SOCK_HELLO_SENT;
	p->hello_ns = s->now;
	if (!p->hello_since_ns)
		p->hello_since_ns = s->now;
	p->refused = false;
	sock_tx_control(s, p, SOCK_HELLO);
	sock_io_flush(s);
	sock_io_errors(s);
	sock_peer_busy(s, p);
}

/* Returns whether p's host has sent nothing at all, not even a refusal. */
static bool peer_host_silent(const struct sock *s, const struct sock_peer *p)
{
	return !p->local && s->now - p->hello_since_ns > s->silence_ns;
}

/* Marks p so that the next pass declares it lost. */
static void peer_fail_silent(struct sock *s, struct sock_peer *p)
{
	if (!p->broken)
		sock_tx_fail_silent(s, p);
	sock_peer_busy(s, p);
}

int sock_peer_contact(struct sock *s, struct sock_peer *p)
{
	uint64_t silent =
		p->local ? PEER_LOCAL_REFUSAL_NS : PEER_REMOTE_REFUSAL_NS;

	if (p->base.lost || s->dead)
		return -ECONNRESET;
	if (p->state == SOCK_OPEN)
		return 0;
	if (p->state == SOCK_NEW ||
	    (p->state == SOCK_ABSENT && s->now >= p->hello_ns))
		peer_hello(s, p);
	/* with a key, only an answer shows that the peer exists */
	if (p->state == SOCK_HELLO_SENT && s->now - p->hello_ns > silent) {
		if (s->tag && peer_host_silent(s, p))
			peer_fail_silent(s, p);
		else if (s->tag)
			peer_hello(s, p);
		else
			p->state = SOCK_OPEN;
	}
	return p->state == SOCK_OPEN ? 0 : -EAGAIN;
}

/* Handles an unsigned report that no process has the port: probes the peer. */
static void peer_record_refusal(struct sock *s, struct sock_peer *p)
{
	p->refusals++;
	if (!p->refusal_ns) {
		p->refusal_ns = s->now;
		p->probe_ns = s->now;
		p->refusals = 1;
	}
	sock_peer_busy(s, p);
}

static void peer_log_refused(const struct sock *s, const struct sock_peer *p)
{
	char name[WEFT_NAME_TEXT];

	weft_log(WEFT_LOG_WARN,
		 "sock: %s: its host refuses datagrams and it has not "
		 "answered for %llu ms; declared dead",
		 weft_name_text(&p->name, name),
		 (unsigned long long)((s->now - p->refusal_ns) / 1000000));
}

void sock_peer_probe(struct sock *s, struct sock_peer *p)
{
	uint64_t most = s->silence_ns < SOCK_REFUSED_NS ? s->silence_ns
							: SOCK_REFUSED_NS;

	if (p->last_received_ns > p->refusal_ns) {
		p->refusal_ns = 0;
		return;
	}
	/* if no process has the port, the host refuses the probes, too */
	if (s->now - p->refusal_ns > most && p->refusals > 1) {
		if (!p->refused)
			peer_log_refused(s, p);
		p->refused = true;
	} else if (s->now >= p->probe_ns) {
		p->probe_ns = s->now + PEER_PROBE_NS;
		sock_tx_control(s, p, SOCK_HELLO);
	}
}

/*
 * Reports once that no process of this host has the port of a peer with a
 * loopback address. The peer may open later. If the peer is on another host and
 * was opened at that host's loopback address, no datagram can ever reach it.
 */
static void peer_log_absent(struct sock *s, struct sock_peer *p)
{
	char name[WEFT_NAME_TEXT];

	if (!p->absent_since_ns)
		p->absent_since_ns = s->now;
	if (s->absent_logged || !p->local ||
	    s->now - p->absent_since_ns < PEER_ABSENT_LOG_NS)
		return;
	s->absent_logged = true;
	weft_log(
		WEFT_LOG_WARN,
		"sock: no process of this host has had %s for %llu ms; "
		"still waiting. If that endpoint is on another host, it was "
		"opened at its loopback: set FI_WEFT_IFACE to an interface and "
		"FI_WEFT_KEY to a secret there",
		weft_name_text(&p->name, name),
		(unsigned long long)((s->now - p->absent_since_ns) / 1000000));
}

/* Handles a report of p's host that no process has p's port. */
void sock_peer_refused(struct sock *s, struct sock_peer *p)
{
	if (p->base.lost)
		return;
	p->hello_since_ns = 0;
	if (p->state != SOCK_OPEN) {
		p->state = SOCK_ABSENT;
		peer_log_absent(s, p);
		p->hello_ns = s->now + p->hello_backoff_ns;
		if (p->hello_backoff_ns < PEER_HELLO_MAX_NS)
			p->hello_backoff_ns *= 2;
		return;
	}
	if (s->tag) {
		peer_record_refusal(s, p);
		return;
	}
	p->refused = true;
	sock_peer_busy(s, p);
}

uint64_t sock_peer_sent(const struct sock *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->peer_count; i++)
		n += s->peer[i]->count;
	return n;
}

bool sock_peer_flight_reserve(struct sock_peer *p, uint32_t count)
{
	uint32_t room = p->flight_room ? p->flight_room : PEER_FLIGHT_FIRST;
	struct sock_flight *more;

	if (weft_likely(count <= p->flight_room))
		return true;
	while (room < count)
		room *= 2;
	WEFT_ASSERT(!(room & (room - 1)) && room >= p->tx.next - p->tx.acked);
	more = calloc(room, sizeof(*more));
	if (!more)
		return false;
	for (uint32_t seq = p->tx.acked; seq != p->tx.next; seq++)
		more[seq & (room - 1)] = *sock_flight(p, seq);
	free(p->flight);
	p->flight = more;
	p->flight_room = room;
	return true;
}

bool sock_peer_reorder_reserve(struct sock_peer *p)
{
	if (!p->reorder)
		p->reorder = calloc(SOCK_WINDOW, sizeof(struct sock_dgram *));
	return p->reorder;
}

static void peer_free_datagrams(struct sock *s, struct sock_peer *p)
{
	for (unsigned i = 0; i < p->flight_room; i++)
		sock_dgram_free(s, p->flight[i].dgram);
	for (unsigned i = 0; p->reorder && i < SOCK_WINDOW; i++)
		sock_dgram_free(s, p->reorder[i]);
	sock_dgram_free(s, p->open);
	free(p->flight);
	free(p->reorder);
	free(p->reassembly);
	p->flight = NULL;
	p->flight_room = 0;
	p->reorder = NULL;
	p->open = NULL;
	p->reassembly = NULL;
	p->tx.acked = p->tx.next;
	weft_arq_win_init(&p->rx, p->rx.next);
	p->losses = 0;
	p->inflight_bytes = 0;
	p->held = 0;
	p->rto_deadline_ns = 0;
}

void sock_peer_free(struct sock *s, struct sock_peer *p)
{
	peer_free_datagrams(s, p);
	sock_seal_close(p->seal);
	sock_seal_close(p->own_seal);
	free(p);
}

void sock_peer_fail(struct sock *s, struct sock_peer *p, int err)
{
	if (p->base.lost)
		return;
	WEFT_ASSERT(err > 0 && err <= UINT16_MAX);
	/*
	 * a peer that may still be running is notified that it was declared
	 * dead
	 */
	if (!p->bye && !p->refused && p->remote_gen)
		sock_tx_control(s, p, SOCK_RESET);
	/* the batch must not refer to datagrams that are freed */
	sock_io_flush(s);
	peer_free_datagrams(s, p);
	WEFT_ASSERT(!p->sends || s->senders);
	if (p->sends)
		s->senders--;
	weft_list_remove(&p->busy);
	stream_peer_close(&s->stream, &p->stream);
	p->base.lost = (uint16_t)err;
	s->up->lost(s->up_arg, &p->base, err);
}
