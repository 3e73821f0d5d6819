# src/base: functions that all other folders use; depends on libc only
noinst_LTLIBRARIES += libweftbase.la
libweftbase_la_SOURCES = src/base/atomic.h src/base/attr.h src/base/must.c \
	src/base/must.h src/base/clock.c src/base/clock.h src/base/copy.c \
	src/base/copy.h src/base/fence.c src/base/fence.h src/base/futex.c \
	src/base/futex.h src/base/hash.c src/base/hash.h src/base/iov.h \
	src/base/limit.c src/base/limit.h src/base/list.h src/base/log.c \
	src/base/log.h src/base/num.c src/base/num.h src/base/pool.c src/base/pool.h src/base/region.c \
	src/base/region.h src/base/rng.c src/base/rng.h src/base/word.h

BASE_TESTS = src/base/atomic_test src/base/clock_test src/base/copy_test \
	src/base/fence_test src/base/futex_test src/base/hash_test \
	src/base/iov_test src/base/limit_test src/base/list_test \
	src/base/log_test src/base/must_test src/base/num_test \
	src/base/pool_test src/base/region_test src/base/rng_test \
	src/base/word_test
check_PROGRAMS += $(BASE_TESTS)
TESTS += $(BASE_TESTS)
src_base_atomic_test_LDADD = $(T_LIBS)
src_base_must_test_LDADD = $(T_LIBS)
src_base_clock_test_LDADD = $(T_LIBS)
src_base_copy_test_LDADD = $(T_LIBS)
src_base_copy_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=weft_copy_loop
src_base_fence_test_LDADD = $(T_LIBS)
src_base_futex_test_LDADD = $(T_LIBS)
src_base_hash_test_LDADD = $(T_LIBS)
src_base_iov_test_LDADD = $(T_LIBS)
src_base_limit_test_LDADD = $(T_LIBS)
src_base_list_test_LDADD = $(T_LIBS)
src_base_log_test_LDADD = $(T_LIBS)
src_base_num_test_LDADD = $(T_LIBS)
src_base_pool_test_LDADD = $(T_LIBS)
src_base_region_test_LDADD = $(T_LIBS)
src_base_rng_test_LDADD = $(T_LIBS)
src_base_word_test_LDADD = $(T_LIBS)
EXTRA_DIST += src/base/README
