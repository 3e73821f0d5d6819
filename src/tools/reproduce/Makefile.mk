# src/tools/reproduce: weft-reproduce, which compares published results with the
# model
noinst_LTLIBRARIES += libweftrepro.la
libweftrepro_la_SOURCES = src/tools/reproduce/repro.h \
	src/tools/reproduce/repro_alltoall.c \
	src/tools/reproduce/repro_arg.c \
	src/tools/reproduce/repro_bench.c src/tools/reproduce/repro_bench.h \
	src/tools/reproduce/repro_coll.c \
	src/tools/reproduce/repro_exp.c \
	src/tools/reproduce/repro_gather.c \
	src/tools/reproduce/repro_mpi.c src/tools/reproduce/repro_mpi.h \
	src/tools/reproduce/repro_neighbour.c \
	src/tools/reproduce/repro_conditional.c \
	src/tools/reproduce/repro_pingpong.c src/tools/reproduce/repro_progress.c \
	src/tools/reproduce/repro_software.c \
	src/tools/reproduce/repro_staged.c src/tools/reproduce/repro_staged.h \
	src/tools/reproduce/repro_stream.c \
	src/tools/reproduce/repro_table.c \
	src/tools/reproduce/repro_vary.c src/tools/reproduce/repro_vary.h \
	src/tools/reproduce/repro_watch.c
libweftrepro_la_LIBADD = libweftsim.la libweft-netwatch.la libweftmem.la -lm

bin_PROGRAMS += weft-reproduce
weft_reproduce_SOURCES = src/tools/reproduce/repro_main.c \
	src/tools/reproduce/repro_draw.c \
	src/tools/reproduce/repro_out.c \
	src/tools/reproduce/repro_page.c \
	src/tools/reproduce/repro_sensitivity.c \
	src/tools/reproduce/repro_sensitivity.h \
	src/tools/reproduce/repro_sensitivity_out.c
weft_reproduce_LDADD = libweftpage.la libweftrepro.la

bin_PROGRAMS += weft-reproduce-mpi
weft_reproduce_mpi_SOURCES = src/tools/reproduce/repro_measure.c
weft_reproduce_mpi_LDFLAGS = $(AM_LDFLAGS) $(BIN_RPATH)
weft_reproduce_mpi_LDADD = libmpi_abi.la

C_TESTS += src/tools/reproduce/repro_mpi_test
src_tools_reproduce_repro_mpi_test_LDADD = libweftrepro.la $(T_LIBS)
C_TESTS += src/tools/reproduce/repro_table_test
src_tools_reproduce_repro_table_test_SOURCES = \
	src/tools/reproduce/repro_table_test.c \
	src/tools/reproduce/repro_out.c \
	src/tools/reproduce/repro_sensitivity.c \
	src/tools/reproduce/repro_sensitivity_out.c
src_tools_reproduce_repro_table_test_LDADD = libweftpage.la libweftrepro.la \
	$(T_LIBS)
C_TESTS += src/tools/reproduce/repro_vary_test
src_tools_reproduce_repro_vary_test_LDADD = libweftrepro.la $(T_LIBS)

PLAIN_TESTS += test/tools/sim_tools.sh
EXTRA_DIST += src/tools/reproduce/README
