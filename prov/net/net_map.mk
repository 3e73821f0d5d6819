# prov/net/net_map: shapes and maps, for the launcher and the virtual carrier
noinst_LTLIBRARIES += libweft-netmap.la
libweft_netmap_la_SOURCES = prov/net/net_map.c prov/net/net_map.h \
	prov/net/net_config.h
check_PROGRAMS += prov/net/net_map_test
TESTS += prov/net/net_map_test
prov_net_net_map_test_LDADD = libweft-netmap.la $(T_LIBS)
