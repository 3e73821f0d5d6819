# prov/machine/{bgq,gemini,qsnet2,sunway,apenet}: the units of the machines, and
# the code that these units share
noinst_LTLIBRARIES += libweftunits.la
libweftunits_la_SOURCES = \
	prov/machine/machine_response.c prov/machine/machine_response.h \
	prov/machine/machine_transport.c prov/machine/machine_transport.h \
	prov/machine/machine_inbox.c prov/machine/machine_inbox.h \
	prov/machine/machine_order.h \
	prov/machine/machine_port.c prov/machine/machine_port.h \
	prov/machine/machine_regs.c prov/machine/machine_regs.h \
	prov/machine/bgq/bgq.c prov/machine/bgq/bgq_dev.h prov/machine/bgq/bgq_layout.h \
	prov/machine/bgq/bgq_desc.c prov/machine/bgq/bgq_fifo.c prov/machine/bgq/bgq_mem.c \
	prov/machine/bgq/bgq_tx.c prov/machine/bgq/bgq_rx.c \
	prov/machine/bgq/bgq_route.c prov/machine/bgq/bgq_upc.c \
	prov/machine/bgq/bgq_atomic.c \
	prov/machine/bgq/bgq_bulk.c prov/machine/bgq/bgq_bulk.h \
	prov/machine/bgq/bgq_transport.c prov/machine/bgq/bgq_transport.h \
	prov/machine/gemini/gemini.c prov/machine/gemini/gemini_dev.h prov/machine/gemini/gemini_layout.h \
	prov/machine/gemini/gemini_amo.c prov/machine/gemini/gemini_bte.c \
	prov/machine/gemini/gemini_bulk.c prov/machine/gemini/gemini_bulk.h \
	prov/machine/gemini/gemini_cq.c prov/machine/gemini/gemini_handles.c \
	prov/machine/gemini/gemini_translate.c prov/machine/gemini/gemini_word.c \
	prov/machine/gemini/gemini_link.c prov/machine/gemini/gemini_msgq.c \
	prov/machine/gemini/gemini_rx.c prov/machine/gemini/gemini_scrub.c \
	prov/machine/gemini/gemini_smsg.c prov/machine/gemini/gemini_tx.c \
	prov/machine/gemini/gemini_transport.c prov/machine/gemini/gemini_transport.h \
	prov/machine/qsnet2/qsnet2.c prov/machine/qsnet2/qsnet2_dev.h \
	prov/machine/qsnet2/qsnet2_layout.h prov/machine/qsnet2/qsnet2_swap.h \
	prov/machine/qsnet2/qsnet2_fault.c prov/machine/qsnet2/qsnet2_mmu.c \
	prov/machine/qsnet2/qsnet2_bulk.c prov/machine/qsnet2/qsnet2_bulk.h \
	prov/machine/qsnet2/qsnet2_broadcast.c prov/machine/qsnet2/qsnet2_dma.c \
	prov/machine/qsnet2/qsnet2_chain.c prov/machine/qsnet2/qsnet2_chain.h \
	prov/machine/qsnet2/qsnet2_event.c \
	prov/machine/qsnet2/qsnet2_match.c prov/machine/qsnet2/qsnet2_match.h \
	prov/machine/qsnet2/qsnet2_queue.c prov/machine/qsnet2/qsnet2_rails.c \
	prov/machine/qsnet2/qsnet2_rx.c \
	prov/machine/qsnet2/qsnet2_tport.c prov/machine/qsnet2/qsnet2_tport.h \
	prov/machine/qsnet2/qsnet2_tport_match.c \
	prov/machine/qsnet2/qsnet2_thread.c prov/machine/qsnet2/qsnet2_time.c \
	prov/machine/qsnet2/qsnet2_tx.c prov/machine/qsnet2/qsnet2_word.c \
	prov/machine/qsnet2/qsnet2_transport.c prov/machine/qsnet2/qsnet2_transport.h \
	prov/machine/sunway/sunway.c prov/machine/sunway/sunway_dev.h \
	prov/machine/sunway/sunway_layout.h \
	prov/machine/sunway/sunway_coll.c \
	prov/machine/sunway/sunway_cq.c prov/machine/sunway/sunway_manage.c \
	prov/machine/sunway/sunway_mem.c prov/machine/sunway/sunway_port.c \
	prov/machine/sunway/sunway_post.c prov/machine/sunway/sunway_rq.c \
	prov/machine/sunway/sunway_rx.c prov/machine/sunway/sunway_tx.c \
	prov/machine/sunway/sunway_vi.c prov/machine/sunway/sunway_vm.c \
	prov/machine/sunway/sunway_rdma_rx.c \
	prov/machine/sunway/sunway_window.c \
	prov/machine/sunway/sunway_bulk.c prov/machine/sunway/sunway_bulk.h \
	prov/machine/sunway/sunway_qp.c prov/machine/sunway/sunway_qp.h \
	prov/machine/sunway/sunway_qp_rx.c \
	prov/machine/sunway/sunway_transport.c prov/machine/sunway/sunway_transport.h \
	prov/machine/generic/generic.c prov/machine/generic/generic_transport.h \
	prov/machine/apenet/apenet.c prov/machine/apenet/apenet_dev.h \
	prov/machine/apenet/apenet_layout.h prov/machine/apenet/apenet_tlb.h \
	prov/machine/apenet/apenet_buf.c prov/machine/apenet/apenet_cmd.c \
	prov/machine/apenet/apenet_get.c prov/machine/apenet/apenet_rx.c \
	prov/machine/apenet/apenet_tlb.c prov/machine/apenet/apenet_tx.c \
	prov/machine/apenet/apenet_bulk.c prov/machine/apenet/apenet_bulk.h \
	prov/machine/apenet/apenet_ring.c prov/machine/apenet/apenet_ring.h \
	prov/machine/apenet/apenet_single.h \
	prov/machine/apenet/apenet_transport.c prov/machine/apenet/apenet_transport.h

