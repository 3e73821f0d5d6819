/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoint, completion queue, address vector. The names of other processes are
 * looked up at the first message to them.
 */
#include "src/boot/boot_wire_up.h"
#include "src/offload/offload_device.h"

#include "src/base/limit.h"
#include "src/boot/boot_abort.h"
#include "src/job/job_log.h"
#include "src/job/fault_plan.h"
#include "src/core/core_fi.h"
#include "src/boot/boot_hosts.h"
#include "src/boot/boot_pmix.h"
#include "src/msg/msg_progress.h"
#include "src/boot/boot_provider.h"
#include "src/boot/boot_secret.h"
#include "src/boot/boot_value.h"
#include "src/core/core_state.h"
#include "src/msg/msg_typed.h"
#include "src/boot/boot_backend.h"

#include <errno.h>
#include <netinet/in.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 256
/* largest number of processes of other jobs in the tables of this process */
#define FOREIGN_MAX    4096

static char my_name[NAME_MAX_BYTES];
static size_t my_name_len;
static const struct weft_wire_module *module;

static int log_error(const char *what, int rc)
{
	char limit[WEFT_LIMIT_TEXT] = "";

	if (rc == -FI_ENOMEM)
		weft_limit_space(limit, 0);
	weft_log_once(WEFT_LOG_ERROR, "%s: %s%s", what, fi_strerror(-rc),
		      limit);
	return weft_fi_errno(rc);
}

static struct fi_info *make_hints(bool threads)
{
	struct fi_info *h = fi_allocinfo();

	if (!h)
		return NULL;
	h->caps = FI_TAGGED;
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->ep_attr->type = FI_EP_RDM;
	h->tx_attr->msg_order = FI_ORDER_SAS;
	h->rx_attr->msg_order = FI_ORDER_SAS;
	h->tx_attr->op_flags = FI_COMPLETION;
	h->rx_attr->op_flags = FI_COMPLETION;
	h->domain_attr->threading = threads ? FI_THREAD_SAFE : FI_THREAD_DOMAIN;
	h->domain_attr->resource_mgmt = FI_RM_ENABLED;
	h->domain_attr->mr_mode = 0;
	h->domain_attr->cq_data_size = 4;
	return h;
}

static int open_cq(void)
{
	struct weft_core *c = &weft_core;
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED,
				   .wait_obj = FI_WAIT_UNSPEC };
	int rc = fi_cq_open(c->domain, &attr, &c->cq, NULL);

	c->can_block = rc == 0;
	if (!rc)
		return 0;
	attr.wait_obj = FI_WAIT_NONE;
	return fi_cq_open(c->domain, &attr, &c->cq, NULL);
}

/* Returns whether FI_WEFT_CARRIER selects datagrams even within one host. */
static bool uses_datagrams(void)
{
	const char *carrier = getenv("FI_WEFT_CARRIER");

	return carrier &&
	       (!strcmp(carrier, "sock") || !strcmp(carrier, "hybrid"));
}

/* Returns whether FI_WEFT_KEY=none disables signatures. */
static bool key_is_none(void)
{
	const char *key = getenv("FI_WEFT_KEY");

	return key && !strcmp(key, "none");
}

/* Sets the job's key, from which the provider derives its keys. */
static int make_key(void)
{
	struct weft_core *c = &weft_core;
	struct fi_ep_attr *a = c->info->ep_attr;

	if (!c->reports_match || c->traits.addresses_known ||
	    !c->job.launched || (!weft_hosts_network() && !uses_datagrams()) ||
	    key_is_none())
		return 0;
	/* the provider itself reads FI_WEFT_KEY */
	if (weft_pmix_launcher_is_weft() && getenv("FI_WEFT_KEY"))
		return 0;
	a->auth_key = malloc(WEFT_SECRET_KEY);
	if (!a->auth_key)
		return -ENOMEM;
	a->auth_key_size = WEFT_SECRET_KEY;
	return weft_secret_open(c->job.rank, weft_pmix_launcher_is_weft(),
				a->auth_key);
}

/*
 * Requests no order of puts and gets, because MPI defines none; accumulates
 * keep theirs. This applies only in virtual time, where windows use the network
 * even on one host: a machine may then spread short accesses over several
 * links.
 */
static void relax_order(void)
{
	struct weft_core *c = &weft_core;

	if (c->traits.network_windows)
		c->info->tx_attr->msg_order &=
			~(FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_WAR |
			  FI_ORDER_WAW | FI_ORDER_RMA_RAR | FI_ORDER_RMA_RAW |
			  FI_ORDER_RMA_WAR | FI_ORDER_RMA_WAW);
}

