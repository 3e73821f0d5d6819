/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rule for the hints of fi_getinfo, one table row each. */
#include "prov/ofi/weft_info.h"
#include "prov/ofi/weft_conf.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define V117 FI_VERSION(1, 17)

/*
 * Calls getinfo with the hints that set_hints() sets; NULL: no hints. The
 * caller frees *info_p.
 */
static int get_info(void (*set_hints)(struct fi_info *hints),
		    struct fi_info **info_p)
{
	struct fi_info *hints = fi_allocinfo();
	int ret;

	T_NOT_NULL(hints);
	if (set_hints)
		set_hints(hints);
	ret = weft_getinfo(V117, NULL, NULL, 0, hints, info_p);
	fi_freeinfo(hints);
	return ret;
}

#define HINT(name, what)                    \
	static void name(struct fi_info *h) \
	{                                   \
		what;                       \
	}

/* hints that are refused */
HINT(ep_msg, h->ep_attr->type = FI_EP_MSG)
HINT(ep_dgram, h->ep_attr->type = FI_EP_DGRAM)
HINT(caps_hmem, h->caps = FI_MSG | FI_HMEM)
HINT(caps_tx, h->tx_attr->caps = FI_TRIGGER)
HINT(caps_rx, h->rx_attr->caps = FI_VARIABLE_MSG)
HINT(caps_part, h->caps = FI_MSG; h->tx_attr->caps = FI_RMA)
HINT(caps_domain, h->domain_attr->caps = FI_SHARED_AV)
HINT(format, h->addr_format = FI_ADDR_STR)
HINT(mr_mixed, h->domain_attr->mr_mode = FI_MR_BASIC | FI_MR_LOCAL)
HINT(mr_both, h->domain_attr->mr_mode = FI_MR_BASIC | FI_MR_SCALABLE)
HINT(cq_data, h->domain_attr->cq_data_size = 9)
HINT(mr_iov, h->domain_attr->mr_iov_limit = 2)
HINT(err_data, h->domain_attr->max_err_data = 1)
HINT(inject, h->tx_attr->inject_size = 4097)
HINT(tx_size, h->tx_attr->size = 1 << 20)
HINT(rx_size, h->rx_attr->size = 1 << 20)
HINT(tx_iov, h->tx_attr->iov_limit = WEFT_IOV_MAX + 1)
HINT(rx_iov, h->rx_attr->iov_limit = WEFT_IOV_MAX + 1)
HINT(rma_iov, h->tx_attr->rma_iov_limit = WEFT_RMA_IOV_MAX + 1)
HINT(msg_size, h->ep_attr->max_msg_size = SIZE_MAX)
HINT(war, h->ep_attr->max_order_war_size = 1)
HINT(tx_ctx, h->ep_attr->tx_ctx_cnt = 2)
HINT(tx_shared, h->ep_attr->tx_ctx_cnt = FI_SHARED_CONTEXT)
HINT(rx_shared, h->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT)
HINT(op_flags, h->tx_attr->op_flags = FI_COMMIT_COMPLETE)
HINT(rx_op_flags, h->rx_attr->op_flags = FI_INJECT)
HINT(order, h->tx_attr->msg_order = FI_ORDER_STRICT)
HINT(comp_order, h->rx_attr->comp_order = FI_ORDER_STRICT)
HINT(protocol, h->ep_attr->protocol = FI_PROTO_SHM)
HINT(auth, h->ep_attr->auth_key_size = 8)
HINT(fabric_name, h->fabric_attr->name = strdup("invalid"))
HINT(domain_name, h->domain_attr->name = strdup("invalid"))
HINT(mixed_names, h->domain_attr->name = strdup("bgq");
     h->fabric_attr->name = strdup("weft"))

