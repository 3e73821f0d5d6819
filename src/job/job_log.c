/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that only one rank of a job prints (job_log.h). */
#include "src/job/job_log.h"
#include "src/job/job_page.h"
#include "src/base/atomic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool weft_log_first(const char *text)
{
	const char *fd = getenv("WEFT_JOB_PAGE");
	struct weft_job_page page;
	bool first;

	if (!fd || weft_job_page_attach(&page, atoi(fd)))
		return true;
	first = weft_job_page_first(&page, text);
	weft_job_page_close(&page);
	return first;
}

void weft_log_once(enum weft_log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!weft_log_shows(level))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (weft_log_first(text))
		weft_log(level, "%s", text);
}

void weft_log_other_version(const char *what, unsigned other, unsigned own)
{
	static weft_au32 logged;

	if (!weft_swap32(&logged, 1))
		weft_log_once(WEFT_LOG_ERROR,
			      "%s has format %u, this process has format %u: "
			      "both need the same version of Weft",
			      what, other, own);
}
