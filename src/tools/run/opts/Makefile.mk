# src/tools/run/opts: command line
RUN_SOURCES += \
	src/tools/run/opts/run_calls.c src/tools/run/opts/run_calls.h \
	src/tools/run/opts/run_flags.c src/tools/run/opts/run_flags.h \
	src/tools/run/opts/run_format.c src/tools/run/opts/run_hosts.c \
	src/tools/run/opts/run_hosts.h src/tools/run/opts/run_model.c \
	src/tools/run/opts/run_model.h src/tools/run/opts/run_opts.c \
	src/tools/run/opts/run_opts.h src/tools/run/opts/run_parts.c \
	src/tools/run/opts/run_parts.h src/tools/run/opts/run_place.c \
	src/tools/run/opts/run_remote.c src/tools/run/opts/run_words.c \
	src/tools/run/opts/run_words.h
C_TESTS += src/tools/run/opts/run_opts_test src/tools/run/opts/run_words_test
src_tools_run_opts_run_opts_test_LDADD = $(RUN_TEST_LIBS)
src_tools_run_opts_run_words_test_LDADD = $(RUN_TEST_LIBS)
EXTRA_DIST += src/tools/run/opts/README
