/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives. Software builds a tree and writes each member's position in
 * the tree to its descriptor: parent, index among the parent's inputs, and
 * number of inputs. The interfaces then work without software: each waits for
 * its inputs, combines them in order with its own contribution, and sends the
 * result up as a reliable message (sunway_window.c). The root's result is sent
 * to all members by a multicast, which the routers copy to the nodes of a
 * group; a node without a member drops its copy.
 *
 *         post -> all inputs -> [sum to the parent -> acknowledged] -> result
 *
 * Multicast copies are not acknowledged. A member whose wait for the result
 * times out probes its parent. The parent sends the result if it has it;
 * otherwise it is waiting too, and probes its own parent. Members keep the last
 * four results: no member can be more than four operations ahead of a waiting
 * member.
 */
#include "prov/machine/sunway/sunway_dev.h"

#include "prov/group/cunit/cunit_alu.h"

/* ---- checks of a descriptor ---- */

static unsigned alu_op(unsigned sum)
{
	static const uint8_t op[] = {
		[WEFT_SUNWAY_SUM] = WEFT_NUM_SUM,
		[WEFT_SUNWAY_MAX] = WEFT_NUM_MAX,
		[WEFT_SUNWAY_MIN] = WEFT_NUM_MIN,
		[WEFT_SUNWAY_AND] = WEFT_NUM_BAND,
		[WEFT_SUNWAY_OR] = WEFT_NUM_BOR,
		[WEFT_SUNWAY_XOR] = WEFT_NUM_BXOR,
	};

	return sum < WEFT_COUNT_OF(op) ? op[sum] : WEFT_NUM_KERNELS;
}

static unsigned alu_type(unsigned type)
{
	static const uint8_t t[] = {
		[WEFT_SUNWAY_INT32] = WEFT_NUM_I32,
		[WEFT_SUNWAY_INT64] = WEFT_NUM_I64,
		[WEFT_SUNWAY_FLOAT] = WEFT_NUM_F32,
		[WEFT_SUNWAY_DOUBLE] = WEFT_NUM_F64,
	};

	return type < WEFT_COUNT_OF(t) ? t[type] : WEFT_CUNIT_TYPES;
}

static bool is_sum(const struct weft_sunway_coll *d)
{
	return d->kind == WEFT_SUNWAY_REDUCE ||
	       d->kind == WEFT_SUNWAY_ALLREDUCE;
}

static bool is_root(const struct weft_sunway_coll *d)
{
	return d->parent == WEFT_SUNWAY_ROOT;
}

static bool coll_sum_valid(const struct weft_sunway_coll *d)
{
	unsigned type = alu_type(d->type);

	return weft_cunit_supports(alu_op(d->sum), type) &&
	       d->bytes <= WEFT_SUNWAY_FSM &&
	       d->bytes % weft_cunit_bytes(type) == 0;
}

static bool coll_desc_valid(const struct weft_sunway *n,
			    const struct weft_sunway_coll *d)
{
	if (d->kind > WEFT_SUNWAY_ALLREDUCE ||
	    d->group >= WEFT_SUNWAY_MULTICASTS ||
	    d->inputs > WEFT_SUNWAY_INPUTS || d->nth >= WEFT_SUNWAY_INPUTS ||
	    d->engine >= WEFT_SUNWAY_ENGINES || d->vi >= WEFT_SUNWAY_VIS)
		return false;
	if (is_root(d)
		    ? d->kind != WEFT_SUNWAY_REDUCE && !n->multicast[d->group].n
		    : d->parent >= WEFT_SUNWAY_GUIDS)
		return false;
	return is_sum(d) ? coll_sum_valid(d)
			 : d->bytes <= (d->kind == WEFT_SUNWAY_BCAST
						? WEFT_SUNWAY_PACKET
						: 0);
}

/* ---- operations of a group ---- */

static struct sunway_coll *coll_at(struct sunway_group_ops *g, uint64_t number)
{
	return &g->op[number % SUNWAY_COLLS];
}

/* Returns an operation that this member has started or may start, or NULL. */
static struct sunway_coll *coll_find(struct sunway_group_ops *g,
				     uint64_t number)
{
	struct sunway_coll *c = coll_at(g, number);

	if (c->used && c->number == number)
		return c;
	/* number is out of range, or its slot has an incomplete operation */
	if (number < g->next || number - g->next >= SUNWAY_COLLS ||
	    (c->used && !c->complete))
		return NULL;
	memset(c, 0, offsetof(struct sunway_coll, part));
	c->used = true;
	c->number = number;
	return c;
}

