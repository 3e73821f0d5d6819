# src/tools/run/io: output and input of ranks
RUN_SOURCES += \
	src/tools/run/io/run_collect.c src/tools/run/io/run_fdpass.c \
	src/tools/run/io/run_fdpass.h src/tools/run/io/run_feed.c \
	src/tools/run/io/run_io.c src/tools/run/io/run_io.h \
	src/tools/run/io/run_line.c src/tools/run/io/run_line.h
C_TESTS += src/tools/run/io/run_fdpass_test src/tools/run/io/run_line_test
src_tools_run_io_run_fdpass_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_io_run_line_test_LDADD = $(RUN_TEST_LIBS)
EXTRA_DIST += src/tools/run/io/README
