/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A self-contained HTML file that shows a result: it needs no network, no
 * server and no other file. It contains the data as JSON (doc/page.md has the
 * schema), and the scripts and the style of this folder, which are compiled in.
 * Used by mpiexec, weft-sim, weft-reproduce and weft-page.
 *
 *   page_open -> json_* on page->data ... -> page_close
 *
 * The file is written under a temporary name and renamed when complete. After a
 * failure, an existing file of that name is unchanged.
 */
#ifndef WEFT_PAGE_H
#define WEFT_PAGE_H

#include "src/tools/page/page_json.h"

#include <limits.h>

struct page {
	struct json data; /* JSON writer, inside the outermost object */
	char file[PATH_MAX], part[PATH_MAX + 8];
};

/*
 * Opens a page. kind: "run", "sim", "reproduce" or "compare", which selects the
 * sections of the page. Returns 0 or -errno.
 */
int page_open(struct page *p, const char *file, const char *kind,
	      const char *title);
/*
 * Completes and closes the page. Returns 0 or the first error since
 * page_open(); the page is closed in any case.
 */
int page_close(struct page *p);
void page_drop(struct page *p);

#endif
