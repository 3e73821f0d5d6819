/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers that the network interfaces execute, between the memories of two
 * ranks that may both compute at the same time. One post contains both
 * addresses; the model splits the transfer into packets and computes their
 * times. The process that runs the model copies the bytes when the last of them
 * has arrived in virtual time. No rank runs at that moment, so an atomic reads,
 * changes and writes memory as one operation.
 *
 *   put      DATA:     the data, origin -> target; then acknowledged, or
 *            RESPONSE: a response
 *   get      REQUEST:  request, origin -> target
 *            DATA:     data, target -> origin
 *   atomic   REQUEST:  operands, origin -> target
 *            DATA:     the previous value, target -> origin
 *
 * Ordered accesses between the same two ranks wait in the origin's FIFO, when
 * their bytes are already at the target, until the earlier accesses have been
 * executed.
 *
 * The completion reaches the origin like a packet. Neither rank may leave the
 * world before that: both count the transfer as in flight.
 */
#include "prov/carrier/carrier_cma.h"
#include "prov/vt/vt.h"
#include "src/job/job_log.h"
#include "src/job/job_skeleton.h"
#include "src/base/memcheck.h"
#include "src/base/must.h"

#include <string.h>
#include <unistd.h>

#define BOUNCE (64u * 1024)

static_assert(sizeof(struct vt_dma) <= VT_BUF_BYTES, "fits any buffer");

/* ---- posting by the origin ----------------------------------------------- */

/*
 * Adds the local segments of d to m, up to the length of the transfer. Returns
 * false if there are too many segments, or too few bytes.
 */
static bool dma_segments(const struct weft_dma *d, struct vt_dma *m)
{
	uint64_t left = m->operands && !d->local_count ? 0 : d->bytes;

	for (int i = 0; i < d->local_count && left; i++) {
		uint64_t len = d->local[i].iov_len;

		if (!len)
			continue;
		if (m->count == VT_DMA_SEGS)
			return false;
		len = len < left ? len : left;
		m->address[m->count] = (uintptr_t)d->local[i].iov_base;
		m->len[m->count++] = len;
		left -= len;
	}
	return !left;
}

static int free_place(const struct vt *v)
{
	for (int i = 0; i < (int)VT_DMAS; i++)
		if (!v->dma[i])
			return i;
	return -1;
}

static void dma_fill(struct vt *v, uint32_t i, const struct vt_dma *m,
		     const struct weft_dma_path *path)
{
	struct vt_buf *b = vt_buf(v->w, i);

	b->kind = VT_DMA;
	b->from = v->rank;
	b->more = 1; /* the completion is received without cost */
	b->attr = path->there;
	b->by_interface = v->interface.running;
	memcpy(b->payload, m, sizeof(*m));
	v->long_message = !path->quick;
	v->long_ps = v->w->cfg.message_ps;
	vt_send_cost(v);
	b->stamp = vt_time(v);
	v->last_to = VT_NONE;
}

/*
 * Posts a transfer; the caller has set the fields of *m that differ between
 * put, get and atomic.
 */
static int dma_post(struct vt *v, struct weft_peer *peer, struct weft_dma *d,
		    const struct weft_dma_path *path, struct vt_dma *m)
{
	int place = free_place(v);
	uint32_t i;

	m->ordered = d->ordered;
	m->remote = d->remote;
	m->region = d->region;
	m->key = d->region ? d->key : 0;
	m->bytes = d->bytes;
	m->back = path->back;
	if (!dma_segments(d, m))
		return -EINVAL;
	i = place < 0 ? VT_NONE : vt_buf_get(v);
	if (i == VT_NONE)
		return -EAGAIN;
	vt_enter(v);
	dma_fill(v, i, m, path);
	vt_buf(v->w, i)->to = ((struct vt_peer *)peer)->rank;
	vt_buf(v->w, i)->id = (uint16_t)place;
	WEFT_ASSERT(place >= 0 && place < (int)VT_DMAS && !v->dma[place]);
	v->dma[place] = d;
	vt_post(v, i);
	vt_exit(v);
	return 0;
}

