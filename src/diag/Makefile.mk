# src/diag: call recorder, errors, deadlocks, peer failures, reports
libmpi_abi_la_SOURCES += src/diag/diag_call.c src/diag/diag_call.h \
	src/diag/diag_count.c src/diag/diag_count.h \
	src/diag/diag_peer_failure.c src/diag/diag_peer_failure.h \
	src/diag/diag_deadlock.c src/diag/diag_deadlock.h src/diag/diag_err.c \
	src/diag/diag_err.h src/diag/diag_errtext.c src/diag/diag_errtext.h \
	src/diag/diag_health.c src/diag/diag_health.h src/diag/diag_report.c \
	src/diag/diag_report.h src/diag/diag_wait_note.c \
	src/diag/diag_wait_note.h src/diag/diag_trace.c src/diag/diag_trace.h \
	src/diag/diag_pvar.c src/diag/diag_pvar.h

C_TESTS += src/diag/diag_call_test src/diag/diag_errtext_test \
	src/diag/diag_report_test src/diag/diag_wait_note_test
src_diag_diag_call_test_SOURCES = src/diag/diag_call_test.c \
	src/diag/diag_call.c
src_diag_diag_call_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_errtext_test_SOURCES = src/diag/diag_errtext_test.c \
	src/diag/diag_errtext.c
src_diag_diag_errtext_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_report_test_SOURCES = src/diag/diag_report_test.c \
	src/diag/diag_report.c
src_diag_diag_report_test_CFLAGS = $(AM_CFLAGS)
src_diag_diag_wait_note_test_SOURCES = src/diag/diag_wait_note_test.c \
	src/diag/diag_wait_note.c
src_diag_diag_wait_note_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/diag/README
