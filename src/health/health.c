/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared region of the health watch: validation, joining, leaving. */
#include "src/health/health.h"

#include "src/os/alive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t health_bytes_of(uint32_t slots)
{
	return sizeof(struct health_head) + slots * sizeof(struct health_slot);
}

static void init_from(struct weft_health *h, const struct health_job_info *what)
{
	struct stat st;

	h->head = h->region.base;
	h->slot = (struct health_slot *)(h->head + 1);
	h->what = *what;
	/* 0: unknown, pids of other processes cannot be compared */
	h->ns = stat("/proc/self/ns/pid", &st) ? 0 : (uint32_t)st.st_ino;
	h->me = HEALTH_NO_SLOT;
}

int weft_health_open(struct weft_health *h, const struct weft_health_job *job)
{
	struct health_job_info what = { .magic = HEALTH_MAGIC,
					.version = HEALTH_VERSION,
					.slots = job->here,
					.bytes = health_bytes_of(job->here),
					.period_ns = job->period_ns,
					.ranks = job->ranks };
	int err;

	memset(h, 0, sizeof(*h));
	h->region.fd = -1;
	if (!job->here || job->here > HEALTH_SLOTS_MAX || !job->period_ns)
		return -EINVAL;
	err = weft_region_open(&h->region, HEALTH_NAME, what.bytes);
	if (err)
		return err;
	weft_health_shape(job->torus, job->here, what.shape);
	snprintf(what.job, HEALTH_JOB, "%s", job->name);
	snprintf(what.host, HEALTH_HOST, "%s", job->host);
	init_from(h, &what);
	h->head->what = what;
	weft_store32(&h->head->temp_mc, HEALTH_NONE);
	weft_store32(&h->head->load_cpcpu, HEALTH_NONE);
	return 0;
}

static bool is_good(const struct health_job_info *w, size_t bytes)
{
	uint64_t nodes = 1;

	if (w->magic != HEALTH_MAGIC || w->version != HEALTH_VERSION ||
	    !w->slots || w->slots > HEALTH_SLOTS_MAX ||
	    bytes < health_bytes_of(w->slots) || !w->period_ns)
		return false;
	for (int d = 0; d < HEALTH_DIMS; d++) {
		if (!w->shape[d] || w->shape[d] > w->slots)
			return false;
		nodes *= w->shape[d];
	}
	return nodes == w->slots && memchr(w->job, 0, HEALTH_JOB) &&
	       memchr(w->host, 0, HEALTH_HOST);
}

/*
 * Validates a copy of the head of a new mapping, since the region is untrusted.
 * Returns 0 or -errno.
 */
static int validate(struct weft_health *h, int err)
{
	struct health_job_info what;

	if (err)
		return err;
	memcpy(&what, h->region.base, sizeof(what));
	if (is_good(&what, h->region.bytes)) {
		init_from(h, &what);
		return 0;
	}
	weft_region_close(&h->region);
	return -EINVAL;
}

int weft_health_attach(struct weft_health *h, int fd, const char *job)
{
	int err;

	memset(h, 0, sizeof(*h));
	err = validate(h, weft_region_attach(&h->region, fd,
					     sizeof(struct health_head)));
	if (!err && strncmp(h->what.job, job, HEALTH_JOB - 1)) {
		weft_health_close(h);
		return -ESTALE;
	}
	return err;
}

int weft_health_attach_readonly(struct weft_health *h, int fd)
{
	memset(h, 0, sizeof(*h));
	return validate(h, weft_region_attach_ro(&h->region, fd,
						 sizeof(struct health_head)));
}

void weft_health_close(struct weft_health *h)
{
	weft_region_close(&h->region);
	h->head = NULL;
	h->slot = NULL;
	h->what.slots = 0;
}

int weft_health_join(struct weft_health *h, uint32_t slot, uint32_t rank)
{
	struct health_slot *s;
	uint32_t pid = (uint32_t)getpid();

	if (slot >= h->what.slots)
		return -EINVAL;
	s = &h->slot[slot];
	h->me = slot;
	for (unsigned p = 0; p < WEFT_WATCH_PORTS; p++) {
		h->neighbour[p] = weft_health_neighbour(h->what.shape, slot, p);
		weft_store32(&s->neighbour[p].slot, h->neighbour[p]);
	}
	weft_store32(&s->rank, rank);
	weft_store32(&s->pid, pid);
	weft_store32(&s->ns, h->ns);
	weft_store64(&s->start, weft_proc_start(pid));
	/* R0 pairs with A0 in health_round.c, health_view.c: stored last */
	weft_store32(&s->state, HEALTH_JOINED);
	return 0;
}

void weft_health_leave(struct weft_health *h)
{
	if (h->head && h->me != HEALTH_NO_SLOT)
		weft_store32(&h->slot[h->me].state, HEALTH_LEFT);
	h->me = HEALTH_NO_SLOT;
}
