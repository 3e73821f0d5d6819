/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared world segment of a job: created by rank 0 in a memfd, opened by
 * the other ranks through /proc/PID/fd, or by the name of an abstract socket of
 * rank 0. No file is created; the memory is freed when the last process that
 * maps it exits.
 */
#include "prov/vt/vt.h"
#include "prov/net/fault/net_fault.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "src/base/log.h"
#include "src/job/job_log.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	  4096u
/* addresses of ranks: 127.x.y.z, starting at 127.0.0.1 */
#define NAME_NET  0x7f000000u
#define NAME_PORT 22612u

/* ---- layout of the segment ----------------------------------------------- */

static uint64_t world_place(uint64_t *offset, size_t count, size_t bytes)
{
	uint64_t start = *offset;

	*offset = (start + count * bytes + PAGE - 1) / PAGE * PAGE;
	return start;
}

/*
 * Returns the capacity of the model in messages: two per buffer if packets are
 * acknowledged, otherwise one.
 */
static uint32_t model_room(const struct vt_head *h)
{
	return h->size * VT_BUFS * (vt_acks(&h->cfg) ? 2 : 1) + h->size;
}

static void lay_out(struct vt_head *h)
{
	size_t n = h->size, routes = n * VT_PLACES;
	uint64_t offset = 0;

	world_place(&offset, 1, sizeof(*h));
	h->ranks_off = world_place(&offset, n, sizeof(struct vt_rank));
	h->due_off = world_place(&offset, n, sizeof(uint64_t));
	h->batch_off = world_place(&offset, n, sizeof(uint32_t));
	h->cold_off = world_place(&offset, n, sizeof(struct vt_rank_cold));
	/*
	 * one additional buffer per rank: the initial head of its arrival list
	 */
	h->bufs_off = world_place(&offset, n * (VT_BUFS + 1),
				  vt_buf_bytes(h->packet_bytes));
	h->joins_off = world_place(&offset, n * WEFT_BACKEND_ROUTES,
				   sizeof(struct vt_join));
	h->members_off =
		world_place(&offset, routes * n, sizeof(struct vt_member));
	h->adders_off = world_place(&offset, h->cfg.fold_ps ? routes * n : 0,
				    sizeof(struct vt_adder));
	h->routes_off = world_place(&offset, routes, sizeof(struct vt_route));
	h->results_off = world_place(&offset, routes * VT_WINDOW,
				     vt_part_bytes(h->packet_bytes));
	h->trees_off = world_place(&offset, routes, sizeof(struct vt_tree));
	h->shares_off = world_place(&offset, n, VT_SHARE_BYTES);
	h->net_off = world_place(&offset, 1, net_bytes(&h->cfg, model_room(h)));
	h->bytes = offset;
}

/*
 * Returns whether the section offsets match those computed for this size and
 * machine.
 */
static bool head_fits(const struct vt_head *h, size_t bytes)
{
	struct vt_head plan = { .magic = VT_MAGIC,
				.size = h->size,
				.packet_bytes = h->packet_bytes,
				.cfg = h->cfg };

	if (h->magic != VT_MAGIC || h->bytes != bytes || !h->size ||
	    h->size > VT_RANKS_MAX || h->packet_bytes > UINT16_MAX ||
	    net_config_check(&h->cfg))
		return false;
	lay_out(&plan);
	return plan.bytes == bytes && plan.ranks_off == h->ranks_off &&
	       plan.due_off == h->due_off && plan.batch_off == h->batch_off &&
	       plan.cold_off == h->cold_off && plan.bufs_off == h->bufs_off &&
	       plan.joins_off == h->joins_off &&
	       plan.members_off == h->members_off &&
	       plan.adders_off == h->adders_off &&
	       plan.routes_off == h->routes_off &&
	       plan.results_off == h->results_off &&
	       plan.trees_off == h->trees_off &&
	       plan.shares_off == h->shares_off && plan.net_off == h->net_off;
}

static void map_offset(struct weft_vt *w, const struct vt_head *h)
{
	char *base = w->region.base;

	w->head = w->region.base;
	w->rank_of = (void *)(base + h->ranks_off);
	w->due = (void *)(base + h->due_off);
	w->batch = (void *)(base + h->batch_off);
	w->cold_of = (void *)(base + h->cold_off);
	w->bufs = base + h->bufs_off;
	w->joins = (void *)(base + h->joins_off);
	w->members = (void *)(base + h->members_off);
	w->adders = h->cfg.fold_ps ? (void *)(base + h->adders_off) : NULL;
	w->routes = (void *)(base + h->routes_off);
	w->results = (void *)(base + h->results_off);
	w->trees = (void *)(base + h->trees_off);
	w->shares = base + h->shares_off;
	w->net = (void *)(base + h->net_off);
}

