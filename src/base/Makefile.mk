# src/base: functions that all other folders use; depends on libc only
noinst_LTLIBRARIES += libweftbase.la
libweftbase_la_SOURCES = \
	src/os/alive.c src/os/alive.h \
	src/tools/args.c src/tools/args.h \
	src/base/atomic.h src/base/attr.h src/os/event_word.c src/os/event_word.h \
	src/job/job_cfg.c src/job/job_cfg.h \
	src/base/must.c src/base/must.h \
	src/base/clock.c src/base/clock.h \
	src/os/copy_calibrate.c src/os/copy_calibrate.h src/base/copy.c src/base/copy.h \
	src/base/fence.c src/base/fence.h \
	src/base/futex.c src/base/futex.h \
	src/os/guard.c src/os/guard.h \
	src/base/hash.c src/base/hash.h \
	src/base/iov.h \
	src/os/keyfile.c src/os/keyfile.h \
	src/base/limit.c src/base/limit.h src/base/list.h \
	src/base/log.c src/base/log.h \
	src/tools/outfile.c src/tools/outfile.h \
	src/os/wait_policy.c src/os/wait_policy.h \
	src/job/fault_plan.c src/job/fault_plan.h \
	src/base/pool.c src/base/pool.h \
	src/base/region.c src/base/region.h \
	src/base/rng.c src/base/rng.h \
	src/job/job_page.c src/job/job_page.h src/job/job_page_layout.h \
	src/job/job_page_entry.c src/job/job_page_print.c src/job/job_page_print.h \
	src/os/coalesced_task.h \
	src/job/job_trace.c src/job/job_trace.h src/job/job_trace_layout.h \
	src/job/job_trace_read.c

BASE_TESTS = \
	src/os/alive_test src/tools/args_test \
	src/base/atomic_test src/os/event_word_test src/job/job_cfg_test \
	src/base/clock_test src/os/copy_calibrate_test src/base/copy_test src/base/fence_test src/base/futex_test src/os/guard_test \
	src/base/hash_test src/base/iov_test src/os/keyfile_test src/base/limit_test \
	src/base/list_test \
	src/base/log_test src/base/must_test src/tools/outfile_test \
	src/os/wait_policy_test src/job/fault_plan_test src/base/pool_test \
	src/base/region_test \
	src/base/rng_test src/job/job_page_print_test src/job/job_page_test \
	src/os/coalesced_task_test src/job/job_trace_test
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)
src_os_alive_test_LDADD = $(T_LIBS)
src_tools_args_test_LDADD = $(T_LIBS)
src_base_atomic_test_LDADD = $(T_LIBS)
src_os_event_word_test_LDADD = $(T_LIBS)
src_job_job_cfg_test_LDADD = $(T_LIBS)
src_base_must_test_LDADD = $(T_LIBS)
src_base_clock_test_LDADD = $(T_LIBS)
src_os_copy_calibrate_test_LDADD = $(T_LIBS)
src_base_copy_test_LDADD = $(T_LIBS)
src_base_copy_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=weft_copy_loop
src_base_fence_test_LDADD = $(T_LIBS)
src_base_futex_test_LDADD = $(T_LIBS)
src_os_guard_test_LDADD = $(T_LIBS)
src_base_hash_test_LDADD = $(T_LIBS)
src_base_iov_test_LDADD = $(T_LIBS)
src_base_limit_test_LDADD = $(T_LIBS)
src_base_list_test_LDADD = $(T_LIBS)
src_base_log_test_LDADD = $(T_LIBS)
src_tools_outfile_test_LDADD = $(T_LIBS)
src_os_wait_policy_test_LDADD = $(T_LIBS)
src_os_keyfile_test_LDADD = $(T_LIBS)
src_job_fault_plan_test_LDADD = $(T_LIBS)
src_base_pool_test_LDADD = $(T_LIBS)
src_base_region_test_LDADD = $(T_LIBS)
src_base_rng_test_LDADD = $(T_LIBS)
src_job_job_page_print_test_LDADD = $(T_LIBS)
src_job_job_page_test_LDADD = $(T_LIBS)
src_os_coalesced_task_test_LDADD = $(T_LIBS)
src_job_job_trace_test_LDADD = $(T_LIBS)
