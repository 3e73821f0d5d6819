# src/reproduce: published results against the model; weft-reproduce
noinst_LTLIBRARIES += libweftrepro.la
libweftrepro_la_SOURCES = src/reproduce/repro.h \
	src/reproduce/repro_alltoall.c \
	src/reproduce/repro_bench.c src/reproduce/repro_bench.h \
	src/reproduce/repro_coll.c \
	src/reproduce/repro_exp.c \
	src/reproduce/repro_gather.c \
	src/reproduce/repro_neighbour.c \
	src/reproduce/repro_conditional.c \
	src/reproduce/repro_pingpong.c src/reproduce/repro_progress.c \
	src/reproduce/repro_software.c \
	src/reproduce/repro_staged.c src/reproduce/repro_staged.h \
	src/reproduce/repro_stream.c \
	src/reproduce/repro_table.c \
	src/reproduce/repro_watch.c
libweftrepro_la_LIBADD = libweftsim.la libweft-netwatch.la libweftmem.la -lm

bin_PROGRAMS += weft-reproduce
weft_reproduce_SOURCES = src/reproduce/repro_main.c \
	src/reproduce/repro_draw.c \
	src/reproduce/repro_out.c \
	src/reproduce/repro_page.c
weft_reproduce_LDADD = libweftpage.la libweftrepro.la

check_PROGRAMS += src/reproduce/repro_table_test
TESTS += src/reproduce/repro_table_test
src_reproduce_repro_table_test_LDADD = libweftrepro.la $(T_LIBS)

PLAIN_TESTS += test/sim_tools.sh
EXTRA_DIST += src/reproduce/README
