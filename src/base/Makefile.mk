# src/base: functions that all other folders use; depends on libc only
noinst_LTLIBRARIES += libweftbase.la
libweftbase_la_SOURCES = src/base/atomic.h src/base/attr.h src/base/must.c \
	src/base/must.h src/base/clock.c src/base/clock.h src/base/copy.c \
	src/base/copy.h src/base/fence.c src/base/fence.h src/base/futex.c \
	src/base/futex.h src/base/hash.c src/base/hash.h src/base/iov.h \
	src/base/limit.c src/base/limit.h src/base/list.h src/base/log.c \
	src/base/log.h src/base/memcheck.h src/base/num.c src/base/num.h src/base/permute.h src/base/pool.c src/base/pool.h src/base/region.c \
	src/base/region.h src/base/rng.c src/base/rng.h src/base/text.c src/base/text.h \
	src/base/word.h

C_TESTS += src/base/atomic_test src/base/clock_test src/base/copy_test \
	src/base/fence_test src/base/futex_test src/base/hash_test src/base/iov_test \
	src/base/limit_test src/base/list_test src/base/log_test src/base/must_test \
	src/base/num_test src/base/permute_test src/base/word_test \
	src/base/pool_test src/base/region_test src/base/rng_test \
	src/base/text_test
src_base_copy_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=weft_copy_loop
src_base_limit_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=getrlimit
EXTRA_DIST += src/base/README
