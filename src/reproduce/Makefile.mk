# src/reproduce: published results against the model; weft-reproduce
bin_PROGRAMS += weft-reproduce
weft_reproduce_SOURCES = src/reproduce/repro_main.c src/reproduce/repro.h \
	src/reproduce/repro_alltoall.c \
	src/reproduce/repro_bench.c src/reproduce/repro_bench.h \
	src/reproduce/repro_coll.c \
	src/reproduce/repro_draw.c \
	src/reproduce/repro_exp.c \
	src/reproduce/repro_neighbour.c \
	src/reproduce/repro_out.c \
	src/reproduce/repro_pingpong.c \
	src/reproduce/repro_table.c
weft_reproduce_LDADD = libweftsim.la -lm

PLAIN_TESTS += test/sim_tools.sh
