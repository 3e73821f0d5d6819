/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the rules for the end of a job, case by case. */
#include "src/tools/run/job/run_end.h"
#include "test/t.h"

#include <stdlib.h>

enum { EXIT_3 = 3 << 8, KILLED_11 = 11 };

static const struct {
	struct run_end end;
	int code;
	const char *text;
} ends[] = {
	{ { .cause = RUN_CAUSE_NONE }, 0, NULL },
	{ { .cause = RUN_CAUSE_EXIT, .rank = 2, .pid = 9, .code = 3 },
	  3,
	  "process rank 2 with PID 9 on node h exited with code 3" },
	{ { .cause = RUN_CAUSE_SIGNAL, .pid = 9, .code = 11 },
	  139,
	  "process rank 0 with PID 9 on node h exited on signal 11 "
	  "(Segmentation fault)" },
	{ { .cause = RUN_CAUSE_SIGNAL,
	    .pid = 9,
	    .code = 9,
	    .call = (char *)(uintptr_t) "MPI_Recv" },
	  137,
	  "process rank 0 with PID 9 on node h exited on signal 9 "
	  "(Killed) in MPI_Recv" },
	{ { .cause = RUN_CAUSE_ABORT, .pid = 9, .code = 263 },
	  7,
	  "process rank 0 with PID 9 on node h called MPI_Abort with "
	  "error code 263" },
	{ { .cause = RUN_CAUSE_ABORT,
	    .code = 35,
	    .text = (char *)(uintptr_t) "deadlock: all wait" },
	  35,
	  "deadlock: all wait; the job was ended" },
	{ { .cause = RUN_CAUSE_ABORT, .pid = 9, .code = 0 },
	  1,
	  "process rank 0 with PID 9 on node h called MPI_Abort with "
	  "error code 0" },
	{ { .cause = RUN_CAUSE_NO_FINI, .pid = 9 },
	  1,
	  "process rank 0 with PID 9 on node h exited with code 0 "
	  "without calling MPI_Finalize" },
	{ { .cause = RUN_CAUSE_NO_INIT, .pid = 9 },
	  1,
	  "process rank 0 with PID 9 on node h exited with code 0 "
	  "before MPI_Init, while other ranks were in MPI" },
	{ { .cause = RUN_CAUSE_TIMEOUT, .code = 5 },
	  124,
	  "timeout after 5 s; the job was ended" },
	{ { .cause = RUN_CAUSE_INTERRUPT, .code = 2 },
	  130,
	  "ended by signal 2 (Interrupt)" },
	{ { .cause = RUN_CAUSE_FAULT }, 125, NULL },
	{ { .cause = RUN_CAUSE_FAULT, .code = 127 }, 127, NULL },
};

static void each_cause_has_an_exit_code_and_message(void **state)
{
	size_t i;
	char *text;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		T_IS(run_end_code(&ends[i].end), ends[i].code);
		text = run_end_text(&ends[i].end, "h");
		if (ends[i].text)
			T_STR(text, ends[i].text);
		else
			T_NULL(text);
		free(text);
	}
}

static void exit_is_classified_by_status_and_state(void **state)
{
	static const struct {
		struct run_rank r;
		bool others;
		enum run_cause cause;
	} row[] = {
		{ { .status = 0 }, false, RUN_CAUSE_NONE },
		{ { .status = 0 }, true, RUN_CAUSE_NO_INIT },
		{ { .status = EXIT_3 }, false, RUN_CAUSE_EXIT },
		{ { .status = KILLED_11 }, false, RUN_CAUSE_SIGNAL },
		{ { .connected = true }, false, RUN_CAUSE_NO_FINI },
		{ { .connected = true, .finalized = true },
		  true,
		  RUN_CAUSE_NONE },
	};
	size_t i;
	int code;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		T_IS(run_end_classify(&row[i].r, row[i].others, &code),
		     row[i].cause);
}

static void timeout_message_lists_rank_ranges(void **state)
{
	struct run_rank r[7] = { 0 };
	char *text;
	int i;

	for (i = 0; i < 4; i++)
		r[i].connected = true;
	r[2].finalized = true;
	r[6].exited = true;
	text = run_end_states(r, 7);
	T_STR(text, "in MPI (after MPI_Init): ranks 0-1,3; "
		    "not in MPI yet: ranks 4-5; after MPI_Finalize: ranks 2; "
		    "exited: ranks 6");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(each_cause_has_an_exit_code_and_message),
		T_CASE(exit_is_classified_by_status_and_state),
		T_CASE(timeout_message_lists_rank_ranges),
	};

	return T_RUN(tests);
}
