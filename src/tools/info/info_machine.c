/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the entries of a machine file; see info_machine.h. */
#include "src/tools/info/info_machine.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"

#include <limits.h>
#include <string.h>

static const char *const kinds[] = {
	[NET_SPEC] = "spec",
	[NET_CALIBRATED] = "calibrated",
	[NET_ASSUMED] = "assumed",
	[NET_NO_SOURCE] = "",
};

/* Prints values that are computed from the file for this shape. */
static void show_sum(struct weft_report *r, const struct net_config *cfg,
		     const char *path)
{
	char shape[64];

	net_file_shape_text(cfg, shape, sizeof(shape));
	report_section(r, "machine", cfg->name);
	report_value(r, "name", "%s", cfg->name);
	report_value(r, "file", "%s", path);
	report_value(r, "unit", "%s", cfg->unit);
	report_value(r, "shape", "%s", shape);
	report_value(r, "nodes", "%u", net_shape_nodes(cfg));
	report_value(r, "ranks_per_node", "%u",
		     cfg->ranks_per_node ? cfg->ranks_per_node : 1);
	report_section_end(r);
}

static void show_entry(void *arg, const struct net_file_entry *e)
{
	char key[128], line[16];
	const char *const field[][2] = {
		{ "key", key },
		{ "value", e->value },
		{ "kind", kinds[e->kind] },
		{ "variant", e->variant ? e->variant : "" },
		{ "line", line },
		{ "source", e->source ? e->source : "" },
	};

	snprintf(key, sizeof(key), "%s%s%s", e->part ? e->part : "",
		 e->part ? "." : "", e->key);
	snprintf(line, sizeof(line), "%u", e->line);
	report_row(arg, field, 6);
}

int tool_machine(struct weft_report *r, const char *spec)
{
	struct net_error_text why = { "" };
	struct net_config cfg;
	char path[PATH_MAX];

	if (net_file_load(spec, 0, &cfg, &why) ||
	    net_file_find(spec, path, sizeof(path), &why)) {
		fprintf(stderr, "weft-info: --machine %s: %s\n", spec,
			why.text);
		return 2;
	}
	report_begin(r);
	show_sum(r, &cfg, path);
	report_list(r, "facts",
		    "parameters: value, kind, variant, line and source");
	net_file_each(spec, show_entry, r, &why);
	report_list_end(r);
	report_end(r);
	return fflush(r->out) ? 1 : 0;
}
