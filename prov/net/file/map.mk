# prov/net/file/net_map: shapes and maps, for the launcher and virtual time
noinst_LTLIBRARIES += libweft-netmap.la
libweft_netmap_la_SOURCES = prov/net/file/net_map.c prov/net/file/net_map.h \
	prov/net/file/net_config.h
C_TESTS += prov/net/file/net_map_test
