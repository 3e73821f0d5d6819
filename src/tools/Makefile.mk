# src/tools: options of the command line, for all programs
libweftbase_la_SOURCES += src/tools/args.c src/tools/args.h \
	src/tools/outfile.c src/tools/outfile.h

TOOLS_TESTS = src/tools/args_test src/tools/outfile_test
check_PROGRAMS += $(TOOLS_TESTS)
TESTS += $(TOOLS_TESTS)
src_tools_args_test_LDADD = $(T_LIBS)
src_tools_outfile_test_LDADD = $(T_LIBS)
EXTRA_DIST += src/tools/README
