# src/base: functions that all other folders use; depends on libc only
noinst_LTLIBRARIES += libweftbase.la
libweftbase_la_SOURCES = \
	src/base/alive.c src/base/alive.h \
	src/base/args.c src/base/args.h \
	src/base/atomic.h src/base/attr.h src/base/bell.c src/base/bell.h \
	src/base/cfg.c src/base/cfg.h \
	src/base/must.c src/base/must.h \
	src/base/clock.c src/base/clock.h \
	src/base/copies.c src/base/copies.h src/base/copy.c src/base/copy.h \
	src/base/fence.c src/base/fence.h \
	src/base/futex.c src/base/futex.h \
	src/base/guard.c src/base/guard.h \
	src/base/hash.c src/base/hash.h \
	src/base/iov.h \
	src/base/keyfile.c src/base/keyfile.h \
	src/base/limit.c src/base/limit.h src/base/list.h \
	src/base/log.c src/base/log.h \
	src/base/outfile.c src/base/outfile.h \
	src/base/patience.c src/base/patience.h \
	src/base/plan.c src/base/plan.h \
	src/base/pool.c src/base/pool.h \
	src/base/region.c src/base/region.h \
	src/base/rng.c src/base/rng.h \
	src/base/roll.c src/base/roll.h src/base/roll_layout.h \
	src/base/roll_card.c src/base/roll_print.c src/base/roll_print.h \
	src/base/solo.h \
	src/base/trace.c src/base/trace.h src/base/trace_layout.h \
	src/base/trace_read.c

BASE_TESTS = \
	src/base/alive_test src/base/args_test \
	src/base/atomic_test src/base/bell_test src/base/cfg_test \
	src/base/clock_test src/base/copies_test src/base/copy_test src/base/fence_test src/base/futex_test src/base/guard_test \
	src/base/hash_test src/base/iov_test src/base/keyfile_test src/base/limit_test \
	src/base/list_test \
	src/base/log_test src/base/must_test src/base/outfile_test \
	src/base/patience_test src/base/plan_test src/base/pool_test \
	src/base/region_test \
	src/base/rng_test src/base/roll_print_test src/base/roll_test \
	src/base/solo_test src/base/trace_test
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)
src_base_alive_test_LDADD = $(T_LIBS)
src_base_args_test_LDADD = $(T_LIBS)
src_base_atomic_test_LDADD = $(T_LIBS)
src_base_bell_test_LDADD = $(T_LIBS)
src_base_cfg_test_LDADD = $(T_LIBS)
src_base_must_test_LDADD = $(T_LIBS)
src_base_clock_test_LDADD = $(T_LIBS)
src_base_copies_test_LDADD = $(T_LIBS)
src_base_copy_test_LDADD = $(T_LIBS)
src_base_copy_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=weft_copy_loop
src_base_fence_test_LDADD = $(T_LIBS)
src_base_futex_test_LDADD = $(T_LIBS)
src_base_guard_test_LDADD = $(T_LIBS)
src_base_hash_test_LDADD = $(T_LIBS)
src_base_iov_test_LDADD = $(T_LIBS)
src_base_limit_test_LDADD = $(T_LIBS)
src_base_list_test_LDADD = $(T_LIBS)
src_base_log_test_LDADD = $(T_LIBS)
src_base_outfile_test_LDADD = $(T_LIBS)
src_base_patience_test_LDADD = $(T_LIBS)
src_base_keyfile_test_LDADD = $(T_LIBS)
src_base_plan_test_LDADD = $(T_LIBS)
src_base_pool_test_LDADD = $(T_LIBS)
src_base_region_test_LDADD = $(T_LIBS)
src_base_rng_test_LDADD = $(T_LIBS)
src_base_roll_print_test_LDADD = $(T_LIBS)
src_base_roll_test_LDADD = $(T_LIBS)
src_base_solo_test_LDADD = $(T_LIBS)
src_base_trace_test_LDADD = $(T_LIBS)
