/* SPDX-License-Identifier: BSD-3-Clause */
/* Batching and queueing of the responses of a unit (machine_response.h). */
#include "prov/machine/machine_response.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct queued_response {
	struct weft_list link;
	struct weft_peer *peer;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* Acknowledgements that have not been sent yet, for one peer. */
struct response_acks {
	/* link in the list of unsent acknowledgements, while count > 0 */
	struct weft_list link;
	struct weft_peer *peer;
	uint32_t count;
	uint32_t id[WEFT_ACKS];
};

void weft_responses_init(struct weft_responses *a, const struct weft_pkt *ack)
{
	memset(a, 0, sizeof(*a));
	a->ack = *ack;
	weft_list_init(&a->queue);
	weft_list_init(&a->unsent);
	weft_hash_init(&a->by_peer);
}

static void acks_free(void *arg, uint64_t key, void *val)
{
	free(val);
}

void weft_responses_fini(struct weft_responses *a)
{
	struct weft_list *pos;

	while ((pos = weft_list_pop_front(&a->queue)))
		free(weft_container_of(pos, struct queued_response, link));
	weft_hash_each(&a->by_peer, acks_free, NULL);
	weft_hash_fini(&a->by_peer);
}

static int response_try(struct weft_responses *a, struct weft_peer *peer,
			const struct weft_pkt *pkt, const void *payload)
{
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)payload,
		.iov_len = pkt->len,
	};

	return a->carrier->ops->send(a->carrier, peer, pkt, &iov,
				     pkt->len ? 1 : 0);
}

void weft_response_send(struct weft_responses *a, struct weft_peer *peer,
			const struct weft_pkt *pkt, const void *payload)
{
	struct queued_response *n;

	if (weft_list_empty(&a->queue) &&
	    response_try(a, peer, pkt, payload) != -EAGAIN)
		return;
	n = malloc(sizeof(*n) + pkt->len);
	if (!n)
		return;
	n->peer = peer;
	n->pkt = *pkt;
	memcpy(n->payload, payload, pkt->len);
	weft_list_push_back(&a->queue, &n->link);
}

static void acks_send(struct weft_responses *a, struct response_acks *k)
{
	struct weft_pkt pkt = a->ack;

	pkt.len = (uint16_t)(k->count * sizeof(k->id[0]));
	weft_list_remove(&k->link);
	weft_response_send(a, k->peer, &pkt, k->id);
	k->count = 0;
}

static struct response_acks *acks_of(struct weft_responses *a,
				     struct weft_peer *peer)
{
	uint64_t key = (uint64_t)peer->index + 1;
	struct response_acks *k = weft_hash_get(&a->by_peer, key);

	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->peer = peer;
	weft_list_init(&k->link);
	if (!weft_hash_set(&a->by_peer, key, k))
		return k;
	free(k);
	return NULL;
}

void weft_response_ack(struct weft_responses *a, struct weft_peer *peer,
		       uint32_t id, bool now)
{
	struct response_acks *k = acks_of(a, peer);

	if (!k)
		return;
	if (!k->count)
		weft_list_push_back(&a->unsent, &k->link);
	k->id[k->count++] = id;
	if (now || k->count == WEFT_ACKS)
		acks_send(a, k);
}

/* Sends queued responses; a full FIFO delays only the responses to its peer. */
static void responses_retry(struct weft_responses *a)
{
	struct weft_list *pos;
	struct weft_list *tmp;
	struct weft_peer *full = NULL;

	weft_list_each(pos, tmp, &a->queue) {
		struct queued_response *n =
			weft_container_of(pos, struct queued_response, link);

		if (n->peer == full)
			continue;
		if (response_try(a, n->peer, &n->pkt, n->payload) == -EAGAIN) {
			full = n->peer;
			continue;
		}
		weft_list_remove(pos);
		free(n);
	}
}

void weft_responses_flush(struct weft_responses *a, bool all)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	responses_retry(a);
	if (!all)
		return;
	weft_list_each(pos, tmp, &a->unsent)
		acks_send(a,
			  weft_container_of(pos, struct response_acks, link));
}
