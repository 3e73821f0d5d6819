/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric: one emulated machine, selected by its name. */
#include "prov/ofi/weft_fabric.h"
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/weft_domain.h"
#include "prov/ofi/queue/weft_eq.h"
#include "prov/ofi/weft_nosys.h"
#include "prov/ofi/queue/weft_poll.h"

#include <stdlib.h>
#include <string.h>

static int weft_fabric_close(struct fid *fid)
{
	struct weft_fabric *f =
		weft_container_of(fid, struct weft_fabric, fid.fid);

	if (weft_load32(&f->ref))
		return -FI_EBUSY;
	free(f);
	return 0;
}

static int weft_domain2(struct fid_fabric *fabric, struct fi_info *info,
			struct fid_domain **domain_p, uint64_t flags,
			void *context)
{
	if (flags)
		return -FI_EBADFLAGS;
	return weft_domain_open(fabric, info, domain_p, context);
}

static struct fi_ops fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = weft_fabric_close,
	.bind = weft_nosys_bind,
	.control = weft_nosys_control,
	.ops_open = weft_nosys_ops_open,
	.tostr = weft_nosys_tostr,
	.ops_set = weft_nosys_ops_set,
};

static struct fi_ops_fabric fabric_ops = {
	.size = sizeof(struct fi_ops_fabric),
	.domain = weft_domain_open,
	.passive_ep = weft_nosys_passive_ep,
	.eq_open = weft_eq_open,
	.wait_open = weft_nosys_wait_open,
	.trywait = weft_trywait,
	.domain2 = weft_domain2,
};

static const struct weft_machine *machine_of(const char *fabric)
{
	const struct weft_machine *m;

	for (unsigned i = 0; (m = weft_conf_machine_at(i)); i++)
		if (!strcmp(m->fabric, fabric))
			return m;
	return NULL;
}

int weft_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric_p,
		     void *context)
{
	const struct weft_machine *m;
	struct weft_fabric *f;

	m = attr->name ? machine_of(attr->name) : NULL;
	if (!m)
		return -FI_ENODATA;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -FI_ENOMEM;
	f->fid.fid.fclass = FI_CLASS_FABRIC;
	f->fid.fid.context = context;
	f->fid.fid.ops = &fid_ops;
	f->fid.ops = &fabric_ops;
	f->fid.api_version = attr->api_version;
	f->machine = m;
	*fabric_p = &f->fid;
	return 0;
}
