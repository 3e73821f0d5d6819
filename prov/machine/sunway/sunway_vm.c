/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual machines. When a guest requests an interface, the host assigns one
 * from a common pool, which is not partitioned in advance. The guest then has
 * its own send, receive and completion queues, and uses them without kernel
 * calls.
 */
#include "prov/machine/sunway/sunway_dev.h"

WEFT_EXPORT int weft_sunway_vm_open(struct weft_sunway *n, unsigned limit,
				    unsigned *vm_p)
{
	n->stats.proxied++;
	for (unsigned i = 0; i < SUNWAY_VMS; i++) {
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

WEFT_EXPORT int weft_sunway_vm_vi(struct weft_sunway *n, unsigned vm,
				  const struct weft_sunway_vi *attr,
				  unsigned *vi_p)
{
	int err;

	if (vm >= SUNWAY_VMS || !n->vm[vm].open)
		return -EINVAL;
	n->stats.proxied++;
	if (attr->job < WEFT_SUNWAY_SYSTEM_JOBS)
		return -EPERM; /* the interface belongs to the host */
	if (n->vm[vm].used == n->vm[vm].limit)
		return -ENOSPC;
	err = sunway_vi_take(n, attr, (int)vm, vi_p);
	if (!err)
		n->vm[vm].used++;
	return err;
}

WEFT_EXPORT int weft_sunway_vm_close(struct weft_sunway *n, unsigned vm)
{
	if (vm >= SUNWAY_VMS || !n->vm[vm].open)
		return -EINVAL;
	n->stats.proxied++;
	for (unsigned e = 0; e < WEFT_SUNWAY_ENGINES; e++) {
		for (unsigned i = 0; i < WEFT_SUNWAY_VIS; i++) {
			struct sunway_vi *v = sunway_vi(n, e, i);

			if (v && v->vm == (int)vm)
				weft_sunway_job_exit(n, v->job);
		}
	}
	n->vm[vm].open = false;
	return 0;
}
