# prov/net/routing: topologies and routing
libweft_net_la_SOURCES += prov/net/routing/net_fat.h \
	prov/net/routing/net_guid.c prov/net/routing/net_guid.h \
	prov/net/routing/net_routing.c prov/net/routing/net_routing.h \
	prov/net/routing/net_io.c prov/net/routing/net_io.h \
	prov/net/routing/net_routing_fat.c prov/net/routing/net_topo.c \
	prov/net/routing/net_topo.h prov/net/routing/net_topo_fat.c \
	prov/net/routing/net_switches.c prov/net/routing/net_switches.h \
	prov/net/routing/net_switches_cycle.c prov/net/routing/net_paths.c

C_TESTS += prov/net/routing/net_fat_test prov/net/routing/net_path_test \
	prov/net/routing/net_guid_test prov/net/routing/net_route_choice_test \
	prov/net/routing/net_topo_test prov/net/routing/net_io_test \
	prov/net/routing/net_switches_test
EXTRA_DIST += prov/net/routing/README
