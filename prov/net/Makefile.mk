# prov/net: the packet-level model of a machine's network
noinst_LTLIBRARIES += libweft-net.la
EXTRA_DIST += prov/net/README
libweft_net_la_LIBADD = libweft-code.la
libweft_net_la_SOURCES = prov/net/net.h prov/net/net_event.h \
	prov/net/net_layout.h prov/net/net_slot.h prov/net/net_arbiter.c \
	prov/net/net_arbiter.h prov/net/net_grant.c \
	prov/net/net_grant.h prov/net/net_counter.c prov/net/net_counter.h \
	prov/net/file/net_config.c \
	prov/net/file/net_config.h prov/net/net_inspect.c \
	prov/net/file/net_name.c prov/net/file/net_name.h prov/net/net_nic.c \
	prov/net/net_nic.h prov/net/net_nic_in.c prov/net/net_nic_int.h \
	prov/net/net_nic_stored.c \
	prov/net/net_bus.c prov/net/net_bus.h \
	prov/net/net_pool.c prov/net/net_pool.h prov/net/net_prefetch.c \
	prov/net/net_prefetch.h prov/net/net_router.c prov/net/net_router.h \
	prov/net/net_run.c prov/net/net_deadlock.c prov/net/net_idle_words.c \
	prov/net/net_switched.c prov/net/net_switched.h \
	prov/net/net_tail.h prov/net/net_tile.c prov/net/net_tile.h \
	prov/net/net_wheel.c prov/net/net_wheel.h prov/net/net_wormhole.c \
	prov/net/net_wormhole.h

C_TESTS += prov/net/net_fuzz_test prov/net/net_link_test \
	prov/net/net_priority_test prov/net/net_class_test \
	prov/net/net_load_test prov/net/file/net_name_test prov/net/net_rail_test \
	prov/net/net_router_share_test prov/net/net_tile_test \
	prov/net/net_latency_test

noinst_PROGRAMS += bench/net_speed
bench_net_speed_LDADD = libweftnetfile.la libweft-net.la libweftbase.la -lm
