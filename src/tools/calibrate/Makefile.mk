# src/tools/calibrate: weft-calibrate, which writes machine files from measured
# times
noinst_LTLIBRARIES += libweftcal.la
libweftcal_la_SOURCES = src/tools/calibrate/cal.h \
	src/tools/calibrate/cal_fit.c src/tools/calibrate/cal_table.c \
	src/tools/calibrate/cal_write.c
libweftcal_la_LIBADD = libweftsim.la -lm

bin_PROGRAMS += weft-calibrate
weft_calibrate_SOURCES = src/tools/calibrate/cal_main.c
weft_calibrate_LDADD = libweftcal.la libweftpage.la

C_TESTS += src/tools/calibrate/cal_test
src_tools_calibrate_cal_test_LDADD = libweftcal.la $(T_LIBS)
EXTRA_DIST += src/tools/calibrate/README
