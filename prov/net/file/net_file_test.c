/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of machine files: values, refused files and error messages. */
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_file_int.h"
#include "prov/net/file/net_map.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct net_config cfg;
static struct net_error_text why;
static char text[65536], shipped[65536];
static size_t text_len;
static const char *variant;

/* Removes the choose_ lines, which tests add themselves. */
static void remove_choices(char *from)
{
	char *line, *end;

	while ((line = strstr(from, "\nchoose_"))) {
		end = strchr(line + 1, '\n');
		T_NOT_NULL(end);
		memmove(line, end, strlen(end) + 1);
	}
}

/* Reads the machine file of bgq into text, where tests modify it. */
static void read_bgq(void)
{
	char path[4096];
	FILE *f;

	if (!*shipped) {
		T_OK(net_file_find("bgq", path, sizeof(path), &why));
		f = fopen(path, "r");
		T_NOT_NULL(f);
		T_TRUE(fread(shipped, 1, sizeof(shipped) - 1, f) > 0);
		fclose(f);
		remove_choices(shipped);
	}
	text_len = strlen(shipped);
	memcpy(text, shipped, text_len + 1);
}

/* Replaces the line that sets `key` by `line`; NULL: removes the line. */
static void put_line(const char *key, const char *line)
{
	static char out[sizeof(text)];
	size_t n = strlen(key);
	char *at = text, *end;

	read_bgq();
	while (strncmp(at, key, n) ||
	       strchr("abcdefghijklmnopqrstuvwxyz_0123", at[n])) {
		at = strchr(at, '\n');
		T_NOT_NULL(at);
		at++;
	}
	end = strchr(at, '\n');
	text_len =
		(size_t)snprintf(out, sizeof(out), "%.*s%s%s", (int)(at - text),
				 text, line ? line : "", end);
	memcpy(text, out, text_len + 1);
}

static int parse(const char *dims, uint32_t nodes)
{
	const struct net_spec want = { .dims = dims,
				       .nodes = nodes,
				       .variant = variant };

	return net_file_parse("m", text, text_len, &want, &cfg, &why);
}

static void check_error(const char *key, const char *line, const char *expected)
{
	put_line(key, line);
	T_IS(parse(NULL, 0), -EINVAL);
	if (!strstr(why.text, expected))
		print_message("%s -> %s\n", line ? line : "(none)", why.text);
	T_TRUE(strstr(why.text, expected) != NULL);
	T_TRUE(!strncmp(why.text, "m:", 2));
}

static void shape_is(const char *spec, uint32_t nodes, const char *shape)
{
	char buf[64];

	T_OK(net_file_load(spec, nodes, &cfg, &why));
	net_file_shape_text(&cfg, buf, sizeof(buf));
	T_STR(buf, shape);
}

static void gemini_has_rings_and_shared_routers(void **state)
{
	T_OK(net_file_load("gemini:3x5x2", 0, &cfg, &why));
	T_IS(net_shape_nodes(&cfg), 60);
	T_IS(cfg.wrap[0] + cfg.wrap[1] + cfg.wrap[2], 3);
	T_IS(cfg.bus[2].nodes, 2);
	T_IS(cfg.path[3].header_bytes, 6);
	T_IS(cfg.path[1].bus_request, 2);
	T_IS(cfg.path[1].request_bytes, 12);
	T_IS(cfg.bus[3].words, 64);
	T_IS(cfg.bus[3].miss_ps, 12222);
	T_IS(cfg.ack_wire_bytes, 6);
	T_IS(cfg.links[1], 4);
	T_IS(net_wire_bytes(&cfg, 8), 96);
	shape_is("gemini", 16, "2x2x2");
	shape_is("gemini", 17, "2x2x4");
	shape_is("qsnet2", 17, "4x4x4");
	shape_is("qsnet2@slim", 65, "4x4x4x4");
	T_IS(cfg.parents[3], 2);
}

static void collective_algorithms_are_chosen_by_ranges(void **state)
{
	const struct net_choice *c = cfg.choice;

	put_line("wtime", "wtime = 10 ns\n"
			  "choose_bcast = 8-15 64K-1M binomial, 16- 0- ring\n"
			  "choose_reduce_scatter = 4 8 halving");
	T_OK(parse(NULL, 0));
	T_IS(cfg.choices, 3);
	T_STR(c[0].operation, "bcast");
	T_STR(c[0].algorithm, "binomial");
	T_IS(c[0].ranks_min, 8);
	T_IS(c[0].ranks_max, 15);
	T_IS(c[0].bytes_min, 65536);
	T_IS(c[0].bytes_max, 1048576);
	T_STR(c[1].algorithm, "ring");
	T_IS(c[1].ranks_max, 0);
	T_IS(c[1].bytes_max, 0);
	T_STR(c[2].operation, "reduce_scatter");
	T_IS(c[2].ranks_min, 4);
	T_IS(c[2].ranks_max, 4);
	T_IS(c[2].bytes_max, 8);
}

