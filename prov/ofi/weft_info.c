/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fi_getinfo. The capabilities of a machine are one fi_info (the offer), with
 * which the hints are compared. Most fields are compared by tables: a row names
 * a field, which has the same offset in hints, offer and answer, and the rule
 * for it. The fields with other rules are handled by functions below.
 *
 * One fi_info is returned: that of the machine that the hints name by its
 * fabric or domain, else that of FI_WEFT_MACHINE. If several equal infos were
 * returned, Open MPI would distribute the ranks of a job over the machines.
 */
#include "prov/ofi/weft_info.h"
#include "prov/mem/mem.h"
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/weft_err.h"

#include <stdlib.h>
#include <string.h>

/* Supported capabilities, grouped by the attributes that may contain them. */
#define PRIMARY                                                    \
	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_COLLECTIVE | \
	 FI_DIRECTED_RECV)
#define PASSING (FI_SEND | FI_RECV)
#define ACTING	(FI_READ | FI_WRITE)
#define TARGET	(FI_REMOTE_READ | FI_REMOTE_WRITE)
#define SECONDARY                                                     \
	(FI_MULTI_RECV | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM | \
	 FI_RMA_EVENT | FI_FENCE)
#define ALL_CAPS    (PRIMARY | PASSING | ACTING | TARGET | SECONDARY)
#define DOMAIN_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)
#define BOTH_CAPS                                                  \
	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_COLLECTIVE | \
	 FI_HMEM) /* FI_HMEM: only on request */
#define TX_CAPS (BOTH_CAPS | FI_SEND | ACTING | FI_FENCE)
#define RX_CAPS                                                            \
	(BOTH_CAPS | FI_RECV | TARGET | FI_DIRECTED_RECV | FI_MULTI_RECV | \
	 FI_SOURCE | FI_RMA_EVENT)
#define TX_FLAGS                                          \
	(FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | \
	 FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)
#define RX_FLAGS (FI_COMPLETION | FI_MULTI_RECV)

/* alternating bits, the highest one set: all 64 bits of a tag are matched */
#define TAG_FORMAT 0xaaaaaaaaaaaaaaaaULL
/*
 * Protocol number of the provider, "WF"; the top bit marks provider-specific
 * protocols.
 */
#define PROTOCOL   (0x80000000u | 0x5746)

#define QUEUE_SIZE    4096u
#define MANY	      65536u
#define MAX_MSG	      ((size_t)1 << 40)
#define KEY_BYTES     8u
#define CQ_DATA_BYTES 8u

/* ---- the offer ----------------------------------------------------------- */

/* Orders of accesses; each includes the same order for RMA and for atomics. */
static const uint64_t orders[] = { FI_ORDER_RAR, FI_ORDER_RAW, FI_ORDER_WAR,
				   FI_ORDER_WAW };
static_assert(FI_ORDER_RMA_WAW == FI_ORDER_RMA_RAR << 3 &&
		      FI_ORDER_ATOMIC_WAW == FI_ORDER_ATOMIC_RAR << 3,
	      "four bits each, in the order of the table");

static uint64_t order_of(const struct weft_machine *m)
{
	uint64_t order = m->msg_order;

	for (size_t i = 0; i < WEFT_COUNT_OF(orders); i++)
		if (order & FI_ORDER_RMA_RAR << i && order & FI_ORDER_ATOMIC_RAR
								     << i)
			order |= orders[i];
	return order;
}

static void offer_tx(struct fi_tx_attr *a, const struct weft_machine *m)
{
	a->caps = TX_CAPS;
	a->op_flags = TX_FLAGS;
	a->msg_order = order_of(m);
	a->comp_order = FI_ORDER_NONE;
	a->inject_size = m->inject_bytes;
	a->size = QUEUE_SIZE;
	a->iov_limit = WEFT_IOV_MAX;
	a->rma_iov_limit = WEFT_RMA_IOV_MAX;
}

static void offer_rx(struct fi_rx_attr *a, const struct weft_machine *m)
{
	a->caps = RX_CAPS;
	a->op_flags = RX_FLAGS;
	a->msg_order = order_of(m);
	a->comp_order = FI_ORDER_NONE;
	a->total_buffered_recv = MAX_MSG;
	a->size = QUEUE_SIZE;
	a->iov_limit = WEFT_IOV_MAX;
}

