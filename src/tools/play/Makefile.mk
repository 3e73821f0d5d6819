# src/tools/play: weft-play, a process that makes recorded calls
bin_PROGRAMS += weft-play
weft_play_SOURCES = src/tools/play/play.h src/tools/play/play_coll.c \
	src/tools/play/play_comm.c src/tools/play/play_main.c \
	src/tools/play/play_msg.c
weft_play_LDFLAGS = $(AM_LDFLAGS) $(BIN_RPATH)
weft_play_LDADD = libmpi_abi.la libweftcalls.la libweftbase.la
EXTRA_DIST += src/tools/play/README
