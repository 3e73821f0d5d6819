/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of the sock carrier: one UDP socket for all peers, local or
 * remote. There is no shared memory: operations that need it return
 * -EOPNOTSUPP, and the caller sends packets instead.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/clock.h"
#include "src/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define OPS_PORTS      16 /* UDP ports tried until the TCP port is free, too */
/* minimum window, datagrams; all parts of a split packet must fit */
#define OPS_WINDOW_MIN 32u
#define OPS_FAULTS                                               \
	(1u << WEFT_FAULT_LOSS | 1u << WEFT_FAULT_DUPLICATE |    \
	 1u << WEFT_FAULT_REORDER | 1u << WEFT_FAULT_DELAY |     \
	 1u << WEFT_FAULT_CORRUPT | 1u << WEFT_FAULT_PARTITION | \
	 1u << WEFT_FAULT_CUT)

/*
 * Returns an incarnation number from the clock: later endpoints have greater
 * numbers, also after a reboot of the host.
 */
static uint64_t ops_incarnation(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void ops_init(struct sock *s, const struct weft_carrier_attr *attr)
{
	uint32_t slots = attr->fifo_slots;

	s->base.ops = &weft_carrier_sock;
	s->base.mtu = SOCK_MTU;
	s->base.short_bytes = SOCK_MTU;
	s->base.cuts = true;
	s->gen = ops_incarnation();
	weft_code_crc_init(&s->crc, WEFT_CODE_CRC32C);
	s->opened_ns = weft_now_ns();
	s->up = attr->up;
	s->up_arg = attr->up_arg;
	s->fd = -1;
	s->waiter.event = s->waiter.epoll = s->waiter.timer = -1;
	s->progress.event = -1;
	s->stream.epoll = -1;
	pthread_mutex_init(&s->progress.lock, NULL);
	s->silence_ns = attr->silence_ms ? (uint64_t)attr->silence_ms * 1000000u
					 : SOCK_SILENCE_NS;
	s->window = SOCK_WINDOW;
	if (slots && slots < s->window)
		s->window = slots > OPS_WINDOW_MIN ? slots : OPS_WINDOW_MIN;
	weft_hash_init(&s->by_name);
	weft_list_init(&s->busy);
	weft_list_init(&s->delayed);
}

static void ops_free(struct sock *s)
{
	sock_progress_thread_close(s);
	sock_fault_fini(s);
	stream_close(&s->stream);
	for (uint32_t i = 0; i < s->peer_count; i++)
		sock_peer_free(s, s->peer[i]);
	sock_dgram_fini(s);
	free(s->peer);
	weft_hash_fini(&s->by_name);
	sock_keys_close(s);
	sock_wait_fini(s);
	sock_io_close(s);
	pthread_mutex_destroy(&s->progress.lock);
	free(s);
}

static int ops_faults(struct sock *s, const char *plan)
{
	int ret = carrier_faults_open(&s->faults, plan, OPS_FAULTS);

	if (!ret && s->faults.raw) {
		weft_log(WEFT_LOG_ERROR,
			 "sock: fault plan \"%s\": raw is not supported, "
			 "since sock always repairs faults; remove raw",
			 plan);
		ret = -EINVAL;
	}
	return ret;
}

/*
 * Opens the UDP socket and, for streams, a TCP socket with the same port. If
 * the caller requests no port, tries several ports until one is free for both
 * sockets.
 */
static int ops_open_name(struct sock *s, const struct weft_carrier_attr *attr)
{
	int ret = -EADDRINUSE;

	for (int i = 0; i < OPS_PORTS; i++) {
		sock_io_close(s);
		stream_close(&s->stream);
		ret = sock_name_open(s, &attr->name);
		if (!ret)
			ret = sock_stream_open(s, attr);
		if (ret || attr->name.in.sin_port || !s->stream.on ||
		    s->stream.listener >= 0)
			break;
	}
	return ret;
}

static int sock_open(const struct weft_carrier_attr *attr,
		     struct weft_carrier **c_p)
{
	struct sock *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	ops_init(s, attr);
	ret = ops_faults(s, attr->faults);
	if (!ret)
		ret = sock_wait_init(s, attr);
	if (!ret)
		ret = sock_keys_open(s, attr);
	if (!ret)
		ret = ops_open_name(s, attr);
	if (!ret)
		ret = sock_io_open(s);
	if (!ret)
		ret = sock_progress_thread_open(s);
	if (ret) {
		ops_free(s);
		return ret;
	}
	*c_p = &s->base;
	return 0;
}

static void ops_log_streams(const struct stream_stats *st)
{
	weft_log(WEFT_LOG_INFO,
		 "sock: streams: %llu opened, %llu accepted, %llu refused, "
		 "%llu broken; %llu bytes sent, %llu received, %llu records "
		 "forged",
		 (unsigned long long)st->connects,
		 (unsigned long long)st->accepts,
		 (unsigned long long)st->refused,
		 (unsigned long long)st->broken, (unsigned long long)st->sent,
		 (unsigned long long)st->received,
		 (unsigned long long)st->forged);
}

/* Logs statistics at close (WEFT_LOG=info). */
static void ops_log_stats(const struct sock *s)
{
	const struct weft_carrier_stats *st = &s->stats;

	if (s->stream.on)
		ops_log_streams(&s->stream.stats);
	weft_log(WEFT_LOG_INFO,
		 "sock: %llu packets sent in %llu datagrams, %llu received; "
		 "%llu datagrams retransmitted, %llu refused (%llu forged, "
		 "%llu replays)",
		 (unsigned long long)st->sent,
		 (unsigned long long)sock_peer_sent(s),
		 (unsigned long long)st->received,
		 (unsigned long long)st->resent,
		 (unsigned long long)st->refused,
		 (unsigned long long)st->forged,
		 (unsigned long long)st->replays);
}

static void sock_close(struct weft_carrier *c)
{
	struct sock *s = sock_of(c);

	sock_progress_thread_close(s);
	if (!s->dead)
		sock_poll_pass_finish(s);
	ops_log_stats(s);
	ops_free(s);
}

static void sock_name_get(struct weft_carrier *c, union weft_name *name)
{
	*name = sock_of(c)->name;
}

static int sock_peer(struct weft_carrier *c, const union weft_name *name,
		     struct weft_peer **peer_p)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p;
	int ret;

	sock_enter(s);
	ret = sock_peer_get(s, name, &p);
	sock_leave(s);
	if (ret == -EHOSTUNREACH)
		sock_name_log_unreachable(s, name);
	if (!ret)
		*peer_p = &p->base;
	return ret;
}