static void offer_ep(struct fi_ep_attr *a, const struct weft_machine *m)
{
	uint64_t order = order_of(m);

	a->type = FI_EP_RDM;
	a->protocol = PROTOCOL;
	a->protocol_version = 1;
	a->max_msg_size = MAX_MSG;
	a->max_order_raw_size = order & FI_ORDER_RAW ? MAX_MSG : 0;
	a->max_order_war_size = order & FI_ORDER_WAR ? MAX_MSG : 0;
	a->max_order_waw_size = order & FI_ORDER_WAW ? MAX_MSG : 0;
	a->mem_tag_format = TAG_FORMAT;
	a->tx_ctx_cnt = 1;
	a->rx_ctx_cnt = 1;
}

static int offer_domain(struct fi_domain_attr *a, const struct weft_machine *m)
{
	a->name = strdup(m->name);
	a->threading = FI_THREAD_SAFE;
	a->control_progress = FI_PROGRESS_MANUAL;
	a->data_progress = FI_PROGRESS_MANUAL;
	a->resource_mgmt = FI_RM_ENABLED;
	a->av_type = FI_AV_UNSPEC;
	a->mr_key_size = KEY_BYTES;
	a->cq_data_size = CQ_DATA_BYTES;
	a->cq_cnt = MANY;
	a->ep_cnt = MANY;
	a->tx_ctx_cnt = MANY;
	a->rx_ctx_cnt = MANY;
	a->max_ep_tx_ctx = 1;
	a->max_ep_rx_ctx = 1;
	a->cntr_cnt = MANY;
	a->mr_iov_limit = 1;
	a->caps = DOMAIN_CAPS;
	a->mr_cnt = MANY * (size_t)MANY;
	return a->name ? 0 : -ENOMEM;
}

/* Returns all capabilities of a machine, in the form of hints. */
static struct fi_info *machine_offer(const struct weft_machine *m)
{
	struct fi_info *info = fi_allocinfo();

	if (!info)
		return NULL;
	info->caps = ALL_CAPS;
	info->addr_format = FI_SOCKADDR_IN;
	offer_tx(info->tx_attr, m);
	offer_rx(info->rx_attr, m);
	offer_ep(info->ep_attr, m);
	info->fabric_attr->name = strdup(m->fabric);
	if (offer_domain(info->domain_attr, m) || !info->fabric_attr->name) {
		fi_freeinfo(info);
		return NULL;
	}
	return info;
}

/* ---- tables of fields ---------------------------------------------------- */

enum part { TX, RX, EP, DOMAIN };

/* Returns the attribute structure of this kind in an info, or NULL. */
static char *part_of(const struct fi_info *info, enum part part)
{
	switch (part) {
	case TX:
		return (char *)info->tx_attr;
	case RX:
		return (char *)info->rx_attr;
	case EP:
		return (char *)info->ep_attr;
	default:
		return (char *)info->domain_attr;
	}
}

/*
 * What the answer contains. KEEP: the offered value; ECHO: the requested value,
 * if any.
 */
enum echo { KEEP, ECHO };

struct row {
	enum part part;
	size_t offset;
	enum echo echo;
};

#define IN_TX(field)	 TX, offsetof(struct fi_tx_attr, field)
#define IN_RX(field)	 RX, offsetof(struct fi_rx_attr, field)
#define IN_EP(field)	 EP, offsetof(struct fi_ep_attr, field)
#define IN_DOMAIN(field) DOMAIN, offsetof(struct fi_domain_attr, field)