static void hints_beyond_the_offer_are_refused(void **state)
{
	static void (*const set_hints[])(struct fi_info *) = {
		ep_msg,	     ep_dgram,	  caps_hmem,   caps_tx,	  caps_rx,
		caps_part,   caps_domain, format,      mr_mixed,  mr_both,
		cq_data,     mr_iov,	  err_data,    inject,	  tx_size,
		rx_size,     tx_iov,	  rx_iov,      rma_iov,	  msg_size,
		war,	     tx_ctx,	  tx_shared,   rx_shared, op_flags,
		rx_op_flags, order,	  comp_order,  protocol,  auth,
		fabric_name, domain_name, mixed_names,
	};
	struct fi_info *info;

	for (size_t i = 0; i < WEFT_COUNT_OF(set_hints); i++) {
		int ret = get_info(set_hints[i], &info);

		if (ret != -FI_ENODATA)
			print_message("row %zu\n", i);
		T_IS(ret, -FI_ENODATA);
	}
}

static void check_sane(const struct fi_info *info)
{
	uint64_t rx_only = FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE |
			   FI_DIRECTED_RECV | FI_MULTI_RECV | FI_SOURCE |
			   FI_RMA_EVENT;
	uint64_t tx_only = FI_SEND | FI_READ | FI_WRITE | FI_FENCE;
	uint64_t both = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC |
			FI_COLLECTIVE | FI_HMEM;

	T_IS(info->tx_attr->caps & both, info->caps & both);
	T_IS(info->rx_attr->caps & both, info->caps & both);
	T_NULL(info->next);
	T_NULL(info->nic);
	T_NULL(info->fabric_attr->prov_name);
	T_NOT_NULL(info->fabric_attr->name);
	T_NOT_NULL(info->domain_attr->name);
	T_NOT_NULL(info->src_addr);
	T_IS(info->src_addrlen, sizeof(struct sockaddr_in));
	T_IS(info->addr_format, FI_SOCKADDR_IN);
	T_IS(info->mode, 0);
	T_IS(info->ep_attr->type, FI_EP_RDM);
	T_TRUE(info->ep_attr->mem_tag_format >> 63);
	T_IS(info->tx_attr->caps & ~info->caps, 0);
	T_IS(info->rx_attr->caps & ~info->caps, 0);
	T_IS(info->tx_attr->caps & rx_only, 0);
	T_IS(info->rx_attr->caps & tx_only, 0);
	T_IS(info->domain_attr->max_ep_tx_ctx, 1);
	T_IS(info->ep_attr->tx_ctx_cnt, 1);
	T_IS(info->domain_attr->resource_mgmt, FI_RM_ENABLED);
}

static void without_hints_everything_is_offered(void **state)
{
	struct fi_info *info, *again;

	T_OK(weft_getinfo(V117, NULL, NULL, 0, NULL, &info));
	check_sane(info);
	T_STR(info->fabric_attr->name, "weft");
	T_IS(info->domain_attr->mr_mode, 0);
	T_IS(info->domain_attr->threading, FI_THREAD_SAFE);
	T_IS(info->domain_attr->mr_key_size, 8);
	T_IS(info->tx_attr->op_flags, 0);
	T_TRUE(info->tx_attr->msg_order & FI_ORDER_RAW);
	T_IS(info->ep_attr->max_order_raw_size, info->ep_attr->max_msg_size);
	T_IS(info->ep_attr->max_order_war_size, 0);
	/*
	 * all offered capabilities can be requested, with modes that other
	 * providers need
	 */
	info->mode = FI_CONTEXT;
	info->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR |
				     FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	T_OK(weft_getinfo(V117, NULL, NULL, 0, info, &again));
	check_sane(again);
	T_IS(again->domain_attr->mr_mode, 0);
	T_TRUE(again->caps == info->caps);
	fi_freeinfo(again);
	fi_freeinfo(info);
}

static void missing_hint_attributes_request_nothing(void **state)
{
	struct fi_info *info, hints = { .caps = FI_MSG };

	T_OK(weft_getinfo(V117, NULL, NULL, 0, &hints, &info));
	check_sane(info);
	fi_freeinfo(info);
}

