# prov/nic/{mu,fma,sten,swhni,apenet}: the units of the machines, and what they share
noinst_LTLIBRARIES += libweftunits.la
libweftunits_la_SOURCES = \
	prov/nic/nic_answer.c prov/nic/nic_answer.h \
	prov/nic/nic_help.c prov/nic/nic_help.h \
	prov/nic/nic_inbox.c prov/nic/nic_inbox.h \
	prov/nic/nic_order.h \
	prov/nic/nic_port.c prov/nic/nic_port.h \
	prov/nic/mu/mu.c prov/nic/mu/mu_dev.h prov/nic/mu/mu_layout.h \
	prov/nic/mu/mu_desc.c prov/nic/mu/mu_fifo.c prov/nic/mu/mu_mem.c \
	prov/nic/mu/mu_tx.c prov/nic/mu/mu_rx.c \
	prov/nic/mu/mu_engine.c prov/nic/mu/mu_engine.h \
	prov/nic/fma/fma.c prov/nic/fma/fma_dev.h prov/nic/fma/fma_layout.h \
	prov/nic/fma/fma_amo.c prov/nic/fma/fma_bte.c \
	prov/nic/fma/fma_bulk.c prov/nic/fma/fma_bulk.h \
	prov/nic/fma/fma_cq.c \
	prov/nic/fma/fma_link.c prov/nic/fma/fma_msgq.c \
	prov/nic/fma/fma_rx.c prov/nic/fma/fma_scrub.c \
	prov/nic/fma/fma_smsg.c prov/nic/fma/fma_tx.c \
	prov/nic/fma/fma_engine.c prov/nic/fma/fma_engine.h \
	prov/nic/sten/sten.c prov/nic/sten/sten_dev.h \
	prov/nic/sten/sten_layout.h prov/nic/sten/sten_swap.h \
	prov/nic/sten/sten_fault.c prov/nic/sten/sten_mmu.c \
	prov/nic/sten/sten_bulk.c prov/nic/sten/sten_bulk.h \
	prov/nic/sten/sten_cast.c prov/nic/sten/sten_dma.c \
	prov/nic/sten/sten_chain.c prov/nic/sten/sten_chain.h \
	prov/nic/sten/sten_event.c \
	prov/nic/sten/sten_queue.c prov/nic/sten/sten_rails.c \
	prov/nic/sten/sten_rx.c \
	prov/nic/sten/sten_tport.c prov/nic/sten/sten_tport.h \
	prov/nic/sten/sten_tport_match.c \
	prov/nic/sten/sten_thread.c prov/nic/sten/sten_time.c \
	prov/nic/sten/sten_tx.c \
	prov/nic/sten/sten_engine.c prov/nic/sten/sten_engine.h \
	prov/nic/swhni/swhni.c prov/nic/swhni/swhni_dev.h \
	prov/nic/swhni/swhni_layout.h \
	prov/nic/swhni/swhni_coll.c \
	prov/nic/swhni/swhni_cq.c prov/nic/swhni/swhni_manage.c \
	prov/nic/swhni/swhni_mem.c prov/nic/swhni/swhni_port.c \
	prov/nic/swhni/swhni_post.c prov/nic/swhni/swhni_rq.c \
	prov/nic/swhni/swhni_rx.c prov/nic/swhni/swhni_tx.c \
	prov/nic/swhni/swhni_vi.c prov/nic/swhni/swhni_vm.c \
	prov/nic/swhni/swhni_coming.c \
	prov/nic/swhni/swhni_window.c \
	prov/nic/swhni/swhni_bulk.c prov/nic/swhni/swhni_bulk.h \
	prov/nic/swhni/swhni_engine.c prov/nic/swhni/swhni_engine.h \
	prov/nic/apenet/apenet.c prov/nic/apenet/apenet_dev.h \
	prov/nic/apenet/apenet_layout.h prov/nic/apenet/apenet_tlb.h \
	prov/nic/apenet/apenet_buf.c prov/nic/apenet/apenet_cmd.c \
	prov/nic/apenet/apenet_get.c prov/nic/apenet/apenet_rx.c \
	prov/nic/apenet/apenet_tlb.c prov/nic/apenet/apenet_tx.c \
	prov/nic/apenet/apenet_engine.c prov/nic/apenet/apenet_engine.h

