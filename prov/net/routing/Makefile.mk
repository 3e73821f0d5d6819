# prov/net/routing: topologies and routing
libweft_net_la_SOURCES += prov/net/routing/net_fat.h \
	prov/net/routing/net_guid.c prov/net/routing/net_guid.h \
	prov/net/routing/net_routing.c prov/net/routing/net_routing.h \
	prov/net/routing/net_routing_fat.c prov/net/routing/net_topo.c \
	prov/net/routing/net_topo.h prov/net/routing/net_topo_fat.c

NET_ROUTING_TESTS = prov/net/routing/net_fat_test \
	prov/net/routing/net_path_test prov/net/routing/net_guid_test \
	prov/net/routing/net_route_choice_test prov/net/routing/net_topo_test
check_PROGRAMS += $(NET_ROUTING_TESTS)
TESTS += $(NET_ROUTING_TESTS)
prov_net_routing_net_fat_test_SOURCES = prov/net/routing/net_fat_test.c \
	$(NET_FIXTURE)
prov_net_routing_net_fat_test_LDADD = $(NET_LIBS)
prov_net_routing_net_topo_test_LDADD = $(NET_LIBS)
prov_net_routing_net_path_test_SOURCES = prov/net/routing/net_path_test.c \
	$(NET_FIXTURE)
prov_net_routing_net_path_test_LDADD = $(NET_LIBS)
prov_net_routing_net_guid_test_LDADD = $(NET_LIBS)
prov_net_routing_net_route_choice_test_SOURCES = \
	prov/net/routing/net_route_choice_test.c $(NET_FIXTURE)
prov_net_routing_net_route_choice_test_LDADD = $(NET_LIBS)
EXTRA_DIST += prov/net/routing/README