static void invalid_choices_are_refused(void **state)
{
	static const char *const bad[] = {
		"binomial",
		"8- binomial",
		"8-4 0- binomial",
		"8- 64K-1K ring",
		"8- 0- ",
		"8- 0- ring ring",
		"8- 0- ring,",
		"8- 0-, 8- 0- a",
		"8- 9999999999999 ring",
		"8- 0- a_name_that_is_far_too_long",
	};
	char line[128];

	for (unsigned i = 0; i < WEFT_COUNT_OF(bad); i++) {
		snprintf(line, sizeof(line), "wtime = 10 ns\nchoose_scan = %s",
			 bad[i]);
		check_error("wtime", line, "choose_scan");
	}
}

static void there_are_at_most_64_choices(void **state)
{
	char line[1200] = "wtime = 10 ns\nchoose_scan = 1- 0- a";

	for (unsigned i = 1; i < NET_CHOICES_MAX; i++)
		strcat(line, ", 1- 0- a");
	read_bgq();
	T_NULL(strstr(text, "\nchoose_"));
	put_line("wtime", line);
	T_OK(parse(NULL, 0));
	T_IS(cfg.choices, NET_CHOICES_MAX);
	check_error("wtime", strcat(line, ", 1- 0- a"), "choose_scan");
}

static void bgq_loads_with_its_units_converted(void **state)
{
	T_OK(net_file_load("bgq", 0, &cfg, &why));
	T_STR(cfg.name, "bgq");
	T_IS(cfg.tick_ps, 2000);
	T_IS(cfg.link_ps_per_byte_x1000, 500000);
	T_IS(cfg.hop_ps, 45333);
	T_IS(cfg.path[0].reception_ps_per_byte_x1000, 312500);
	T_IS(cfg.spill_bytes_per_us, 25000);
	T_IS(cfg.l2_bytes, 32 << 20);
	T_IS(cfg.tokens[NET_VC_DYN], 126);
	T_IS(net_shape_nodes(&cfg), 512);
}

static void dims_override_the_shape(void **state)
{
	T_OK(net_file_load("bgq:16x8x8x8x2", 0, &cfg, &why));
	T_IS(net_shape_nodes(&cfg), 16384);
	T_IS(cfg.zone[0][0], 1);    /* zone 0: dimension A first */
	T_IS(cfg.zone[0][1], 0xe);  /* then dimensions B, C and D */
	T_IS(cfg.zone[0][2], 0x10); /* last, dimension E */
	T_IS(cfg.zone[1][0], 0x1f);
	T_IS(cfg.zone[3][0], 0x11);
	T_OK(net_file_load("bgq:2x4x8", 0, &cfg, &why));
	T_IS(net_shape_nodes(&cfg), 64);
	T_IS(cfg.order[0], 2);
	T_IS(cfg.order[1], 1);
}

static void midplane_or_full_length_is_a_torus(void **state)
{
	T_OK(net_file_load("bgq:8x4x16x12x2", 0, &cfg, &why));
	T_IS(cfg.wrap[0], 0);
	T_IS(cfg.wrap[1], 1);
	T_IS(cfg.wrap[2], 1);
	T_IS(cfg.wrap[3], 1);
	T_IS(cfg.wrap[4], 1);
	T_OK(net_file_load("bgq:8tx4mx1", 0, &cfg, &why));
	T_IS(cfg.wrap[0], 1);
	T_IS(cfg.wrap[1], 0);
	T_IS(cfg.wrap[2], 0);
}

static void smallest_shape_for_the_nodes_is_used(void **state)
{
	shape_is("bgq", 32, "2x2x2x2x2");
	T_IS(cfg.wrap[0], 0);
	shape_is("bgq", 512, "4x4x4x4x2");
	T_IS(cfg.wrap[0], 1);
	shape_is("bgq:16x16x16x12x2", 98304, "16x16x16x12x2");
	T_IS(net_file_load("bgq", 1 << 21, &cfg, &why), -EINVAL);
	T_IS(net_file_load("bgq", 1 << 20, &cfg, &why), -EINVAL);
	T_IS(net_file_load("bgq:2x2", 5, &cfg, &why), -EINVAL);
	T_TRUE(strstr(why.text, "4 nodes") != NULL);
}

