/* SPDX-License-Identifier: BSD-3-Clause */
/* Test support: opens the network of a machine file with a fault plan. */
#ifndef WEFT_NET_FAULT_FIXTURE_H
#define WEFT_NET_FAULT_FIXTURE_H

#include "test/support/net_fixture.h"
#include "prov/net/fault/net_fault.h"
#include "prov/net/file/net_file.h"

/*
 * Opens a network with a fault plan. Fails the test if the machine or the fault
 * plan is invalid.
 */
void net_fixture_fault_open(struct net_fixture *e, const struct net_config *cfg,
			    const char *plan);
void net_fixture_machine_load(struct net_config *cfg, const char *machine);
struct net_fault_count net_fixture_fault_count(const struct net_fixture *e);

/* Checks that the plan is invalid; sets *why to the error message. */
void net_fixture_fault_refused(const struct net_config *cfg, const char *plan,
			       struct weft_fault_plan_why *why);

#endif