/*
 * Returns whether the segment has the format of another version; if so, logs
 * this.
 */
static bool is_other_format(const struct vt_head *h)
{
	if (h->magic == VT_MAGIC || (h->magic ^ VT_MAGIC) >> 16)
		return false;
	weft_log_other_version("virtual time: the world segment of rank 0",
			       VT_VERSION(h->magic), VT_VERSION(VT_MAGIC));
	return true;
}

static int map_parts(struct weft_vt *w)
{
	struct vt_head h;

	/* copy the head once, so that the values checked are the values used */
	memcpy(&h, w->region.base, offsetof(struct vt_head, running));
	if (is_other_format(&h))
		return -EPROTO;
	if (w->region.bytes < sizeof(h) || !head_fits(&h, w->region.bytes) ||
	    w->rank >= h.size || !h.initial || h.initial > h.size)
		return -EINVAL;
	map_offset(w, &h);
	w->size = h.size;
	w->initial = h.initial;
	w->buf_count = h.size * (VT_BUFS + 1);
	w->packet_bytes = h.packet_bytes;
	w->buf_bytes = vt_buf_bytes(h.packet_bytes);
	w->cfg = h.cfg;
	w->ahead_ps = h.ahead_ps;
	w->ahead_unit_ps = h.ahead_unit_ps;
	w->fifos = h.fifos ? h.fifos : 1;
	w->fold_path = vt_path_of(&w->cfg, "event");
	w->word_path = vt_path_of(&w->cfg, "amo");
	w->wake = calloc(h.size, sizeof(*w->wake));
	return w->wake ? 0 : -ENOMEM;
}

/* ---- creation by rank 0 -------------------------------------------------- */

static int world_refuse(const char *why)
{
	weft_log(WEFT_LOG_ERROR, "virtual time: %s", why);
	return -EINVAL;
}

static void rank_init(struct weft_vt *w, uint32_t i,
		      const struct net_place *where)
{
	struct vt_rank *r = &w->rank_of[i];
	uint32_t stub = vt_buf_of(w, i, VT_BUFS);

	r->node = where->node;
	r->slot = where->slot;
	r->in_tail = stub;
	r->out = r->accesses = (struct vt_msg_fifo){ VT_NONE, VT_NONE };
	weft_store32(&r->in_head, stub);
	weft_store32(&r->posted, VT_NONE);
	weft_store32(&r->freed, VT_NONE);
	weft_store32(&r->returned, VT_NONE);
	vt_buf(w, stub)->kind = VT_STUB;
	weft_store32(&vt_buf(w, stub)->next, VT_NONE);
	vt_due_set(w, i, VT_NEVER);
	w->cold_of[i].end_ps = VT_NEVER;
	if (i >= w->initial)
		weft_store32(&r->status, WEFT_VT_VACANT);
	else
		w->batch[i] = i;
}

/*
 * Finds, for each rank, the first rank that uses the same memory. Returns 1 if
 * several ranks share a memory, otherwise 0, or -ENOMEM.
 */
static int set_memories(struct weft_vt *w, const struct net_config *cfg)
{
	uint32_t count = cfg->memory.count ? cfg->memory.count : 1;
	uint32_t *first = calloc((size_t)net_shape_nodes(cfg) *
					 net_partitions(cfg) * count,
				 sizeof(*first));
	int shared = 0;

	if (!first)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->size; i++) {
		const struct vt_rank *r = &w->rank_of[i];
		uint32_t *of =
			&first[(size_t)r->node * count + r->slot % count];

		if (*of)
			shared = 1;
		else
			*of = i + 1;
		w->cold_of[i].memory = *of - 1;
	}
	free(first);
	return shared;
}

/*
 * Sets the shortest delays between ranks. They are one tick shorter than the
 * delay of the network, because the model works in whole ticks and may process
 * one tick more.
 */
