# prov/watch: rules of fault awareness
noinst_LTLIBRARIES += libweft-watch.la
EXTRA_DIST += prov/watch/README
libweft_watch_la_SOURCES = prov/watch/watch.h \
	prov/watch/watch.c \
	prov/watch/watch_master.c

C_TESTS += prov/watch/watch_test
