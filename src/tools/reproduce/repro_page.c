/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-reproduce --html: page with plots of published and model values. */
#include "src/tools/reproduce/repro_sensitivity.h"

#include <string.h>

static void put_row(struct json *j, const struct repro_row *row)
{
	char band[24];
	double by;

	json_object(j, NULL);
	json_text(j, "id", row->id);
	json_text(j, "source", row->source);
	json_text(j, "text", row->text);
	json_text(j, "x", row->x);
	json_text(j, "unit", row->unit);
	json_number(j, "paper", row->value);
	by = row->points ? row->band : row->value * row->band / 100;
	if (row->bound == REPRO_WITHIN) {
		json_number(j, "low", row->value - by);
		json_number(j, "high", row->value + by);
	}
	if (row->state == REPRO_DONE) {
		json_number(j, "model", row->model);
		json_number(j, "error", repro_error(row));
	}
	json_text(j, "band", repro_band_text(row, band, sizeof(band)));
	json_text(j, "kind", repro_kinds[row->kind]);
	json_text(j, "verdict", repro_verdict(row));
	json_text(j, "by", row->by_mpi ? "mpi" : "model");
	if (*row->why)
		json_text(j, "why", row->why);
	json_close(j);
}

static void put_constant(void *arg, const struct net_file_entry *e)
{
	struct json *j = arg;

	if (e->kind != NET_CALIBRATED)
		return;
	json_object(j, NULL);
	json_text(j, "key", e->key);
	json_text(j, "value", e->value);
	json_text(j, "source", e->source);
	json_close(j);
}

int repro_page_open(struct page *p, const char *file, const char *system)
{
	char title[96];
	int err;

	snprintf(title, sizeof(title), "Published results and the model: %s",
		 strcmp(system, "all") ? system : "all machines");
	err = page_open(p, file, "reproduce", title);
	if (!err)
		json_array(&p->data, "systems");
	return err;
}

void repro_page_add(struct page *p, const struct repro *r,
		    const struct repro_sensitivity *s)
{
	struct json *j = &p->data;
	struct net_error_text why;
	char sum[REPRO_SUM];

	repro_out_sum(r, s, sum, sizeof(sum));
	json_object(j, NULL);
	json_text(j, "system", r->system);
	json_text(j, "machine", r->machine);
	json_text(j, "sum", sum);
	json_array(j, "rows");
	for (unsigned i = 0; i < r->count; i++)
		put_row(j, &r->row[i]);
	json_close(j);
	json_array(j, "constants");
	net_file_each(r->machine, put_constant, j, &why);
	json_close(j);
	if (s)
		repro_sensitivity_json(s, r, j, "sensitivity");
	json_close(j);
}