static void directions_and_free_capabilities_are_added(void **state)
{
	static const struct {
		uint64_t want, with, without;
	} row[] = {
		{ FI_MSG, FI_SEND | FI_RECV | FI_MULTI_RECV | FI_SOURCE,
		  FI_TAGGED | FI_RMA | FI_READ | FI_DIRECTED_RECV },
		{ FI_TAGGED | FI_DIRECTED_RECV,
		  FI_SEND | FI_RECV | FI_LOCAL_COMM | FI_REMOTE_COMM,
		  FI_MSG | FI_ATOMIC },
		{ FI_RMA, FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE,
		  FI_MSG | FI_SEND },
		{ FI_ATOMIC | FI_WRITE, FI_FENCE, FI_READ | FI_REMOTE_WRITE },
		{ FI_MSG | FI_SEND, FI_SEND, FI_RECV },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(row); i++) {
		struct fi_info *info, hints = { .caps = row[i].want };

		T_OK(weft_getinfo(V117, NULL, NULL, 0, &hints, &info));
		check_sane(info);
		T_IS(row[i].want & ~info->caps, 0);
		T_IS(row[i].with & ~info->caps, 0);
		T_IS(row[i].without & info->caps, 0);
		fi_freeinfo(info);
	}
}

static void choices_are_echoed(void **state)
{
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fi_domain_attr *d = hints->domain_attr;

	for (int threading = FI_THREAD_SAFE; threading <= FI_THREAD_ENDPOINT;
	     threading++)
		for (int progress = FI_PROGRESS_AUTO;
		     progress <= FI_PROGRESS_MANUAL; progress++)
			for (int type = FI_AV_UNSPEC; type <= FI_AV_TABLE;
			     type++) {
				d->threading = (enum fi_threading)threading;
				d->data_progress = (enum fi_progress)progress;
				d->control_progress = d->data_progress;
				d->av_type = (enum fi_av_type)type;
				T_OK(weft_getinfo(V117, NULL, NULL, 0, hints,
						  &info));
				T_IS(info->domain_attr->threading, threading);
				T_IS(info->domain_attr->data_progress,
				     progress);
				T_IS(info->domain_attr->control_progress,
				     progress);
				T_IS(info->domain_attr->av_type, type);
				fi_freeinfo(info);
			}
	fi_freeinfo(hints);
}

static void sizes_within_the_offer_are_echoed(void **state)
{
	struct fi_info *hints = fi_allocinfo(), *info;

	hints->tx_attr->inject_size = 16;
	hints->tx_attr->size = 17;
	hints->rx_attr->size = 18;
	hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
	hints->rx_attr->op_flags = FI_COMPLETION;
	hints->addr_format = FI_SOCKADDR;
	T_OK(weft_getinfo(V117, NULL, NULL, 0, hints, &info));
	T_IS(info->tx_attr->inject_size, 16);
	T_IS(info->tx_attr->size, 17);
	T_IS(info->rx_attr->size, 18);
	T_IS(info->tx_attr->op_flags, FI_DELIVERY_COMPLETE);
	T_IS(info->rx_attr->op_flags, FI_COMPLETION);
	T_TRUE(info->tx_attr->msg_order & FI_ORDER_SAS);
	check_sane(info);
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

static void registration_modes_follow_the_version(void **state)
{
	static const struct {
		uint32_t version;
		int want, get;
	} row[] = {
		{ FI_VERSION(1, 17), 0, 0 },
		{ FI_VERSION(1, 17), FI_MR_BASIC, FI_MR_BASIC },
		{ FI_VERSION(1, 17), FI_MR_SCALABLE, FI_MR_SCALABLE },
		{ FI_VERSION(1, 5), FI_MR_LOCAL | FI_MR_PROV_KEY, 0 },
		{ FI_VERSION(1, 4), FI_MR_UNSPEC, FI_MR_SCALABLE },
		{ FI_VERSION(1, 4), FI_MR_BASIC, FI_MR_BASIC },
	};
	struct fi_info *hints = fi_allocinfo(), *info;

	for (size_t i = 0; i < WEFT_COUNT_OF(row); i++) {
		hints->domain_attr->mr_mode = row[i].want;
		T_OK(weft_getinfo(row[i].version, NULL, NULL, 0, hints, &info));
		T_IS(info->domain_attr->mr_mode, row[i].get);
		fi_freeinfo(info);
	}
	fi_freeinfo(hints);
}

static const struct sockaddr_in *as_sockaddr_in(const void *addr)
{
	return addr;
}

static void node_and_service_set_source_or_destination(void **state)
{
	struct fi_info *info;

	T_OK(weft_getinfo(V117, "127.0.0.3", "4711", 0, NULL, &info));
	T_IS(info->dest_addrlen, sizeof(struct sockaddr_in));
	T_IS(ntohs(as_sockaddr_in(info->dest_addr)->sin_port), 4711);
	T_IS(ntohl(as_sockaddr_in(info->dest_addr)->sin_addr.s_addr),
	     0x7f000003);
	T_IS(as_sockaddr_in(info->src_addr)->sin_port, 0);
	check_sane(info);
	fi_freeinfo(info);
	T_OK(weft_getinfo(V117, NULL, "4711", FI_SOURCE, NULL, &info));
	T_IS(ntohs(as_sockaddr_in(info->src_addr)->sin_port), 4711);
	T_IS(ntohl(as_sockaddr_in(info->src_addr)->sin_addr.s_addr),
	     INADDR_LOOPBACK);
	T_NULL(info->dest_addr);
	fi_freeinfo(info);
	T_OK(weft_getinfo(V117, "127.0.0.1", NULL, FI_SOURCE | FI_NUMERICHOST,
			  NULL, &info));
	fi_freeinfo(info);
	T_IS(weft_getinfo(V117, NULL, NULL, FI_SOURCE, NULL, &info),
	     -FI_EINVAL);
	T_IS(weft_getinfo(V117, "no.such.host.invalid", "1", FI_NUMERICHOST,
			  NULL, &info),
	     -FI_ENODATA);
}

static void addresses_in_hints_are_returned(void **state)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = 99 };
	struct fi_info *info, hints = { .src_addr = &name,
					.src_addrlen = sizeof(name),
					.dest_addr = &name,
					.dest_addrlen = sizeof(name) };

	T_OK(weft_getinfo(V117, NULL, NULL, 0, &hints, &info));
	T_MEM(info->src_addr, &name, sizeof(name));
	T_MEM(info->dest_addr, &name, sizeof(name));
	fi_freeinfo(info);
	name.sin_family = AF_INET6;
	T_IS(weft_getinfo(V117, NULL, NULL, 0, &hints, &info), -FI_ENODATA);
}