static int dma_move_post(struct weft_carrier *c, struct weft_peer *peer,
			 struct weft_dma *d, const struct weft_dma_path *path,
			 bool get)
{
	struct vt *v = vt_of(c);
	struct vt_dma m = { .kind = get ? VT_GET : VT_PUT,
			    .step = get ? VT_DMA_REQUEST : VT_DMA_DATA };

	if (!d->bytes) {
		d->done(d, 0);
		return 0;
	}
	if (peer->lost)
		return -ECONNRESET;
	if (v->no_dma || v->out)
		return -EOPNOTSUPP;
	return dma_post(v, peer, d, path, &m);
}

int vt_get(struct weft_carrier *c, struct weft_peer *peer, struct weft_dma *d,
	   const struct weft_dma_path *path)
{
	return dma_move_post(c, peer, d, path, true);
}

int vt_put(struct weft_carrier *c, struct weft_peer *peer, struct weft_dma *d,
	   const struct weft_dma_path *path)
{
	return dma_move_post(c, peer, d, path, false);
}

/*
 * Posts an atomic. Refused (-EOPNOTSUPP) if a rank of the world has several
 * threads, which may change the word concurrently.
 */
int vt_atomic(struct weft_carrier *c, struct weft_peer *peer,
	      struct weft_amo *a, const struct weft_dma_path *path)
{
	struct vt *v = vt_of(c);
	struct vt_dma m = { .kind = VT_CHANGE,
			    .step = VT_DMA_REQUEST,
			    .operands = (uintptr_t)a->what,
			    .operand_bytes = a->operand_bytes };

	if (peer->lost)
		return -ECONNRESET;
	if (v->no_dma || v->out || v->w->head->threads || !v->change ||
	    a->operand_bytes > WEFT_AMO_BYTES || a->dma.bytes > WEFT_AMO_BYTES)
		return -EOPNOTSUPP;
	return dma_post(v, peer, &a->dma, path, &m);
}

int vt_dma_completed(struct vt *v, const struct vt_buf *b)
{
	struct weft_dma *d;
	struct vt_dma m;

	memcpy(&m, b->payload, sizeof(m));
	d = b->id < VT_DMAS ? v->dma[b->id] : NULL;
	if (!d || m.err > 0)
		return -EPROTO;
	v->dma[b->id] = NULL;
	vt_charge(v, v->w->cfg.poll_ps);
	if (m.kind != VT_PUT)
		weft_peer_wrote_iov(d->local, d->local_count, d->bytes);
	d->done(d, m.err);
	return 0;
}

/* ---- copying the bytes --------------------------------------------------- */

/*
 * Copies between the memories of two other processes through a bounce buffer.
 */
static int copy_between(pid_t from, uint64_t src, pid_t to, uint64_t dst,
			uint64_t bytes)
{
	/* temporary buffer of copies, used by the engine's owner only */
	static char bounce[BOUNCE];
	int ret = 0;

	for (uint64_t n, at = 0; at < bytes && !ret; at += n) {
		struct iovec iov = { .iov_base = bounce };

		n = bytes - at < BOUNCE ? bytes - at : BOUNCE;
		iov.iov_len = n;
		ret = carrier_cma(from, false, &iov, 1, src + at);
		if (!ret)
			ret = carrier_cma(to, true, &iov, 1, dst + at);
	}
	return ret;
}

static int dma_move(pid_t from, uint64_t src, pid_t to, uint64_t dst,
		    uint64_t bytes)
{
	struct iovec iov = { .iov_len = bytes };

	if (to == getpid()) {
		iov.iov_base = (void *)(uintptr_t)dst;
		return carrier_cma(from, false, &iov, 1, src);
	}
	if (from == getpid()) {
		iov.iov_base = (void *)(uintptr_t)src;
		return carrier_cma(to, true, &iov, 1, dst);
	}
	return copy_between(from, src, to, dst, bytes);
}

/*
 * Copies between the memory of this process (`own`) and that of process pid
 * (`at`); write: to pid.
 */
static int copy_memory(pid_t pid, bool write, void *own, uint64_t at,
		       uint64_t bytes)
{
	struct iovec iov = { .iov_base = own, .iov_len = bytes };

	return bytes ? carrier_cma(pid, write, &iov, 1, at) : 0;
}

static bool is_attached(const struct vt_rank *r)
{
	return weft_load32(&r->status) < WEFT_VT_DONE;
}

/* A transfer, with the processes of its origin and target. */
struct dma_job {
	struct vt_engine_pass *t;
	struct vt_buf *b;
	struct vt_dma *m;
	pid_t origin;
	pid_t target;
};

