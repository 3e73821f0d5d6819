/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Golden times: small experiments on the model with exact results, in
 * picoseconds where the result is a time. net_golden_table.h has the table and
 * derives the results of unloaded networks by hand. The first test compares the
 * results. The second changes every number of every machine file, one at a
 * time, and requires that the result of an experiment changes.
 *
 * GOLDEN=1 in the environment prints all results instead of comparing them.
 */
#include "prov/net/file/net_file_int.h"
#include "prov/net/file/net_map.h"
#include "prov/net/health/net_watch.h"
#include "test/support/net_fault_fixture.h"

#include "test/t.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/net_golden_table.h"

#define REFUSED UINT64_MAX
#define PACKETS (1u << 14)

static struct net_config cfg;
static struct net_fixture fx;

/* ---- experiments --------------------------------------------------------- */

/*
 * Opens the network of cfg with the fault plan of the experiment. Returns false
 * if the model refuses the configuration.
 */
static bool open_net(const struct golden *g)
{
	struct net_config with;
	struct weft_fault_plan_why why;
	struct weft_fault_plan plan;
	size_t bytes;
	bool ok;

	if (cfg.wormhole)
		net_config_channels(&cfg);
	with = cfg;
	if (net_config_check(&cfg))
		return false;
	if (g->plan) {
		T_OK(weft_fault_plan_parse("plan", g->plan, &plan, &why));
		net_fault_reserve(&with, &plan);
	}
	memset(&fx, 0, sizeof(fx));
	bytes = net_bytes(&with, PACKETS);
	fx.net = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	T_NOT_NULL(fx.net);
	ok = !net_open(fx.net, bytes, &with, PACKETS);
	if (g->plan) {
		if (ok)
			T_OK(net_fault_load(fx.net, "plan", &plan, &why));
		weft_fault_plan_fini(&plan);
	}
	if (!ok)
		free(fx.net);
	return ok;
}

/*
 * Opens a class route over the first nodes, or over nodes 0 and msg.dst.
 * Returns the result of the model.
 */
static int open_route(const struct golden *g, uint32_t *route_p)
{
	unsigned members = g->members ? g->members : 2;
	struct net_tree_plan t = { 0 };
	uint32_t node[64];
	int err;

	for (unsigned i = 0; i < members; i++)
		node[i] = i;
	if (g->msg.dst)
		node[1] = g->msg.dst;
	T_OK(net_tree_plan(&cfg, node, NULL, members, &t));
	err = net_tree_open(fx.net, t.node, t.parent, t.share, t.count,
			    route_p);
	net_tree_plan_free(&t);
	return err;
}

static uint64_t run_collective(const struct golden *g)
{
	struct net_part part = { .bytes = (uint32_t)g->msg.bytes,
				 .kind = g->coll,
				 .fp = g->fp };
	bool one_source =
		g->coll != WEFT_COLL_ALLREDUCE && g->coll != WEFT_COLL_BARRIER;
	unsigned sources = one_source ? 1 : g->members;

	for (unsigned i = 0; i <= g->others; i++)
		T_OK(open_route(g, &part.route));
	for (unsigned i = 0; i < (g->count ? g->count : 1) * sources; i++) {
		part.seq = i / sources;
		part.node = i % sources;
		part.cookie = i;
		T_OK(net_tree_send(fx.net, 0, &part));
	}
	net_fixture_drain(&fx);
	return fx.result_at > fx.answer_at ? fx.result_at : fx.answer_at;
}

/* Returns the number of class routes that fit on two nodes. */
static uint64_t run_routes(const struct golden *g)
{
	uint32_t route;
	uint64_t n = 0;

	while (!open_route(g, &route))
		n++;
	return n;
}

static bool goes_to_one(const struct golden *g)
{
	return g->kind == HOT || g->kind == SYSTEM;
}

/* Returns whether every node sends in experiment g. */
static bool all_nodes_send(const struct golden *g)
{
	return goes_to_one(g) || g->kind == CROWD || g->kind == ALARMS;
}

static void send_from(const struct golden *g, uint32_t node)
{
	struct net_msg m = g->msg;

	m.src = node;
	for (unsigned i = 0; i < (g->count ? g->count : 1); i++) {
		if (all_nodes_send(g) && !goes_to_one(g))
			m.dst = (node * 5 + 7 * i + 3) % net_shape_nodes(&cfg);
		if (all_nodes_send(g) || g->kind == FIFOS)
			m.fifo = i;
		if (g->kind == WORDS)
			m.address = (uint64_t)i % (g->count / 2) * 65536;
		if (g->kind == SYSTEM)
			m.routing = i % 4;
		m.cookie = i;
		T_OK(net_send(fx.net, 0, &m));
	}
}

