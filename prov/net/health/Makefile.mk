# prov/net/health: fault awareness on the model's links
noinst_LTLIBRARIES += libweft-netwatch.la
libweft_netwatch_la_SOURCES = prov/net/health/net_watch.h \
	prov/net/health/net_watch.c \
	prov/net/health/net_watch_plan.c
libweft_netwatch_la_LIBADD = libweft-net.la libweft-netmap.la libweft-watch.la

check_PROGRAMS += prov/net/health/net_apenet_test
TESTS += prov/net/health/net_apenet_test
prov_net_health_net_apenet_test_SOURCES = prov/net/health/net_apenet_test.c $(NET_FIXTURE)
prov_net_health_net_apenet_test_LDADD = libweftnetfile.la libweft-netwatch.la $(T_LIBS)
EXTRA_DIST += prov/net/health/README
