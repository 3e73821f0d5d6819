/* SPDX-License-Identifier: BSD-3-Clause */
/* Fake engine and carrier for the tests of prov/ofi. */
#include "test/support/weft_fake.h"
#include "prov/ofi/ep/weft_atomic.h"
#include "prov/ofi/weft_av.h"
#include "prov/ofi/queue/weft_cntr.h"
#include "prov/ofi/group/weft_mcgroup.h"
#include "prov/ofi/queue/weft_cq.h"
#include "prov/ofi/ep/weft_data.h"
#include "prov/ofi/weft_domain.h"
#include "prov/ofi/ep/weft_ep.h"
#include "prov/ofi/weft_fabric.h"
#include "prov/ofi/weft_info.h"
#include "prov/ofi/ep/weft_progress.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* empty ops tables: these tests do not use the data path */
struct fi_weft_recv weft_recv_ops;
struct fi_weft_typed weft_typed_ops;
struct fi_weft_mem weft_mem_ops;
struct fi_weft_peers weft_peers_ops;
struct fi_weft_rma_sync weft_rma_sync_ops;
struct fi_weft_amo_sync weft_amo_sync_ops;

bool weft_nic_fetching(const struct weft_nic *nic)
{
	return false;
}

uint64_t weft_nic_dead_count(const struct weft_nic *nic)
{
	(void)nic;
	return 0;
}

static const struct weft_machine machines[] = {
	{ .name = "native",
	  .fabric = "weft",
	  .inject_bytes = 4096,

	  .msg_order = FI_ORDER_SAS | FI_ORDER_RMA_RAW | FI_ORDER_ATOMIC_RAW },
	{ .name = "bgq",
	  .fabric = "weft-bgq",
	  .inject_bytes = 512,
	  .msg_order = FI_ORDER_SAS },
	{ .name = "apenet",
	  .fabric = "weft-apenet",
	  .inject_bytes = 128,
	  .msg_order = FI_ORDER_SAS,
	  .hmem = true },
};

const struct weft_machine *weft_machine_at(unsigned i)
{
	return i < WEFT_COUNT_OF(machines) ? &machines[i] : NULL;
}

const struct weft_machine *weft_machine_find(const char *name)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(machines); i++)
		if (!strcmp(machines[i].name, name))
			return &machines[i];
	return NULL;
}

/* The fake machines have no units: tests use no virtual time. */
int weft_machine_modelled(const char *unit, size_t packet_bytes,
			  size_t eager_bytes, struct weft_machine *m)
{
	return -ENODEV;
}

/* ---- carrier ------------------------------------------------------------- */

static struct fake_ep *of_carrier(struct weft_carrier *c)
{
	return weft_container_of(c, struct fake_ep, carrier);
}

static int fake_peer(struct weft_carrier *c, const union weft_name *name,
		     struct weft_peer **peer_p)
{
	struct fake_ep *e = of_carrier(c);
	uint32_t i = 0;

	while (i < e->peer_count &&
	       (e->peer[i].lost || e->name[i].in.sin_port != name->in.sin_port))
		i++;
	if (i == FAKE_PEERS)
		return -EHOSTUNREACH;
	if (i == e->peer_count) {
		e->name[i] = *name;
		e->peer[i].name = &e->name[i];
		e->peer[i].index = i;
		e->peer_count++;
	}
	*peer_p = &e->peer[i];
	return 0;
}

static int fake_wait(struct weft_carrier *c, uint64_t timeout_ns)
{
	struct fake_ep *e = of_carrier(c);
	struct timespec ts;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &ts);
	/* the longest wait that the carrier's interface allows */
	if (timeout_ns > 100000000)
		timeout_ns = 100000000;
	ts.tv_nsec += (long)timeout_ns;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	pthread_mutex_lock(&e->mutex);
	while (!err && !e->woken && !weft_load32(&e->due))
		err = pthread_cond_timedwait(&e->cond, &e->mutex, &ts);
	e->woken = false;
	pthread_mutex_unlock(&e->mutex);
	return 0;
}

static void fake_wake(struct weft_carrier *c)
{
	struct fake_ep *e = of_carrier(c);

	pthread_mutex_lock(&e->mutex);
	e->woken = true;
	pthread_cond_signal(&e->cond);
	pthread_mutex_unlock(&e->mutex);
}

static int fake_wait_fd(struct weft_carrier *c)
{
	return of_carrier(c)->no_fd ? -EOPNOTSUPP : of_carrier(c)->fd;
}

static int fake_arm(struct weft_carrier *c)
{
	struct fake_ep *e = of_carrier(c);
	uint64_t n;

	if (weft_load32(&e->due))
		return -EAGAIN;
	if (e->no_fd)
		return -EOPNOTSUPP;
	if (read(e->fd, &n, sizeof(n)) < 0)
		return 0;
	return weft_load32(&e->due) ? -EAGAIN : 0;
}

static void fake_stats(struct weft_carrier *c, struct weft_carrier_stats *s)
{
	s->received = of_carrier(c)->serial;
}

static const struct weft_carrier_ops carrier_ops = {
	.name = "fake",
	.backend = &weft_backend_live,
	.peer = fake_peer,
	.wait = fake_wait,
	.wake = fake_wake,
	.wait_fd = fake_wait_fd,
	.arm = fake_arm,
	.stats = fake_stats,
};

