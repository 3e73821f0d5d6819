# test: what crosses folders, and the house verbs
if HAVE_CMOCKA
check_LTLIBRARIES += libweft-t.la
endif
libweft_t_la_SOURCES = test/t.c test/t.h
libweft_t_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
EXTRA_DIST += test/layers.sh test/shape.sh
TESTS += test/layers.sh test/shape.sh
include test/abi.mk
include test/vt.mk