/* Counts a sent packet; the fault plan's `die` may stop the endpoint. */
static void ops_count_sent(struct sock *s)
{
	s->stats.sent++;
	if (!s->faults.die || s->stats.sent < s->faults.die)
		return;
	sock_poll_pass_send_deferred(s);
	s->dead = true;
}

/*
 * Counts a refused send. If data are unacknowledged, the next acknowledgement
 * notifies the caller; otherwise the caller retries soon. relaxed: a hint for
 * the next wait
 */
static void ops_refused(struct sock *s, const struct sock_peer *p)
{
	if (sock_tx_pending(p))
		s->send_refused = true;
	else
		weft_store32_relaxed(&s->waiter.base.full, 1);
}

static int ops_send(struct sock *s, struct sock_peer *p,
		    const struct weft_pkt *pkt, const struct iovec *iov)
{
	int ret;

	if (!s->polling)
		s->now = weft_now_ns();
	ret = sock_peer_contact(s, p);
	if (!ret && pkt->len > SOCK_MTU)
		return -EMSGSIZE;
	if (!ret)
		ret = sock_tx_send(s, p, pkt, iov);
	if (!ret) {
		ops_count_sent(s);
		return 0;
	}
	if (ret == -EAGAIN) {
		s->stats.full++;
		ops_refused(s, p);
	}
	return ret;
}

static int sock_send(struct weft_carrier *c, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int iov_count)
{
	struct sock *s = sock_of(c);
	int ret;

	sock_enter(s);
	ret = ops_send(s, sock_peer_of(peer), pkt, iov);
	sock_leave(s);
	return ret;
}

static int sock_read(struct weft_carrier *c, struct weft_peer *peer,
		     const struct iovec *local, int count, uint64_t remote)
{
	return peer->lost ? -ECONNRESET : -EOPNOTSUPP;
}

static int sock_write(struct weft_carrier *c, struct weft_peer *peer,
		      const struct iovec *local, int count, uint64_t remote)
{
	return peer->lost ? -ECONNRESET : -EOPNOTSUPP;
}

static int sock_share(struct weft_carrier *c, struct weft_peer *peer,
		      void **area_p, size_t *bytes_p)
{
	return -EOPNOTSUPP;
}

static int sock_window(struct weft_carrier *c, struct weft_peer *peer,
		       size_t offset, size_t bytes, void **area_p)
{
	return -EOPNOTSUPP;
}

static void sock_window_close(struct weft_carrier *c, void *area, size_t bytes)
{
}

static void sock_watch(struct weft_carrier *c,
		       const struct weft_carrier_watch *w)
{
	/* relaxed: only the next wait reads the value */
	weft_store64_relaxed(&sock_of(c)->waiter.watching, w->want);
}

/* Does nothing: there is no shared memory on which a peer could wait. */
static void sock_nudge(struct weft_carrier *c, struct weft_peer *peer)
{
}

static void sock_ended(struct weft_carrier *c, struct weft_peer *peer)
{
	struct sock *s = sock_of(c);
	struct sock_peer *p = sock_peer_of(peer);

	sock_enter(s);
	if (!p->base.lost && !p->self) {
		p->refused = true;
		sock_peer_busy(s, p);
	}
	sock_leave(s);
}

static void sock_stats(struct weft_carrier *c, struct weft_carrier_stats *st)
{
	struct sock *s = sock_of(c);

	sock_enter(s);
	*st = s->stats;
	st->remote = st->sent;
	st->streams = s->stream.stats.accepts;
	st->streams_broken = s->stream.stats.broken;
	st->stream_bytes = s->stream.stats.received;
	sock_leave(s);
	/* relaxed: a statistic */
	st->sleeps = weft_load64_relaxed(&s->waiter.base.sleeps);
}

const struct weft_carrier_ops weft_carrier_sock = {
	.name = "sock",
	.stream = &sock_stream_ops,
	.backend = &weft_backend_live,
	.open = sock_open,
	.close = sock_close,
	.name_get = sock_name_get,
	.peer = sock_peer,
	.send = sock_send,
	.poll = sock_poll,
	.read = sock_read,
	.write = sock_write,
	.wait = sock_wait,
	.wake = sock_wake,
	.wait_fd = sock_wait_fd,
	.arm = sock_arm,
	.share = sock_share,
	.window = sock_window,
	.window_close = sock_window_close,
	.watch = sock_watch,
	.nudge = sock_nudge,
	.ended = sock_ended,
	.stats = sock_stats,
};