/*
 * Returns whether data at this address is copied; data in the folded memory of
 * skeletons is not.
 */
static bool is_copied(const struct dma_job *j, uint64_t address)
{
	return !j->t->w->skeleton || !weft_skeleton_has(address);
}

/* Copies all bytes of a put or a get. */
static int job_move(const struct dma_job *j)
{
	const struct vt_dma *m = j->m;
	uint64_t remote = m->remote;
	int ret = 0;

	if (!is_copied(j, remote))
		return 0;
	for (unsigned i = 0; i < m->count && !ret; i++) {
		if (is_copied(j, m->address[i]))
			ret = m->kind == VT_GET
				      ? dma_move(j->target, remote, j->origin,
						 m->address[i], m->len[i])
				      : dma_move(j->origin, m->address[i],
						 j->target, remote, m->len[i]);
		remote += m->len[i];
	}
	return ret;
}

/* Copies bytes from `from` in this process to the origin's segments. */
static int job_scatter(const struct dma_job *j, unsigned char *from)
{
	const struct vt_dma *m = j->m;
	int ret = 0;

	for (unsigned i = 0; i < m->count && !ret; i++) {
		if (is_copied(j, m->address[i]))
			ret = copy_memory(j->origin, true, from, m->address[i],
					  m->len[i]);
		from += m->len[i];
	}
	return ret;
}

/*
 * Copies the bytes of a short get to the transfer's buffer, when the target's
 * interface reads them.
 */
static int job_get_read(const struct dma_job *j)
{
	if (!is_copied(j, j->m->remote))
		return 0;
	return copy_memory(j->target, false, j->b->payload + sizeof(*j->m),
			   j->m->remote, j->m->bytes);
}

/* Executes an atomic; no rank runs, so no rank sees an intermediate state. */
static int job_change(const struct dma_job *j)
{
	static alignas(64) unsigned char operands[WEFT_AMO_BYTES];
	static alignas(64) unsigned char data[WEFT_AMO_BYTES];
	static unsigned char old[WEFT_AMO_BYTES];
	const struct vt_dma *m = j->m;
	int ret;

	vt_require(m->operand_bytes <= sizeof(operands) &&
		   m->bytes <= sizeof(data) && j->t->v->change);
	if (j->t->w->head->threads)
		return -EOPNOTSUPP;
	ret = copy_memory(j->origin, false, operands, m->operands,
			  m->operand_bytes);
	if (!ret)
		ret = copy_memory(j->target, false, data, m->remote, m->bytes);
	if (!ret)
		ret = j->t->v->change(operands, m->operand_bytes, data, old,
				      m->bytes);
	if (!ret)
		ret = copy_memory(j->target, true, data, m->remote, m->bytes);
	return ret ? ret : job_scatter(j, old);
}

static int job_get_write(const struct dma_job *j)
{
	return job_scatter(j, j->b->payload + sizeof(*j->m));
}

/*
 * Executes a step of a transfer; in a hosted world does nothing, because its
 * messages have no data.
 */
static int job_part(const struct dma_job *j,
		    int (*part)(const struct dma_job *j))
{
	return weft_unlikely(j->t->w->park != NULL) ? 0 : part(j);
}

/* Executes a step of a transfer and records its error. */
static void job_do(struct vt_engine_pass *t, uint32_t i,
		   int (*part)(const struct dma_job *j))
{
	struct vt_buf *b = vt_buf(t->w, i);
	const struct vt_rank *origin = vt_rank(t->w, b->from);
	const struct vt_rank *target = vt_rank(t->w, b->to);
	struct vt_dma *m = (void *)b->payload;
	struct dma_job j = { .t = t,
			     .b = b,
			     .m = m,
			     .origin = (pid_t)weft_load32(&origin->pid),
			     .target = (pid_t)weft_load32(&target->pid) };
	int ret;

	vt_require(m->count <= VT_DMA_SEGS);
	ret = is_attached(origin) && is_attached(target) ? job_part(&j, part)
							 : -ECONNRESET;
	if (ret == -ESRCH)
		ret = -ECONNRESET;
	if (ret == -EPERM || ret == -ENOSYS) {
		weft_log_once(
			WEFT_LOG_WARN,
			"virtual time: ranks cannot access each other's memory "
			"(%s), so long messages are sent as packets by their "
			"processors; set kernel.yama.ptrace_scope=0 or grant "
			"CAP_SYS_PTRACE",
			strerror(-ret));
		ret = -EOPNOTSUPP;
	}
	if (ret && !m->err)
		m->err = ret;
}