static struct sunway_group_ops *group_ops_of(struct sunway_vi *v,
					     unsigned group)
{
	if (!v->group_ops[group])
		v->group_ops[group] = calloc(1, sizeof(*v->group_ops[group]));
	return v->group_ops[group];
}

static void coll_end(struct weft_sunway *n, struct sunway_coll *c,
		     unsigned status)
{
	struct sunway_vi *v = &n->me[c->engine].vi[c->vi];
	const struct weft_sunway_event ev = {
		.cookie = c->d.cookie,
		.bytes = c->d.bytes,
		.op = WEFT_SUNWAY_COLL,
		.status = (uint8_t)status,
	};

	weft_list_remove(&c->link);
	c->complete = true;
	c->status = (uint8_t)status;
	v->reserved--;
	sunway_cq_write(v, &ev);
}

/* Writes the result, if any, to memory and ends the operation. */
static void coll_result(struct weft_sunway *n, struct sunway_coll *c,
			unsigned status)
{
	const struct sunway_range r = {
		.job = c->job,
		.address = c->d.result,
		.bytes = c->d.bytes,
	};
	bool gets = c->d.kind != WEFT_SUNWAY_BARRIER && c->d.bytes &&
		    !(c->d.kind == WEFT_SUNWAY_BCAST && is_root(&c->d));

	if (!status && gets)
		status = sunway_mem_copy(n, &r, c->sum, SUNWAY_TO_MEMORY);
	coll_end(n, c, status);
}

/* ---- up the tree ---- */

static uint64_t coll_tag(const struct sunway_coll *c, unsigned status)
{
	return c->number << 24 | status << 16 | (unsigned)c->d.nth << 8 |
	       c->d.group;
}

/* Sends the sum as a reliable message; retried later if no slot is free. */
static void coll_up(struct weft_sunway *n, struct sunway_coll *c)
{
	struct sunway_msg *m = sunway_msg_take(n, c->engine);

	if (!m)
		return;
	m->vi = c->vi;
	m->job = c->job;
	m->fsm = true;
	m->d = (struct weft_sunway_desc){
		.op = SUNWAY_OP_GATHER,
		.flags = WEFT_SUNWAY_RELIABLE,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.engine = c->d.engine,
		.vi = c->d.vi,
		.guid = c->d.parent,
		.bytes = is_sum(&c->d) ? c->d.bytes : 0,
		.remote = coll_tag(c, c->status),
	};
	memcpy(m->data, c->sum, m->d.bytes);
	c->sent = true;
	if (sunway_window_join(n, m))
		sunway_msg_end(n, m, WEFT_SUNWAY_NO_NODE, 0);
	else
		sunway_msg_run(n, m);
}

/* Called when the parent has acknowledged the sum, or sending has failed. */
void sunway_coll_sent(struct weft_sunway *n, const struct sunway_msg *m,
		      unsigned status)
{
	struct sunway_vi *v = &n->me[m->engine].vi[m->vi];
	struct sunway_group_ops *g = v->group_ops[m->d.remote & 0xff];
	struct sunway_coll *c = coll_at(g, m->d.remote >> 24);

	if (!c->posted || c->complete || c->number != m->d.remote >> 24)
		return;
	c->acked = true;
	c->since = n->clock();
	if (status || c->d.kind == WEFT_SUNWAY_REDUCE)
		coll_end(n, c, status);
}

/* ---- down the tree ---- */

static void multicast_fill(const struct sunway_coll *c, uint32_t guid,
			   struct sunway_out *o)
{
	*o = (struct sunway_out){
		.guid = guid,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.pkt = { .flags = SUNWAY_MULTICAST,
			 .unit = sunway_unit(0, sunway_end(c->engine, c->vi), 0,
					     0),
			 .tag = coll_tag(c, c->status) },
		.slice = { .job = c->job, .total = c->d.bytes },
		.data = c->sum,
		.bytes = c->d.bytes,
	};
}

/* Sends copies to all nodes of the group, in place of the routers. */
static void coll_multicast(struct weft_sunway *n, struct sunway_coll *c)
{
	const struct sunway_multicast *to = &n->multicast[c->d.group];
	struct sunway_out o;

	for (; c->copies_sent < to->n; c->copies_sent++) {
		multicast_fill(c, to->guid[c->copies_sent], &o);
		if (sunway_emit(n, &o) == -EAGAIN)
			return;
		n->stats.casts++;
	}
	coll_result(n, c, c->status);
}

static void coll_take(struct weft_sunway *n, struct sunway_coll *c,
		      const struct sunway_in *in)
{
	unsigned status = in->pkt->tag >> 16 & 0xff;

	if (!status && in->bytes != c->d.bytes)
		status = WEFT_SUNWAY_COMMAND;
	if (!status)
		memcpy(c->sum, in->data, in->bytes);
	coll_result(n, c, status);
}

