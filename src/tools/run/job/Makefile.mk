# src/tools/run/job: the running job
RUN_SOURCES += \
	src/tools/run/job/run_background.c src/tools/run/job/run_background.h \
	src/tools/run/job/run_table.c src/tools/run/job/run_table.h \
	src/tools/run/job/run_end.c src/tools/run/job/run_end.h \
	src/tools/run/job/run_events.c src/tools/run/job/run_events.h \
	src/tools/run/job/run_foreign.c src/tools/run/job/run_foreign.h \
	src/tools/run/job/run_job.c src/tools/run/job/run_job.h \
	src/tools/run/job/run_job_page.c src/tools/run/job/run_job_page.h \
	src/tools/run/job/run_limits.c src/tools/run/job/run_limits.h \
	src/tools/run/job/run_mpir.c src/tools/run/job/run_mpir.h \
	src/tools/run/job/run_nested.c src/tools/run/job/run_nested.h \
	src/tools/run/job/run_reap.c src/tools/run/job/run_report.c \
	src/tools/run/job/run_report.h src/tools/run/job/run_signal.c \
	src/tools/run/job/run_signal.h src/tools/run/job/run_spawn.c \
	src/tools/run/job/run_spawn.h src/tools/run/job/run_stuck.c \
	src/tools/run/job/run_record.c src/tools/run/job/run_record.h \
	src/tools/run/job/run_skeleton.c src/tools/run/job/run_skeleton.h \
	src/tools/run/job/run_stuck.h src/tools/run/job/run_survive.c \
	src/tools/run/job/run_survive.h src/tools/run/job/run_trace.c \
	src/tools/run/job/run_trace.h
C_TESTS += src/tools/run/job/run_end_test src/tools/run/job/run_foreign_test
src_tools_run_job_run_foreign_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_job_run_end_test_LDADD = $(RUN_TEST_LIBS)
EXTRA_DIST += src/tools/run/job/README
