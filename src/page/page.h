/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One HTML file that shows a result: needs no network, no server, no other
 * file. The data is JSON inside it (doc/page.md has the schema); scripts and
 * style are those of this folder, compiled in.
 *
 *   page_open -> json_* on page->data ... -> page_close
 *
 * The file appears under its name when it is complete; until then, and after a
 * failure, there is nothing under it that was not there before.
 */
#ifndef WEFT_PAGE_H
#define WEFT_PAGE_H

#include "src/page/page_json.h"

#include <limits.h>

struct page {
	struct json data; /* inside its outermost object */
	char file[PATH_MAX], part[PATH_MAX + 8];
};

/* kind: which sections the page has: "run", "sim", "reproduce", "compare".
 * 0 or -errno. */
int page_open(struct page *p, const char *file, const char *kind,
	      const char *title);
/* 0 or the first error since page_open. Ends the page in any case. */
int page_close(struct page *p);
/* Gives it up. */
void page_drop(struct page *p);

#endif