/* ---- messages of a transfer ---------------------------------------------- */

static bool is_return(const struct vt_dma *m)
{
	return m->step == (m->kind == VT_PUT ? VT_DMA_RESPONSE : VT_DMA_DATA);
}

/*
 * Returns the address that the model uses, which is deterministic. The host
 * gives a program different addresses in each run, so an address in a region
 * becomes an offset from the region's start, and regions are ordered by first
 * access. A region that is registered again is a new region, even if its memory
 * has the same address. Memory outside of regions is divided into areas (heap,
 * mappings, stack), and its addresses become offsets in these areas.
 */
static uint64_t model_address(const struct weft_vt *w, uint32_t rank,
			      const struct vt_dma *m)
{
	const uint64_t area_span = 1ull << 30, page = 4096,
		       area_distance = 16411 * page;
	struct vt_rank_cold *d = &w->cold_of[rank];
	uint64_t first = m->region ? m->region : m->remote - m->remote % page;
	uint64_t range = m->region ? 0 : area_span;
	uint32_t i, count = d->areas;

	vt_require(count <= VT_AREAS);
	for (i = 0; i < count; i++)
		if (d->area[i].region == !!m->region &&
		    d->area[i].key == m->key &&
		    first - d->area[i].begin + range <= 2 * range)
			break;
	if (i == count && count < VT_AREAS)
		d->area[d->areas++] =
			(struct vt_area){ first, m->key, !!m->region };
	if (i < VT_AREAS)
		first = d->area[i].begin;
	return area_span + i * area_distance + m->remote - first;
}

/* Sends the message of a transfer's step at time `at`. */
static void step_send(struct vt_engine_pass *t, uint32_t i, uint64_t at)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_dma *m = (void *)b->payload;
	bool back = is_return(m);
	struct net_msg msg;

	if (back)
		vt_msg_init_unit(t->w, b->to, b->from, &m->back, &msg);
	else
		vt_msg_init_sent(t->w, b, &msg);
	msg.address = back ? 0 : model_address(t->w, b->to, m);
	msg.cookie = i | VT_COOKIE_DMA;
	if (m->step == VT_DMA_RESPONSE || (m->err && is_return(m)))
		msg.bytes = 0;
	else if (m->step == VT_DMA_REQUEST)
		msg.bytes = b->attr.bytes ? b->attr.bytes - 1 : 0;
	else
		msg.bytes = m->kind == VT_CHANGE && !m->count ? 0 : m->bytes;
	m->acked = m->kind == VT_PUT && msg.ack;
	if (m->acked)
		msg.cookie |= VT_COOKIE_ACK;
	WEFT_GUARD_ASSERT(m->step <= VT_DMA_RESPONSE && b->kind == VT_DMA);
	m->arrived_bytes = 0;
	m->awaited = msg.bytes;
	vt_rank_send(t->w, at, b->from, b->to, &msg);
}

static void dma_end(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	uint32_t from = b->from, to = b->to;

	vt_arrive(t, from, i, false);
	vt_flight_done(t, from);
	vt_flight_done(t, to);
}

/* ---- memory accesses in order -------------------------------------------- */

/*
 * Executes the memory access of a transfer; the access must be next in order.
 */
static void access_execute(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_dma *m = (void *)b->payload;
	uint64_t at = t->time_ps;

	m->wait_for &= (uint8_t)~VT_DMA_ORDER;
	if (m->kind == VT_PUT) {
		uint32_t to = vt_buf(t->w, i)->to;

		job_do(t, i, job_move);
		vt_memory_changed(t, to);
		if (!m->acked) {
			m->step = VT_DMA_RESPONSE;
			step_send(t, i, t->time_ps);
		} else if (!(m->wait_for & VT_DMA_ACK)) {
			dma_end(t, i);
		}
		return;
	}
	if (m->step == VT_DMA_DATA) {
		job_do(t, i, job_move);
		dma_end(t, i);
		return;
	}
	job_do(t, i, m->kind == VT_CHANGE ? job_change : job_get_read);
	if (m->kind == VT_CHANGE) {
		struct vt_rank *r = vt_rank(t->w, b->to);

		/* the interface of a rank executes its atomics one by one */
		if (r->atomics_end_ps < t->time_ps)
			r->atomics_end_ps = t->time_ps;
		r->atomics_end_ps += t->w->cfg.change_ps;
		at = r->atomics_end_ps;
		vt_memory_changed(t, b->to);
	}
	m->step = VT_DMA_DATA;
	step_send(t, i, at);
}