static void set_lookahead(struct weft_vt *w, struct vt_head *h, bool shared)
{
	const struct net_config *cfg = &h->cfg;
	uint64_t unit = net_lookahead(w->net), soft = cfg->send_ps;

	if (shared && cfg->memory.latency_ps &&
	    cfg->memory.latency_ps - cfg->tick_ps < unit)
		unit = cfg->memory.latency_ps - cfg->tick_ps;
	if (cfg->coll_send_ps < soft)
		soft = cfg->coll_send_ps;
	w->ahead_unit_ps = h->ahead_unit_ps = unit - cfg->tick_ps;
	w->ahead_ps = h->ahead_ps = soft + h->ahead_unit_ps;
}

/*
 * Returns whether a link is dead from the start on a machine without detours.
 */
static bool starts_partitioned(const struct weft_vt *w,
			       const struct weft_fault_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->fault[i].kind == WEFT_FAULT_DEAD_LINK &&
		    !plan->fault[i].at_ps && !w->cfg.care.reroute)
			return true;
	return false;
}

/*
 * Loads the fault plan; no rank may be on a node that is dead from the start.
 */
static int load_faults(struct weft_vt *w, const struct weft_vt_conf *conf,
		       const struct weft_fault_plan *plan)
{
	const char *name = conf->faults;
	struct weft_fault_plan_why why;

	if (!plan->count)
		return vt_ends_load(w, name, plan, &why) ? 0 : -EINVAL;
	if (strpbrk(name, " =;"))
		name = "plan";
	if (net_fault_load(w->net, name, plan, &why) ||
	    !vt_ends_load(w, name, plan, &why))
		return world_refuse(why.text);
	if (starts_partitioned(w, plan)) {
		snprintf(why.text, sizeof(why.text),
			 "%.80s: a link is dead from the start, and %.40s has "
			 "no detour",
			 name, w->cfg.name);
		return world_refuse(why.text);
	}
	for (uint32_t i = 0; i < w->initial; i++)
		if (net_fault_node_dead(w->net, w->rank_of[i].node)) {
			snprintf(why.text, sizeof(why.text),
				 "%.80s: rank %u is on node %u, which is dead "
				 "from the start",
				 name, i, w->rank_of[i].node);
			return world_refuse(why.text);
		}
	return 0;
}

static int world_fill(struct weft_vt *w, const struct net_place *where)
{
	struct vt_head *h = w->head;
	int ret;

	for (uint32_t i = 0; i < h->size; i++)
		rank_init(w, i, &where[i]);
	h->batch_count = h->initial;
	/*
	 * all initial ranks count as running until they block, even before they
	 * have started
	 */
	weft_store32(&h->running, h->initial);
	ret = net_open(w->net, h->bytes - h->net_off, &h->cfg, model_room(h));
	if (ret)
		return ret;
	ret = set_memories(w, &h->cfg);
	if (ret >= 0)
		set_lookahead(w, h, ret);
	return ret < 0 ? ret : 0;
}

/* Copies the places of the ranks that the caller has passed. */
static int copy_places(const struct weft_vt_conf *conf,
		       const struct net_config *cfg, uint32_t size,
		       struct net_place *where)
{
	uint32_t nodes = net_shape_nodes(cfg);
	char why[96];

	for (uint32_t i = 0; i < size; i++) {
		if (conf->place[i].node >= nodes) {
			snprintf(why, sizeof(why),
				 "rank %u: no node %u; the machine has %u "
				 "nodes",
				 i, conf->place[i].node, nodes);
			return world_refuse(why);
		}
		where[i] = (struct net_place){ conf->place[i].node,
					       conf->place[i].slot };
	}
	return 0;
}

/*
 * Maps ranks to nodes as the option says: by an order of axis letters, or by a
 * file.
 */
static int map_ranks(const struct weft_vt_conf *conf,
		     const struct net_config *cfg, uint32_t size,
		     struct net_place *where)
{
	struct net_map_args a = { .cfg = cfg, .ppn = conf->ppn, .ranks = size };
	char why[NET_MAP_WHY] = "";
	char *text = NULL;
	int ret = 0;

	if (conf->place)
		return copy_places(conf, cfg, size, where);
	if (conf->map && *conf->map && net_map_is_order(conf->map))
		a.order = conf->map;
	else if (conf->map && *conf->map)
		ret = net_map_read(conf->map, &text, why);
	a.table = text;
	if (!ret)
		ret = net_map_fill(&a, where, why);
	free(text);
	return ret ? world_refuse(why) : 0;
}

