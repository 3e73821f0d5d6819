/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: spin, then yield, then sleep on the wake word of the own region.
 *
 *   spin    for the peer that answers at once from another core; spins that
 *           are in vain get shorter, until a short wait comes again
 *   yield   for peers that share this core: they get it, and run to the end
 *           of what they do; a yield that comes back late went to a stranger
 *           who keeps the core for a slice, and then sleeping is better,
 *           because who wakes up is put first
 *   sleep   a tenth of a second at most: then poll looks who died
 *
 * Sleeper                            Sender
 *   wake |= ASLEEP                     publish the slot (R0)
 *   membarrier (all senders fence)     (compiler fence only)
 *   look at the slot again             load wake; swap it to 0; futex wake
 *   futex wait
 *
 * Either the sender sees ASLEEP or the sleeper sees the slot. Where a process
 * has no membarrier, both sides fence (SHM_FENCE in the region's flags).
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define WAIT_SPIN_NS	 UINT64_C(5000)
#define WAIT_SPIN_MIN_NS UINT64_C(300)
#define WAIT_ALONE_NS	 UINT64_C(1500)	     /* a yield that nobody took */
#define WAIT_YIELD_NS	 UINT64_C(10000000)  /* yield no longer than that */
#define WAIT_LATE_NS	 UINT64_C(1000000)   /* a yield that lost the core */
#define WAIT_SHUN_NS	 UINT64_C(50000000)  /* then no yields for so long */
#define WAIT_SLICE_NS	 UINT64_C(100000000) /* the longest sleep */
#define WAIT_TICK_MS	 250		     /* of an armed descriptor */

static int wait_membarrier(int cmd)
{
	return (int)syscall(SYS_membarrier, cmd, 0, 0);
}

/* Registers the process so that sleepers anywhere can order its stores. */
void shm_wait_init(struct shm *s, const struct weft_carrier_attr *attr)
{
	int can = wait_membarrier(MEMBARRIER_CMD_QUERY);

	s->fences = can < 0 || !(can & MEMBARRIER_CMD_GLOBAL_EXPEDITED) ||
		    wait_membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
	s->spin_ns = attr->spin_ns ? attr->spin_ns : WAIT_SPIN_NS;
	if (s->spin_ns == 1)
		s->spin_ns = 0;
	atomic_init(&s->spin_now_ns, s->spin_ns);
	s->epoll = -1;
	atomic_init(&s->timer, -1);
}

static int wait_timer(struct shm *s)
{
	return atomic_load_explicit(&s->timer, memory_order_acquire);
}

/* Whether the next slot is full. */
bool shm_wait_ready(const struct shm *s)
{
	/* relaxed: which slot to watch; poll looks again in any case */
	uint64_t next = weft_load64_relaxed(&s->rx_next);
	uint64_t word =
		weft_load64(&s->view.slot[next & (s->view.slots - 1)].word);
	struct weft_pkt pkt;

	memcpy(&pkt, &word, sizeof(word));
	return shm_word_lap(pkt.carrier) == shm_lap(next, s->view.lg);
}

/* Something to come back for; a wake is used up by it. */
static bool wait_over(struct shm *s)
{
	if (shm_wait_ready(s))
		return true;
	return weft_load32(&s->woken) && weft_swap32(&s->woken, 0);
}

static bool wait_spin(struct shm *s, uint64_t end)
{
	do {
		for (int i = 0; i < 16; i++) {
			if (wait_over(s))
				return true;
			weft_relax();
		}
	} while (weft_now_ns() < end);
	return false;
}

/*
 * A wait that ended by yielding. Nobody took the core (the yield came back at
 * once) and it was short: a spin would have done. Relaxed: one thread waits.
 */
static void wait_learn(struct shm *s, uint64_t waited, uint64_t yield)
{
	if (yield < WAIT_ALONE_NS && waited < s->spin_ns)
		weft_store64_relaxed(&s->spin_now_ns, s->spin_ns);
}

static bool wait_yield(struct shm *s, uint64_t start, uint64_t end)
{
	uint64_t now = start;
	uint64_t then;

	while (now < end) {
		sched_yield();
		then = now;
		now = weft_now_ns();
		if (wait_over(s)) {
			wait_learn(s, now - start, now - then);
			return true;
		}
		if (now - then < WAIT_LATE_NS)
			continue;
		/* relaxed: one thread waits */
		weft_store64_relaxed(&s->futex_until_ns, now + WAIT_SHUN_NS);
		break;
	}
	return false;
}

/* Says what peers have to do for us, visibly, before the last look. */
static void wait_announce(struct shm *s, uint32_t bit)
{
	atomic_fetch_or_explicit(&s->view.head->wake, bit,
				 memory_order_seq_cst);
	/* F1: the other half of F0 in tx_publish() and in shm_wake(). */
	if (s->fences)
		weft_fence_full();
	else
		wait_membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

static void wait_retract(struct shm *s, uint32_t bit)
{
	atomic_fetch_and_explicit(&s->view.head->wake, ~bit,
				  memory_order_acq_rel);
}

static void wait_sleep(struct shm *s, uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };
	uint32_t word;

	wait_announce(s, SHM_ASLEEP);
	word = weft_load32(&s->view.head->wake);
	if (!wait_over(s) && (word & SHM_ASLEEP)) {
		/* relaxed: a number for people */
		atomic_fetch_add_explicit(&s->sleeps, 1, memory_order_relaxed);
		syscall(SYS_futex, &s->view.head->wake, FUTEX_WAIT, word, &ts,
			NULL, 0);
	}
	wait_retract(s, SHM_ASLEEP);
	/* relaxed: for the next poll */
	weft_store32_relaxed(&s->nudge, 1);
}

int shm_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct shm *s = shm_of(c);
	uint64_t now;
	uint64_t end;
	uint64_t most;
	uint64_t spin;

	if (wait_over(s))
		return 0;
	now = weft_now_ns();
	end = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
	/* relaxed: one thread waits */
	spin = weft_load64_relaxed(&s->spin_now_ns);
	if (spin) {
		most = now + spin < end ? now + spin : end;
		if (wait_spin(s, most))
			return 0;
		now = weft_now_ns();
		spin = spin > WAIT_SPIN_MIN_NS ? spin / 2 : 0;
		weft_store64_relaxed(&s->spin_now_ns, spin);
	}
	/* relaxed: one thread waits */
	if (now >= weft_load64_relaxed(&s->futex_until_ns)) {
		most = now + WAIT_YIELD_NS < end ? now + WAIT_YIELD_NS : end;
		if (wait_yield(s, now, most))
			return 0;
		now = weft_now_ns();
	}
	if (now >= end)
		return -ETIMEDOUT;
	wait_sleep(s, end - now < WAIT_SLICE_NS ? end - now : WAIT_SLICE_NS);
	if (weft_load32(&s->woken))
		weft_swap32(&s->woken, 0);
	return weft_now_ns() >= end && !shm_wait_ready(s) ? -ETIMEDOUT : 0;
}

