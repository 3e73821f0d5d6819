# prov/ofi: the libfabric layer
noinst_LTLIBRARIES += libweft-ofi.la
libweft_ofi_la_SOURCES = \
	prov/ofi/weft_ofi.h prov/ofi/weft_mcgroup.h prov/ofi/weft_mcgroup_call.h \
	prov/ofi/weft_atomic.h prov/ofi/weft_ep.h prov/ofi/weft_progress.h \
	prov/ofi/weft_addr.c prov/ofi/weft_addr.h \
	prov/ofi/weft_av.c prov/ofi/weft_av.h \
	prov/ofi/weft_cntr.c prov/ofi/weft_cntr.h \
	prov/ofi/weft_conf.c prov/ofi/weft_conf.h \
	prov/ofi/weft_cq.c prov/ofi/weft_cq.h \
	prov/ofi/weft_domain.c prov/ofi/weft_domain.h \
	prov/ofi/weft_eq.c prov/ofi/weft_eq.h \
	prov/ofi/weft_err.c prov/ofi/weft_err.h \
	prov/ofi/weft_ext.c prov/ofi/weft_ext.h \
	prov/ofi/weft_fabric.c prov/ofi/weft_fabric.h \
	prov/ofi/weft_info.c prov/ofi/weft_info.h \
	prov/ofi/weft_init.c \
	prov/ofi/weft_lock.c prov/ofi/weft_lock.h \
	prov/ofi/weft_mr.c prov/ofi/weft_mr.h \
	prov/ofi/weft_nosys.c prov/ofi/weft_nosys.h \
	prov/ofi/weft_poll.c prov/ofi/weft_poll.h \
	prov/ofi/weft_set.c \
	prov/ofi/weft_wait.c prov/ofi/weft_wait.h \
	prov/ofi/weft_world.c prov/ofi/weft_world.h

# The tests run over a fake engine and carrier.
OFI_TESTS = \
	prov/ofi/weft_av_test prov/ofi/weft_cntr_test prov/ofi/weft_cq_test \
	prov/ofi/weft_domain_test prov/ofi/weft_eq_test \
	prov/ofi/weft_info_test prov/ofi/weft_mr_test prov/ofi/weft_fi_core_test \
	prov/ofi/weft_wait_test
OFI_FAKE = prov/ofi/weft_fake.c prov/ofi/weft_fake.h
OFI_TEST_LIBS = libweft-ofi.la libweftmem.la libweftcarrier.la libweftwire.la $(FABRIC_LIBS) $(T_LIBS)
check_PROGRAMS += $(OFI_TESTS)
TESTS += $(OFI_TESTS)
prov_ofi_weft_av_test_SOURCES = prov/ofi/weft_av_test.c $(OFI_FAKE)
prov_ofi_weft_av_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_cntr_test_SOURCES = prov/ofi/weft_cntr_test.c $(OFI_FAKE)
prov_ofi_weft_cntr_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_cq_test_SOURCES = prov/ofi/weft_cq_test.c $(OFI_FAKE)
prov_ofi_weft_cq_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_cq_test_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=aligned_alloc -Wl,--wrap=calloc
prov_ofi_weft_domain_test_SOURCES = prov/ofi/weft_domain_test.c $(OFI_FAKE)
prov_ofi_weft_domain_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_eq_test_SOURCES = prov/ofi/weft_eq_test.c $(OFI_FAKE)
prov_ofi_weft_eq_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_info_test_SOURCES = prov/ofi/weft_info_test.c $(OFI_FAKE)
prov_ofi_weft_info_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_mr_test_SOURCES = prov/ofi/weft_mr_test.c $(OFI_FAKE)
prov_ofi_weft_mr_test_LDADD = $(OFI_TEST_LIBS)
prov_ofi_weft_fi_core_test_LDADD = libweftdirect.la $(T_LIBS)
prov_ofi_weft_wait_test_SOURCES = prov/ofi/weft_wait_test.c $(OFI_FAKE)
prov_ofi_weft_wait_test_LDADD = $(OFI_TEST_LIBS)
EXTRA_DIST += prov/ofi/README test/ofi_env.sh test/ofi_grid.sh test/ofi_openmpi.c
dist_man7_MANS += doc/fi_weft.7
include prov/ofi/data.mk
PLAIN_TESTS += test/ofi_on_trees.sh test/ofi_on_bgq.sh test/ofi_on_gemini.sh \
	test/ofi_on_packets.sh test/ofi_on_qsnet2.sh test/ofi_on_sock.sh \
	test/ofi_on_sunway.sh test/ofi_on_apenet.sh test/ofi_hosts.sh
PLAIN_TESTS += test/ofi_info.sh test/ofi_openmpi.sh test/ofi_openmpi_hosts.sh \
	test/ofi_pingpong.sh test/symbols.sh

check_PROGRAMS += test/prov/prov_wait_test
TESTS += test/prov/prov_wait_test
test_prov_prov_wait_test_SOURCES = test/prov/prov_wait_test.c \
	test/prov/prov_job.c test/prov/prov_job.h
test_prov_prov_wait_test_LDADD = $(FABRIC_LIBS) $(T_LIBS)
