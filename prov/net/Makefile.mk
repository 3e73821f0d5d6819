# prov/net: the packet-level model of a machine's network
noinst_LTLIBRARIES += libweft-net.la
libweft_net_la_SOURCES = prov/net/net.h \
	prov/net/net_config.c prov/net/net_config.h