/* Numeric fields (size_t): the request must not exceed the offer. */
static const struct row numbers[] = {
	{ IN_TX(inject_size), ECHO },
	{ IN_TX(size), ECHO },
	{ IN_TX(iov_limit), ECHO },
	{ IN_TX(rma_iov_limit), ECHO },
	{ IN_RX(total_buffered_recv), KEEP },
	{ IN_RX(size), ECHO },
	{ IN_RX(iov_limit), ECHO },
	{ IN_EP(max_msg_size), KEEP },
	{ IN_EP(msg_prefix_size), KEEP },
	{ IN_EP(max_order_raw_size), ECHO },
	{ IN_EP(max_order_war_size), ECHO },
	{ IN_EP(max_order_waw_size), ECHO },
	/* FI_SHARED_CONTEXT exceeds 1, so it is refused */
	{ IN_EP(tx_ctx_cnt), ECHO },
	{ IN_EP(rx_ctx_cnt), ECHO },
	{ IN_EP(auth_key_size), KEEP },
	{ IN_DOMAIN(mr_key_size), KEEP },
	{ IN_DOMAIN(cq_data_size), KEEP },
	{ IN_DOMAIN(cq_cnt), KEEP },
	{ IN_DOMAIN(ep_cnt), KEEP },
	{ IN_DOMAIN(tx_ctx_cnt), KEEP },
	{ IN_DOMAIN(rx_ctx_cnt), KEEP },
	{ IN_DOMAIN(max_ep_tx_ctx), KEEP },
	{ IN_DOMAIN(max_ep_rx_ctx), KEEP },
	{ IN_DOMAIN(max_ep_stx_ctx), KEEP },
	{ IN_DOMAIN(max_ep_srx_ctx), KEEP },
	{ IN_DOMAIN(cntr_cnt), KEEP },
	{ IN_DOMAIN(mr_iov_limit), KEEP },
	{ IN_DOMAIN(auth_key_size), KEEP },
	{ IN_DOMAIN(max_err_data), KEEP },
	{ IN_DOMAIN(mr_cnt), KEEP },
};

/* Bit sets (uint64_t): the request must be a subset of the offer. */
static const struct row bits[] = {
	{ IN_TX(op_flags), ECHO },   { IN_TX(msg_order), KEEP },
	{ IN_TX(comp_order), KEEP }, { IN_RX(op_flags), ECHO },
	{ IN_RX(msg_order), KEEP },  { IN_RX(comp_order), KEEP },
	{ IN_DOMAIN(caps), KEEP },
};

/*
 * Fields with a choice (enum): all choices are supported, and the answer is the
 * requested one.
 */
static const struct row choices[] = {
	{ IN_DOMAIN(threading), ECHO },
	{ IN_DOMAIN(control_progress), ECHO },
	{ IN_DOMAIN(data_progress), ECHO },
	{ IN_DOMAIN(av_type), ECHO },
};

static bool row_number(const struct row *r, const char *hint, char *answer)
{
	size_t want, *have = (size_t *)(answer + r->offset);

	memcpy(&want, hint + r->offset, sizeof(want));
	if (want > *have)
		return false;
	if (r->echo == ECHO && want)
		*have = want;
	return true;
}

static bool row_bits(const struct row *r, const char *hint, char *answer)
{
	uint64_t want, *have = (uint64_t *)(answer + r->offset);

	memcpy(&want, hint + r->offset, sizeof(want));
	if (want & ~*have)
		return false;
	if (r->echo == ECHO)
		*have = want;
	return true;
}

static bool row_choice(const struct row *r, const char *hint, char *answer)
{
	int want;

	memcpy(&want, hint + r->offset, sizeof(want));
	if (want)
		memcpy(answer + r->offset, &want, sizeof(want));
	return true;
}

/*
 * Compares the fields of a table and sets them in the answer; bits that were
 * not requested (op_flags) become 0. Returns false if a field does not match.
 */
static bool rows_match(const struct row *row, size_t count,
		       bool (*match)(const struct row *, const char *, char *),
		       const struct fi_info *hints, struct fi_info *answer)
{
	static const union {
		struct fi_tx_attr tx;
		struct fi_rx_attr rx;
		struct fi_ep_attr ep;
		struct fi_domain_attr domain;
	} silent;

	for (size_t i = 0; i < count; i++) {
		const char *hint = hints ? part_of(hints, row[i].part) : NULL;

		if (!hint)
			hint = (const char *)&silent;
		if (!match(&row[i], hint, part_of(answer, row[i].part)))
			return false;
	}
	return true;
}

/* ---- rules outside the tables -------------------------------------------- */

/*
 * Returns `caps` with the direction flags (FI_SEND, FI_RECV, ...) that follow
 * from the primary capabilities; no flags are added if the caller has requested
 * directions explicitly.
 */
static uint64_t with_directions(uint64_t caps)
{
	if (caps & (FI_MSG | FI_TAGGED) && !(caps & PASSING))
		caps |= PASSING;
	if (caps & (FI_RMA | FI_ATOMIC) && !(caps & (ACTING | TARGET)))
		caps |= ACTING | TARGET;
	return caps;
}

/*
 * Returns `caps` with the secondary capabilities that cause no cost beyond that
 * of the requested ones.
 */
