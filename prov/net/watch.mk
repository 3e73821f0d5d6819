# prov/net: fault awareness on the model's links
noinst_LTLIBRARIES += libweft-netwatch.la
libweft_netwatch_la_SOURCES = prov/net/net_watch.h \
	prov/net/net_watch.c \
	prov/net/net_watch_plan.c
libweft_netwatch_la_LIBADD = libweft-net.la libweft-netmap.la libweft-watch.la

check_PROGRAMS += prov/net/net_apenet_test
TESTS += prov/net/net_apenet_test
prov_net_net_apenet_test_SOURCES = prov/net/net_apenet_test.c $(NET_END)
prov_net_net_apenet_test_LDADD = libweftnetfile.la libweft-netwatch.la $(T_LIBS)
