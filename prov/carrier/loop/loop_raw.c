/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw layer: a registry of the endpoints of this process, with an inbox per
 * endpoint. Packets are lost, duplicated, delayed and reordered as the sender's
 * fault plan requires.
 */
#include "prov/carrier/loop/loop.h"
#include "src/base/clock.h"
#include "src/os/wait_fd.h"
#include "src/os/waiter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RAW_INBOX	4096
#define RAW_DELAY_POLLS 16
/* longest wait with a fault plan, since only poll retransmits */
#define RAW_FAULT_NS	UINT64_C(200000)

static pthread_mutex_t raw_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list raw_all = { &raw_all, &raw_all };
static uint64_t raw_gen;

static struct loop *raw_by_gen(uint64_t gen)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &raw_all) {
		struct loop *l = weft_container_of(i, struct loop, node);

		if (l->gen == gen)
			return l;
	}
	return NULL;
}

static struct loop *raw_by_port(uint16_t port)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &raw_all) {
		struct loop *l = weft_container_of(i, struct loop, node);

		if (l->name.in.sin_port == port)
			return l;
	}
	return NULL;
}

int loop_raw_join(struct loop *l, const union weft_name *want)
{
	uint16_t port = want->in.sin_port;
	int ret = 0;

	pthread_mutex_lock(&raw_lock);
	for (uint16_t p = 20000; !port && p < 60000; p++) {
		if (!raw_by_port(htons(p)))
			port = htons(p);
	}
	if (!port || raw_by_port(port)) {
		ret = -EADDRINUSE;
	} else {
		l->name = *want;
		if (!weft_name_is_ip(&l->name))
			l->name.in.sin_family = AF_INET;
		l->name.in.sin_port = port;
		l->gen = ++raw_gen;
		weft_list_push_back(&raw_all, &l->node);
	}
	pthread_mutex_unlock(&raw_lock);
	return ret;
}

/* Removes l from the registry and drops the packets in its inbox. */
void loop_raw_leave(struct loop *l)
{
	struct weft_list *n;

	pthread_mutex_lock(&raw_lock);
	weft_list_remove(&l->node);
	pthread_mutex_unlock(&raw_lock);
	while ((n = weft_list_pop_front(&l->inbox)))
		free(weft_container_of(n, struct loop_packet, node));
	l->inbox_count = 0;
}

struct loop_packet *loop_packet_new(struct loop *l, enum loop_kind kind,
				    size_t len)
{
	struct loop_packet *g = calloc(1, sizeof(*g) + len);

	if (!g)
		return NULL;
	g->kind = kind;
	g->from = l->gen;
	g->name = l->name;
	weft_list_init(&g->node);
	return g;
}

struct loop_packet *loop_packet_copy(const struct loop_packet *g)
{
	size_t bytes = sizeof(*g) + g->pkt.len;
	struct loop_packet *copy = malloc(bytes);

	if (copy)
		memcpy(copy, g, bytes);
	return copy;
}

static void raw_notify(struct loop *to)
{
	weft_event_notify_locked(&to->arrived);
	if (to->armed)
		weft_event_fd_set(to->event);
	to->armed = false;
}

/*
 * Returns whether a fault of this kind occurs. The loop carrier has no clock,
 * so only faults that start at time 0 can occur.
 */
static bool raw_draw(struct loop *l, enum weft_fault_plan_kind kind)
{
	return carrier_faults_draw(&l->faults, kind, 0);
}

static void raw_enqueue(struct loop *l, struct loop *to, struct loop_packet *g,
			bool faults)
{
	bool swap = faults && raw_draw(l, WEFT_FAULT_REORDER);

	if (faults && raw_draw(l, WEFT_FAULT_DELAY))
		g->due = weft_load64(&to->now) + 1 +
			 weft_rng_below(&l->faults.rng, RAW_DELAY_POLLS);
	if (swap && !weft_list_empty(&to->inbox))
		weft_list_insert_after(to->inbox.prev->prev, &g->node);
	else
		weft_list_push_back(&to->inbox, &g->node);
	to->inbox_count++;
}