static uint64_t with_secondary(uint64_t caps)
{
	uint64_t more = FI_LOCAL_COMM | FI_REMOTE_COMM;

	if (caps & (FI_MSG | FI_TAGGED))
		more |= FI_SOURCE;
	if (caps & FI_MSG)
		more |= FI_MULTI_RECV;
	if (caps & (FI_SEND | FI_READ | FI_WRITE))
		more |= FI_FENCE;
	return caps | more;
}

/*
 * Compares the capabilities and sets them in the answer. Returns false if they
 * do not match. FI_HMEM is offered only on request, on machines that support
 * it.
 */
static bool match_caps(const struct fi_info *hints, struct fi_info *answer,
		       uint64_t hmem)
{
	uint64_t want = hints ? hints->caps : 0;
	uint64_t tx = hints && hints->tx_attr ? hints->tx_attr->caps : 0;
	uint64_t rx = hints && hints->rx_attr ? hints->rx_attr->caps : 0;

	if ((want | tx | rx) & ~(ALL_CAPS | hmem))
		return false;
	/*
	 * tx and rx attributes may not request capabilities that hints->caps
	 * omits
	 */
	if (want && (tx | rx) & (PRIMARY | FI_HMEM) & ~want)
		return false;
	answer->caps = want ? with_secondary(with_directions(want))
			    : ALL_CAPS | ((tx | rx) & FI_HMEM);
	tx = tx ? with_directions(tx) | FI_FENCE : answer->caps;
	rx = rx ? with_directions(rx) | SECONDARY : answer->caps;
	answer->tx_attr->caps = tx & answer->caps & TX_CAPS;
	answer->rx_attr->caps = rx & answer->caps & RX_CAPS;
	return true;
}

/*
 * Compares the memory registration modes, of which the provider requires none.
 * Returns false if they do not match. Since API 1.5 mr_mode is a bit set, but
 * may also be FI_MR_BASIC or FI_MR_SCALABLE alone; before 1.5 the answer is one
 * of these two values.
 */
static bool match_mr_mode(uint32_t version, const struct fi_info *hints,
			  struct fi_info *answer)
{
	int want = hints && hints->domain_attr ? hints->domain_attr->mr_mode
					       : FI_MR_UNSPEC;
	bool old = FI_VERSION_LT(version, FI_VERSION(1, 5));

	answer->domain_attr->mr_mode = 0;
	if (want == FI_MR_BASIC || want == FI_MR_SCALABLE)
		answer->domain_attr->mr_mode = want;
	else if (want & (FI_MR_BASIC | FI_MR_SCALABLE))
		return false;
	else if (old)
		answer->domain_attr->mr_mode = FI_MR_SCALABLE;
	return true;
}

static bool match_kind(const struct fi_info *hints)
{
	uint32_t format = hints->addr_format;
	const struct fi_ep_attr *ep = hints->ep_attr;

	if (format != FI_FORMAT_UNSPEC && format != FI_SOCKADDR &&
	    format != FI_SOCKADDR_IN && format != FI_SOCKADDR_IN6)
		return false;
	if (!ep)
		return true;
	if (ep->type != FI_EP_UNSPEC && ep->type != FI_EP_RDM)
		return false;
	return ep->protocol == FI_PROTO_UNSPEC || ep->protocol == PROTOCOL;
}

static bool match(uint32_t version, const struct fi_info *hints,
		  struct fi_info *answer, uint64_t hmem)
{
	return (!hints || match_kind(hints)) &&
	       match_caps(hints, answer, hmem) &&
	       match_mr_mode(version, hints, answer) &&
	       rows_match(numbers, WEFT_COUNT_OF(numbers), row_number, hints,
			  answer) &&
	       rows_match(bits, WEFT_COUNT_OF(bits), row_bits, hints, answer) &&
	       rows_match(choices, WEFT_COUNT_OF(choices), row_choice, hints,
			  answer);
}

/* ---- selection of the machine -------------------------------------------- */

/*
 * Returns the machine named in the hints, else the configured machine; NULL:
 * unknown.
 */
