# src/file: files, part of libmpi_abi.la; its sources that do not depend on
# other sources of libmpi_abi.la form a separate library, for the tests.
noinst_LTLIBRARIES += libweftfile.la
libweftfile_la_SOURCES = \
	src/file/file_cover.c src/file/file_cover.h \
	src/file/file_layout.c src/file/file_layout.h \
	src/file/file_layout_code.c \
	src/file/file_word.c src/file/file_word.h
libmpi_abi_la_LIBADD += libweftfile.la
libmpi_abi_la_SOURCES += \
	src/file/file.h \
	src/file/file_access.c src/file/file_access.h \
	src/file/file_agree.c \
	src/file/file_coll.c src/file/file_coll.h \
	src/file/file_coll_round.c \
	src/file/file_err.c \
	src/file/file_guard.h \
	src/file/file_hint.c src/file/file_hint.h \
	src/file/file_io.c src/file/file_io.h \
	src/file/file_job.c src/file/file_job.h \
	src/file/file_map.c src/file/file_map.h \
	src/file/file_op.c src/file/file_op.h \
	src/file/file_open.c \
	src/file/file_plan.c src/file/file_plan.h \
	src/file/file_rep.c src/file/file_rep.h src/file/file_rep_type.c \
	src/file/file_req.c \
	src/file/file_shared.c \
	src/file/file_stream.h \
	src/file/file_view.c src/file/file_view.h \
	src/file/file_window.c src/file/file_window.h
EXTRA_DIST += src/file/README

C_TESTS += src/file/file_cover_test src/file/file_layout_test \
	src/file/file_word_test