UNIT_TESTS = prov/nic/nic_unit_test prov/nic/nic_inbox_test \
	prov/nic/mu/mu_test prov/nic/mu/mu_rule_test \
	prov/nic/fma/fma_test prov/nic/fma/fma_bulk_test \
	prov/nic/fma/fma_road_test \
	prov/nic/sten/sten_bulk_test \
	prov/nic/sten/sten_test prov/nic/sten/sten_queue_test \
	prov/nic/sten/sten_time_test prov/nic/sten/sten_thread_test \
	prov/nic/sten/sten_mmu_test prov/nic/sten/sten_tport_test \
	prov/nic/sten/sten_cast_test prov/nic/sten/sten_rails_test \
	prov/nic/sten/sten_chain_test \
	prov/nic/swhni/swhni_test prov/nic/swhni/swhni_chip_test \
	prov/nic/swhni/swhni_job_test prov/nic/swhni/swhni_bulk_test \
	prov/nic/swhni/swhni_reply_test \
	prov/nic/swhni/swhni_coll_test \
	prov/nic/apenet/apenet_test prov/nic/apenet/apenet_gpu_test \
	prov/nic/apenet/apenet_tlb_test
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
UNIT_LIBS = libweftunits.la libweftcu.la libweftmem.la libweftcarrier.la \
	libweftwire.la $(T_LIBS)
prov_nic_nic_unit_test_LDADD = $(UNIT_LIBS)
prov_nic_nic_inbox_test_LDADD = $(UNIT_LIBS)
prov_nic_mu_mu_test_SOURCES = prov/nic/mu/mu_test.c prov/nic/mu/mu_pair.h
prov_nic_mu_mu_test_LDADD = $(UNIT_LIBS)
prov_nic_mu_mu_rule_test_SOURCES = \
	prov/nic/mu/mu_rule_test.c prov/nic/mu/mu_pair.h
prov_nic_mu_mu_rule_test_LDADD = $(UNIT_LIBS)
prov_nic_fma_fma_test_SOURCES = \
	prov/nic/fma/fma_test.c prov/nic/fma/fma_pair.h
prov_nic_fma_fma_test_LDADD = $(UNIT_LIBS)
prov_nic_fma_fma_bulk_test_SOURCES = \
	prov/nic/fma/fma_bulk_test.c prov/nic/fma/fma_pair.h
prov_nic_fma_fma_bulk_test_LDADD = $(UNIT_LIBS)
prov_nic_fma_fma_road_test_SOURCES = \
	prov/nic/fma/fma_road_test.c prov/nic/fma/fma_pair.h
prov_nic_fma_fma_road_test_LDADD = $(UNIT_LIBS)
prov_nic_sten_sten_bulk_test_SOURCES = \
	prov/nic/sten/sten_bulk_test.c prov/nic/sten/sten_pair.h
prov_nic_sten_sten_bulk_test_LDADD = $(UNIT_LIBS)
prov_nic_sten_sten_test_SOURCES = \
	prov/nic/sten/sten_test.c prov/nic/sten/sten_pair.h
prov_nic_sten_sten_test_LDADD = $(UNIT_LIBS)
prov_nic_sten_sten_queue_test_SOURCES = \
	prov/nic/sten/sten_queue_test.c prov/nic/sten/sten_pair.h
prov_nic_sten_sten_queue_test_LDADD = $(UNIT_LIBS)

prov_nic_sten_sten_time_test_SOURCES = \
	prov/nic/sten/sten_time_test.c prov/nic/sten/sten_pair.h
prov_nic_sten_sten_time_test_LDADD = $(UNIT_LIBS)

prov_nic_sten_sten_thread_test_SOURCES = \
	prov/nic/sten/sten_thread_test.c prov/nic/sten/sten_pair.h
prov_nic_sten_sten_thread_test_LDADD = $(UNIT_LIBS)