/*
 * Loads the machine file. The shape of the machine may depend on the number of
 * nodes, so the number of ranks per node is read first.
 */
static int load_machine(const struct weft_vt_conf *conf, uint32_t size,
			struct net_config *cfg)
{
	struct net_error_text why = { "" };
	int ret = net_file_load(conf->machine, 0, cfg, &why);
	uint32_t ppn;

	if (!ret) {
		ppn = conf->ppn ? conf->ppn : cfg->ranks_per_node;
		ret = net_file_load(conf->machine,
				    conf->place ? conf->nodes
						: (size + ppn - 1) / ppn,
				    cfg, &why);
	}
	return ret ? world_refuse(why.text) : 0;
}

int weft_vt_nodes(const char *machine, uint32_t *nodes_p, uint32_t *ppn_p)
{
	struct net_error_text why = { "" };
	struct net_config *cfg = calloc(1, sizeof(*cfg));
	int ret = cfg ? net_file_load(machine, *nodes_p, cfg, &why) : -ENOMEM;

	if (!ret) {
		*nodes_p = net_shape_nodes(cfg);
		if (!*ppn_p)
			*ppn_p = cfg->ranks_per_node;
	}
	free(cfg);
	return ret ? world_refuse(why.text) : 0;
}

int weft_vt_unit(const char *machine, struct weft_vt_unit *unit)
{
	struct net_config cfg;
	struct net_error_text why = { "" };
	int ret = net_file_load(machine, 0, &cfg, &why);

	if (ret)
		return ret == -ENOENT ? ret : world_refuse(why.text);
	static_assert(sizeof(cfg.unit) == WEFT_VT_UNIT, "names of units");
	memcpy(unit->name, cfg.unit, WEFT_VT_UNIT);
	unit->packet_bytes = cfg.message_packet_bytes;
	unit->eager_bytes = cfg.eager_bytes;
	return 0;
}

/*
 * Returns the number of injection FIFOs of a rank: the FIFOs of a node are
 * divided among its ranks.
 */
static uint32_t fifos_of(const struct net_config *cfg,
			 const struct net_place *where, uint32_t size)
{
	uint32_t ranks = 1, n;

	for (uint32_t i = 0; i < size; i++)
		if (where[i].slot >= ranks)
			ranks = where[i].slot + 1;
	n = cfg->memory_fifos / 2 / ranks;
	if (!cfg->memory_fifos)
		return VT_FIFOS;
	return n ? n : 1;
}

static struct weft_vt *world_new(const struct weft_vt_conf *conf, uint32_t rank)
{
	struct weft_vt *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->rank = rank;
	w->listen = -1;
	w->region.fd = -1;
	w->compute = conf->compute;
	w->instructions = conf->instructions;
	w->blocks = conf->blocks;
	w->skeleton = conf->skeleton;
	if (conf->noise)
		w->noise = *conf->noise;
	return w;
}

static int read_plan(const struct weft_vt_conf *conf,
		     const struct net_config *cfg, struct weft_fault_plan *plan)
{
	const char *name = conf->faults;
	struct weft_fault_plan_why why;
	int ret;

	if (!name || !*name)
		return 0;
	ret = weft_fault_plan_load(name, plan, &why);
	if (!ret)
		ret = net_fault_check(cfg, strpbrk(name, " =;") ? "plan" : name,
				      plan, &why);
	return ret ? world_refuse(why.text) : 0;
}

static int world_build(struct weft_vt *w, const struct vt_head *plan,
		       const struct net_place *where)
{
	int ret = weft_region_open_unsealed(&w->region, "weft-vt", plan->bytes);

	if (ret) {
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: cannot allocate the shared world "
			 "segment of %llu bytes: %s",
			 (unsigned long long)plan->bytes, strerror(-ret));
		return ret;
	}
	memcpy(w->region.base, plan, sizeof(*plan));
	ret = map_parts(w);
	return ret ? ret : world_fill(w, where);
}

static int world_id(uint64_t *id_p)
{
	return getrandom(id_p, sizeof(*id_p), 0) == sizeof(*id_p) ? 0 : -EIO;
}

