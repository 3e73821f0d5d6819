/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting by a waiter (src/os/waiter.h), which blocks on the wake word of this
 * endpoint's region. An endpoint that watches a shared area also blocks on the
 * area's event word.
 *
 * Waiter                             Sender
 *   wake |= BLOCKED                    publish the slot (R0)
 *   membarrier: all senders fence      (compiler fence only)
 *   check the slot again               load wake; swap it to 0; futex wake
 *   futex wait
 *
 * Either the sender sees BLOCKED or the waiter sees the slot. The membarrier
 * interrupts the other cores, so it is not used in the first millisecond. If a
 * process has no membarrier, both sides fence (SHM_FENCE in the region's
 * flags).
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"
#include "src/base/fence.h"
#include "src/base/futex.h"
#include "src/os/wait_fd.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* longest wait without membarrier */
#define WAIT_SHORT_NS UINT64_C(1000000)
/* longest wait on an event word */
#define WAIT_EVENT_NS UINT64_C(20000000)
/* timer period while the descriptor is armed */
#define WAIT_TICK_NS  UINT64_C(250000000)
/* time for which arming stays valid */
#define WAIT_ARMED_NS UINT64_C(20000000)

/* Registers the process for membarrier, which waiters use. */
void shm_wait_init(struct shm *s, const struct weft_carrier_attr *attr)
{
	s->base.fences = weft_membarrier_register() < 0;
	weft_waiter_init(&s->waiter, WEFT_WAIT_SHM, attr->spin_ns);
	s->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	s->epoll = -1;
	atomic_init(&s->timer, -1);
}

/* Counts one more peer; an endpoint that is its own peer counts as one. */
void shm_wait_peer_added(struct shm *s)
{
	weft_wait_policy_set_ranks(&s->waiter.policy,
				   s->peer_count > s->cpus ? WEFT_OVERSUBSCRIBED
							   : WEFT_OWN_CORE,
				   s->peer_count);
}

static int wait_timer(struct shm *s)
{
	return atomic_load_explicit(&s->timer, memory_order_acquire);
}

/* Returns whether the next slot is full. */
bool shm_wait_ready(const struct shm *s)
{
	/* relaxed: only selects the slot to watch; poll checks again */
	uint64_t next = weft_load64_relaxed(&s->rx_next);
	uint64_t word =
		weft_load64(&s->view.slot[next & (s->view.slots - 1)].word);
	struct weft_pkt pkt;

	memcpy(&pkt, &word, sizeof(word));
	return shm_word_lap(pkt.carrier) == shm_lap(next, s->view.lg);
}

/*
 * Returns whether w is watched already. relaxed: calls of shm_watch are
 * serialised
 */
static bool watch_is(struct shm *s, const struct weft_carrier_watch *w)
{
	return weft_load64_relaxed(&s->watch_want) == w->want &&
	       weft_load32_relaxed(&s->waiter.oversubscribed) ==
		       w->oversubscribed &&
	       atomic_load_explicit(&s->watch_event, memory_order_relaxed) ==
		       w->event_word &&
	       atomic_load_explicit(&s->watch_word, memory_order_relaxed) ==
		       w->word;
}

void shm_watch(struct weft_carrier *c, const struct weft_carrier_watch *w)
{
	struct shm *s = shm_of(c);

	if (watch_is(s, w))
		return;
	/* relaxed: ordered by R5; a reader of mixed values reads again */
	weft_store64_relaxed(&s->watch_want, w->want);
	weft_store32_relaxed(&s->waiter.oversubscribed, w->oversubscribed);
	atomic_store_explicit(&s->watch_event, w->event_word,
			      memory_order_relaxed);
	/* R5 pairs with A5 in wait_watched(). */
	atomic_store_explicit(&s->watch_word, w->word, memory_order_release);
	if (!w->want)
		return;
	/* F2 pairs with F2 in wait_prepare(): one side sees the other. */
	weft_fence_full();
	/*
	 * wake a thread that is already blocked: it does not wait on this event
	 * word
	 */
	if (weft_load32_relaxed(&s->view.head->wake))
		shm_wake(c);
}

/* Returns whether the watched word has reached its value. */
static bool wait_watched(struct shm *s)
{
	/* A5 pairs with R5 in shm_watch(). */
	weft_au64 *word =
		atomic_load_explicit(&s->watch_word, memory_order_acquire);
	/* relaxed: ordered by R5 */
	uint64_t want = weft_load64_relaxed(&s->watch_want);

	if (!want)
		return false;
	if (word)
		return weft_load64(word) >= want;
	weft_wait_policy_release_cpu();
	return true;
}

/* Returns whether the wait must end; clears a pending wake. */
WEFT_INLINE bool wait_done(struct shm *s)
{
	return shm_wait_ready(s) || wait_watched(s) ||
	       weft_waiter_woken(&s->waiter);
}

