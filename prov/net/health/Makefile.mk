# prov/net/health: fault awareness on the model's links
noinst_LTLIBRARIES += libweft-netwatch.la
libweft_netwatch_la_SOURCES = prov/net/health/net_watch.h \
	prov/net/health/net_watch.c \
	prov/net/health/net_watch_plan.c
libweft_netwatch_la_LIBADD = libweft-net.la libweft-netmap.la libweft-watch.la

C_TESTS += prov/net/health/net_apenet_test
EXTRA_DIST += prov/net/health/README