static void invalid_dims_are_refused(void **state)
{
	static const char *const specs[] = {
		"bgq:",
		"bgq:0x4",
		"bgq:4x",
		"bgq:4xx4",
		"bgq:x4",
		"bgq:4q",
		"bgq:4x4x4x4x2x2",
		"bgq:129",
		"bgq:128x128x128",
		"bgq:-4",
		"bgq:4 x4",
		"bgq:99999999999999999999",
	};

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		if (!net_file_load(specs[i], 0, &cfg, &why))
			print_message("%s\n", specs[i]);
		T_IS(net_file_load(specs[i], 0, &cfg, &why), -EINVAL);
	}
}

static void unknown_machine_error_lists_machines(void **state)
{
	T_IS(net_file_load("bgp", 0, &cfg, &why), -ENOENT);
	T_TRUE(strstr(why.text, "nearest is bgq") != NULL);
	T_IS(net_file_load("/nowhere/bgq", 0, &cfg, &why), -ENOENT);
	T_TRUE(strstr(why.text, "/nowhere/bgq") != NULL);
	T_IS(net_file_load("", 0, &cfg, &why), -ENOENT);
}

static void a_missing_data_file_is_not_found(void **state)
{
	char path[4096];

	T_IS(net_file_share("machines/no such machine", path, sizeof(path)),
	     -ENOENT);
	T_OK(net_file_share("machines/bgq", path, sizeof(path)));
	/* a path that does not fit */
	T_IS(net_file_share("machines/bgq", path, 8), -ENOENT);
}

static void error_message_names_the_line(void **state)
{
	check_error("hop", "hopp = 45 ns", "nearest is hop");
	check_error("hop", "qwertyuiop = 45 ns", "unknown key");
	check_error("hop", "hop =", "has no value");
	check_error("hop", NULL, "no line for hop");
	check_error("hop", "hop 45 ns", "key = value");
	check_error("hop", "hop = 45", "unit \"\" is not valid");
	check_error("hop", "hop = 45 GB/s", "is not valid here");
	check_error("hop", "hop = fast", "expected a number");
	check_error("hop", "hop = -3 ns", "expected a number");
	check_error("hop", "hop = 0 ns", "out of range");
	check_error("hop", "hop = 99999999999 ms", "out of range");
	check_error("hop", "hop = 1.2.3 ns", "is not valid here");
	check_error("hop", "hop = 12345678901234567 ns", "expected a number");
	check_error("link", "link = 0 GB/s", "out of range");
	check_error("payload", "payload = 512 KB", "use B, KiB");
	check_error("payload", "payload = 500 B", "multiple of chunk");
	check_error("tokens_dynamic", "tokens_dynamic = 20", "two packets");
	check_error("tokens_high", "tokens_high = 1", "bubble");
	check_error("inject_room", "inject_room = 120", "inject_room leaves");
	check_error("receive", "receive = 1 ns", "two cycles");
	check_error("crossing", "crossing = 1 us", "250 cycles");
	check_error("routes", "routes = 1", "routes_system");
	check_error("topology", "topology = ring", "torus, mesh, fat-tree");
	check_error("shape", "shape = 4x4x4x4x4x4x4", "lengths at most");
	check_error("order", "order = A B C D", "order of dimensions");
	check_error("order", "order = A A B C D", "order of dimensions");
	check_error("zone0", "zone0 = AB F", "zone masks");
	check_error("zone0", "zone0 = order+Z", "zone masks");
	check_error("name", "name = a b", "name = a b: expected one word");
	check_error("hop", "hop = 40 ns\nswitching = wormhole",
		    "tokens_dynamic has no effect");
	check_error("hop", "hop = 40 ns\nswitching = worm", "cut-through, or");
	check_error("recv", "send = 3 ns", "already");
}

/* The token counters between a node and its router have eight bits. */
static void tokens_at_nodes_are_at_most_255(void **state)
{
	for (unsigned vc = 1; vc < NET_VC_MAX; vc++) {
		T_OK(net_file_load("gemini", 16, &cfg, &why));
		T_IS(cfg.tokens_end, 8);
		cfg.tokens[vc] = 31;
		T_OK(net_config_check(&cfg));
		cfg.tokens[vc] = 32;
		T_IS(net_config_check(&cfg), -EINVAL);
	}
}