/*
 * Executes the access of a transfer that is ready, and those of the following
 * transfers as far as their order permits.
 */
static void accesses_execute(struct vt_engine_pass *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	struct vt_dma *m = (void *)b->payload;
	struct vt_msg_fifo *fifo = &vt_rank(w, b->from)->accesses;
	uint32_t to = b->to, later;

	if (!m->ordered) {
		access_execute(t, i);
		return;
	}
	m->ready = 1;
	i = vt_msg_fifo_first(w, fifo->first, to);
	while (i != VT_NONE) {
		m = (void *)vt_buf(w, i)->payload;
		if (!m->ready)
			return;
		later = vt_buf(w, i)->later;
		vt_msg_fifo_remove(w, fifo, i);
		access_execute(t, i);
		i = vt_msg_fifo_first(w, later, to);
	}
}

/*
 * Handles a lost transfer: neither the transfer nor its response will arrive,
 * and later transfers need not wait for it.
 */
void vt_dma_lost(struct vt_engine_pass *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	struct vt_dma *m = (void *)b->payload;
	struct vt_msg_fifo *fifo = &vt_rank(w, b->from)->accesses;
	uint32_t to = b->to;

	m->err = -ECONNRESET;
	if (m->ordered && m->wait_for & VT_DMA_ORDER)
		vt_msg_fifo_remove(w, fifo, i);
	dma_end(t, i);
	i = vt_msg_fifo_first(w, fifo->first, to);
	if (i != VT_NONE &&
	    ((struct vt_dma *)(void *)vt_buf(w, i)->payload)->ready)
		accesses_execute(t, i);
}

/* ---- calls by the engine ------------------------------------------------- */

void vt_dma_post(struct vt_engine_pass *t, uint32_t i)
{
	struct weft_vt *w = t->w;
	struct vt_buf *b = vt_buf(w, i);
	struct vt_dma *m = (void *)b->payload;

	vt_rank(w, b->from)->in_flight++;
	vt_rank(w, b->to)->in_flight++;
	m->inline_data = m->ordered && m->kind == VT_GET &&
			 m->bytes <= w->buf_bytes -
					     offsetof(struct vt_buf, payload) -
					     sizeof(*m);
	step_send(t, i, vt_send_time(w, b->stamp));
	m->wait_for = VT_DMA_ORDER | (m->acked ? VT_DMA_ACK : 0);
	if (m->ordered)
		vt_msg_fifo_add(w, &vt_rank(w, b->from)->accesses, i);
}

/* Handles the arrival of all bytes of the message of a transfer's step. */
static void step_done(struct vt_engine_pass *t, uint32_t i, struct vt_dma *m)
{
	bool back = is_return(m);

	if (!back && (m->kind != VT_GET || m->inline_data)) {
		accesses_execute(t, i);
	} else if (!back) {
		m->step++;
		step_send(t, i, t->time_ps);
	} else if (m->kind == VT_GET && !m->inline_data) {
		accesses_execute(t, i);
	} else {
		if (m->kind == VT_GET && !m->err)
			job_do(t, i, job_get_write);
		dma_end(t, i);
	}
}

void vt_dma_packet(struct vt_engine_pass *t, uint32_t i, uint64_t bytes)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_dma *m = (void *)b->payload;

	vt_require(b->kind == VT_DMA && m->step <= VT_DMA_RESPONSE);
	m->arrived_bytes += bytes;
	if (m->arrived_bytes >= m->awaited)
		step_done(t, i, m);
}

/* Handles the acknowledgement of a put at the origin's interface. */
void vt_dma_acked(struct vt_engine_pass *t, uint32_t i)
{
	struct vt_buf *b = vt_buf(t->w, i);
	struct vt_dma *m = (void *)b->payload;

	vt_require(b->kind == VT_DMA && m->kind == VT_PUT && m->acked);
	m->wait_for &= (uint8_t)~VT_DMA_ACK;
	if (!(m->wait_for & VT_DMA_ORDER))
		dma_end(t, i);
}
