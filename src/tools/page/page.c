/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a page to a temporary file, renamed when complete; see page.h. */
#include "config.h"
#include "src/tools/page/page.h"
#include "src/tools/outfile.h"

#include "src/tools/page/page_asset.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
	"\n<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta name=\"generator\" content=\"Weft " PACKAGE_VERSION "\">\n"
	"<title>";

static void put_html(FILE *f, const char *text)
{
	for (; *text; text++)
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else
			putc(*text, f);
}

static void put_head(FILE *f, const char *title)
{
	fputs(head, f);
	put_html(f, title);
	fputs("</title>\n<style>\n", f);
	fwrite(page_css, 1, page_css_size, f);
	fputs("</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This "
	      "page needs JavaScript, which is disabled.</noscript>"
	      "</main>\n<script type=\"application/json\" id=\"data\">\n",
	      f);
}

int page_open(struct page *p, const char *file, const char *kind,
	      const char *title)
{
	size_t n = strlen(file);
	FILE *f;

	if (!n || n >= sizeof(p->file))
		return -ENAMETOOLONG;
	memcpy(p->file, file, n + 1);
	snprintf(p->part, sizeof(p->part), "%s%s", file,
		 weft_outfile_is_stream(file) ? "" : ".part");
	f = fopen(p->part, "we");
	if (!f)
		return -errno;
	setvbuf(f, NULL, _IOFBF, BUFFER);
	put_head(f, title);
	json_begin(&p->data, f);
	json_object(&p->data, NULL);
	json_int(&p->data, "schema", 1);
	json_text(&p->data, "kind", kind);
	json_text(&p->data, "title", title);
	json_text(&p->data, "weft", PACKAGE_VERSION);
	return 0;
}

/*
 * Returns whether the output is a pipe or a device, which is written directly.
 */
static bool is_stream(const struct page *p)
{
	return !strcmp(p->part, p->file);
}

void page_drop(struct page *p)
{
	fclose(p->data.f);
	if (!is_stream(p))
		unlink(p->part);
}

int page_close(struct page *p)
{
	FILE *f = p->data.f;
	int err;

	while (p->data.depth)
		json_close(&p->data);
	fputs("</script>\n<script>\n", f);
	fwrite(page_js, 1, page_js_size, f);
	fputs("</script>\n</body>\n</html>\n", f);
	err = fflush(f) || ferror(f) ? -(errno ? errno : EIO) : 0;
	if (err) {
		page_drop(p);
		return err;
	}
	if (fclose(f) || (!is_stream(p) && rename(p->part, p->file))) {
		err = -errno;
		if (!is_stream(p))
			unlink(p->part);
	}
	return err;
}
