/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the report of weft-info, as text and as JSON. */
#include "src/tools/info/info_report.h"

#include <stdarg.h>
#include <string.h>

static void json_text(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", out);
		else if ((unsigned char)*s < 32)
			fprintf(out, "\\u%04x", (unsigned)*s);
		else
			fputc(*s, out);
	}
	fputc('"', out);
}

void report_begin(struct weft_report *r)
{
	r->sections = 0;
	if (r->json)
		fputs("{", r->out);
}

void report_end(struct weft_report *r)
{
	if (r->json)
		fputs("\n}\n", r->out);
}

static void heading(struct weft_report *r, const char *key, const char *title,
		    char bracket)
{
	if (r->json) {
		fputs(r->sections ? ",\n  " : "\n  ", r->out);
		json_text(r->out, key);
		fprintf(r->out, ": %c", bracket);
	} else {
		fprintf(r->out, "%s%s\n", r->sections ? "\n" : "", title);
	}
	r->sections++;
	r->values = 0;
	r->rows = 0;
}

void report_section(struct weft_report *r, const char *key, const char *title)
{
	heading(r, key, title, '{');
}

void report_section_end(struct weft_report *r)
{
	if (r->json)
		fputs("\n  }", r->out);
}

void report_value(struct weft_report *r, const char *key, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!r->json) {
		fprintf(r->out, "  %-18s %s\n", key, text);
		return;
	}
	fputs(r->values++ ? ",\n    " : "\n    ", r->out);
	json_text(r->out, key);
	fputs(": ", r->out);
	json_text(r->out, text);
}

void report_list(struct weft_report *r, const char *key, const char *title)
{
	heading(r, key, title, '[');
}

static void row_text(struct weft_report *r, const char *const (*field)[2],
		     int n)
{
	fputs("  ", r->out);
	for (int i = 0; i < n; i++) {
		bool last = i == n - 1;

		fprintf(r->out,
			last ? "%s"
			: i  ? "%-12s "
			     : "%-26s ",
			field[i][1]);
	}
	fputc('\n', r->out);
}

void report_row(struct weft_report *r, const char *const (*field)[2], int n)
{
	if (!r->json) {
		row_text(r, field, n);
		return;
	}
	fputs(r->rows++ ? ",\n    {" : "\n    {", r->out);
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : " ", r->out);
		json_text(r->out, field[i][0]);
		fputs(": ", r->out);
		json_text(r->out, field[i][1]);
	}
	fputs(" }", r->out);
}

void report_list_end(struct weft_report *r)
{
	if (r->json)
		fputs("\n  ]", r->out);
}
