/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual machines. The host acts for the chip when a guest requests an
 * interface, and assigns one of the common pool: nothing is partitioned in
 * advance. With the interface the guest has its own send, receive and
 * completion queues; no kernel is on the path of its messages.
 */
#include "prov/nic/swhni/swhni_dev.h"

WEFT_EXPORT int weft_swhni_vm_open(struct weft_swhni *n, unsigned limit,
				   unsigned *vm_p)
{
	n->stats.proxied++;
	for (unsigned i = 0; i < SWHNI_VMS; i++) {
		if (n->vm[i].open)
			continue;
		n->vm[i].open = true;
		n->vm[i].limit = limit;
		n->vm[i].used = 0;
		*vm_p = i;
		return 0;
	}
	return -ENOSPC;
}

WEFT_EXPORT int weft_swhni_vm_vi(struct weft_swhni *n, unsigned vm,
				 const struct weft_swhni_vi *attr,
				 unsigned *vi_p)
{
	int err;

	if (vm >= SWHNI_VMS || !n->vm[vm].open)
		return -EINVAL;
	n->stats.proxied++;
	if (attr->job < WEFT_SWHNI_SYSTEM_JOBS)
		return -EPERM; /* belongs to the host */
	if (n->vm[vm].used == n->vm[vm].limit)
		return -ENOSPC;
	err = swhni_vi_take(n, attr, (int)vm, vi_p);
	if (!err)
		n->vm[vm].used++;
	return err;
}

WEFT_EXPORT int weft_swhni_vm_close(struct weft_swhni *n, unsigned vm)
{
	if (vm >= SWHNI_VMS || !n->vm[vm].open)
		return -EINVAL;
	n->stats.proxied++;
	for (unsigned e = 0; e < WEFT_SWHNI_ENGINES; e++) {
		for (unsigned i = 0; i < WEFT_SWHNI_VIS; i++) {
			struct swhni_vi *v = swhni_vi(n, e, i);

			if (v && v->vm == (int)vm)
				weft_swhni_job_exit(n, v->job);
		}
	}
	n->vm[vm].open = false;
	return 0;
}
