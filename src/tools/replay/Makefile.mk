# src/tools/replay: replay of recorded calls on the model; part of weft-sim
# libweftcalls reads or generates the calls; mpiexec and weft-play also use it.
noinst_LTLIBRARIES += libweftcalls.la libweftreplay.la
libweftcalls_la_SOURCES = \
	src/tools/replay/replay_call.h \
	src/tools/replay/replay_otf2.c \
	src/tools/replay/replay_pattern.c \
	src/tools/replay/replay_source.c \
	src/tools/replay/replay_trace.c
libweftreplay_la_SOURCES = \
	src/tools/replay/replay.h \
	src/tools/replay/replay_coll.c \
	src/tools/replay/replay_comm.c \
	src/tools/replay/replay_exec.c \
	src/tools/replay/replay_fiber.c \
	src/tools/replay/replay_int.h \
	src/tools/replay/replay_main.c \
	src/tools/replay/replay_msg.c \
	src/tools/replay/replay_place.c \
	src/tools/replay/replay_rank.c \
	src/tools/replay/replay_report.c src/tools/replay/replay_report.h \
	src/tools/replay/replay_route.c \
	src/comm/comm_channel.c
# what a program that uses libweftreplay is linked with
REPLAY_LIBS = libweftreplay.la libweftcalls.la libweftcoll.la libweft-types.la libweftnic.la \
	libweftbase.la
EXTRA_DIST += src/tools/replay/README

# mpiexec --record preloads this library into the ranks.
pkglib_LTLIBRARIES += libweft-record.la
libweft_record_la_SOURCES = \
	src/tools/replay/record.c src/tools/replay/record.h \
	src/tools/replay/record_coll.c \
	src/tools/replay/record_comm.c \
	src/tools/replay/record_p2p.c
libweft_record_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
libweft_record_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^MPI_'

C_TESTS += src/tools/replay/replay_run_test src/tools/replay/replay_trace_test \
	src/tools/replay/replay_fuzz_test src/tools/replay/replay_golden_test
src_tools_replay_replay_golden_test_LDADD = $(REPLAY_LIBS) $(T_LIBS)
src_tools_replay_replay_fuzz_test_LDADD = $(REPLAY_LIBS) $(T_LIBS)
src_tools_replay_replay_run_test_LDADD = $(REPLAY_LIBS) $(T_LIBS)
src_tools_replay_replay_trace_test_LDADD = $(REPLAY_LIBS) $(T_LIBS)

# The reader of OTF2 archives, which weft-sim loads if it is needed.
OTF2_READER = src/tools/replay/otf2_convert.c src/tools/replay/otf2_convert.h
if HAVE_OTF2
pkglib_LTLIBRARIES += libweft-replay-otf2.la
libweft_replay_otf2_la_SOURCES = $(OTF2_READER)
libweft_replay_otf2_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default $(OTF2_CFLAGS)
libweft_replay_otf2_la_LIBADD = $(OTF2_LIBS)
libweft_replay_otf2_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version \
	-export-symbols-regex '^replay_otf2_convert$$' -Wl,-z,defs

C_TESTS += src/tools/replay/otf2_convert_test
src_tools_replay_otf2_convert_test_SOURCES = \
	src/tools/replay/otf2_convert_test.c $(OTF2_READER)
src_tools_replay_otf2_convert_test_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
src_tools_replay_otf2_convert_test_LDADD = $(REPLAY_LIBS) $(T_LIBS) \
	$(OTF2_LIBS)
else
EXTRA_DIST += $(OTF2_READER) src/tools/replay/otf2_convert_test.c
endif