/* The error names the file, the line and the two numbers. */
static void too_many_tokens_at_nodes_are_refused_by_line(void **state)
{
	check_error("tokens_system", "tokens_system = 16\ntokens_end = 16",
		    "tokens_system = 16 with tokens_end = 16 is 256 packets");
	put_line("tokens_system", "tokens_system = 15\ntokens_end = 16");
	T_OK(parse(NULL, 0));
	T_IS(cfg.tokens[NET_VC_SYS] * cfg.tokens_end, 240);
}

/* Adds lines to the machine file of bgq, before its variants. */
static void add_lines(const char *lines)
{
	char *variants;

	read_bgq();
	text[text_len] = 0;
	variants = strstr(text, "\n[");
	T_NOT_NULL(variants);
	variants++;
	memmove(variants + strlen(lines), variants, strlen(variants) + 1);
	memcpy(variants, lines, strlen(lines));
	text_len += strlen(lines);
}

static void paths_inherit_values_of_the_first_path(void **state)
{
	add_lines("paths = pio dma\nbuses = pci mem\n"
		  "dma.inject = 750 ns\ndma.out = pci\ndma.in = mem, pci\n"
		  "dma.packet = 256 B\npci.rate = 1 GB/s\n"
		  "mem.rate = 2 GB/s\npci.per_packet = 60 ns\n");
	T_OK(parse(NULL, 0));
	T_IS(cfg.paths, 2);
	T_STR(cfg.path[1].name, "dma");
	T_IS(cfg.path[0].inject_ps, 270000);
	T_IS(cfg.path[1].inject_ps, 750000);
	T_IS(cfg.path[1].receive_ps, 250667);
	T_IS(cfg.path[1].packet_bytes, 256);
	T_IS(cfg.path[1].bus_out, 1);
	T_IS(cfg.path[1].bus_in, 3);
	T_IS(cfg.bus[0].ps_per_byte_x1000, 1000000);
	T_IS(cfg.bus[0].packet_ps, 60000);
	T_OK(net_config_check(&cfg));
}

static void check_refused(const char *lines, const char *expected)
{
	add_lines(lines);
	T_IS(parse(NULL, 0), -EINVAL);
	if (!strstr(why.text, expected))
		print_message("%s -> %s\n", lines, why.text);
	T_TRUE(strstr(why.text, expected) != NULL);
}

static void unknown_paths_and_buses_are_refused(void **state)
{
	check_refused("dma.inject = 750 ns\n",
		      "dma.inject: no such path or bus");
	check_refused("paths = a a\n", "paths between memory");
	check_refused("paths = a b c d e f g\n", "paths between memory");
	check_refused("paths = a b\nb.out = pci\n", "buses that outgoing");
	check_refused("paths = a b\nb.hop = 3 ns\n", "unknown key");
	check_refused("paths = a b\nb.in = a\nb.in = a\n", "already");
}

static void variant_overrides_lines(void **state)
{
	const char *lines = "[fast]\nhop = 20 ns\n[slow]\nhop = 90 ns\n"
			    "wtime = 7 ns\n";

	add_lines(lines);
	T_OK(parse(NULL, 0));
	T_IS(cfg.hop_ps, 45333);
	variant = "fast";
	add_lines(lines);
	T_OK(parse(NULL, 0));
	T_IS(cfg.hop_ps, 20000);
	T_IS(cfg.wtime_ps, 20000);
	variant = "slow";
	add_lines(lines);
	T_OK(parse(NULL, 0));
	T_IS(cfg.hop_ps, 90000);
	T_IS(cfg.wtime_ps, 7000);
	variant = "none";
	check_refused(lines, "there are: fast slow");
	variant = NULL;
	check_refused("[fast\n", "[NAME]");
	check_refused("[fast]\nhop = 1 ns\nhop = 2 ns\n", "already");
}

static void a_tree_grows_by_levels(void **state)
{
	T_OK(net_file_load("qsnet2", 4, &cfg, &why));
	T_IS(cfg.dims, 1);
	T_OK(net_file_load("qsnet2", 5, &cfg, &why));
	T_IS(cfg.dims, 2);
	T_OK(net_file_load("qsnet2", 4096, &cfg, &why));
	T_IS(cfg.dims, 6);
	T_IS(net_file_load("qsnet2", 4097, &cfg, &why), -EINVAL);
	T_OK(net_file_load("qsnet2@itanium2:4x4x4x4x4x4", 0, &cfg, &why));
	T_IS(cfg.dims, 6);
	T_IS(net_shape_nodes(&cfg), 4096);
	T_OK(net_config_check(&cfg));
}