/* Checks the format and the family of the addresses, then frees info. */
static void check_ipv6(struct fi_info *info)
{
	const struct sockaddr_in6 *src = info->src_addr;

	T_IS(info->addr_format, FI_SOCKADDR_IN6);
	T_IS(info->src_addrlen, sizeof(*src));
	T_IS(src->sin6_family, AF_INET6);
	fi_freeinfo(info);
}

static void ipv6_is_chosen_by_format_node_and_hints(void **state)
{
	struct sockaddr_in6 name = { .sin6_family = AF_INET6,
				     .sin6_port = htons(99),
				     .sin6_addr = in6addr_loopback };
	struct fi_info *info, hints = { .addr_format = FI_SOCKADDR_IN6 };

	T_OK(weft_getinfo(V117, NULL, NULL, 0, &hints, &info));
	check_ipv6(info);
	/* the node and the hints have different families */
	T_IS(weft_getinfo(V117, "127.0.0.1", "1", 0, &hints, &info),
	     -FI_ENODATA);
	hints.addr_format = FI_SOCKADDR_IN;
	T_IS(weft_getinfo(V117, "::1", "1", 0, &hints, &info), -FI_ENODATA);
	hints.addr_format = FI_FORMAT_UNSPEC;
	T_OK(weft_getinfo(V117, "fd00::3", "4711", 0, &hints, &info));
	T_IS(info->dest_addrlen, sizeof(name));
	T_IS(ntohs(as_sockaddr_in(info->dest_addr)->sin_port), 4711);
	check_ipv6(info);
	hints.src_addr = &name;
	hints.src_addrlen = sizeof(name);
	T_OK(weft_getinfo(V117, NULL, NULL, 0, &hints, &info));
	T_MEM(info->src_addr, &name, sizeof(name));
	check_ipv6(info);
}

HINT(is_bgq, h->fabric_attr->name = strdup("weft-bgq"))
HINT(is_bgq_domain, h->domain_attr->name = strdup("bgq"))
HINT(other_provider, h->fabric_attr->prov_name = strdup("weft;^ofi_rxm"))

