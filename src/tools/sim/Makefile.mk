# src/tools/sim: synthetic traffic on the network model; weft-sim
noinst_LTLIBRARIES += libweftsim.la
libweftsim_la_SOURCES = \
	src/tools/sim/sim_cut.c \
	src/tools/sim/sim_hist.c src/tools/sim/sim_hist.h \
	src/tools/sim/sim_new.c src/tools/sim/sim_new.h \
	src/tools/sim/sim_plot.c src/tools/sim/sim_plot.h \
	src/tools/sim/sim_progress.c src/tools/sim/sim_progress.h \
	src/tools/sim/sim_run.c src/tools/sim/sim_run.h src/tools/sim/sim_int.h \
	src/tools/sim/sim_source.c \
	src/tools/sim/sim_traffic.c src/tools/sim/sim_traffic.h
libweftsim_la_LIBADD = libweft-net.la libweftnetfile.la libweftbase.la

bin_PROGRAMS += weft-sim
weft_sim_SOURCES = src/tools/sim/sim_main.c \
	src/tools/sim/sim_draw.c \
	src/tools/sim/sim_fault.c \
	src/tools/sim/sim_json.c \
	src/tools/sim/sim_links.c src/tools/sim/sim_links.h \
	src/tools/sim/sim_opts.c src/tools/sim/sim_opts.h \
	src/tools/sim/sim_out.c src/tools/sim/sim_out.h src/tools/sim/sim_out_int.h \
	src/tools/sim/sim_page.c
weft_sim_LDADD = $(REPLAY_LIBS) libweftpage.la libweftsim.la libweft-netwatch.la

C_TESTS += src/tools/sim/sim_hist_test src/tools/sim/sim_run_test \
	src/tools/sim/sim_traffic_test src/tools/sim/sim_new_test
src_tools_sim_sim_new_test_LDADD = libweftsim.la $(T_LIBS)
src_tools_sim_sim_hist_test_LDADD = libweftsim.la $(T_LIBS)
src_tools_sim_sim_run_test_LDADD = libweftsim.la $(T_LIBS)
src_tools_sim_sim_traffic_test_LDADD = libweftsim.la $(T_LIBS)
EXTRA_DIST += src/tools/sim/README