/* Delivers a multicast copy to the members on this chip, if any. */
void sunway_coll_multicast(struct weft_sunway *n, const struct sunway_in *in)
{
	unsigned group = in->pkt->tag & 0xff, members = 0;
	uint64_t number = in->pkt->tag >> 24;

	for (unsigned i = 0; i < WEFT_SUNWAY_ENGINES * WEFT_SUNWAY_VIS; i++) {
		struct sunway_vi *v =
			sunway_vi(n, i / WEFT_SUNWAY_VIS, i % WEFT_SUNWAY_VIS);
		struct sunway_coll *c;

		if (!v || v->job != in->slice.job ||
		    group >= WEFT_SUNWAY_MULTICASTS || !v->group_ops[group])
			continue;
		members++;
		c = coll_at(v->group_ops[group], number);
		if (c->posted && !c->complete && c->number == number)
			coll_take(n, c, in);
	}
	n->stats.filtered += !members;
}

/* ---- one step of one operation ---- */

static void coll_add(struct sunway_coll *c, unsigned i)
{
	unsigned type = alu_type(c->d.type);
	uint32_t want = is_sum(&c->d) ? c->d.bytes : 0;

	if (c->part[i].bytes != want && !c->status)
		c->status = WEFT_SUNWAY_COMMAND;
	if (c->part[i].status && !c->status)
		c->status = c->part[i].status;
	if (!c->status && want)
		weft_cunit_combine(alu_op(c->d.sum), type, c->sum,
				   c->part[i].data,
				   want / weft_cunit_bytes(type));
}

static void coll_step(struct weft_sunway *n, struct sunway_coll *c)
{
	while (c->added < c->d.inputs && c->received >> c->added & 1)
		coll_add(c, c->added++);
	if (c->added < c->d.inputs)
		return;
	if (!is_root(&c->d)) {
		if (!c->sent)
			coll_up(n, c);
	} else if (c->d.kind == WEFT_SUNWAY_REDUCE) {
		coll_result(n, c, c->status);
	} else {
		coll_multicast(n, c);
	}
}

/*
 * Stores a child's contribution. Returns false if there is no space; the child
 * then retransmits.
 */
bool sunway_coll_part(struct weft_sunway *n, struct sunway_vi *v,
		      const struct sunway_in *in)
{
	unsigned group = in->pkt->tag & 0xff, nth = in->pkt->tag >> 8 & 0xff;
	struct sunway_group_ops *g;
	struct sunway_coll *c;

	if (group >= WEFT_SUNWAY_MULTICASTS || nth >= WEFT_SUNWAY_INPUTS ||
	    in->bytes > WEFT_SUNWAY_FSM) {
		n->stats.refused++;
		return true;
	}
	g = group_ops_of(v, group);
	c = g ? coll_find(g, in->pkt->tag >> 24) : NULL;
	if (!c)
		return false;
	c->part[nth].status = in->pkt->tag >> 16 & 0xff;
	c->part[nth].bytes = (uint8_t)in->bytes;
	memcpy(c->part[nth].data, in->data, in->bytes);
	c->received |= UINT64_C(1) << nth;
	if (c->posted && !c->complete)
		coll_step(n, c);
	return true;
}

/* ---- timeouts and probes ---- */

static void coll_probe(struct weft_sunway *n, const struct sunway_coll *c)
{
	struct sunway_out o = {
		.guid = c->d.parent,
		.pkt = { .flags = SUNWAY_PROBE,
			 .unit = sunway_unit(sunway_end(c->d.engine, c->d.vi),
					     sunway_end(c->engine, c->vi), 0,
					     0),
			 .tag = coll_tag(c, 0) },
		.slice = { .job = c->job },
	};

	n->stats.probes++;
	sunway_reply_send(n, &o);
}

/*
 * Handles a probe from a child that waits for the result: sends the result, if
 * this member has it.
 */
void sunway_coll_probed(struct weft_sunway *n, const struct sunway_in *in)
{
	uint32_t to = sunway_in_to(in);
	struct sunway_vi *v =
		sunway_vi(n, sunway_end_engine(to), sunway_end_vi(to));
	unsigned group = in->pkt->tag & 0xff;
	struct sunway_coll *c;
	struct sunway_out o;

	if (!v || v->job != in->slice.job || group >= WEFT_SUNWAY_MULTICASTS ||
	    !v->group_ops[group])
		return;
	c = coll_at(v->group_ops[group], in->pkt->tag >> 24);
	if (!c->complete || c->number != in->pkt->tag >> 24)
		return;
	multicast_fill(c, in->guid, &o);
	sunway_reply_send(n, &o);
}

