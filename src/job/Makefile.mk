# src/job: memory shared by the launcher, ranks and viewers; traces; fault plans
libweftbase_la_SOURCES += src/job/job_log.c src/job/job_log.h \
	src/job/job_cfg.c src/job/job_cfg.h src/job/job_fi_opts.c src/job/job_fi_opts.h \
	src/job/fault_plan.c src/job/fault_plan.h src/job/job_page.c \
	src/job/job_page.h src/job/job_page_layout.h src/job/job_page_entry.c src/job/job_page_event.c src/job/job_page_exit.c \
	src/job/job_page_print.c src/job/job_page_print.h src/job/job_trace.c \
	src/job/job_place.c src/job/job_place.h \
	src/job/job_network.h src/job/job_own.h src/job/job_event.c src/job/job_event.h src/job/job_noise.h \
	src/job/job_record.h src/job/job_skeleton.c src/job/job_skeleton.h src/job/job_trace.h src/job/job_trace_layout.h \
	src/job/job_trace_read.c

C_TESTS += src/job/job_cfg_test src/job/job_event_test src/job/fault_plan_test \
	src/job/job_page_print_test src/job/job_page_test src/job/job_page_explore_test src/job/job_noise_test src/job/job_place_test src/job/job_skeleton_test src/job/job_trace_test
EXTRA_DIST += src/job/README