const struct weft_carrier_ops weft_carrier_shm;
const struct weft_carrier_ops weft_carrier_loop;
const struct weft_carrier_ops weft_carrier_sock;
const struct weft_carrier_ops weft_carrier_hybrid;

void fake_arrive(struct fake_ep *e, uint32_t n)
{
	uint64_t one = 1;

	weft_add32(&e->due, n);
	pthread_mutex_lock(&e->mutex);
	pthread_cond_signal(&e->cond);
	pthread_mutex_unlock(&e->mutex);
	T_IS(write(e->fd, &one, sizeof(one)), sizeof(one));
}

/* ---- engine -------------------------------------------------------------- */

static struct fake_ep *of_nic(struct weft_nic *nic)
{
	return (struct fake_ep *)nic;
}

void weft_nic_region_list(struct weft_nic *nic,
			  const struct weft_mem_access *row, void *at)
{
	of_nic(nic)->exposed++;
}

void weft_nic_region_unlist(struct weft_nic *nic, uint64_t key)
{
	if (of_nic(nic)->exposed)
		of_nic(nic)->exposed--;
}

void weft_nic_region_closed(struct weft_nic *nic, uint64_t key)
{
}

void weft_nic_stats(const struct weft_nic *nic, struct weft_nic_stats *s)
{
	*s = (struct weft_nic_stats){ .unexpected = 3 };
}

int weft_ep_open(struct fid_domain *domain, struct fi_info *info,
		 struct fid_ep **ep_p, void *context)
{
	return -FI_ENOSYS;
}

int weft_query_collective(struct fid_domain *domain, enum fi_collective_op coll,
			  struct fi_collective_attr *attr, uint64_t flags)
{
	return -FI_EOPNOTSUPP;
}

int weft_query_atomic(struct fid_domain *domain, enum fi_datatype datatype,
		      enum fi_op op, struct fi_atomic_attr *attr,
		      uint64_t flags)
{
	return -FI_EOPNOTSUPP;
}

void weft_ep_progress(struct weft_ep *ep)
{
	struct fake_ep *e = weft_container_of(ep, struct fake_ep, ep);

	for (uint32_t n = weft_swap32(&e->due, 0); n; n--) {
		struct weft_cqe cqe = { .context = e,
					.flags = FI_RECV | FI_TAGGED,
					.len = 8,
					.data = e->serial,
					.tag = ~e->serial,
					.src = FI_ADDR_NOTAVAIL };

		e->serial++;
		if (ep->rx_cq)
			T_OK(weft_cq_write(ep->rx_cq, &cqe));
		weft_cntr_count(ep->cntr[WEFT_CNTR_RECV]);
	}
}

/* ---- objects ------------------------------------------------------------- */

void fake_open(struct fake *f, enum fi_threading threading,
	       enum fi_progress progress)
{
	struct fi_info *hints = fi_allocinfo();

	T_NOT_NULL(hints);
	f->no_fd = false;
	hints->domain_attr->threading = threading;
	hints->domain_attr->data_progress = progress;
	T_OK(weft_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &f->info));
	f->info->fabric_attr->api_version = FI_VERSION(1, 17);
	fi_freeinfo(hints);
	T_OK(weft_fabric_open(f->info->fabric_attr, &f->fabric, NULL));
	T_OK(fi_domain(f->fabric, f->info, &f->domain, NULL));
}

void fake_close(struct fake *f)
{
	T_OK(fi_close(&f->domain->fid));
	T_OK(fi_close(&f->fabric->fid));
	fi_freeinfo(f->info);
}

struct fake_ep *fake_ep_open(struct fake *f, struct fid_cq *cq,
			     struct fid_cntr *cntr, struct fid_av *av)
{
	struct fake_ep *e = calloc(1, sizeof(*e));
	struct weft_domain *d =
		weft_container_of(f->domain, struct weft_domain, fid);

	T_NOT_NULL(e);
	pthread_mutex_init(&e->mutex, NULL);
	pthread_cond_init(&e->cond, NULL);
	e->fd = eventfd(0, EFD_NONBLOCK);
	T_TRUE(e->fd >= 0);
	e->no_fd = f->no_fd;
	e->carrier.ops = &carrier_ops;
	e->ep.fid.fid.fclass = FI_CLASS_EP;
	e->ep.domain = d;
	e->ep.carrier = &e->carrier;
	e->ep.nic = (struct weft_nic *)e;
	e->ep.enabled = true;
	if (cq)
		e->ep.rx_cq = weft_container_of(cq, struct weft_cq, fid);
	if (cntr)
		e->ep.cntr[WEFT_CNTR_RECV] =
			weft_container_of(cntr, struct weft_cntr, fid);
	weft_enter(d);
	if (av)
		T_OK(weft_av_bind(weft_container_of(av, struct weft_av, fid),
				  &e->ep));
	T_OK(weft_domain_ep_add(d, &e->ep));
	weft_leave(d);
	weft_ref_get(&d->ref);
	return e;
}

void fake_ep_close(struct fake_ep *e)
{
	struct weft_domain *d = e->ep.domain;

	weft_enter(d);
	weft_domain_ep_del(d, &e->ep);
	weft_av_unbind(&e->ep);
	weft_leave(d);
	weft_ref_put(&d->ref);
	close(e->fd);
	pthread_cond_destroy(&e->cond);
	pthread_mutex_destroy(&e->mutex);
	free(e);
}
