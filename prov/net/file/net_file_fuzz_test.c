/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine files of all machines and generic networks with changed numbers,
 * words, lines and characters (test/support/fuzz.h): each file is either
 * accepted, or refused with a message by the parser or by the check of the
 * configuration.
 */
#include "prov/net/file/net_file.h"
#include "test/support/fuzz.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char shipped[65536], text[65536];
static struct net_config cfg;
static struct net_error_text why;

static void read_machine(const char *name)
{
	char path[4096];
	FILE *f;
	size_t n;

	T_OK(net_file_find(name, path, sizeof(path), &why));
	f = fopen(path, "r");
	T_NOT_NULL(f);
	n = fread(shipped, 1, sizeof(shipped) - 1, f);
	fclose(f);
	T_TRUE(n > 0);
	shipped[n] = 0;
}

/* Parses a copy of the text in a heap block of exactly its size. */
static int parse(const struct net_spec *want)
{
	size_t len = strlen(text);
	char *copy = malloc(len + 1);
	int rc;

	T_NOT_NULL(copy);
	memcpy(copy, text, len + 1);
	why.text[0] = 0;
	rc = net_file_parse("m", copy, len, want, &cfg, &why);
	free(copy);
	return rc;
}

/* Returns whether the changed file is accepted. */
static bool parse_changed(struct fuzz *f)
{
	char dims[40] = "4x4x2";
	struct net_spec want = { .nodes = (uint32_t)fuzz_number(f, 64, 4) };

	if (fuzz_chance(f, 4)) {
		fuzz_text(f, dims, sizeof(dims));
		want.dims = dims;
	}
	if (!fuzz_chance(f, 8))
		want.nodes = 0;
	strcpy(text, shipped);
	do
		fuzz_text(f, text, sizeof(text));
	while (fuzz_chance(f, 2));
	if (parse(&want)) {
		if (!why.text[0])
			fail_msg("refused without a message");
		return false;
	}
	/* only this check covers limits that depend on several numbers */
	return net_config_check(&cfg) == 0;
}

static void changed_files_are_refused_or_valid(void **state)
{
	static const char *const machine[] = { "apenet", "bgq", "gemini",
					       "qsnet2", "sunway" };
	int rounds = fuzz_rounds(2000);
	struct fuzz f;

	for (uint64_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++) {
		int good = 0;

		read_machine(machine[i]);
		strcpy(text, shipped);
		T_OK(parse(&(struct net_spec){ .nodes = 0 }));
		fuzz_init(&f, i + 1);
		for (int k = 0; k < rounds; k++)
			good += parse_changed(&f);
		T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
	}
}

#define GENERIC                                            \
	"name = n\nunit = generic\nlink = 100 Gbit/s\n"    \
	"hop = 100 ns\no_send = 200 ns\no_recv = 300 ns\n" \
	"latency = 600 ns\ngap = 20 ns\nG = 0.1 ns\n"      \
	"buffer = 8 packets\neager = 8 KiB\nranks_per_node = 2\n"

static const char *const networks[] = {
	GENERIC "topology = gen-fat-tree\nshape = 4x4\nparents = 1x2\n",
	GENERIC "topology = dragonfly\nshape = 9x4\nrouter_nodes = 2\n"
		"global_links = 2\nrouting = ugal\n",
	GENERIC "topology = dragonfly+\nshape = 5x8\nspines = 4\n"
		"router_nodes = 4\nglobal_links = 4\nrouting = valiant\n",
	GENERIC "topology = hyperx\nshape = 8x4\nrouter_nodes = 4\n"
		"routing = minimal\n",
	GENERIC "topology = torus\nshape = 4x4x4\n",
	GENERIC "topology = mesh\nshape = 8x8\n",
	GENERIC "topology = graph\ngraph = a -- b -- c -- d -- a; a -- c\n"
		"router_nodes = 4\nrouting = up-down\n",
};

static void changed_generic_networks_are_refused_or_valid(void **state)
{
	int rounds = fuzz_rounds(600);
	struct fuzz f;

	for (uint64_t i = 0; i < sizeof(networks) / sizeof(*networks); i++) {
		int good = 0;

		strcpy(shipped, networks[i]);
		strcpy(text, shipped);
		T_OK(parse(&(struct net_spec){ .nodes = 0 }));
		fuzz_init(&f, i + 1);
		for (int k = 0; k < rounds; k++)
			good += parse_changed(&f);
		T_TRUE(good > rounds / 50 && good < rounds - rounds / 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(changed_files_are_refused_or_valid),
		T_CASE(changed_generic_networks_are_refused_or_valid),
	};

	return T_RUN(tests);
}
