# prov/watch: rules of fault awareness
noinst_LTLIBRARIES += libweft-watch.la
EXTRA_DIST += prov/watch/README
libweft_watch_la_SOURCES = prov/watch/watch.h \
	prov/watch/watch.c \
	prov/watch/watch_master.c

check_PROGRAMS += prov/watch/watch_test
TESTS += prov/watch/watch_test
prov_watch_watch_test_LDADD = libweft-watch.la $(T_LIBS)
