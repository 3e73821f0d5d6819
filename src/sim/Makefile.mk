# src/sim: synthetic traffic on the network model; weft-sim
noinst_LTLIBRARIES += libweftsim.la
libweftsim_la_SOURCES = \
	src/sim/sim_cut.c \
	src/sim/sim_hist.c src/sim/sim_hist.h \
	src/sim/sim_plot.c src/sim/sim_plot.h \
	src/sim/sim_progress.c src/sim/sim_progress.h \
	src/sim/sim_run.c src/sim/sim_run.h src/sim/sim_int.h \
	src/sim/sim_source.c \
	src/sim/sim_traffic.c src/sim/sim_traffic.h
libweftsim_la_LIBADD = libweft-net.la libweftnetfile.la libweftbase.la

bin_PROGRAMS += weft-sim
weft_sim_SOURCES = src/sim/sim_main.c \
	src/sim/sim_draw.c \
	src/sim/sim_fault.c \
	src/sim/sim_json.c \
	src/sim/sim_links.c src/sim/sim_links.h \
	src/sim/sim_opts.c src/sim/sim_opts.h \
	src/sim/sim_out.c src/sim/sim_out.h src/sim/sim_out_int.h \
	src/sim/sim_page.c
weft_sim_LDADD = libweftpage.la libweftsim.la libweft-netwatch.la

SIM_TESTS = src/sim/sim_hist_test src/sim/sim_run_test \
	src/sim/sim_traffic_test
check_PROGRAMS += $(SIM_TESTS)
TESTS += $(SIM_TESTS)
src_sim_sim_hist_test_LDADD = libweftsim.la $(T_LIBS)
src_sim_sim_run_test_LDADD = libweftsim.la $(T_LIBS)
src_sim_sim_traffic_test_LDADD = libweftsim.la $(T_LIBS)
EXTRA_DIST += src/sim/README