C_TESTS += prov/machine/machine_unit_test prov/machine/machine_process_test prov/machine/machine_inbox_test \
	prov/machine/machine_regs_explore_test \
	prov/machine/bgq/bgq_test prov/machine/bgq/bgq_limits_test \
	prov/machine/bgq/bgq_threads_test \
	prov/machine/bgq/bgq_path_test prov/machine/bgq/bgq_route_test \
	prov/machine/bgq/bgq_upc_test \
	prov/machine/bgq/bgq_bulk_test prov/machine/bgq/bgq_fifo_explore_test \
	prov/machine/gemini/gemini_test prov/machine/gemini/gemini_bulk_test \
	prov/machine/gemini/gemini_handles_test \
	prov/machine/gemini/gemini_link_test prov/machine/qsnet2/qsnet2_bulk_test \
	prov/machine/qsnet2/qsnet2_test prov/machine/qsnet2/qsnet2_queue_test \
	prov/machine/qsnet2/qsnet2_time_test prov/machine/qsnet2/qsnet2_thread_test \
	prov/machine/qsnet2/qsnet2_mmu_test prov/machine/qsnet2/qsnet2_tport_test \
	prov/machine/qsnet2/qsnet2_broadcast_test prov/machine/qsnet2/qsnet2_match_test \
	prov/machine/qsnet2/qsnet2_rails_test prov/machine/qsnet2/qsnet2_chain_test \
	prov/machine/sunway/sunway_test prov/machine/sunway/sunway_chip_test \
	prov/machine/sunway/sunway_job_test prov/machine/sunway/sunway_forge_test prov/machine/sunway/sunway_bulk_test \
	prov/machine/sunway/sunway_reply_test prov/machine/sunway/sunway_coll_test \
	prov/machine/sunway/sunway_transport_test \
	prov/machine/apenet/apenet_test prov/machine/apenet/apenet_gpu_test \
	prov/machine/apenet/apenet_tlb_test prov/machine/apenet/apenet_forge_test \
	prov/machine/apenet/apenet_transport_test

# A library of the units, for use without the provider.
lib_LTLIBRARIES += libweft-nic.la
libweft_nic_la_SOURCES =
libweft_nic_la_LIBADD = libweftunits.la libweftcunit.la libweftmem.la \
	libweftcarrier.la libweftarq.la libweftbase.la
libweft_nic_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-export-symbols-regex '^weft_(bgq|gemini|qsnet2|sunway|apenet|mem)_' -Wl,-z,defs
pkgconfig_DATA += prov/machine/weft-nic.pc
CLEANFILES += prov/machine/weft-nic.pc
EXTRA_DIST += prov/machine/weft-nic.pc.in
prov/machine/weft-nic.pc: $(srcdir)/prov/machine/weft-nic.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) prov/machine && $(SED) \
	-e 's|@prefix[@]|$(prefix)|g' -e 's|@exec_prefix[@]|$(exec_prefix)|g' \
	-e 's|@libdir[@]|$(libdir)|g' -e 's|@includedir[@]|$(includedir)|g' \
	-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g' \
	-e 's|^exec_prefix=$(prefix)$$|exec_prefix=$${prefix}|' \
	-e 's|@PC_CRYPTO[@]|$(PC_CRYPTO)|' \
	-e 's|^\(libdir\)=$(exec_prefix)/|\1=$${exec_prefix}/|' \
	-e 's|^\(includedir\)=$(prefix)/|\1=$${prefix}/|' \
	$(srcdir)/prov/machine/weft-nic.pc.in > $@

PLAIN_TESTS += prov/machine/machine_lib_test.sh
EXTRA_DIST += prov/machine/bgq/README prov/machine/gemini/README prov/machine/qsnet2/README \
	prov/machine/sunway/README prov/machine/apenet/README
EXTRA_DIST += prov/machine/README
