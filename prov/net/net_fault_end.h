/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: a machine by its file, with a plan in it. */
#ifndef WEFT_NET_FAULT_END_H
#define WEFT_NET_FAULT_END_H

#include "prov/net/net_end.h"
#include "prov/net/net_fault.h"
#include "prov/net/net_file.h"

/* Fails the test when machine or plan are wrong. */
void fault_end_open(struct net_end *e, const struct net_config *cfg,
		    const char *plan);
void fault_end_machine(struct net_config *cfg, const char *machine);
struct net_fault_count fault_end_count(const struct net_end *e);

/* What is wrong with a plan for this machine, or "". */
void fault_end_wrong(const struct net_config *cfg, const char *plan,
		     struct weft_plan_why *why);

#endif