static void times_may_be_given_in_cycles(void **state)
{
	put_line("hop", "hop = 20 cycles");
	T_OK(parse(NULL, 0));
	T_IS(cfg.hop_ps, 40000);
	put_line("zone0", "zone0 = AB, CD, E");
	T_OK(parse(NULL, 0));
	T_IS(cfg.zone[0][0], 3);
	T_IS(cfg.zone[0][1], 0xc);
	T_IS(cfg.zone[0][2], 0x10);
	T_IS(cfg.zone[0][3], 0);
}

/* The model's tests use the built-in parameters of bgq, not the file. */
static void bgq_file_equals_built_in_config(void **state)
{
	struct net_config built;
	const struct file_key *k;

	net_config_bgq(&built);
	T_OK(net_file_load("bgq", 0, &cfg, &why));
	for (unsigned i = 0; i < file_key_count; i++) {
		k = &file_keys[i];
		if (k->flags & (FILE_OF_PATH | FILE_OF_BUS))
			continue;
		if (memcmp((char *)&cfg + k->offset, (char *)&built + k->offset,
			   k->bytes))
			fail_msg("%s differs", k->name);
	}
	T_MEM(cfg.wrap, built.wrap, sizeof(cfg.wrap));
}

struct tally {
	unsigned lines, calibrated, unsourced;
};

static void count(void *arg, const struct net_file_entry *e)
{
	struct tally *t = arg;

	t->lines++;
	t->calibrated += e->kind == NET_CALIBRATED;
	t->unsourced += e->kind == NET_NO_SOURCE;
	if (e->kind != NET_NO_SOURCE)
		T_TRUE(*e->source);
}

static void every_value_of_bgq_has_a_source(void **state)
{
	struct tally t = { 0 };

	T_OK(net_file_each("bgq", count, &t, &why));
	T_TRUE(t.lines > 40);
	T_IS(t.calibrated, 8);
	T_IS(t.unsourced, 2); /* name and topology have no source */
}

/* Random values are refused, or the model works with them. */
static void random_numbers_are_refused_or_work(void **state)
{
	int rounds = t_scale(20000);
	struct weft_rng r;
	unsigned good = 0;

	weft_rng_init(&r, 7, 0);
	for (int i = 0; i < rounds; i++) {
		char *at;

		read_bgq();
		for (unsigned k = 0; k < 3; k++) {
			at = text + weft_rng_below(&r, text_len - 1);
			while (at > text && at[-1] != '=')
				at--;
			at += strspn(at, " ");
			if (at > text && *at >= '0' && *at <= '9')
				*at = (char)('0' + weft_rng_below(&r, 10));
		}
		if (parse(NULL, 0))
			continue;
		T_OK(net_config_check(&cfg));
		good++;
	}
	T_TRUE(good > 0 && good < (unsigned)rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(gemini_has_rings_and_shared_routers),
		T_CASE(bgq_loads_with_its_units_converted),
		T_CASE(collective_algorithms_are_chosen_by_ranges),
		T_CASE(invalid_choices_are_refused),
		T_CASE(there_are_at_most_64_choices),
		T_CASE(dims_override_the_shape),
		T_CASE(midplane_or_full_length_is_a_torus),
		T_CASE(smallest_shape_for_the_nodes_is_used),
		T_CASE(invalid_dims_are_refused),
		T_CASE(unknown_machine_error_lists_machines),
		T_CASE(a_missing_data_file_is_not_found),
		T_CASE(error_message_names_the_line),
		T_CASE(tokens_at_nodes_are_at_most_255),
		T_CASE(too_many_tokens_at_nodes_are_refused_by_line),
		T_CASE(bgq_file_equals_built_in_config),
		T_CASE(times_may_be_given_in_cycles),
		T_CASE(paths_inherit_values_of_the_first_path),
		T_CASE(unknown_paths_and_buses_are_refused),
		T_CASE(variant_overrides_lines),
		T_CASE(a_tree_grows_by_levels),
		T_CASE(every_value_of_bgq_has_a_source),
		T_CASE(random_numbers_are_refused_or_work),
	};

	return T_RUN(tests);
}