void sunway_coll_run(struct weft_sunway *n)
{
	uint64_t now = weft_list_empty(&n->colls) ? 0 : n->clock();
	struct weft_list *pos;
	struct weft_list *tmp;

	weft_list_each(pos, tmp, &n->colls) {
		struct sunway_coll *c =
			weft_container_of(pos, struct sunway_coll, link);

		if (!c->acked) {
			coll_step(n, c);
		} else if (now - c->since >= n->resend_ns) {
			c->since = now;
			coll_probe(n, c);
		}
	}
}

/* ---- lost nodes, close ---- */

static bool multicast_has(const struct sunway_multicast *g, uint32_t guid)
{
	for (unsigned i = 0; i < g->n; i++) {
		if (g->guid[i] == guid)
			return true;
	}
	return false;
}

/*
 * Handles the loss of a node: the root, which has the node list of the group,
 * ends the operations of the group on all members.
 */
void sunway_coll_lost(struct weft_sunway *n, uint32_t guid)
{
	struct weft_list *pos;
	struct weft_list *tmp;

	for (unsigned i = 0; i < WEFT_SUNWAY_MULTICASTS; i++)
		n->multicast[i].gone |= multicast_has(&n->multicast[i], guid);
	weft_list_each(pos, tmp, &n->colls) {
		struct sunway_coll *c =
			weft_container_of(pos, struct sunway_coll, link);

		if (c->d.parent == guid) {
			coll_end(n, c, WEFT_SUNWAY_GONE);
		} else if (is_root(&c->d) && n->multicast[c->d.group].gone) {
			c->status = WEFT_SUNWAY_GONE;
			c->added = c->d.inputs;
		}
	}
}

void sunway_coll_close(struct sunway_vi *v)
{
	for (unsigned i = 0; i < WEFT_SUNWAY_MULTICASTS; i++) {
		struct sunway_group_ops *g = v->group_ops[i];

		for (unsigned k = 0; g && k < SUNWAY_COLLS; k++) {
			if (g->op[k].posted && !g->op[k].complete)
				weft_list_remove(&g->op[k].link);
		}
		free(g);
		v->group_ops[i] = NULL;
	}
}

void sunway_coll_fini(struct weft_sunway *n)
{
	for (unsigned i = 0; i < WEFT_SUNWAY_MULTICASTS; i++)
		free(n->multicast[i].guid);
}

/* ---- user calls ---- */

WEFT_EXPORT int weft_sunway_multicast_set(struct weft_sunway *n, unsigned group,
					  const uint32_t *guid, unsigned count)
{
	uint32_t *copy;

	if (group >= WEFT_SUNWAY_MULTICASTS || !count)
		return -EINVAL;
	copy = malloc(count * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, guid, count * sizeof(*copy));
	free(n->multicast[group].guid);
	n->multicast[group] =
		(struct sunway_multicast){ .guid = copy, .n = count };
	return 0;
}

/* Reads this member's contribution when the operation is posted. */
static unsigned coll_fetch(struct weft_sunway *n, struct sunway_coll *c)
{
	const struct sunway_range r = {
		.job = c->job,
		.address = c->d.local,
		.bytes = c->d.bytes,
	};

	n->stats.fetches++;
	if (!c->d.bytes || (c->d.kind == WEFT_SUNWAY_BCAST && !is_root(&c->d)))
		return WEFT_SUNWAY_OK;
	n->stats.fetches++;
	return sunway_mem_copy(n, &r, c->sum, SUNWAY_FROM_MEMORY);
}

WEFT_EXPORT int weft_sunway_coll(struct weft_sunway *n, unsigned engine,
				 unsigned vi, const struct weft_sunway_coll *d)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);
	struct sunway_group_ops *g;
	struct sunway_coll *c;

	if (!v || !coll_desc_valid(n, d))
		return -EINVAL;
	g = group_ops_of(v, d->group);
	if (!g)
		return -ENOMEM;
	c = coll_find(g, g->next);
	if (!c || !sunway_cq_space(v))
		return -EAGAIN;
	c->d = *d;
	c->engine = (uint8_t)engine;
	c->vi = (uint8_t)vi;
	c->job = v->job;
	if (coll_fetch(n, c))
		return -EFAULT;
	c->posted = true;
	c->since = n->clock();
	if (is_root(d) && n->multicast[d->group].gone) {
		c->status = WEFT_SUNWAY_GONE;
		c->added = d->inputs;
	}
	g->next++;
	v->reserved++;
	weft_list_push_back(&n->colls, &c->link);
	coll_step(n, c);
	return 0;
}
