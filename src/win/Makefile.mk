# src/win: windows of one-sided communication, part of libmpi_abi.la; its
# sources that do not depend on other sources of libmpi_abi.la form a separate
# library, for the tests.
noinst_LTLIBRARIES += libweftwin.la
libweftwin_la_SOURCES = \
	src/win/win_acc_lock.c src/win/win_acc_lock.h \
	src/win/win_blocks.c src/win/win_blocks.h \
	src/win/win_device.c src/win/win_device.h \
	src/win/win_elem.c src/win/win_elem.h \
	src/win/win_kept.c src/win/win_kept.h \
	src/win/win_rwlock.c src/win/win_rwlock.h
libmpi_abi_la_LIBADD += libweftwin.la
libmpi_abi_la_SOURCES += \
	src/win/win.h src/win/win_layout.h \
	src/win/win_acc.c \
	src/win/win_amo.c src/win/win_amo.h \
	src/win/win_am.c src/win/win_am.h \
	src/win/win_attach.c src/win/win_attach.h \
	src/win/win_call.c src/win/win_call.h \
	src/win/win_fabric.c src/win/win_fabric.h \
	src/win/win_remote.c src/win/win_remote.h \
	src/win/win_heap.c src/win/win_heap.h \
	src/win/win_hint.c src/win/win_hint.h \
	src/win/win_lock.c src/win/win_lock.h \
	src/win/win_open.c \
	src/win/win_move.c \
	src/win/win_mapped.c src/win/win_mapped.h \
	src/win/win_rma_sync.h \
	src/win/win_op.c src/win/win_op.h \
	src/win/win_serve.c src/win/win_serve.h \
	src/win/win_share.c src/win/win_share.h \
	src/win/win_sync.c \
	src/win/win_unit.c src/win/win_unit.h \
	src/win/win_wait.c src/win/win_wait.h \
	src/win/win_word.h
EXTRA_DIST += src/win/README

PLAIN_TESTS += test/run/run_win_death.sh test/run/run_win_bench.sh \
	test/run/run_win_fuzz.sh
EXTRA_DIST += test/run/run_win_client.c

C_TESTS += src/win/win_acc_lock_test src/win/win_acc_lock_explore_test \
	src/win/win_blocks_test src/win/win_elem_test src/win/win_kept_test \
	src/win/win_rwlock_test src/win/win_rwlock_explore_test \
	src/win/win_hint_test src/win/win_attach_test \
	src/win/win_attach_explore_test src/win/win_serve_fuzz_test \
	src/win/win_sync_test
src_win_win_sync_test_SOURCES = src/win/win_sync_test.c src/win/win_sync.c
src_win_win_sync_test_CFLAGS = $(AM_CFLAGS)
src_win_win_serve_fuzz_test_SOURCES = src/win/win_serve_fuzz_test.c \
	src/win/win_serve.c
src_win_win_serve_fuzz_test_CFLAGS = $(AM_CFLAGS)
src_win_win_hint_test_SOURCES = src/win/win_hint_test.c src/win/win_hint.c
src_win_win_hint_test_CFLAGS = $(AM_CFLAGS)
src_win_win_attach_test_SOURCES = src/win/win_attach_test.c \
	src/win/win_attach.c src/core/core_fi.c
src_win_win_attach_test_CFLAGS = $(AM_CFLAGS)
src_win_win_acc_lock_test_SOURCES = src/win/win_acc_lock_test.c \
	src/msg/msg_pause.c
src_win_win_acc_lock_test_CFLAGS = $(AM_CFLAGS)
src_win_win_rwlock_test_SOURCES = src/win/win_rwlock_test.c \
	src/msg/msg_pause.c
src_win_win_rwlock_test_CFLAGS = $(AM_CFLAGS)
