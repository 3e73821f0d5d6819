/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that fi_open_ops returns for a domain in virtual time: creating,
 * joining and leaving the world segment of a job, and reporting why ranks wait
 * when no rank can make progress.
 */
#include "prov/ofi/weft_world.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/weft_err.h"

#include <rdma/fi_ext_weft.h>

static struct weft_domain *to_domain(struct fid *fid)
{
	return weft_container_of(fid, struct weft_domain, fid.fid);
}

/* Returns the carrier of the domain's first endpoint, or NULL. */
static struct weft_carrier *carrier_of(struct weft_domain *d)
{
	return d->ep_count ? d->eps[0]->carrier : NULL;
}

static int world_create(struct fid *fid, uint32_t ranks, void *handle,
			size_t *len)
{
	struct weft_domain *d = to_domain(fid);
	char text[WEFT_VT_HANDLE];
	int err;

	if (d->world || !ranks)
		return -FI_EINVAL;
	if (*len < sizeof(text))
		return -FI_ETOOSMALL;
	err = weft_vt_create(&weft_conf()->vt, ranks, &d->world, text);
	if (err)
		return (int)weft_ofi_err(err);
	memcpy(handle, text, sizeof(text));
	*len = sizeof(text);
	return 0;
}

static int world_attach(struct fid *fid, uint32_t rank, const void *handle,
			size_t len)
{
	struct weft_domain *d = to_domain(fid);
	char text[WEFT_VT_HANDLE];

	if (d->world || len > sizeof(text))
		return -FI_EINVAL;
	memcpy(text, handle, len);
	text[sizeof(text) - 1] = 0;
	return (int)weft_ofi_err(
		weft_vt_attach(&weft_conf()->vt, text, rank, &d->world));
}

static int world_address(struct fid *fid, uint32_t rank, void *addr,
			 size_t *len)
{
	struct weft_domain *d = to_domain(fid);
	union weft_name name;

	if (!d->world || rank >= weft_vt_size(d->world))
		return -FI_EINVAL;
	if (*len < sizeof(name.in))
		return -FI_ETOOSMALL;
	weft_vt_name(d->world, rank, &name);
	memcpy(addr, &name, sizeof(name.in));
	*len = sizeof(name.in);
	return 0;
}

static void world_leave(struct fid *fid)
{
	struct weft_domain *d = to_domain(fid);

	weft_enter(d);
	if (carrier_of(d))
		weft_vt_leave(carrier_of(d));
	weft_leave(d);
}

static int world_note(struct fid *fid, int64_t peer, const char *text)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));

	return c ? weft_vt_note(c, peer, text) : -FI_EOPBADSTATE;
}

static int world_read(struct fid *fid, uint32_t rank, struct fi_weft_note *note)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	struct weft_vt_note n;
	int err = c ? weft_vt_read_note(c, rank, &n) : -EBADFD;

	if (err)
		return err == -ENOENT ? -FI_ENOENT : -FI_EINVAL;
	note->peer = n.peer;
	note->clock_ps = n.clock_ps;
	note->waits = n.state < WEFT_VT_LEFT;
	static_assert(sizeof(note->text) == sizeof(n.text), "copied");
	memcpy(note->text, n.text, sizeof(note->text));
	return 0;
}

static void world_count(struct fid *fid, struct fi_weft_count *count)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	struct weft_vt_count n = { 0 };

	if (c)
		weft_vt_count(c, &n);
	*count = (struct fi_weft_count){
		.now_ps = n.now_ps,
		.events = n.events,
		.hops = n.hops,
		.packets = n.packets,
		.hash = n.hash,
		.model_runs = n.passes,
		.routes = n.routes,
		.route_parts = n.route_parts,
		.route_bytes = n.route_bytes,
		.route_atomics = n.route_atomics,
		.nodes = n.nodes,
		.nodes_used = n.nodes_used,
		.computed_ns = n.computed_ns,
		.compute_free = n.compute_free,
	};
}

static int world_link(struct fid *fid, uint32_t node, unsigned port,
		      struct fi_weft_link *link)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	struct weft_vt_link l = { .packets = 0 };
	int err = c ? weft_vt_link(c, node, port, &l) : -EBADFD;

	if (err)
		return (int)weft_ofi_err(err);
	memcpy(link->name, l.name, sizeof(link->name));
	memcpy(link->node, l.node, sizeof(link->node));
	link->packets = l.packets;
	link->bytes = l.bytes;
	link->busy_ps = l.busy_ps;
	link->queued_ps = l.queued_ps;
	link->bad = l.bad;
	link->detours = l.detours;
	link->retry_ps = l.retry_ps;
	link->dead = l.dead;
	return 0;
}