int weft_vt_create(const struct weft_vt_conf *conf, uint32_t size,
		   struct weft_vt **w_p, char handle[WEFT_VT_HANDLE])
{
	struct weft_vt *w = world_new(conf, 0);
	uint32_t room = conf->universe > size ? conf->universe : size;
	struct net_place *where = calloc(room, sizeof(*where));
	struct vt_head plan = { .magic = VT_MAGIC,
				.size = room,
				.initial = size,
				.packet_bytes = conf->packet_bytes };
	struct weft_fault_plan faults = { .count = 0 };
	int ret = w && where ? load_machine(conf, room, &plan.cfg) : -ENOMEM;

	if (!ret)
		ret = map_ranks(conf, &plan.cfg, room, where);
	if (!ret)
		ret = world_id(&plan.id);
	if (!ret)
		plan.fifos = fifos_of(&plan.cfg, where, room);
	if (!ret)
		ret = read_plan(conf, &plan.cfg, &faults);
	if (!ret) {
		net_fault_reserve(&plan.cfg, &faults);
		lay_out(&plan);
		ret = world_build(w, &plan, where);
	}
	if (!ret)
		ret = load_faults(w, conf, &faults);
	weft_fault_plan_fini(&faults);
	free(where);
	if (ret) {
		weft_vt_close(w);
		return ret;
	}
	snprintf(handle, WEFT_VT_HANDLE, "vt %d %d", (int)getpid(),
		 w->region.fd);
	*w_p = w;
	return 0;
}

/* ---- attachment by the other ranks --------------------------------------- */

/*
 * Checks that the world belongs to this user: root could open a world of
 * another user, but must not trust it.
 */
static int check_owner(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid == geteuid())
		return 0;
	weft_log(WEFT_LOG_ERROR,
		 "virtual time: the shared world segment of the job belongs to "
		 "user %u; all ranks must run as one user",
		 (unsigned)st.st_uid);
	return -EPERM;
}

int weft_vt_attach(const struct weft_vt_conf *conf, const char *handle,
		   uint32_t rank, struct weft_vt **w_p)
{
	struct weft_vt *w;
	char path[64];
	int pid, fd, ret;

	if (sscanf(handle, "vt %d %d", &pid, &fd) != 2)
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		weft_log(WEFT_LOG_ERROR,
			 "virtual time: %s of rank 0 cannot be opened (%s); "
			 "all ranks must run on one host",
			 path, strerror(errno));
		return -ENOENT;
	}
	w = world_new(conf, rank);
	ret = w ? check_owner(fd) : -ENOMEM;
	if (!ret)
		ret = weft_region_attach(&w->region, fd,
					 sizeof(struct vt_head));
	if (!ret)
		ret = map_parts(w);
	/* a rank that has not been started cannot attach */
	if (!ret && weft_load32(&w->rank_of[rank].status) == WEFT_VT_VACANT)
		ret = -EINVAL;
	/* keep the descriptor: processes that this rank spawns open it */
	if (!ret && w->initial < w->size)
		w->region.fd = fd;
	else
		close(fd);
	if (ret) {
		weft_vt_close(w);
		return ret;
	}
	*w_p = w;
	return 0;
}

void weft_vt_close(struct weft_vt *w)
{
	if (!w)
		return;
	if (w->listen >= 0)
		close(w->listen);
	weft_region_close(&w->region);
	free(w->wake);
	free(w);
}

uint32_t weft_vt_size(const struct weft_vt *w)
{
	return w->size;
}

int weft_vt_choice(const struct weft_vt *w, unsigned i,
		   struct weft_vt_choice *choice)
{
	const struct net_choice *c = &w->cfg.choice[i];

	static_assert(sizeof(*choice) == sizeof(*c), "copied");
	if (i >= w->cfg.choices)
		return -ENOENT;
	memcpy(choice, c, sizeof(*choice));
	return 0;
}

void weft_vt_name(const struct weft_vt *w, uint32_t rank, union weft_name *name)
{
	(void)w;
	memset(name, 0, sizeof(*name));
	name->in.sin_family = AF_INET;
	name->in.sin_port = htons(NAME_PORT);
	name->in.sin_addr.s_addr = htonl(NAME_NET + 1 + rank);
}

int vt_name_rank(const struct weft_vt *w, const union weft_name *name,
		 uint32_t *rank_p)
{
	uint32_t rank = ntohl(name->in.sin_addr.s_addr) - NAME_NET - 1;

	if (name->in.sin_port != htons(NAME_PORT) || rank >= w->size)
		return -EHOSTUNREACH;
	*rank_p = rank;
	return 0;
}