static bool wait_check(void *arg, uint64_t now)
{
	return wait_done(arg);
}

/* Sets a bit of the wake word: senders must notify this endpoint. */
static void wait_announce(struct shm *s, uint32_t bit)
{
	atomic_fetch_or_explicit(&s->view.head->wake, bit,
				 memory_order_seq_cst);
	if (s->base.fences)
		weft_fence_full();
}

/*
 * F1, the counterpart of F0 in tx_publish(): orders the announcement before the
 * check of the slot. Expensive, since membarrier interrupts other cores.
 */
static void wait_order(struct shm *s)
{
	if (!s->base.fences)
		weft_membarrier();
}

static void wait_retract(struct shm *s, uint32_t bit)
{
	atomic_fetch_and_explicit(&s->view.head->wake, ~bit,
				  memory_order_acq_rel);
}

/* Returns the event word of the watched word, or NULL. */
static struct weft_event *wait_event_word(struct shm *s)
{
	/* relaxed: see wait_watched() */
	return weft_load64_relaxed(&s->watch_want)
		       ? atomic_load_explicit(&s->watch_event,
					      memory_order_acquire)
		       : NULL;
}

/* Words on which a waiter blocks: the wake word and, if set, an event word. */
struct wait_words {
	struct weft_event *event_word;
	uint32_t event_value;
	/* notifiers of the event word fence before they check for waiters */
	bool notifiers_fence;
};

/*
 * Announces the wait. The event word is read after the announcement: either a
 * watch that is set at the same time is seen here, or shm_watch() sees the
 * blocked thread.
 */
static struct wait_words wait_prepare(struct shm *s)
{
	struct wait_words words = { .event_word = NULL };

	wait_announce(s, SHM_BLOCKED);
	/* F2 pairs with F2 in shm_watch(). */
	weft_fence_full();
	words.event_word = wait_event_word(s);
	if (!words.event_word)
		return words;
	words.notifiers_fence = weft_load32_relaxed(&s->waiter.oversubscribed);
	words.event_value = weft_event_prepare_wait(
		words.event_word,
		s->no_waitv ? WEFT_EVENT_NUDGE : WEFT_EVENT_NOTIFY);
	weft_fence_full();
	return words;
}

/*
 * Blocks after wait_prepare(), for the shorter of `most` and *ns. Returns false
 * after a timeout.
 */
static bool wait_at_most(struct shm *s, const struct wait_words *words,
			 uint64_t most, uint64_t *ns)
{
	weft_au32 *wake = &s->view.head->wake;
	uint32_t word = weft_load32(wake);
	uint64_t part = weft_wait_earlier(*ns, most);
	int rc;

	*ns -= part;
	if (!part)
		return false;
	if (shm_wait_ready(s) || wait_watched(s) ||
	    weft_load32(&s->waiter.woken) || !(word & SHM_BLOCKED))
		return true;
	weft_waiter_count(&s->waiter);
	if (!words->event_word || s->no_waitv)
		return weft_futex_wait(wake, word, part,
				       WEFT_FUTEX_PROCESSES) != -ETIMEDOUT;
	rc = weft_event_wait(wake, word, words->event_word, words->event_value,
			     part);
	/* the kernel may be able to wait on one word only */
	s->no_waitv = rc == -ENOSYS;
	return rc != -ETIMEDOUT;
}

/* After a timeout: counts an event that did not wake this thread. */
static void wait_count_late(struct shm *s, const struct wait_words *words)
{
	if (!shm_wait_ready(s) && !wait_watched(s))
		return;
	if (!(weft_load32(&s->view.head->wake) & SHM_BLOCKED) ||
	    (words->event_word &&
	     weft_load32(&words->event_word->ring) != words->event_value))
		return;
	/* relaxed: statistics */
	atomic_fetch_add_explicit(&s->late, 1, memory_order_relaxed);
}

/*
 * Blocks in up to three parts. The first is short and uses no membarrier, since
 * most waits are short: if a sender's store was not yet visible when the sender
 * loaded the wake word, this thread misses the notification until the end of
 * the part, once in many thousands of waits. If notifiers fence, as with more
 * ranks than cores, the second part uses no membarrier either; the check before
 * it sees a delayed store. The last part is long, uses membarrier, and misses
 * no event.
 */
static bool wait_block(void *arg, uint64_t now, uint64_t ns)
{
	struct shm *s = arg;
	struct wait_words words = wait_prepare(s);
	bool woken = false;

	if (!s->waiter.idle && !weft_wait_is_unbounded())
		woken = wait_at_most(s, &words, WAIT_SHORT_NS, &ns) ||
			(words.notifiers_fence &&
			 wait_at_most(s, &words, WAIT_EVENT_NS, &ns));
	if (!woken && ns) {
		wait_order(s);
		woken = wait_at_most(s, &words, UINT64_MAX, &ns);
	}
	if (!woken)
		wait_count_late(s, &words);
	wait_retract(s, SHM_BLOCKED);
	/* relaxed: read by the next poll */
	weft_store32_relaxed(&s->nudge, 1);
	return wait_done(s);
}

