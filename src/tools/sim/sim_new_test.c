/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * New machine files: each kind is short, valid and runs. Traffic to the next
 * group saturates at the published rate of each routing.
 */
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "prov/net/file/net_name.h"
#include "src/base/attr.h"
#include "src/tools/sim/sim_new.h"
#include "src/tools/sim/sim_run.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_spec spec;
static struct sim_result first, second;

/* Makes a machine of this kind; `routing`, if not NULL, is its routing. */
static void machine(const char *kind, const char *routing)
{
	static const struct net_spec want;
	struct net_error_text why = { "" };
	char *text = NULL, all[4096], reason[SIM_NEW_WHY], *at;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	T_NOT_NULL(f);
	T_OK(sim_new(f, kind, "100Gb", reason));
	fclose(f);
	spec = (struct sim_spec){ .bytes = 4096,
				  .seed = 3,
				  .load = 0.5,
				  .warm_ps = 10000000,
				  .time_ps = 20000000 };
	at = strstr(text, "\nrouting ");
	if (at && routing)
		*at = 0;
	snprintf(all, sizeof(all), "%s\n%s", text,
		 at && routing ? strchr(at + 1, '\n') : "");
	if (routing)
		snprintf(all + strlen(all), sizeof(all) - strlen(all),
			 "\nrouting = %s\n", routing);
	free(text);
	T_OK(net_file_parse("new", all, strlen(all), &want, &spec.cfg, &why));
}

static void every_kind_is_short_and_runs(void **state)
{
	static const char *const kinds[] = { "fattree",	   "dragonfly",
					     "dragonfly+", "hyperx",
					     "torus",	   "mesh",
					     "graph" };
	char *text = NULL, why[SIM_NEW_WHY];
	unsigned lines;
	size_t len;
	FILE *f;

	for (unsigned i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		f = open_memstream(&text, &len);
		T_OK(sim_new(f, kinds[i], "12.5GB/s", why));
		fclose(f);
		lines = 0;
		for (const char *p = text; *p; p++)
			lines += *p == '\n';
		T_TRUE(lines >= 14 && lines <= 18);
		free(text);
		machine(kinds[i], NULL);
		T_OK(sim_run(&spec, &first));
		T_TRUE(first.accepted > 0);
		T_OK(sim_run(&spec, &second));
		T_IS(first.count.hash, second.count.hash);
		sim_result_close(&first);
		sim_result_close(&second);
	}
}

static void wrong_kinds_and_rates_are_refused(void **state)
{
	char why[SIM_NEW_WHY];

	T_IS(sim_new(stdout, "ring", "100Gb", why), -EINVAL);
	T_STR(why, "ring: expected one of fattree dragonfly dragonfly+ hyperx "
		   "torus mesh graph");
	T_IS(sim_new(stdout, "fattree", "fast", why), -EINVAL);
	T_NOT_NULL(strstr(why, "fast: expected the rate of a link"));
	T_IS(sim_new(stdout, "fattree", "0Gb", why), -EINVAL);
	T_IS(sim_new(stdout, "fattree", "100", why), -EINVAL);
	/* machine files have no exponents */
	T_IS(sim_new(stdout, "fattree", "0.0001Gb", why), -EINVAL);
}

static void group_traffic_goes_to_the_next_group(void **state)
{
	struct sim_traffic t;

	machine("dragonfly", NULL);
	T_NULL(sim_pattern_missing(SIM_GROUP, &spec.cfg));
	T_OK(sim_traffic_open(&t, &spec.cfg, SIM_GROUP, 0, 7));
	for (uint32_t n = 0; n < t.nodes; n++)
		for (unsigned k = 0; k < 20; k++)
			T_IS(sim_traffic_next(&t, n) / 8, (n / 8 + 1) % 9);
	sim_traffic_close(&t);
	machine("fattree", NULL);
	T_NOT_NULL(sim_pattern_missing(SIM_GROUP, &spec.cfg));
}

/* Returns the accepted rate at full load, as a fraction of the peak rate. */
static double accepted(const char *routing, enum sim_pattern pattern)
{
	double part;

	machine("dragonfly", routing);
	spec.pattern = pattern;
	spec.load = 1;
	spec.warm_ps = 50000000;
	spec.time_ps = 50000000;
	T_OK(sim_run(&spec, &first));
	part = first.accepted / first.peak;
	sim_result_close(&first);
	return part;
}

/*
 * Kim et al. (ISCA 2008): one link carries the traffic of the a * p = 8 nodes
 * of a group with minimal routing; Valiant's routing reaches half of the rate.
 */
static void dragonfly_routings_saturate_as_published(void **state)
{
	double x = accepted("minimal", SIM_GROUP);

	T_TRUE(x > 0.95 / 8 && x < 1.05 / 8);
	x = accepted("valiant", SIM_GROUP);
	T_TRUE(x > 0.35 && x < 0.55);
	x = accepted("ugal", SIM_GROUP);
	T_TRUE(x > 0.3 && x < 0.55);
	T_TRUE(accepted("valiant", SIM_UNIFORM) < 0.6);
	T_TRUE(accepted("ugal", SIM_UNIFORM) > 0.75);
}

static void names_tell_nodes_switches_and_links(void **state)
{
	char name[32], class[NET_CLASS_NAME];

	machine("dragonfly", NULL);
	net_link_name(&spec.cfg, 72 + 35, 5, name, sizeof(name));
	T_STR(name, "switch 35 port 5");
	net_node_name(&spec.cfg, 71, name, sizeof(name));
	T_STR(name, "node 71");
	net_class_name(&spec.cfg, net_class_of(&spec.cfg, 71, 0), class);
	T_STR(class, "N+");
	net_class_name(&spec.cfg, net_class_of(&spec.cfg, 72, 0), class);
	T_STR(class, "N-");
	net_class_name(&spec.cfg, net_class_of(&spec.cfg, 72, 2), class);
	T_STR(class, "L");
	net_class_name(&spec.cfg, net_class_of(&spec.cfg, 72, 5), class);
	T_STR(class, "G");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_kind_is_short_and_runs),
		T_CASE(wrong_kinds_and_rates_are_refused),
		T_CASE(group_traffic_goes_to_the_next_group),
		T_CASE(dragonfly_routings_saturate_as_published),
		T_CASE(names_tell_nodes_switches_and_links),
	};

	return T_RUN(tests);
}
