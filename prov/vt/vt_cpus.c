/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor affinity of ranks. Launchers bind each rank to its own processor,
 * which suits ranks that all run at the same time. In virtual time usually only
 * one rank runs, and the main cost is the hand-over to the next rank: 2 us on
 * the same processor, while a different processor must first be woken and may
 * be busy. So each rank may use all processors of the job.
 */
#include "prov/vt/vt.h"

#include <sched.h>

#define WORD 64

void vt_cpus_add(struct vt_head *h)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (unsigned i = 0; i < VT_CPU_WORDS * WORD; i++)
		if (CPU_ISSET(i, &set))
			atomic_fetch_or_explicit(&h->cpus[i / WORD],
						 UINT64_C(1) << i % WORD,
						 memory_order_acq_rel);
}

void vt_cpus_share(struct vt_head *h)
{
	const struct sched_param none = { .sched_priority = 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < VT_CPU_WORDS * WORD; i++)
		if (weft_load64(&h->cpus[i / WORD]) >> i % WORD & 1)
			CPU_SET(i, &set);
	/* if refused, the rank keeps its affinity */
	sched_setaffinity(0, sizeof(set), &set);
	/*
	 * a rank that wakes hundreds of ranks should not be preempted by each
	 * of them
	 */
	if (sched_getscheduler(0) == SCHED_OTHER)
		sched_setscheduler(0, SCHED_BATCH, &none);
}