int loop_raw_send(struct loop *l, struct loop_peer *p, struct loop_packet *g,
		  bool faults)
{
	struct loop_packet *twin = NULL;
	struct loop *to;
	int ret = 0;

	if (faults && raw_draw(l, WEFT_FAULT_DUPLICATE))
		twin = loop_packet_copy(g);
	pthread_mutex_lock(&raw_lock);
	to = raw_by_gen(p->gen);
	if (!to || (faults && to->inbox_count >= RAW_INBOX)) {
		ret = -EAGAIN;
	} else if (!faults || !raw_draw(l, WEFT_FAULT_LOSS)) {
		raw_enqueue(l, to, g, faults);
		g = NULL;
		if (twin)
			raw_enqueue(l, to, twin, faults);
		twin = NULL;
		raw_notify(to);
	}
	pthread_mutex_unlock(&raw_lock);
	free(g);
	free(twin);
	return ret;
}

struct loop_packet *loop_raw_receive(struct loop *l)
{
	struct loop_packet *found = NULL;
	struct weft_list *i, *tmp;

	pthread_mutex_lock(&raw_lock);
	weft_list_each(i, tmp, &l->inbox) {
		struct loop_packet *g =
			weft_container_of(i, struct loop_packet, node);

		if (g->due > weft_load64(&l->now))
			continue;
		weft_list_remove(&g->node);
		l->inbox_count--;
		found = g;
		break;
	}
	pthread_mutex_unlock(&raw_lock);
	return found;
}

bool loop_raw_is_alive(uint64_t gen)
{
	bool lives;

	pthread_mutex_lock(&raw_lock);
	lives = raw_by_gen(gen) != NULL;
	pthread_mutex_unlock(&raw_lock);
	return lives;
}

uint64_t loop_raw_find(const union weft_name *name)
{
	struct loop *l;
	uint64_t gen;

	pthread_mutex_lock(&raw_lock);
	l = raw_by_port(name->in.sin_port);
	gen = l ? l->gen : 0;
	pthread_mutex_unlock(&raw_lock);
	return gen;
}

int loop_raw_wait(struct loop *l, uint64_t timeout_ns)
{
	uint64_t slice_ns =
		l->faults.any
			? RAW_FAULT_NS
			: weft_wait_slice(
				  weft_wait_times[WEFT_WAIT_LOOP].slice_ns);
	uint64_t start = weft_now_ns();
	uint32_t seen;
	bool timed_out;

	pthread_mutex_lock(&raw_lock);
	if (weft_list_empty(&l->inbox) && !l->woken) {
		seen = weft_event_prepare_wait(&l->arrived, WEFT_EVENT_NOTIFY);
		pthread_mutex_unlock(&raw_lock);
		weft_event_block(&l->arrived, seen,
				 weft_wait_earlier(timeout_ns, slice_ns));
		pthread_mutex_lock(&raw_lock);
	}
	timed_out = weft_list_empty(&l->inbox) && !l->woken &&
		    weft_now_ns() - start >= timeout_ns;
	l->woken = false;
	pthread_mutex_unlock(&raw_lock);
	return timed_out ? -ETIMEDOUT : 0;
}

void loop_raw_wake(struct loop *l)
{
	pthread_mutex_lock(&raw_lock);
	l->woken = true;
	raw_notify(l);
	pthread_mutex_unlock(&raw_lock);
}

int loop_raw_arm(struct loop *l)
{
	pthread_mutex_lock(&raw_lock);
	l->armed = weft_list_empty(&l->inbox) && !l->woken;
	if (l->armed)
		weft_event_fd_clear(l->event);
	l->woken = false;
	pthread_mutex_unlock(&raw_lock);
	return l->armed ? 0 : -EAGAIN;
}

struct loop_share *loop_share_get(uint64_t gen)
{
	struct loop *l;
	struct loop_share *sh;

	pthread_mutex_lock(&raw_lock);
	l = raw_by_gen(gen);
	sh = l ? l->share : NULL;
	if (sh)
		sh->refs++;
	pthread_mutex_unlock(&raw_lock);
	return sh;
}

void loop_share_put(struct loop_share *sh)
{
	unsigned left;

	if (!sh)
		return;
	pthread_mutex_lock(&raw_lock);
	left = --sh->refs;
	pthread_mutex_unlock(&raw_lock);
	if (left)
		return;
	free(sh->area);
	free(sh);
}

bool loop_raw_empty(struct loop *l)
{
	bool empty;

	pthread_mutex_lock(&raw_lock);
	empty = weft_list_empty(&l->inbox);
	pthread_mutex_unlock(&raw_lock);
	return empty;
}
