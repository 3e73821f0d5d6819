/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the numbers of a machine file and of changed copies of the file. */
#include "src/tools/reproduce/repro_vary.h"
#include "test/t.h"

#include <string.h>
#include <unistd.h>

static struct repro_number number[REPRO_NUMBERS_MAX];
static int count;

static const struct repro_number *find(const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(number[i].name, name))
			return &number[i];
	return NULL;
}

static int read_numbers(void **state)
{
	count = repro_numbers("apenet", number);
	return count < 40;
}

static void names_and_shapes_are_not_numbers(void **state)
{
	static const char *const not_number[] = { "name",  "topology", "shape",
						  "paths", "order",    "code" };

	for (unsigned i = 0; i < 6; i++)
		T_NULL(find(not_number[i]));
	T_TRUE(find("hop") && !find("hop")->whole);
	T_TRUE(find("rx.words") && find("rx.words")->whole);
	/* 0 cannot be changed by a factor */
	T_NULL(find("nios: rx.words"));
	T_STR(find("design: reception")->variant, "design");
	T_STR(find("link")->value, "2.8 GB/s");
	T_IS(find("link")->source, NET_SPEC);
}

static void integers_change_by_at_least_one(void **state)
{
	struct repro_number n = { .number = 4, .whole = true };

	T_IS(repro_changed(&n, REPRO_LESS), 3);
	T_IS(repro_changed(&n, REPRO_MORE), 5);
	T_IS(repro_changed(&n, REPRO_HALF), 2);
	T_IS(repro_changed(&n, REPRO_DOUBLE), 8);
	n.number = 512;
	T_IS(repro_changed(&n, REPRO_LESS), 461);
	T_IS(repro_changed(&n, REPRO_MORE), 563);
	n.whole = false;
	T_TRUE(repro_changed(&n, REPRO_LESS) == 512 * 0.9);
}

static int load(const char *name, enum repro_change change, const char *variant,
		struct net_config *cfg)
{
	int fd = repro_changed_file("apenet", find(name), change), err;
	struct net_error_text why;
	char spec[64];

	T_TRUE(fd >= 0);
	snprintf(spec, sizeof(spec), "/proc/self/fd/%d%s", fd, variant);
	err = net_file_load(spec, 0, cfg, &why);
	close(fd);
	return err;
}

/* Returns x / 100, rounded, since the model rounds the time of a byte. */
static uint64_t rounded(uint64_t x)
{
	return (x + 50) / 100;
}

static void a_copy_differs_in_one_number(void **state)
{
	struct net_config base, changed;
	struct net_error_text why;

	T_OK(net_file_load("apenet", 0, &base, &why));
	T_OK(load("link", REPRO_DOUBLE, "", &changed));
	T_IS(rounded(changed.link_ps_per_byte_x1000 * 2),
	     rounded(base.link_ps_per_byte_x1000));
	T_IS(changed.hop_ps, base.hop_ps);
	T_IS(changed.token_ps, base.token_ps);
	T_IS(changed.payload_bytes, base.payload_bytes);
}

static void a_line_of_a_variant_changes_the_variant(void **state)
{
	struct net_config base, design, changed;
	struct net_error_text why;

	T_OK(net_file_load("apenet", 0, &base, &why));
	T_OK(net_file_load("apenet@design", 0, &design, &why));
	T_OK(load("design: link", REPRO_HALF, "", &changed));
	T_IS(changed.link_ps_per_byte_x1000, base.link_ps_per_byte_x1000);
	T_OK(load("design: link", REPRO_HALF, "@design", &changed));
	T_IS(rounded(changed.link_ps_per_byte_x1000),
	     rounded(design.link_ps_per_byte_x1000 * 2));
}

static void values_outside_the_limits_are_refused(void **state)
{
	struct net_config cfg;

	T_TRUE(load("requests", REPRO_DOUBLE, "", &cfg) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(names_and_shapes_are_not_numbers),
		T_CASE(integers_change_by_at_least_one),
		T_CASE(a_copy_differs_in_one_number),
		T_CASE(a_line_of_a_variant_changes_the_variant),
		T_CASE(values_outside_the_limits_are_refused),
	};

	return cmocka_run_group_tests(tests, read_numbers, NULL);
}