static const struct weft_waiter_ops wait_ops = { wait_check, wait_block };

int shm_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct shm *s = shm_of(c);
	int ret = 0;

	/* relaxed: the fence orders the store */
	weft_store32_relaxed(&s->waits, 1);
	/*
	 * F3 pairs with F3 in shm_window_close(): either this thread does not
	 * see the watched word, or the word's window stays mapped
	 */
	weft_fence_full();
	if (wait_done(s))
		s->waiter.idle = false;
	else
		ret = weft_waiter_wait(&s->waiter, &wait_ops, s, timeout_ns);
	/* R6 pairs with A6 in shm_window_close(): the word is not read again */
	weft_store32(&s->waits, 0);
	return ret;
}

static void wait_futex_wake(weft_au32 *word)
{
	weft_futex_wake(word, WEFT_FUTEX_ALL, WEFT_FUTEX_PROCESSES);
}

void shm_wake(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);

	weft_store32(&s->waiter.woken, 1);
	/* F0: store, then load, as in tx_publish(). */
	weft_fence_full();
	if (!weft_load32(&s->view.head->wake))
		return;
	if (weft_swap32(&s->view.head->wake, 0) & SHM_ARMED)
		weft_timer_fd_set(wait_timer(s), 1, WAIT_TICK_NS);
	wait_futex_wake(&s->view.head->wake);
}

/* Wakes the waiter of p by the method that its wake word requests. */
void shm_wake_peer(struct shm *s, struct shm_peer *p)
{
	uint32_t word = weft_swap32(&p->view.head->wake, 0);

	if (!word)
		return;
	s->stats.wakes++;
	if (word & SHM_BLOCKED)
		wait_futex_wake(&p->view.head->wake);
	if (word & SHM_ARMED)
		shm_sock_notify(p);
}

void shm_nudge(struct weft_carrier *c, struct weft_peer *peer)
{
	struct shm *s = shm_of(c);
	struct shm_peer *p = shm_peer_of(peer);

	if (p->state != SHM_PEER_UP && shm_peer_connect(s, p))
		return;
	/* F0: store, then load, as in tx_publish(). */
	if (weft_unlikely(p->fence))
		weft_fence_full();
	else
		atomic_signal_fence(memory_order_seq_cst);
	/* relaxed: a hint; a waiter that is missed here sees the store */
	if (weft_unlikely(weft_load32_relaxed(&p->view.head->wake)))
		shm_wake_peer(s, p);
}

/*
 * Returns one descriptor for connections at the socket, wake(), and a timer for
 * the housekeeping.
 */
int shm_wait_fd(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);
	int epoll, timer;

	if (s->epoll >= 0)
		return s->epoll;
	timer = weft_timer_fd_open();
	epoll = weft_epoll_open((int[]){ s->sock, timer }, 2);
	if (epoll < 0) {
		weft_fd_close(&timer);
		return -EMFILE;
	}
	atomic_store_explicit(&s->timer, timer, memory_order_release);
	s->epoll = epoll;
	return epoll;
}

void shm_wait_fini(struct shm *s)
{
	if (s->epoll < 0)
		return;
	close(s->epoll);
	close(wait_timer(s));
}

/* Arms the descriptor; returns false if an event has occurred meanwhile. */
static bool arm_anew(struct shm *s, uint64_t now)
{
	shm_sock_accept(s);
	if (!weft_wait_is_unbounded())
		weft_timer_fd_set(wait_timer(s), now + WAIT_TICK_NS,
				  WAIT_TICK_NS);
	weft_store32_relaxed(&s->nudge, 1);
	wait_announce(s, SHM_ARMED);
	if (wait_event_word(s)) {
		weft_event_prepare_wait(wait_event_word(s), WEFT_EVENT_NUDGE);
		weft_fence_full();
	}
	wait_order(s);
	s->armed_ns = now;
	if (!wait_done(s))
		return true;
	wait_retract(s, SHM_ARMED);
	return false;
}

/*
 * Returns whether the last arm is valid: not notified since, and no event word
 * is watched. The membarrier of that arm ordered the senders, so no sender
 * misses it.
 */
static bool arm_holds(struct shm *s, uint64_t now)
{
	return weft_load32(&s->view.head->wake) & SHM_ARMED &&
	       now - s->armed_ns < WAIT_ARMED_NS && !wait_event_word(s);
}

int shm_arm(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);
	uint64_t now = weft_now_ns();

	if (shm_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	if (wait_done(s) || weft_waiter_full(&s->waiter))
		return -EAGAIN;
	return arm_holds(s, now) || arm_anew(s, now) ? 0 : -EAGAIN;
}