static int open_ep(void)
{
	struct weft_core *c = &weft_core;
	struct fi_av_attr av = { .type = FI_AV_UNSPEC,
				 .count = (size_t)c->job.size };
	int rc;

	relax_order();
	av.type = c->info->domain_attr->av_type;
	rc = fi_av_open(c->domain, &av, &c->av, NULL);
	if (!rc)
		rc = fi_endpoint(c->domain, c->info, &c->ep, NULL);
	if (!rc)
		rc = fi_ep_bind(c->ep, &c->cq->fid, FI_TRANSMIT | FI_RECV);
	if (!rc)
		rc = fi_ep_bind(c->ep, &c->av->fid, 0);
	if (!rc)
		rc = module->open();
	if (!rc)
		rc = fi_enable(c->ep);
	return rc;
}

static void read_limits(void)
{
	struct weft_core *c = &weft_core;

	c->inject_bytes = c->info->tx_attr->inject_size;
	c->max_bytes = c->info->ep_attr->max_msg_size;
	c->iov_limit = c->info->tx_attr->iov_limit;
	if (c->info->rx_attr->iov_limit < c->iov_limit)
		c->iov_limit = c->info->rx_attr->iov_limit;
}

static int alloc_procs(void)
{
	struct weft_core *c = &weft_core;
	int i;

	c->procs = c->job.size;
	c->proc_room = c->job.size + FOREIGN_MAX;
	c->proc = calloc((size_t)c->proc_room, sizeof(*c->proc));
	if (!c->proc)
		return -ENOMEM;
	for (i = 0; i < c->proc_room; i++) {
		c->proc[i].addr = FI_ADDR_NOTAVAIL;
		c->proc[i].real = FI_ADDR_NOTAVAIL;
	}
	return 0;
}

/*
 * Enables direct receives (without CQ entry) if the provider supports them.
 * They are not used with several threads, nor in virtual time, where the
 * deadlock report needs a request for each receive, nor if receives may be
 * interrupted.
 */
static void open_recv(bool threads)
{
	void *ops = NULL;

	weft_core.whole_requests =
		weft_core.traits.reports_waits || weft_core.survives;
	if (threads || weft_core.whole_requests ||
	    fi_open_ops(&weft_core.domain->fid, FI_WEFT_RECV, 0, &ops, NULL))
		ops = NULL;
	weft_core.recv = ops;
	weft_core.direct_requests = ops != NULL;
}

/*
 * Returns whether all faults of the fault plan are faults that carriers inject.
 */
static bool has_only_carrier_faults(const char *text)
{
	static const uint32_t carrier_faults =
		1u << WEFT_FAULT_LOSS | 1u << WEFT_FAULT_DUPLICATE |
		1u << WEFT_FAULT_REORDER | 1u << WEFT_FAULT_CORRUPT |
		1u << WEFT_FAULT_DELAY | 1u << WEFT_FAULT_PARTITION;
	struct weft_fault_plan_why why;
	struct weft_fault_plan plan;
	bool all = true;

	/* the provider reports errors in the plan */
	if (weft_fault_plan_load(text, &plan, &why))
		return false;
	for (size_t i = 0; i < plan.count; i++)
		all = all && carrier_faults >> plan.fault[i].kind & 1;
	weft_fault_plan_fini(&plan);
	return all;
}

/*
 * Ignores a fault plan with only carrier faults in a job of one process: the
 * process sends no datagrams, and the shared memory that it uses instead cannot
 * inject such faults.
 */
static void ignore_carrier_faults(void)
{
	const char *plan = getenv("FI_WEFT_FAULTS");

	if (weft_core.job.size > 1 || !plan || uses_datagrams() ||
	    !has_only_carrier_faults(plan))
		return;
	weft_log(WEFT_LOG_INFO,
		 "fault plan \"%s\" is ignored: a job of one process sends no "
		 "datagrams",
		 plan);
	setenv("FI_WEFT_FAULTS", "", 1);
}

/* Requests an endpoint that processes on other hosts can reach. */
static void use_all_interfaces(void)
{
	struct sockaddr_in6 *in6 = weft_core.info->src_addr;
	struct sockaddr_in *in = weft_core.info->src_addr;

	if (!weft_core.reports_match || !weft_hosts_network())
		return;
	if (in->sin_family == AF_INET)
		in->sin_addr.s_addr = INADDR_ANY;
	else if (in->sin_family == AF_INET6)
		in6->sin6_addr = in6addr_any;
}

int weft_wire_open(bool threads, const struct weft_wire_module *g)
{
	struct weft_core *c = &weft_core;
	struct fi_info *hints = make_hints(threads);
	int rc;

	module = g;
	ignore_carrier_faults();
	if (!hints || alloc_procs())
		return -ENOMEM;
	rc = weft_prov_open(hints, &c->info, &c->fabric);
	fi_freeinfo(hints);
	if (rc)
		return rc;
	rc = fi_domain(c->fabric, c->info, &c->domain, NULL);
	if (rc)
		return log_error("fi_domain", rc);
	rc = weft_core_backend_open();
	if (rc)
		return rc;
	rc = open_cq();
	if (rc)
		return log_error("fi_cq_open", rc);
	use_all_interfaces();
	rc = make_key();
	if (rc)
		return rc;
	rc = open_ep();
	if (rc)
		return log_error("fi_endpoint", rc);
	read_limits();
	open_recv(threads);
	weft_device_init();
	weft_typed_open();
	my_name_len = sizeof(my_name);
	rc = fi_getname(&c->ep->fid, my_name, &my_name_len);
	return rc ? log_error("fi_getname", rc) : 0;
}

