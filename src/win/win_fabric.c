/* SPDX-License-Identifier: BSD-3-Clause */
/* Capabilities of the provider; see win_fabric.h. */
#include "src/win/win_fabric.h"

#include "src/core/core_state.h"

#include <rdma/fi_ext_weft.h>

/* ---- types and operations ------------------------------------------------ */

/*
 * Returns libfabric's datatype, or -1: libfabric has no such type, or its
 * arithmetic differs.
 */
static int fi_type(unsigned basic)
{
	if (basic == WEFT_NUM_BYTE)
		return FI_UINT8;
	return basic < WEFT_NUM_WORDS ? (int)basic : -1;
}
static_assert(WEFT_NUM_TYPES <= 64, "bits of types");

enum fi_datatype win_fabric_type(const struct weft_dt *unit)
{
	return (enum fi_datatype)fi_type(unit->basic);
}

/* ---- capabilities -------------------------------------------------------- */

/*
 * Returns whether the provider has the operation; FI_ATOMIC_READ needs the
 * fetching form only.
 */
static bool has_op(enum fi_datatype type, enum fi_op op)
{
	size_t most = 0, fetched = 0;

	if (fi_fetch_atomicvalid(weft_core.ep, type, op, &fetched) || !fetched)
		return false;
	return op == FI_ATOMIC_READ ||
	       (!fi_atomicvalid(weft_core.ep, type, op, &most) && most);
}

/*
 * Returns whether the provider supports all MPI operations on the type: the
 * path of an access depends on type and location only, not on the operation.
 */
static bool has_type(enum fi_datatype type)
{
	size_t most = 0;

	for (unsigned op = 0; op <= WEFT_NUM_WRITE; op++)
		if ((op >= WEFT_NUM_KERNELS || weft_num_op[op][type]) &&
		    !has_op(type, (enum fi_op)op))
			return false;
	return !fi_compare_atomicvalid(weft_core.ep, type, FI_CSWAP, &most) &&
	       most;
}

static uint64_t query_types(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < WEFT_NUM_TYPES; i++)
		if (fi_type(i) >= 0 && has_type((enum fi_datatype)fi_type(i)))
			all |= UINT64_C(1) << i;
	return all;
}

/*
 * Returns whether this is one of libfabric's protocols that execute atomics in
 * software, by compare-and-swap.
 */
static bool is_software(uint32_t protocol)
{
	return protocol == FI_PROTO_RXM || protocol == FI_PROTO_RXD ||
	       protocol == FI_PROTO_SHM;
}

/* Returns the synchronous RMA interface of Weft's provider, or NULL. */
static const struct fi_weft_rma_sync *query_rma_sync(void)
{
	void *ops = NULL;

	if (fi_open_ops(&weft_core.domain->fid, FI_WEFT_RMA_SYNC, 0, &ops,
			NULL))
		return NULL;
	return ops;
}

/* Returns the atomics of the machine's interface, or NULL: it has none. */
static const struct fi_weft_amo_sync *query_amo_sync(void)
{
	struct fi_weft_amo_sync *amo;
	void *ops = NULL;

	if (fi_open_ops(&weft_core.domain->fid, FI_WEFT_AMO_SYNC, 0, &ops,
			NULL))
		return NULL;
	amo = ops;
	return amo->usable(weft_core.ep) ? amo : NULL;
}

const struct win_fabric *win_fabric(void)
{
	static struct win_fabric f;
	static bool queried;
	const struct fi_info *info = weft_core.info;
	const struct fi_domain_attr *d = info->domain_attr;

	if (queried)
		return &f;
	queried = true;
	f.rma = info->caps & FI_RMA;
	f.ours = weft_core.reports_match;
	f.by_processor = f.ours || is_software(info->ep_attr->protocol);
	f.by_address = d->mr_mode & FI_MR_VIRT_ADDR;
	f.bind_regions = d->mr_mode & FI_MR_ENDPOINT;
	f.key_first = d->mr_key_size < 8 ? 1 : UINT64_C(0x57494e0000000001);
	f.flags = f.ours ? 0 : FI_DELIVERY_COMPLETE;
	f.bytes_max = info->ep_attr->max_msg_size;
	f.now = f.ours ? query_rma_sync() : NULL;
	f.amo = f.ours ? query_amo_sync() : NULL;
	/*
	 * with udp;ofi_rxd of libfabric 1.17, several outstanding atomics fail
	 */
	if (f.rma && (info->caps & FI_ATOMIC) &&
	    info->ep_attr->protocol != FI_PROTO_RXD)
		f.types = query_types();
	return &f;
}

/* ---- ordering ------------------------------------------------------------ */

bool win_fabric_orders(unsigned before, unsigned now, size_t bytes)
{
	const struct fi_info *info = weft_core.info;
	const struct fi_ep_attr *ep = info->ep_attr;
	uint64_t has = info->tx_attr->msg_order & info->rx_attr->msg_order;
	const struct {
		unsigned before, now;
		uint64_t order, most;
	} pair[] = {
		{ WIN_READS, WIN_READS, FI_ORDER_ATOMIC_RAR, UINT64_MAX },
		{ WIN_READS, WIN_WRITES, FI_ORDER_ATOMIC_WAR,
		  ep->max_order_war_size },
		{ WIN_WRITES, WIN_READS, FI_ORDER_ATOMIC_RAW,
		  ep->max_order_raw_size },
		{ WIN_WRITES, WIN_WRITES, FI_ORDER_ATOMIC_WAW,
		  ep->max_order_waw_size },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(pair); i++)
		if ((before & pair[i].before) && (now & pair[i].now) &&
		    (!(has & pair[i].order) || bytes > pair[i].most))
			return false;
	return true;
}
