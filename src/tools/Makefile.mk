# src/tools: options of the command line, for all programs
libweftbase_la_SOURCES += src/tools/args.c src/tools/args.h \
	src/tools/beside.c src/tools/beside.h \
	src/tools/outfile.c src/tools/outfile.h

C_TESTS += src/tools/args_test src/tools/outfile_test
EXTRA_DIST += src/tools/README
