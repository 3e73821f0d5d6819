/* SPDX-License-Identifier: BSD-3-Clause */
/* End of a job after a fatal error (boot_abort.h). */
#include "src/boot/boot_abort.h"

#include "src/job/job_log.h"
#include "src/job/job_page.h"
#include "src/diag/diag_call.h"
#include "src/boot/boot_pmix.h"
#include "src/core/core_state.h"
#include "src/boot/boot_world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Records the abort in the job status page: the launcher may notice the exit of
 * this process before it gets the request, and a job that survives failures
 * would continue.
 */
static void record_abort(void)
{
	struct weft_job_page *page;
	uint32_t me;

	if (!weft_call_has_launcher())
		return;
	page = weft_call_job_page(&me);
	weft_store32(&weft_job_page_member(page, me)->aborted, 1);
}

void weft_core_exit_job(int code, const char *text)
{
	record_abort();
	weft_pmix_abort(code, text);
	_exit(code);
}

void weft_core_abort(int code, const char *fmt, ...)
{
	char what[896], text[1024], call[96];
	bool named;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	/*
	 * the message of an argument error already begins with the name of the
	 * call
	 */
	named = !strncmp(what, "MPI_", 4) ||
		!*weft_call_text(call, sizeof(call));
	snprintf(text, sizeof(text), "%s%s%s", named ? "" : call,
		 named ? "" : ": ", what);
	fflush(stdout);
	if (weft_log_first(text))
		fprintf(stderr, "weft: rank %d on %s (pid %d): %s\n",
			weft_core.job.rank, weft_core.host, (int)getpid(),
			text);
	fflush(stderr);
	weft_world_report_abort();
	code &= 255;
	weft_core_exit_job(code ? code : 1, text);
}
