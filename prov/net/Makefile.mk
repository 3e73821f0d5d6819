# prov/net: the packet-level model of a machine's network
noinst_LTLIBRARIES += libweft-net.la
EXTRA_DIST += prov/net/README
libweft_net_la_LIBADD = libweft-code.la
libweft_net_la_SOURCES = \
	prov/net/net.h prov/net/net_event.h prov/net/routing/net_fat.h \
	prov/net/net_layout.h prov/net/net_slot.h \
	prov/net/net_arbiter.c prov/net/net_arbiter.h \
	prov/net/file/net_config.c prov/net/file/net_config.h \
	prov/net/fault/net_fault.c prov/net/fault/net_fault.h prov/net/fault/net_fault_int.h \
	prov/net/fault/net_fault_bits.c \
	prov/net/fault/net_fault_hold.c \
	prov/net/fault/net_fault_link.c \
	prov/net/fault/net_fault_name.c \
	prov/net/fault/net_fault_routing.c \
	prov/net/fault/net_fault_time.c \
	prov/net/tree/net_fold.c prov/net/tree/net_fold.h \
	prov/net/routing/net_guid.c prov/net/routing/net_guid.h \
	prov/net/net_inspect.c \
	prov/net/file/net_name.c prov/net/file/net_name.h \
	prov/net/net_nic.c prov/net/net_nic.h \
	prov/net/net_nic_in.c prov/net/net_nic_int.h \
	prov/net/tree/net_part.c \
	prov/net/net_pool.c prov/net/net_pool.h \
	prov/net/net_prefetch.c prov/net/net_prefetch.h \
	prov/net/tree/net_query.c \
	prov/net/net_router.c prov/net/net_router.h \
	prov/net/net_run.c \
	prov/net/routing/net_routing.c prov/net/routing/net_routing.h \
	prov/net/routing/net_routing_fat.c \
	prov/net/net_deadlock.c \
	prov/net/net_idle_words.c \
	prov/net/net_tile.c prov/net/net_tile.h \
	prov/net/routing/net_topo.c prov/net/routing/net_topo.h \
	prov/net/routing/net_topo_fat.c \
	prov/net/tree/net_tree.c prov/net/tree/net_tree.h prov/net/tree/net_tree_int.h \
	prov/net/tree/net_tree_open.c \
	prov/net/tree/net_tree_plan.c \
	prov/net/net_wheel.c prov/net/net_wheel.h

NET_TESTS = prov/net/routing/net_fat_test prov/net/net_fuzz_test prov/net/net_link_test \
	prov/net/net_load_test prov/net/file/net_name_test prov/net/routing/net_path_test \
	prov/net/tree/net_fold_test prov/net/routing/net_guid_test prov/net/tree/net_query_test \
	prov/net/net_rail_test prov/net/routing/net_route_choice_test \
	prov/net/net_shared_test prov/net/net_tile_test \
	prov/net/routing/net_topo_test prov/net/tree/net_tree_test prov/net/net_zero_test
check_PROGRAMS += $(NET_TESTS)
TESTS += $(NET_TESTS)
NET_LIBS = libweft-net.la $(T_LIBS)
NET_FIXTURE = test/support/net_fixture.c test/support/net_fixture.h
prov_net_routing_net_fat_test_SOURCES = prov/net/routing/net_fat_test.c $(NET_FIXTURE)
prov_net_routing_net_fat_test_LDADD = $(NET_LIBS)
prov_net_routing_net_topo_test_LDADD = $(NET_LIBS)
prov_net_net_fuzz_test_SOURCES = prov/net/net_fuzz_test.c $(NET_FIXTURE)
prov_net_net_fuzz_test_LDADD = $(NET_LIBS)
prov_net_net_link_test_SOURCES = prov/net/net_link_test.c $(NET_FIXTURE)
prov_net_net_link_test_LDADD = $(NET_LIBS)
prov_net_net_load_test_SOURCES = prov/net/net_load_test.c $(NET_FIXTURE)
prov_net_net_load_test_LDADD = $(NET_LIBS) -lm
prov_net_file_net_name_test_LDADD = $(NET_LIBS)
prov_net_routing_net_path_test_SOURCES = prov/net/routing/net_path_test.c $(NET_FIXTURE)
prov_net_routing_net_path_test_LDADD = $(NET_LIBS)
prov_net_tree_net_query_test_SOURCES = prov/net/tree/net_query_test.c $(NET_FIXTURE)
prov_net_tree_net_query_test_LDADD = $(NET_LIBS)
prov_net_tree_net_fold_test_LDADD = $(NET_LIBS)
prov_net_routing_net_guid_test_LDADD = $(NET_LIBS)
prov_net_net_rail_test_SOURCES = prov/net/net_rail_test.c $(NET_FIXTURE)
prov_net_net_rail_test_LDADD = $(NET_LIBS)
prov_net_routing_net_route_choice_test_SOURCES = prov/net/routing/net_route_choice_test.c $(NET_FIXTURE)
prov_net_routing_net_route_choice_test_LDADD = $(NET_LIBS)
prov_net_net_shared_test_SOURCES = prov/net/net_shared_test.c $(NET_FIXTURE)
prov_net_net_shared_test_LDADD = $(NET_LIBS)
prov_net_net_tile_test_SOURCES = prov/net/net_tile_test.c $(NET_FIXTURE)
prov_net_net_tile_test_LDADD = $(NET_LIBS)
prov_net_tree_net_tree_test_SOURCES = prov/net/tree/net_tree_test.c $(NET_FIXTURE)
prov_net_tree_net_tree_test_LDADD = $(NET_LIBS)
prov_net_net_zero_test_SOURCES = prov/net/net_zero_test.c $(NET_FIXTURE)
prov_net_net_zero_test_LDADD = $(NET_LIBS)

noinst_PROGRAMS += bench/net_speed
bench_net_speed_SOURCES = bench/net_speed.c
bench_net_speed_LDADD = libweftnetfile.la libweft-net.la libweftbase.la -lm
