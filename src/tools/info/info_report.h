/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report of named sections with named values, as text for people or as JSON
 * for programs. Sections do not nest; a list is a section of rows.
 */
#ifndef WEFT_INFO_REPORT_H
#define WEFT_INFO_REPORT_H

#include "src/base/attr.h"

#include <stdbool.h>
#include <stdio.h>

struct weft_report {
	FILE *out;
	bool json;
	int sections; /* sections begun so far */
	/* values in the current section, or fields in the current row */
	int values;
	int rows; /* rows in the current list */
};

void report_begin(struct weft_report *r);
void report_end(struct weft_report *r);

/* Begin and end a section. key: name in JSON; title: heading in text. */
void report_section(struct weft_report *r, const char *key, const char *title);
void report_section_end(struct weft_report *r);
void report_value(struct weft_report *r, const char *key, const char *fmt, ...)
	WEFT_PRINTF(3, 4);

/* Prints a row: n pairs of field name and text; as text, one line. */
void report_list(struct weft_report *r, const char *key, const char *title);
void report_row(struct weft_report *r, const char *const (*field)[2], int n);
void report_list_end(struct weft_report *r);

#endif
