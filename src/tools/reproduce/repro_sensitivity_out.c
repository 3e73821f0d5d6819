/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of weft-reproduce --sensitivity: text, and JSON for the page. */
#include "src/tools/reproduce/repro_sensitivity.h"

#include <stdio.h>

static const char *const change_names[REPRO_CHANGES] = { "-10 %", "+10 %",
							 "half", "double" };

static const char *source_name(enum net_source source)
{
	static const char *const names[] = { [NET_SPEC] = "spec",
					     [NET_CALIBRATED] = "calibrated",
					     [NET_ASSUMED] = "assumed",
					     [NET_NO_SOURCE] = "" };

	return names[source];
}

static const char *effect_text(const struct repro_effect *e, char *text,
			       size_t len)
{
	if (!e->run)
		return "-";
	if (e->refused)
		return "refused";
	snprintf(text, len, "%u/%u", e->moved, e->left);
	return text;
}

static void print_number(const struct repro_sensitivity *s, unsigned n)
{
	const struct repro_number *number = &s->number[n];
	char text[24];

	printf("%-28s %-12s %-10s", number->name, number->value,
	       source_name(number->source));
	for (unsigned c = 0; c < REPRO_CHANGES; c++)
		printf(" %8s",
		       effect_text(&s->effect[n][c], text, sizeof(text)));
	printf("%s\n", repro_unchecked(s, n) ? "  unchecked" : "");
}

/*
 * Prints the rows that no change of a number affects, and those that stay in
 * their bands with every change.
 */
static void print_firm_rows(const struct repro_sensitivity *s,
			    const struct repro *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		const struct repro_row *row = &r->row[i];

		if (row->state != REPRO_DONE || s->breakers[i])
			continue;
		if (!s->movers[i])
			printf("  %-18s %-10s no number moves it\n", row->id,
			       repro_kinds[row->kind]);
		else if (repro_in_band(row))
			printf("  %-18s %-10s %u numbers move it, none out of "
			       "its band\n",
			       row->id, repro_kinds[row->kind], s->movers[i]);
	}
}

void repro_sensitivity_print(const struct repro_sensitivity *s,
			     const struct repro *r)
{
	printf("\nNumbers of machine %s, changed one at a time: rows that move "
	       "/ rows that leave\ntheir bands, of %u\n\n%-28s %-12s %-10s",
	       r->machine, r->count, "number", "value", "source");
	for (unsigned c = 0; c < REPRO_CHANGES; c++)
		printf(" %8s", change_names[c]);
	printf("\n");
	for (unsigned n = 0; n < s->count; n++)
		print_number(s, n);
	printf("\nRows that no change takes out of their bands:\n");
	print_firm_rows(s, r);
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_number(const struct repro_sensitivity *s, unsigned n,
		       struct json *j)
{
	char text[24];

	json_object(j, NULL);
	json_text(j, "name", s->number[n].name);
	json_text(j, "value", s->number[n].value);
	json_text(j, "source", source_name(s->number[n].source));
	json_array(j, "effects");
	for (unsigned c = 0; c < REPRO_CHANGES; c++)
		json_text(j, NULL,
			  effect_text(&s->effect[n][c], text, sizeof(text)));
	json_close(j);
	json_bool(j, "unchecked", repro_unchecked(s, n));
	json_close(j);
}

static void put_rows(const struct repro_sensitivity *s, const struct repro *r,
		     struct json *j)
{
	json_array(j, "rows");
	for (unsigned i = 0; i < r->count; i++) {
		if (r->row[i].state != REPRO_DONE)
			continue;
		json_object(j, NULL);
		json_text(j, "id", r->row[i].id);
		json_int(j, "movers", s->movers[i]);
		json_int(j, "breakers", s->breakers[i]);
		json_close(j);
	}
	json_close(j);
}

void repro_sensitivity_json(const struct repro_sensitivity *s,
			    const struct repro *r, struct json *j,
			    const char *key)
{
	struct repro_sensitivity_sum sum = repro_sensitivity_sum(s, r);

	json_object(j, key);
	json_int(j, "predictions", sum.predictions);
	json_int(j, "could_fail", sum.could_fail);
	json_int(j, "held", sum.held);
	json_int(j, "unchecked", sum.unchecked);
	json_array(j, "numbers");
	for (unsigned n = 0; n < s->count; n++)
		put_number(s, n, j);
	json_close(j);
	put_rows(s, r, j);
	json_close(j);
}