static const struct weft_machine *machine_choose(const struct fi_info *hints)
{
	const char *fabric =
		hints && hints->fabric_attr ? hints->fabric_attr->name : NULL;
	const char *domain =
		hints && hints->domain_attr ? hints->domain_attr->name : NULL;
	const struct weft_machine *m;

	if (!fabric && !domain)
		return weft_conf()->machine;
	for (unsigned i = 0; (m = weft_conf_machine_at(i)); i++)
		if ((!fabric || !strcmp(fabric, m->fabric)) &&
		    (!domain || !strcmp(domain, m->name)))
			return m;
	return NULL;
}

/* ---- addresses ----------------------------------------------------------- */

static int addr_put(const union weft_name *name, void **addr_p, size_t *len_p)
{
	*len_p = weft_name_bytes(name);
	*addr_p = malloc(*len_p);
	if (!*addr_p)
		return -ENOMEM;
	memcpy(*addr_p, name, *len_p);
	return 0;
}

/* Copies an address from the hints. -ENODATA: it is not a valid name. */
static int addr_copy(const void *hint, size_t len, sa_family_t family,
		     void **addr_p, size_t *len_p)
{
	union weft_name name;

	if (!hint || *addr_p)
		return 0;
	if (!weft_addr_read(hint, len, &name) || name.sa.sa_family != family)
		return -ENODATA;
	return addr_put(&name, addr_p, len_p);
}

static int addr_resolve(const char *node, const char *service, uint64_t flags,
			sa_family_t family, struct fi_info *info)
{
	union weft_name name;
	int err;

	if (!node && !service)
		return 0;
	err = weft_addr_resolve(node, service, flags & FI_NUMERICHOST, family,
				&name);
	if (err)
		return err;
	if (flags & FI_SOURCE)
		return addr_put(&name, &info->src_addr, &info->src_addrlen);
	return addr_put(&name, &info->dest_addr, &info->dest_addrlen);
}

/*
 * Returns the address family for the answer: that of addr_format in the hints;
 * else that of the node; else that of src_addr or dest_addr in the hints; else
 * this host's default.
 */
static sa_family_t family_choose(const char *node, uint64_t flags,
				 const struct fi_info *hints)
{
	union weft_name name;

	if (hints && hints->addr_format == FI_SOCKADDR_IN)
		return AF_INET;
	if (hints && hints->addr_format == FI_SOCKADDR_IN6)
		return AF_INET6;
	if (node && !weft_addr_resolve(node, NULL, flags & FI_NUMERICHOST,
				       AF_UNSPEC, &name))
		return name.sa.sa_family;
	if (hints &&
	    (weft_addr_read(hints->src_addr, hints->src_addrlen, &name) ||
	     weft_addr_read(hints->dest_addr, hints->dest_addrlen, &name)))
		return name.sa.sa_family;
	return weft_addr_family();
}

/*
 * Sets the addresses in the answer: from node and service, else from the hints,
 * else to the default address with a free port.
 */
static int addresses_set(const char *node, const char *service, uint64_t flags,
			 const struct fi_info *hints, struct fi_info *info)
{
	sa_family_t family = family_choose(node, flags, hints);
	union weft_name any = weft_addr_loopback(family, 0);
	int err = addr_resolve(node, service, flags, family, info);

	info->addr_format =
		family == AF_INET6 ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
	if (!err && hints)
		err = addr_copy(hints->src_addr, hints->src_addrlen, family,
				&info->src_addr, &info->src_addrlen);
	if (!err && hints)
		err = addr_copy(hints->dest_addr, hints->dest_addrlen, family,
				&info->dest_addr, &info->dest_addrlen);
	if (!err && !info->src_addr)
		err = addr_put(&any, &info->src_addr, &info->src_addrlen);
	return err;
}

int weft_getinfo(uint32_t version, const char *node, const char *service,
		 uint64_t flags, const struct fi_info *hints,
		 struct fi_info **info_p)
{
	const struct weft_machine *m = machine_choose(hints);
	struct fi_info *info;
	int err = -ENODATA;

	if (flags & FI_SOURCE && !node && !service)
		return -FI_EINVAL;
	if (!m)
		return -FI_ENODATA;
	info = machine_offer(m);
	if (!info)
		return -FI_ENOMEM;
	if (match(version, hints, info,
		  m->hmem || weft_mem_cuda_possible() ? FI_HMEM : 0))
		err = flags & FI_PROV_ATTR_ONLY
			      ? 0
			      : addresses_set(node, service, flags, hints,
					      info);
	if (err) {
		fi_freeinfo(info);
		return (int)weft_ofi_err(err);
	}
	*info_p = info;
	return 0;
}
