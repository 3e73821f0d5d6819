# src/tools/tune: weft-tune, which measures the choices of collective algorithms
# for machine files
bin_PROGRAMS += weft-tune
weft_tune_SOURCES = src/tools/tune/tune_main.c src/tools/tune/tune.h \
	src/tools/tune/tune_check.c src/tools/tune/tune_choice.c \
	src/tools/tune/tune_measure.c src/tools/tune/tune_run.h
weft_tune_LDFLAGS = $(AM_LDFLAGS) $(BIN_RPATH)
weft_tune_LDADD = libmpi_abi.la libweftbase.la

C_TESTS += src/tools/tune/tune_choice_test
src_tools_tune_tune_choice_test_SOURCES = src/tools/tune/tune_choice_test.c \
	src/tools/tune/tune_choice.c
src_tools_tune_tune_choice_test_LDADD = $(T_LIBS)
EXTRA_DIST += src/tools/tune/README
