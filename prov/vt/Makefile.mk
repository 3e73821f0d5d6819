# prov/vt: virtual time, simulated on the network model of prov/net
EXTRA_DIST += prov/vt/README prov/vt/route/README
libweftcarrier_la_SOURCES += \
	prov/vt/vt_api.h \
	prov/vt/route/vt_fold.c prov/vt/route/vt_part.c \
	prov/vt/route/vt_result_bcast.c prov/vt/route/vt_route.c \
	prov/vt/route/vt_route.h prov/vt/route/vt_tree.c \
	prov/vt/vt_ops.c prov/vt/vt.h \
	prov/vt/vt_background.c prov/vt/vt_cpus.c \
	prov/vt/vt_dma.c \
	prov/vt/vt_engine.c \
	prov/vt/vt_end.c \
	prov/vt/vt_fault.c \
	prov/vt/vt_file.c prov/vt/vt_file_call.c prov/vt/vt_host.c prov/vt/vt_compute.c \
	prov/vt/vt_interface.c prov/vt/vt_interface_time.c \
	prov/vt/vt_memory.c prov/vt/vt_message.c \
	prov/vt/vt_layout.h \
	prov/vt/vt_join.c \
	prov/vt/vt_rx.c \
	prov/vt/vt_spawn.c prov/vt/vt_spawn_call.c \
	prov/vt/vt_engine_pass.c \
	prov/vt/vt_tx.c \
	prov/vt/vt_wait.c \
	prov/vt/vt_watch.c \
	prov/vt/vt_world.c
libweftcarrier_la_LIBADD = libweftnetfile.la libweft-net.la \
	$(CRYPTO_LIBS)

C_TESTS += prov/vt/vt_background_test prov/vt/vt_chain_test prov/vt/vt_memory_test prov/vt/vt_dma_test prov/vt/vt_end_test prov/vt/vt_error_test prov/vt/vt_fuzz_test \
	prov/vt/vt_poll_test prov/vt/vt_message_test prov/vt/vt_test \
	prov/vt/vt_security_test prov/vt/vt_spawn_test prov/vt/vt_amo_test prov/vt/vt_path_test
