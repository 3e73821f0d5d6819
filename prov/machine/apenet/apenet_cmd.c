/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command queue and the event queue. Commands wait in the queue until the
 * board fetches them; some are prefetched. The embedded processor's replies to
 * gets alternate with the commands of the host. Posting a command reserves an
 * entry of the event queue, and two entries are kept free for received packets.
 * So no event is lost, and reserved entries never block reception.
 */
#include "prov/machine/apenet/apenet_dev.h"

/* ---- events ---- */

void apenet_event_write(struct weft_apenet *a,
			const struct weft_apenet_event *ev)
{
	*apenet_event_next(a) = *ev;
}

/*
 * Writes the events of lost nodes for which the event queue had no space
 * earlier.
 */
static void event_late(struct weft_apenet *a)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &a->late) {
		struct apenet_in *in =
			weft_container_of(pos, struct apenet_in, late);

		if (!apenet_event_space(a, 1))
			return;
		weft_list_remove(pos);
		apenet_event_write(a, &in->lost);
		free(in);
	}
}

WEFT_EXPORT int weft_apenet_event(struct weft_apenet *a,
				  struct weft_apenet_event *ev)
{
	if (a->event_head == a->event_tail)
		return -EAGAIN;
	*ev = a->event[a->event_head++ & (a->events - 1)];
	if (weft_unlikely(!weft_list_empty(&a->late)))
		event_late(a);
	return 0;
}

void apenet_cmd_end(struct weft_apenet *a, const struct weft_apenet_cmd *c,
		    unsigned what, unsigned status)
{
	if (!(c->flags & WEFT_APENET_EVENT))
		return;
	a->reserved--;
	*apenet_event_next(a) = (struct weft_apenet_event){
		.what = (uint8_t)what,
		.status = (uint8_t)status,
		.node = c->node,
		.cookie = c->cookie,
		.address = c->local,
		.bytes = c->bytes,
	};
}

/* ---- commands ---- */

struct apenet_msg *apenet_msg_new(struct weft_apenet *a,
				  const struct weft_apenet_cmd *c, unsigned op)
{
	struct apenet_msg *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	weft_list_init(&m->link);
	m->c = *c;
	m->op = (uint8_t)op;
	m->message = a->message++;
	return m;
}

#define FLAGS (WEFT_APENET_EVENT | WEFT_APENET_RECEIVE | WEFT_APENET_STAGED)

static int cmd_check(struct weft_apenet *a, const struct weft_apenet_cmd *c)
{
	struct weft_peer *peer = weft_port_peer(&a->port, c->node);

	if (c->flags & ~FLAGS || !c->bytes || c->remote + c->bytes < c->remote)
		return -EINVAL;
	if (c->node != a->node && !peer)
		return -EHOSTUNREACH;
	if (peer && peer->lost)
		return -ECONNRESET;
	if (!apenet_buf_of(a, c->local, c->bytes, 0))
		return -EFAULT;
	if (a->queue_tail - a->queue_head == WEFT_APENET_COMMANDS)
		return -EAGAIN;
	if (c->flags & WEFT_APENET_EVENT &&
	    !apenet_event_space(a, 1 + APENET_RX_EVENTS))
		return -EAGAIN;
	return 0;
}

static int cmd_post(struct weft_apenet *a, const struct weft_apenet_cmd *c,
		    unsigned op, uint32_t number)
{
	struct apenet_msg *m = apenet_msg_new(a, c, op);

	if (!m)
		return -ENOMEM;
	m->number = number;
	a->queue[a->queue_tail++ & (WEFT_APENET_COMMANDS - 1)] = m;
	a->reserved += c->flags & WEFT_APENET_EVENT ? 1 : 0;
	return 0;
}

WEFT_EXPORT int weft_apenet_put(struct weft_apenet *a,
				const struct weft_apenet_cmd *cmd)
{
	int err = cmd_check(a, cmd);

	if (!err)
		err = cmd_post(a, cmd, APENET_PUT, 0);
	a->stats.puts += !err;
	return err;
}

static struct apenet_get *get_free(struct weft_apenet *a)
{
	for (unsigned i = 0; i < APENET_GETS; i++) {
		if (!a->get[i].used)
			return &a->get[i];
	}
	return NULL;
}

WEFT_EXPORT int weft_apenet_get(struct weft_apenet *a,
				const struct weft_apenet_cmd *cmd)
{
	int err = cmd_check(a, cmd);
	struct apenet_get *g = get_free(a);

	if (!err && !g)
		err = -EAGAIN;
	if (!err)
		err = cmd_post(a, cmd, APENET_GET,
			       (uint32_t)(g ? g - a->get : 0) |
				       (uint32_t)(g ? g->gen : 0) << 16);
	if (err)
		return err;
	g->used = true;
	g->c = *cmd;
	a->stats.gets++;
	return 0;
}

static struct apenet_msg *host_next(struct weft_apenet *a)
{
	if (a->queue_head == a->queue_tail)
		return NULL;
	return a->queue[a->queue_head++ & (WEFT_APENET_COMMANDS - 1)];
}

static struct apenet_msg *reply_next(struct weft_apenet *a)
{
	struct weft_list *pos = a->get_replies.next;

	if (weft_list_empty(&a->get_replies))
		return NULL;
	weft_list_remove(pos);
	return weft_container_of(pos, struct apenet_msg, link);
}

struct apenet_msg *apenet_cmd_next(struct weft_apenet *a)
{
	bool back = a->reply_is_next;
	struct apenet_msg *m = back ? reply_next(a) : host_next(a);

	a->reply_is_next = !back;
	return m ? m : back ? host_next(a) : reply_next(a);
}

/* ---- lost nodes, close ---- */

/*
 * Ends the commands that the board has not fetched: those to a lost node or, if
 * `all` is true, those to all nodes. apenet_get_lost() ends gets.
 */
void apenet_cmd_lost(struct weft_apenet *a, uint32_t node, bool all)
{
	uint64_t tail = a->queue_tail;
	struct weft_list *pos;
	struct weft_list *tmp;

	a->queue_tail = a->queue_head;
	for (uint64_t i = a->queue_head; i != tail; i++) {
		struct apenet_msg *m = a->queue[i & (WEFT_APENET_COMMANDS - 1)];

		if (!all && m->c.node != node) {
			a->queue[a->queue_tail++ & (WEFT_APENET_COMMANDS - 1)] =
				m;
			continue;
		}
		if (m->op == APENET_PUT)
			apenet_cmd_end(a, &m->c, WEFT_APENET_SENT,
				       WEFT_APENET_GONE);
		free(m);
	}
	weft_list_each(pos, tmp, &a->get_replies) {
		struct apenet_msg *m =
			weft_container_of(pos, struct apenet_msg, link);

		if (!all && m->c.node != node)
			continue;
		weft_list_remove(pos);
		free(m);
	}
}