#define APENET h->domain_attr->name = strdup("apenet")
HINT(hmem, APENET; h->caps = FI_MSG | FI_HMEM)
HINT(hmem_only, APENET; h->caps = FI_HMEM)
HINT(hmem_parts, APENET; h->tx_attr->caps = FI_MSG | FI_HMEM;
     h->rx_attr->caps = FI_MSG | FI_HMEM)
HINT(hmem_part, APENET; h->caps = FI_MSG; h->tx_attr->caps = FI_MSG | FI_HMEM)
HINT(no_hmem, APENET; h->caps = FI_MSG)

/*
 * A machine whose interface accesses device memory offers FI_HMEM on request.
 */
static void device_memory_is_offered_for_tx_and_rx(void **state)
{
	static void (*const set_hints[])(struct fi_info *) = { hmem, hmem_only,
							       hmem_parts };
	struct fi_info *info;

	for (size_t i = 0; i < WEFT_COUNT_OF(set_hints); i++) {
		T_OK(get_info(set_hints[i], &info));
		T_TRUE(info->caps & FI_HMEM);
		T_TRUE(info->tx_attr->caps & FI_HMEM);
		T_TRUE(info->rx_attr->caps & FI_HMEM);
		if (set_hints[i] == hmem)
			check_sane(info);
		fi_freeinfo(info);
	}
	T_OK(get_info(no_hmem, &info));
	T_TRUE(!((info->caps | info->tx_attr->caps | info->rx_attr->caps) &
		 FI_HMEM));
	fi_freeinfo(info);
	T_IS(get_info(hmem_part, &info), -FI_ENODATA);
}

static void a_machine_is_selected_by_fabric_or_domain(void **state)
{
	struct fi_info *info;

	T_OK(get_info(is_bgq, &info));
	T_IS(info->tx_attr->inject_size, 512);
	fi_freeinfo(info);
	T_OK(get_info(is_bgq_domain, &info));
	T_STR(info->fabric_attr->name, "weft-bgq");
	fi_freeinfo(info);
	/* libfabric's core, not the provider, filters by the provider's name */
	T_OK(get_info(other_provider, &info));
	fi_freeinfo(info);
}

static void private_flags_of_the_core_are_ignored(void **state)
{
	struct fi_info *info;

	for (int bit = 58; bit <= 61; bit++) {
		T_OK(weft_getinfo(V117, NULL, NULL, 1ull << bit, NULL, &info));
		fi_freeinfo(info);
	}
}

static void every_carrier_is_a_value_of_its_option(void **state)
{
	static const char *const name[] = { "auto", "shm", "sock", "hybrid",
					    "loop" };
	const struct weft_cfg_table *t = &weft_conf_options;
	union weft_cfg_value v;
	size_t i = 0;

	while (strcmp(t->opt[i].name, "FI_WEFT_CARRIER"))
		T_TRUE(++i < t->count);
	for (size_t k = 0; k < WEFT_COUNT_OF(name); k++)
		T_OK(weft_cfg_parse(&t->opt[i], name[k], &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(hints_beyond_the_offer_are_refused),
		T_CASE(without_hints_everything_is_offered),
		T_CASE(missing_hint_attributes_request_nothing),
		T_CASE(directions_and_free_capabilities_are_added),
		T_CASE(choices_are_echoed),
		T_CASE(sizes_within_the_offer_are_echoed),
		T_CASE(registration_modes_follow_the_version),
		T_CASE(node_and_service_set_source_or_destination),
		T_CASE(addresses_in_hints_are_returned),
		T_CASE(ipv6_is_chosen_by_format_node_and_hints),
		T_CASE(device_memory_is_offered_for_tx_and_rx),
		T_CASE(a_machine_is_selected_by_fabric_or_domain),
		T_CASE(private_flags_of_the_core_are_ignored),
		T_CASE(every_carrier_is_a_value_of_its_option),
	};
	/* the offers must not depend on a GPU of the host */
	setenv("FI_WEFT_CUDA", "no", 1);
	return T_RUN(tests);
}
