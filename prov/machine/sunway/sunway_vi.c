/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual interfaces, 128 per engine: a send, a receive and a completion queue
 * each. When a job exits, its interfaces and memory are freed at once. Its
 * messages on the chip are dropped here; their receivers drop those in the
 * network.
 */
#include "prov/machine/sunway/sunway_dev.h"

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static void vi_free(struct sunway_vi *v)
{
	sunway_rq_fini(v);
	free(v->sq);
	free(v->fsm);
	free(v->cq);
	memset(v, 0, sizeof(*v));
}

static int vi_fill(struct sunway_vi *v, const struct weft_sunway_vi *a, int vm)
{
	int err;

	weft_list_init(&v->ready);
	weft_list_init(&v->windows);
	v->job = a->job;
	v->vm = vm;
	v->sends = a->sends;
	v->events = a->events;
	err = sunway_rq_init(v, a->receives);
	v->sq = calloc(a->sends, sizeof(*v->sq));
	v->cq = calloc(a->events, sizeof(*v->cq));
	v->fsm = calloc(SUNWAY_FSMS, sizeof(*v->fsm));
	if (!err && v->sq && v->cq && v->fsm) {
		v->open = true;
		return 0;
	}
	vi_free(v);
	return -ENOMEM;
}

/*
 * Returns whether the job runs outside of virtual machine vm; all interfaces of
 * a job belong to one virtual machine, or to none.
 */
static bool job_elsewhere(struct weft_sunway *n, uint32_t job, int vm)
{
	for (unsigned e = 0; e < WEFT_SUNWAY_ENGINES; e++) {
		for (unsigned i = 0; i < WEFT_SUNWAY_VIS; i++) {
			struct sunway_vi *v = &n->me[e].vi[i];

			if (v->open && v->job == job && v->vm != vm)
				return true;
		}
	}
	return false;
}

int sunway_vi_take(struct weft_sunway *n, const struct weft_sunway_vi *a,
		   int vm, unsigned *vi_p)
{
	int err;

	if (a->engine >= WEFT_SUNWAY_ENGINES || !a->job ||
	    !power_of_two(a->sends) || !power_of_two(a->receives) ||
	    !power_of_two(a->events))
		return -EINVAL;
	if (job_elsewhere(n, a->job, vm))
		return -EPERM;
	for (unsigned i = 0; i < WEFT_SUNWAY_VIS; i++) {
		struct sunway_vi *v = &n->me[a->engine].vi[i];

		if (v->open)
			continue;
		err = vi_fill(v, a, vm);
		if (!err)
			*vi_p = i;
		return err;
	}
	return -ENOSPC;
}

WEFT_EXPORT int weft_sunway_vi_open(struct weft_sunway *n,
				    const struct weft_sunway_vi *attr,
				    unsigned *vi_p)
{
	return sunway_vi_take(n, attr, SUNWAY_NO_VM, vi_p);
}

WEFT_EXPORT int weft_sunway_vi_close(struct weft_sunway *n, unsigned engine,
				     unsigned vi)
{
	struct sunway_vi *v = sunway_vi(n, engine, vi);

	if (!v)
		return -EINVAL;
	weft_list_remove(&v->ready);
	sunway_tx_close(n, engine, vi);
	sunway_window_close(v);
	sunway_coll_close(v);
	if (v->vm != SUNWAY_NO_VM)
		n->vm[v->vm].used--;
	vi_free(v);
	return 0;
}

WEFT_EXPORT int weft_sunway_job_exit(struct weft_sunway *n, uint32_t job)
{
	int found = 0;

	for (unsigned e = 0; e < WEFT_SUNWAY_ENGINES; e++) {
		for (unsigned i = 0; i < WEFT_SUNWAY_VIS; i++) {
			struct sunway_vi *v = sunway_vi(n, e, i);

			if (v && v->job == job)
				found += !weft_sunway_vi_close(n, e, i);
		}
	}
	sunway_mem_free_job(n, job);
	return found ? 0 : -ENOENT;
}

void sunway_vi_fini(struct weft_sunway *n)
{
	for (unsigned e = 0; e < WEFT_SUNWAY_ENGINES; e++) {
		for (unsigned i = 0; i < WEFT_SUNWAY_VIS; i++)
			weft_sunway_vi_close(n, e, i);
	}
}
