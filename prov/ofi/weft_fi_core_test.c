/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The provider's versions of libfabric's functions: deep copies, error texts.
 */
#include "test/t.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdlib.h>
#include <string.h>

static struct fi_info *full(void)
{
	struct fi_info *i = fi_allocinfo();

	T_TRUE(i && i->tx_attr && i->rx_attr && i->ep_attr && i->domain_attr &&
	       i->fabric_attr);
	T_IS(i->caps, 0);
	T_NULL(i->fabric_attr->name);
	i->caps = FI_TAGGED;
	i->src_addr = strdup("source");
	i->src_addrlen = 7;
	i->tx_attr->size = 77;
	i->rx_attr->size = 78;
	i->ep_attr->auth_key = (uint8_t *)strdup("key");
	i->ep_attr->auth_key_size = 3;
	i->domain_attr->name = strdup("domain");
	i->fabric_attr->name = strdup("fabric");
	i->fabric_attr->prov_name = strdup("provider");
	return i;
}

static void fi_dupinfo_makes_a_deep_copy(void **state)
{
	struct fi_info *a = full(), *b;

	a->next = fi_dupinfo(a);
	b = fi_dupinfo(a);
	/* a copy has one entry and is independent of the original */
	T_NULL(b->next);
	fi_freeinfo(a);
	T_IS(b->caps, FI_TAGGED);
	T_STR((char *)b->src_addr, "source");
	T_NULL(b->dest_addr);
	T_IS(b->tx_attr->size, 77);
	T_IS(b->rx_attr->size, 78);
	T_IS(memcmp(b->ep_attr->auth_key, "key", 3), 0);
	T_NULL(b->domain_attr->auth_key);
	T_STR(b->domain_attr->name, "domain");
	T_STR(b->fabric_attr->name, "fabric");
	T_STR(b->fabric_attr->prov_name, "provider");
	fi_freeinfo(b);
	fi_freeinfo(NULL);
}

static void every_error_has_a_text(void **state)
{
	T_STR(fi_strerror(FI_ENOMEM), strerror(FI_ENOMEM));
	for (int e = FI_ERRNO_OFFSET + 1; e <= FI_EOVERRUN; e++)
		T_TRUE(strcmp(fi_strerror(e), fi_strerror(FI_EOTHER)));
	T_STR(fi_strerror(99999), fi_strerror(FI_EOTHER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(fi_dupinfo_makes_a_deep_copy),
		T_CASE(every_error_has_a_text),
	};

	return T_RUN(tests);
}