static void run_messages(const struct golden *g)
{
	uint32_t nodes = net_shape_nodes(&cfg);
	struct golden back = *g;

	if (all_nodes_send(g)) {
		for (uint32_t i = 0; i < nodes; i++)
			if (!goes_to_one(g) || i != g->msg.dst)
				send_from(g, i);
	} else {
		send_from(g, g->msg.src);
	}
	if (g->kind == PAIR) {
		back.msg.dst = g->msg.src;
		send_from(&back, g->msg.dst);
	}
	net_fixture_drain(&fx);
}

static struct net_watch *watch;

static void on_timer(void *arg, uint64_t at, uint64_t cookie)
{
	net_watch_timer(watch, at, cookie);
}

static void on_word(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		    unsigned port)
{
	net_watch_word(watch, at, cookie, node, port);
}

/* Returns the time at which the master detects a host that fails at 1 ms. */
static uint64_t run_watch(void)
{
	static const struct net_up up = { .timer = on_timer, .word = on_word };
	uint64_t at;

	T_OK(net_watch_open(&watch, fx.net, &cfg, 1, 4 * cfg.watch_ps));
	T_OK(net_watch_fail(watch, 1000000000, 5, NET_WATCH_HOST));
	net_run(fx.net, NET_NEVER, &up, NULL, NULL);
	at = net_watch_get(watch, 0)->master_at;
	net_watch_close(watch);
	return at;
}

static uint64_t message_result(const struct golden *g)
{
	struct net_fault_count c;

	switch (g->kind) {
	case ACKED:
		return fx.acked_at;
	case SENT:
		return fx.sent_at;
	case SYSTEM:
		return fx.cookie_at[3];
	case DEAD:
		return fx.dead_at;
	case ALARMS:
		T_TRUE(net_fault_count_get(fx.net, &c));
		return c.alarms;
	default:
		return fx.last_at;
	}
}

/* Returns the result of an experiment on cfg, or REFUSED. */
static uint64_t golden_run(const struct golden *g)
{
	uint64_t result;

	if (!open_net(g))
		return REFUSED;
	if (g->kind == RESULT) {
		result = run_collective(g);
	} else if (g->kind == ROUTES) {
		result = run_routes(g);
	} else if (g->kind == WATCH) {
		result = run_watch();
	} else {
		run_messages(g);
		result = message_result(g);
	}
	T_OK(net_check(fx.net));
	free(fx.net);
	return result;
}

/* ---- numbers of a machine file ------------------------------------------- */

static void *field_of(const struct file_key *key, unsigned part)
{
	unsigned char *base = (unsigned char *)&cfg;

	if (key->flags & FILE_OF_PATH)
		base = (unsigned char *)&cfg.path[part];
	if (key->flags & FILE_OF_BUS)
		base = (unsigned char *)&cfg.bus[part];
	return base + key->offset;
}

static uint64_t field_get(const struct file_key *key, unsigned part)
{
	uint64_t v = 0;

	memcpy(&v, field_of(key, part), key->bytes);
	return v;
}

static void field_set(const struct file_key *key, unsigned part, uint64_t v)
{
	memcpy(field_of(key, part), &v, key->bytes);
}

/* Returns the key NAME, or PART.NAME of a path or bus (index: *part_p). */
static const struct file_key *key_named(char *name, unsigned *part_p)
{
	char *dot = strchr(name, '.');
	unsigned i;

	*part_p = 0;
	if (!dot)
		return file_key_find(name, 0);
	*dot = 0;
	for (i = 0; i < cfg.paths; i++)
		if (!strcmp(cfg.path[i].name, name)) {
			*part_p = i;
			return file_key_find(dot + 1, FILE_OF_PATH);
		}
	for (i = 0; i < cfg.buses; i++)
		if (!strcmp(cfg.bus[i].name, name))
			*part_p = i;
	return file_key_find(dot + 1, FILE_OF_BUS);
}

/*
 * Sets the keys in a text "key=value key=value"; values are in the units of
 * cfg.
 */
static void apply(const char *set)
{
	const struct file_key *key;
	char name[32];
	unsigned part;
	uint64_t v;
	int used;

	while (set &&
	       sscanf(set, "%31[^=]=%" SCNu64 " %n", name, &v, &used) == 2) {
		key = key_named(name, &part);
		T_NOT_NULL(key);
		field_set(key, part, v);
		set += used;
	}
}

static void load(const struct golden *g)
{
	net_fixture_machine_load(&cfg, g->machine);
	apply(g->set);
}

static bool is_number(const struct file_key *key)
{
	switch (key->type) {
	case FILE_TIME:
	case FILE_CYCLES:
	case FILE_BYTES:
	case FILE_RATE_INV:
	case FILE_RATE_US:
	case FILE_COUNT:
		return true;
	default:
		return false;
	}
}

/*
 * Returns another value for a number: a tenth more or a tenth less, by at least
 * one; if the model refuses both, the double or the half.
 */