const void *weft_wire_name(size_t *len_p)
{
	*len_p = my_name_len;
	return my_name;
}

int weft_wire_names(void)
{
	char entry[NAME_MAX_BYTES];
	size_t len = my_name_len;

	if (weft_core.traits.addresses_known)
		return 0;
	if (len > sizeof(entry) - WEFT_HOST_RECORD - WEFT_SECRET_TAG)
		return weft_pmix_put(my_name, len);
	memcpy(entry, my_name, len);
	if (weft_hosts_several()) {
		weft_hosts_write(entry + len);
		weft_hosts_read(weft_core.job.rank, entry + len);
		len += WEFT_HOST_RECORD;
	}
	if (weft_secret_signs()) {
		weft_secret_sign(weft_core.job.rank, entry, len,
				 (uint8_t *)entry + len);
		len += WEFT_SECRET_TAG;
	}
	return weft_pmix_put(entry, len);
}

int weft_wire_insert(int proc, const void *name)
{
	struct weft_proc *p = &weft_core.proc[proc];
	fi_addr_t addr;
	int rc;

	rc = fi_av_insert(weft_core.av, name, 1, &addr, 0, NULL);
	if (rc != 1 || addr == FI_ADDR_NOTAVAIL) {
		weft_log(WEFT_LOG_ERROR,
			 "the address of rank %d is not "
			 "accepted by the provider",
			 proc);
		return -EHOSTUNREACH;
	}
	p->real = addr;
	if (!p->pend)
		p->addr = addr;
	return 0;
}

/*
 * Ends the job if the address of proc has a different family than this
 * process's address: no message could reach proc, and other ranks would wait
 * for it forever.
 */
static void check_family(int proc, const char *name, size_t len)
{
	sa_family_t own, other;

	if (!weft_core.reports_match || len < sizeof(other))
		return;
	memcpy(&own, my_name, sizeof(own));
	memcpy(&other, name, sizeof(other));
	if (own == other)
		return;
	weft_core_abort(1,
			"rank %d has an %s address and rank %d an %s address: "
			"all hosts of a job need addresses of one family; set "
			"FI_WEFT_FAMILY to inet or inet6 on all hosts",
			weft_core.job.rank, own == AF_INET6 ? "IPv6" : "IPv4",
			proc, other == AF_INET6 ? "IPv6" : "IPv4");
}

/* Looks up the name of proc, and reads its host record. */
static int look_up(int proc, char name[NAME_MAX_BYTES], size_t *len_p)
{
	int rc;

	*len_p = NAME_MAX_BYTES;
	rc = weft_core.backend->address(proc, name, len_p);
	if (!rc)
		rc = weft_value_name(proc, name, len_p, sizeof(sa_family_t));
	if (rc)
		return rc;
	check_family(proc, name, *len_p);
	return *len_p < my_name_len ? -EPROTO : 0;
}

int weft_wire_resolve(int proc)
{
	char name[NAME_MAX_BYTES];
	size_t len;
	int rc;

	if (weft_core.proc[proc].real != FI_ADDR_NOTAVAIL)
		return 0;
	if (proc == weft_core.job.rank)
		return weft_wire_insert(proc, my_name);
	rc = look_up(proc, name, &len);
	if (!rc && len == my_name_len + WEFT_HOST_RECORD)
		weft_hosts_read(proc, name + my_name_len);
	return rc ? rc : weft_wire_insert(proc, name);
}

int weft_wire_name_of(int proc, void *name, size_t *len_p)
{
	char found[NAME_MAX_BYTES];
	size_t len;
	int rc = 0;

	if (my_name_len > *len_p)
		return -EMSGSIZE;
	if (proc == weft_core.job.rank)
		memcpy(found, my_name, my_name_len);
	else
		rc = look_up(proc, found, &len);
	if (rc)
		return rc;
	memcpy(name, found, my_name_len);
	*len_p = my_name_len;
	return 0;
}

static void close_fid(struct fid *fid)
{
	if (fid)
		fi_close(fid);
}

void weft_wire_close(void)
{
	struct weft_core *c = &weft_core;

	close_fid(c->ep ? &c->ep->fid : NULL);
	module->close();
	close_fid(c->av ? &c->av->fid : NULL);
	close_fid(c->cq ? &c->cq->fid : NULL);
	close_fid(c->domain ? &c->domain->fid : NULL);
	close_fid(c->fabric ? &c->fabric->fid : NULL);
	if (c->info)
		weft_prov_free(c->info);
	free(c->proc);
	weft_hosts_close();
	weft_secret_close();
	c->ep = NULL;
	c->av = NULL;
	c->cq = NULL;
	c->domain = NULL;
	c->fabric = NULL;
	c->info = NULL;
	c->proc = NULL;
}