prov_nic_sten_sten_mmu_test_SOURCES = \
	prov/nic/sten/sten_mmu_test.c prov/nic/sten/sten_pair.h
prov_nic_sten_sten_mmu_test_LDADD = $(UNIT_LIBS)

prov_nic_sten_sten_tport_test_LDADD = $(UNIT_LIBS)

prov_nic_sten_sten_cast_test_LDADD = $(UNIT_LIBS)
prov_nic_sten_sten_chain_test_LDADD = libweftcu.la $(UNIT_LIBS)

prov_nic_sten_sten_rails_test_LDADD = $(UNIT_LIBS)

prov_nic_swhni_swhni_test_SOURCES = \
	prov/nic/swhni/swhni_test.c prov/nic/swhni/swhni_pair.h
prov_nic_swhni_swhni_test_LDADD = $(UNIT_LIBS)

prov_nic_swhni_swhni_chip_test_SOURCES = \
	prov/nic/swhni/swhni_chip_test.c prov/nic/swhni/swhni_pair.h
prov_nic_swhni_swhni_chip_test_LDADD = $(UNIT_LIBS)

prov_nic_swhni_swhni_coll_test_SOURCES = \
	prov/nic/swhni/swhni_coll_test.c prov/nic/swhni/swhni_pair.h
prov_nic_swhni_swhni_coll_test_LDADD = $(UNIT_LIBS)
prov_nic_swhni_swhni_reply_test_SOURCES = \
	prov/nic/swhni/swhni_reply_test.c prov/nic/swhni/swhni_pair.h
prov_nic_swhni_swhni_reply_test_LDADD = $(UNIT_LIBS)
prov_nic_swhni_swhni_job_test_SOURCES = \
	prov/nic/swhni/swhni_job_test.c prov/nic/swhni/swhni_pair.h
prov_nic_swhni_swhni_job_test_LDADD = $(UNIT_LIBS)

prov_nic_swhni_swhni_bulk_test_LDADD = $(UNIT_LIBS)

prov_nic_apenet_apenet_test_SOURCES = \
	prov/nic/apenet/apenet_test.c prov/nic/apenet/apenet_pair.h
prov_nic_apenet_apenet_test_LDADD = $(UNIT_LIBS)

prov_nic_apenet_apenet_gpu_test_SOURCES = \
	prov/nic/apenet/apenet_gpu_test.c prov/nic/apenet/apenet_pair.h
prov_nic_apenet_apenet_gpu_test_LDADD = $(UNIT_LIBS)

prov_nic_apenet_apenet_tlb_test_SOURCES = \
	prov/nic/apenet/apenet_tlb_test.c prov/nic/apenet/apenet_pair.h
prov_nic_apenet_apenet_tlb_test_LDADD = $(UNIT_LIBS)

# The units for use without the provider.
lib_LTLIBRARIES += libweft-nic.la
libweft_nic_la_SOURCES =
libweft_nic_la_LIBADD = libweftunits.la libweftcu.la libweftmem.la \
	libweftcarrier.la libweftwire.la libweftbase.la
libweft_nic_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 \
	-export-symbols-regex '^weft_(mu|fma|sten|swhni|apenet|mem)_' -Wl,-z,defs
pkgconfig_DATA += prov/nic/weft-nic.pc
CLEANFILES += prov/nic/weft-nic.pc
EXTRA_DIST += prov/nic/weft-nic.pc.in
prov/nic/weft-nic.pc: $(srcdir)/prov/nic/weft-nic.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) prov/nic && $(SED) \
	-e 's|@prefix[@]|$(prefix)|g' -e 's|@exec_prefix[@]|$(exec_prefix)|g' \
	-e 's|@libdir[@]|$(libdir)|g' -e 's|@includedir[@]|$(includedir)|g' \
	-e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g' \
	$(srcdir)/prov/nic/weft-nic.pc.in > $@

PLAIN_TESTS += prov/nic/nic_lib_test.sh
EXTRA_DIST += prov/nic/mu/README prov/nic/fma/README prov/nic/sten/README \
	prov/nic/swhni/README prov/nic/apenet/README
