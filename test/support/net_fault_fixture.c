/* SPDX-License-Identifier: BSD-3-Clause */
/* Test support: opens the network of a machine file with a fault plan. */
#include "test/support/net_fault_fixture.h"

#include "test/t.h"

#include <stdlib.h>

void net_fixture_machine_load(struct net_config *cfg, const char *machine)
{
	struct net_error_text why = { "" };

	if (net_file_load(machine, 0, cfg, &why))
		print_message("%s\n", why.text);
	T_OK(net_file_load(machine, 0, cfg, &why));
}

static int open_with(struct net_fixture *e, struct net_config *cfg,
		     const char *text, struct weft_fault_plan_why *why)
{
	struct weft_fault_plan plan;
	int ret = weft_fault_plan_parse("plan", text, &plan, why);

	if (ret)
		return ret;
	net_fault_reserve(cfg, &plan);
	net_fixture_open(e, cfg, 1 << 14);
	ret = net_fault_load(e->net, "plan", &plan, why);
	weft_fault_plan_fini(&plan);
	if (ret)
		free(e->net);
	return ret;
}

void net_fixture_fault_open(struct net_fixture *e, const struct net_config *cfg,
			    const char *text)
{
	struct net_config with = *cfg;
	struct weft_fault_plan_why why = { "" };

	if (open_with(e, &with, text, &why)) {
		print_message("%s\n", why.text);
		T_TRUE(false);
	}
}

void net_fixture_fault_refused(const struct net_config *cfg, const char *text,
			       struct weft_fault_plan_why *why)
{
	struct net_config with = *cfg;
	struct net_fixture e;

	why->text[0] = 0;
	T_IS(open_with(&e, &with, text, why), -22);
}

struct net_fault_count net_fixture_fault_count(const struct net_fixture *e)
{
	struct net_fault_count c;

	net_fault_count_get(e->net, &c);
	return c;
}