static const char *world_fault(struct fid *fid, unsigned i, uint64_t *value_p)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));

	return c ? weft_vt_fault(c, i, value_p) : NULL;
}

struct tree_visitor {
	void (*each)(void *arg, const struct fi_weft_branch *b);
	void *arg;
};

static void branch_report(void *arg, const struct weft_vt_tree_node *b)
{
	const struct tree_visitor *t = arg;
	struct fi_weft_branch out = { b->parent, b->ranks, "" };

	static_assert(sizeof(out.node) == sizeof(b->node), "copied");
	memcpy(out.node, b->node, sizeof(out.node));
	t->each(t->arg, &out);
}

static int world_tree(struct fid *fid, int id,
		      void (*each)(void *arg, const struct fi_weft_branch *b),
		      void *arg)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	struct tree_visitor t = { each, arg };

	if (!c || id < 0)
		return -FI_ENOENT;
	return (int)weft_ofi_err(
		weft_vt_route_tree(c, (unsigned)id, branch_report, &t));
}

static int world_why(struct fid *fid, uint32_t rank, char *text, size_t len)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	int err = c ? weft_vt_why(c, rank, text, len) : -ENOENT;

	return (int)weft_ofi_err(err);
}

static int world_choice(struct fid *fid, unsigned i,
			struct fi_weft_choice *choice)
{
	const struct weft_domain *d = to_domain(fid);
	struct weft_vt_choice c;

	if (!d->world || weft_vt_choice(d->world, i, &c))
		return -FI_ENOENT;
	static_assert(sizeof(*choice) == sizeof(c), "copied");
	memcpy(choice, &c, sizeof(*choice));
	return 0;
}

static void world_compute(struct fid *fid, uint64_t ps)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));

	if (c)
		c->ops->backend->compute(c, ps);
}

static int world_file(struct fid *fid, uint64_t bytes, int write)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));

	if (!c || !c->ops->backend->file)
		return 0;
	return c->ops->backend->file(c, bytes, write);
}

static int world_failure(struct fid *fid, uint32_t i, struct fi_weft_failure *f)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	struct weft_vt_failure x;

	if (!c || weft_vt_failure(c, i, &x))
		return -FI_ENOENT;
	*f = (struct fi_weft_failure){ .rank = x.rank,
				       .has_left = x.has_left,
				       .is_silent = x.is_silent,
				       .failed_ps = x.failed_ps,
				       .known_ps = x.known_ps };
	return 0;
}

static int world_spawn(struct fid *fid, uint32_t ranks, uint32_t *first)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));
	int err = c ? weft_vt_spawn(c, ranks, first) : -EBADFD;

	return (int)weft_ofi_err(err);
}

static void world_cancel(struct fid *fid, uint32_t first, uint32_t ranks)
{
	struct weft_carrier *c = carrier_of(to_domain(fid));

	if (c)
		weft_vt_spawn_cancel(c, first, ranks);
}

static int world_handle(struct fid *fid, void *handle, size_t *len)
{
	struct weft_domain *d = to_domain(fid);
	char text[WEFT_VT_HANDLE];
	int err;

	if (!d->world)
		return -FI_EOPBADSTATE;
	if (*len < sizeof(text))
		return -FI_ETOOSMALL;
	err = weft_vt_handle(d->world, text);
	if (err)
		return (int)weft_ofi_err(err);
	memcpy(handle, text, sizeof(text));
	*len = sizeof(text);
	return 0;
}

static uint64_t world_id(struct fid *fid)
{
	const struct weft_domain *d = to_domain(fid);

	return d->world ? weft_vt_id(d->world) : 0;
}

static uint32_t world_spare(struct fid *fid)
{
	const struct weft_domain *d = to_domain(fid);

	return d->world ? weft_vt_spare(d->world) : 0;
}

static int world_background(struct fid *fid)
{
	struct weft_domain *d = to_domain(fid);

	if (!d->world || d->ep_count)
		return -FI_EOPBADSTATE;
	weft_vt_set_background(d->world);
	return 0;
}

struct fi_weft_world weft_world_ops = {
	.size = sizeof(struct fi_weft_world),
	.create = world_create,
	.attach = world_attach,
	.address = world_address,
	.leave = world_leave,
	.note = world_note,
	.read = world_read,
	.count = world_count,
	.compute = world_compute,
	.link = world_link,
	.why = world_why,
	.fault = world_fault,
	.tree = world_tree,
	.choice = world_choice,
	.file = world_file,
	.failure = world_failure,
	.spawn = world_spawn,
	.cancel = world_cancel,
	.handle = world_handle,
	.id = world_id,
	.spare = world_spare,
	.background = world_background,
};