static void wait_futex_wake(weft_au32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void shm_wake(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);
	struct itimerspec soon = { .it_value = { .tv_nsec = 1 },
				   .it_interval = { .tv_nsec = WAIT_TICK_MS *
							       1000000 } };

	weft_store32(&s->woken, 1);
	/* F0: store, then load, as in tx_publish(). */
	weft_fence_full();
	if (!weft_load32(&s->view.head->wake))
		return;
	if (weft_swap32(&s->view.head->wake, 0) & SHM_ARMED)
		timerfd_settime(wait_timer(s), 0, &soon, NULL);
	wait_futex_wake(&s->view.head->wake);
}

/* A sender saw the word set: it does what the sleeper asked for. */
void shm_wake_peer(struct shm *s, struct shm_peer *p)
{
	uint32_t word = weft_swap32(&p->view.head->wake, 0);

	if (!word)
		return;
	s->stats.wakes++;
	if (word & SHM_ASLEEP)
		wait_futex_wake(&p->view.head->wake);
	if (word & SHM_ARMED)
		shm_sock_poke(p);
}

/* One descriptor for pokes at the socket, wake(), and the housekeeping. */
int shm_wait_fd(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);
	struct epoll_event ev = { .events = EPOLLIN };
	int epoll;
	int timer;

	if (s->epoll >= 0)
		return s->epoll;
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll >= 0 && timer >= 0 &&
	    !epoll_ctl(epoll, EPOLL_CTL_ADD, s->sock, &ev) &&
	    !epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &ev)) {
		atomic_store_explicit(&s->timer, timer, memory_order_release);
		s->epoll = epoll;
		return epoll;
	}
	if (epoll >= 0)
		close(epoll);
	if (timer >= 0)
		close(timer);
	return -EMFILE;
}

void shm_wait_fini(struct shm *s)
{
	if (s->epoll < 0)
		return;
	close(s->epoll);
	close(wait_timer(s));
}

int shm_arm(struct weft_carrier *c)
{
	struct shm *s = shm_of(c);
	struct itimerspec later = {
		.it_value = { .tv_nsec = WAIT_TICK_MS * 1000000 },
		.it_interval = { .tv_nsec = WAIT_TICK_MS * 1000000 }
	};

	if (shm_wait_fd(c) < 0)
		return -EOPNOTSUPP;
	if (wait_over(s))
		return -EAGAIN;
	shm_sock_accept(s);
	timerfd_settime(wait_timer(s), 0, &later, NULL);
	weft_store32_relaxed(&s->nudge, 1);
	wait_announce(s, SHM_ARMED);
	if (!wait_over(s))
		return 0;
	wait_retract(s, SHM_ARMED);
	return -EAGAIN;
}
