/* SPDX-License-Identifier: BSD-3-Clause */
/* --report: where it goes. */
#include "src/run/run_report.h"
#include "src/base/roll_print.h"
#include "src/run/run_model.h"
#include "src/run/run_say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void run_report(const struct run_job *job)
{
	const char *name = job->opts->model.report;
	FILE *f;

	if (!job->roll.head || !job->roll.counted)
		return;
	f = *name ? fopen(name, "w") : stderr;
	if (!f) {
		run_say("cannot write %s: %s", name, strerror(errno));
		return;
	}
	weft_roll_print(&job->roll,
			run_model_virtual(&job->opts->model) ? "virtual time"
							     : "time",
			f);
	if (f == stderr)
		fflush(f);
	else
		fclose(f);
}