static uint64_t other_value(const struct file_key *key, uint64_t v,
			    unsigned attempt)
{
	uint64_t tenth = v / 10 ? v / 10 : 1;

	if (key->max == 1)
		return !v;
	switch (attempt) {
	case 0:
		return v + tenth;
	case 1:
		return v - tenth;
	case 2:
		return 2 * v;
	default:
		return v / 2;
	}
}
enum { ATTEMPTS = 4 };

/* Returns whether both experiments are on the same machine, of any shape. */
static bool same_machine(const struct golden *a, const char *machine)
{
	return !strncmp(a->machine, machine, strlen(machine));
}

/*
 * Returns whether changing the number changes the result of experiment i. Sets
 * *refused_p if the model refuses the value.
 */
static bool moves(unsigned i, const struct file_key *key, unsigned part,
		  unsigned attempt, bool *refused_p)
{
	const struct golden *g = &golden_table[i];
	uint64_t v, result;

	load(g);
	v = field_get(key, part);
	if (!v)
		return false;
	field_set(key, part, other_value(key, v, attempt));
	result = golden_run(g);
	*refused_p |= result == REFUSED;
	return result != REFUSED && result != g->value;
}

/*
 * Returns whether the result of some experiment of the machine depends on the
 * number.
 */
static bool is_covered(const char *machine, const struct file_key *key,
		       unsigned part)
{
	bool refused = false;

	for (unsigned a = 0; a < (refused ? ATTEMPTS : 2); a++) {
		for (unsigned i = 0; i < GOLDENS; i++)
			if (same_machine(&golden_table[i], machine) &&
			    moves(i, key, part, a, &refused))
				return true;
	}
	return false;
}

static bool is_exception(const char *machine, const struct file_key *key)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(golden_exceptions); i++) {
		const struct golden_exception *x = &golden_exceptions[i];

		if (!strcmp(x->key, key->name) &&
		    (!x->machine || !strcmp(x->machine, machine)))
			return true;
	}
	return false;
}

/* A key of the machine file, and whether the file sets it. */
struct seen {
	const struct file_key *key;
	unsigned part;
	bool found;
};

static void on_entry(void *arg, const struct net_file_entry *entry)
{
	struct seen *s = arg;
	const char *part = s->key->flags & FILE_OF_PATH ? cfg.path[s->part].name
			   : s->key->flags & FILE_OF_BUS ? cfg.bus[s->part].name
							 : NULL;

	s->found |= !strcmp(entry->key, s->key->name) &&
		    !part == !entry->part &&
		    (!part || !strcmp(part, entry->part));
}

/* Returns whether the machine file sets the number. */
static bool is_in_file(const char *machine, const struct file_key *key,
		       unsigned part)
{
	struct seen s = { key, part, false };
	struct net_error_text why;

	T_OK(net_file_each(machine, on_entry, &s, &why));
	return s.found;
}

static const char *const machines[] = { "bgq", "gemini", "qsnet2", "sunway",
					"apenet" };

/* ---- tests --------------------------------------------------------------- */

static void results_are_exact(void **state)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < GOLDENS; i++) {
		const struct golden *g = &golden_table[i];
		uint64_t result;

		load(g);
		result = golden_run(g);
		if (getenv("GOLDEN"))
			print_message("%s|%s\t%" PRIu64 "\n", g->machine,
				      g->text, result);
		else if (result != g->value)
			print_message("%s, %s: %" PRIu64 ", expected %" PRIu64
				      "\n",
				      g->machine, g->text, result, g->value);
		wrong += result != g->value;
	}
	T_IS(wrong, 0);
}

/* Counts the numbers of a key on which no result of the machine depends. */
static unsigned unchecked_numbers(const char *machine,
				  const struct file_key *key)
{
	struct golden any = { .machine = machine };
	unsigned parts, unchecked = 0;

	load(&any);
	parts = key->flags & FILE_OF_PATH  ? cfg.paths
		: key->flags & FILE_OF_BUS ? cfg.buses
					   : 1;
	for (unsigned p = 0; p < parts; p++) {
		load(&any);
		if (!field_get(key, p) || !is_in_file(machine, key, p) ||
		    is_covered(machine, key, p))
			continue;
		print_message("%s: no result depends on %s (%u)\n", machine,
			      key->name, p);
		unchecked++;
	}
	return unchecked;
}

static void every_number_changes_a_result(void **state)
{
	unsigned unchecked = 0;

#ifdef __SANITIZE_ADDRESS__
	skip(); /* takes a minute, and the first test runs the same code */
#endif
	for (unsigned m = 0; m < WEFT_COUNT_OF(machines); m++) {
		print_message("%s\n", machines[m]);
		for (unsigned k = 0; k < file_key_count; k++)
			if (is_number(&file_keys[k]) &&
			    !is_exception(machines[m], &file_keys[k]))
				unchecked += unchecked_numbers(machines[m],
							       &file_keys[k]);
	}
	T_IS(unchecked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(results_are_exact),
		T_CASE(every_number_changes_a_result),
	};

	return T_RUN(tests);
}
