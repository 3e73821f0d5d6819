/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault injection between the carrier and the socket: a datagram is dropped,
 * duplicated, corrupted, or delayed so that it arrives out of order.
 */
#include "prov/carrier/sock/sock.h"

#include <stdlib.h>
#include <string.h>

/* delay of a reordered datagram, ns */
#define FAULT_REORDER_NS UINT64_C(100000)

struct fault_delayed {
	struct weft_list node;
	union weft_name to;
	uint64_t due_ns;
	uint32_t bytes;
	uint8_t data[];
};

static void fault_delay(struct sock *s, const union weft_name *to,
			const void *data, uint32_t bytes, uint64_t ns)
{
	struct fault_delayed *l = malloc(sizeof(*l) + bytes);

	if (!l)
		return;
	l->to = *to;
	l->due_ns = s->now + ns;
	l->bytes = bytes;
	memcpy(l->data, data, bytes);
	weft_list_push_back(&s->delayed, &l->node);
}

static void fault_corrupt(struct sock *s, uint8_t *data, uint32_t bytes)
{
	data[weft_rng_below(&s->faults.rng, bytes)] ^=
		(uint8_t)(1 + weft_rng_below(&s->faults.rng, 255));
}

static uint64_t fault_age(const struct sock *s)
{
	return s->now - s->opened_ns;
}

static bool fault_hit(struct sock *s, enum weft_fault_plan_kind kind)
{
	return carrier_faults_draw(&s->faults, kind, fault_age(s));
}

static void fault_pass(struct sock *s, const union weft_name *to,
		       const void *data, uint32_t bytes)
{
	uint64_t ns = carrier_faults_delay(&s->faults, fault_age(s));

	if (!ns && fault_hit(s, WEFT_FAULT_REORDER))
		ns = FAULT_REORDER_NS;
	if (ns)
		fault_delay(s, to, data, bytes, ns);
	else
		sock_io_send_one(s, to, data, bytes);
}

void sock_fault_send(struct sock *s, const union weft_name *to,
		     const void *data, uint32_t bytes)
{
	uint8_t copy[SOCK_READ_BYTES];

	if (carrier_faults_partitioned(&s->faults, &s->name, to,
				       fault_age(s)) ||
	    fault_hit(s, WEFT_FAULT_LOSS))
		return;
	if (fault_hit(s, WEFT_FAULT_DUPLICATE))
		fault_pass(s, to, data, bytes);
	if (fault_hit(s, WEFT_FAULT_CORRUPT)) {
		memcpy(copy, data, bytes);
		fault_corrupt(s, copy, bytes);
		data = copy;
	}
	fault_pass(s, to, data, bytes);
}

void sock_fault_run(struct sock *s, bool all)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &s->delayed) {
		struct fault_delayed *l =
			weft_container_of(i, struct fault_delayed, node);

		if (!all && l->due_ns > s->now)
			continue;
		weft_list_remove(&l->node);
		if (!s->dead)
			sock_io_send_one(s, &l->to, l->data, l->bytes);
		free(l);
	}
}

uint64_t sock_fault_due(const struct sock *s)
{
	uint64_t due = UINT64_MAX;

	for (struct weft_list *i = s->delayed.next; i != &s->delayed;
	     i = i->next) {
		struct fault_delayed *l =
			weft_container_of(i, struct fault_delayed, node);

		if (l->due_ns < due)
			due = l->due_ns;
	}
	return due;
}

void sock_fault_fini(struct sock *s)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&s->delayed)))
		free(weft_container_of(n, struct fault_delayed, node));
	carrier_faults_close(&s->faults);
}
