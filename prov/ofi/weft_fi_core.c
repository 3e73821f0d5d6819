/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implementation of the libfabric functions that the provider calls, for a
 * process that uses only this provider. Loading libfabric itself would load the
 * libraries of all providers on the host, whose constructors install signal
 * handlers and may take 200 ms to measure clocks. Memory allocated here may be
 * freed by libfabric, and vice versa. These functions are linked into the MPI
 * library and into the provider that it loads, as hidden symbols.
 */
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>
#include <stdlib.h>
#include <string.h>

/* Returns a copy of from, or zeroed memory if from is NULL. */
static void *copy_or_zero(const void *from, size_t bytes)
{
	void *to = calloc(1, bytes ? bytes : 1);

	if (to && from)
		memcpy(to, from, bytes);
	return to;
}

/*
 * Sets the pointer stored at `at` to a copy of `from`, or to NULL if `from` is
 * NULL. Returns false if out of memory.
 */
static int copy_if(void *at, const void *from, size_t bytes)
{
	void *to = from ? copy_or_zero(from, bytes) : NULL;

	memcpy(at, &to, sizeof(to));
	return !from || to;
}

static int copy_text(char **at)
{
	return copy_if(at, *at, *at ? strlen(*at) + 1 : 0);
}

static int copy_ep(struct fi_ep_attr *a)
{
	return copy_if(&a->auth_key, a->auth_key, a->auth_key_size);
}

static int copy_domain(struct fi_domain_attr *a)
{
	int named = copy_text(&a->name);

	return copy_if(&a->auth_key, a->auth_key, a->auth_key_size) && named;
}

static int copy_fabric(struct fi_fabric_attr *a)
{
	int named = copy_text(&a->name);

	return copy_text(&a->prov_name) && named;
}

/*
 * Replaces the pointers in d, which still point to the attributes of i, by
 * pointers to copies. Missing attributes are zeroed.
 */
static int copy_parts(struct fi_info *d, const struct fi_info *i)
{
	int ok = copy_if(&d->src_addr, d->src_addr, d->src_addrlen) &
		 copy_if(&d->dest_addr, d->dest_addr, d->dest_addrlen);

	d->tx_attr = copy_or_zero(i ? i->tx_attr : NULL, sizeof(*d->tx_attr));
	d->rx_attr = copy_or_zero(i ? i->rx_attr : NULL, sizeof(*d->rx_attr));
	d->ep_attr = copy_or_zero(i ? i->ep_attr : NULL, sizeof(*d->ep_attr));
	d->domain_attr = copy_or_zero(i ? i->domain_attr : NULL,
				      sizeof(*d->domain_attr));
	d->fabric_attr = copy_or_zero(i ? i->fabric_attr : NULL,
				      sizeof(*d->fabric_attr));
	ok = ok && d->tx_attr && d->rx_attr;
	ok = (d->ep_attr && copy_ep(d->ep_attr)) && ok;
	ok = (d->domain_attr && copy_domain(d->domain_attr)) && ok;
	return (d->fabric_attr && copy_fabric(d->fabric_attr)) && ok;
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
	struct fi_info *d = copy_or_zero(info, sizeof(*d));

	if (!d)
		return NULL;
	d->next = NULL;
	d->nic = NULL; /* the provider never sets nic */
	if (copy_parts(d, info))
		return d;
	fi_freeinfo(d);
	return NULL;
}

static void free_one(struct fi_info *i)
{
	free(i->src_addr);
	free(i->dest_addr);
	free(i->tx_attr);
	free(i->rx_attr);
	if (i->ep_attr)
		free(i->ep_attr->auth_key);
	free(i->ep_attr);
	if (i->domain_attr) {
		free(i->domain_attr->auth_key);
		free(i->domain_attr->name);
	}
	free(i->domain_attr);
	if (i->fabric_attr) {
		free(i->fabric_attr->name);
		free(i->fabric_attr->prov_name);
	}
	free(i->fabric_attr);
	free(i);
}

void fi_freeinfo(struct fi_info *info)
{
	while (info) {
		struct fi_info *next = info->next;

		free_one(info);
		info = next;
	}
}

/* Texts for the error codes that are not errno numbers. */
static const char *const beyond[] = {
	[FI_EOTHER - FI_ERRNO_OFFSET] = "unspecified error",
	[FI_ETOOSMALL - FI_ERRNO_OFFSET] = "a buffer is too small",
	[FI_EOPBADSTATE - FI_ERRNO_OFFSET] =
		"operation not permitted in this state",
	[FI_EAVAIL - FI_ERRNO_OFFSET] = "error available",
	[FI_EBADFLAGS - FI_ERRNO_OFFSET] = "flags are not supported",
	[FI_ENOEQ - FI_ERRNO_OFFSET] = "no event queue",
	[FI_EDOMAIN - FI_ERRNO_OFFSET] = "wrong domain",
	[FI_ENOCQ - FI_ERRNO_OFFSET] = "no completion queue",
	[FI_ECRC - FI_ERRNO_OFFSET] = "a checksum is wrong",
	[FI_ETRUNC - FI_ERRNO_OFFSET] = "message truncated",
	[FI_ENOKEY - FI_ERRNO_OFFSET] = "no such key",
	[FI_ENOAV - FI_ERRNO_OFFSET] = "no address vector",
	[FI_EOVERRUN - FI_ERRNO_OFFSET] = "queue overrun",
};

const char *fi_strerror(int errnum)
{
	size_t i;

	if (errnum < FI_ERRNO_OFFSET)
		return strerror(errnum);
	i = (size_t)(errnum - FI_ERRNO_OFFSET);
	if (i < sizeof(beyond) / sizeof(beyond[0]) && beyond[i])
		return beyond[i];
	return beyond[0];
}

/* Does nothing: no program lists these parameters. */
int fi_param_define(const struct fi_provider *provider, const char *name,
		    enum fi_param_type type, const char *help, ...)
{
	(void)provider;
	(void)name;
	(void)type;
	(void)help;
	return 0;
}
