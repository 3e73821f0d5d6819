# prov/net: fault awareness on the model's links
noinst_LTLIBRARIES += libweft-netwatch.la
libweft_netwatch_la_SOURCES = prov/net/net_watch.h \
	prov/net/net_watch.c \
	prov/net/net_watch_plan.c
libweft_netwatch_la_LIBADD = libweft-net.la libweft-netmap.la libweft-watch.la
