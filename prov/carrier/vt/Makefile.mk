# prov/carrier/vt: virtual time, on the model of prov/net
EXTRA_DIST += prov/carrier/vt/README
libweftcarrier_la_SOURCES += \
	prov/carrier/carrier_vt.h \
	prov/carrier/vt/vt_ops.c prov/carrier/vt/vt.h \
	prov/carrier/vt/vt_cpus.c \
	prov/carrier/vt/vt_dma.c \
	prov/carrier/vt/vt_engine.c \
	prov/carrier/vt/vt_fault.c \
	prov/carrier/vt/vt_fold.c \
	prov/carrier/vt/vt_message.c \
	prov/carrier/vt/vt_layout.h \
	prov/carrier/vt/vt_join.c \
	prov/carrier/vt/vt_part.c \
	prov/carrier/vt/vt_route.c \
	prov/carrier/vt/vt_rx.c \
	prov/carrier/vt/vt_tell.c \
	prov/carrier/vt/vt_tree.c prov/carrier/vt/vt_engine_pass.c \
	prov/carrier/vt/vt_tx.c \
	prov/carrier/vt/vt_wait.c \
	prov/carrier/vt/vt_watch.c \
	prov/carrier/vt/vt_world.c
libweftcarrier_la_LIBADD = libweftnetfile.la libweft-net.la \
	$(CRYPTO_LIBS)

VT_TESTS = prov/carrier/vt/vt_chain_test prov/carrier/vt/vt_dma_test prov/carrier/vt/vt_fuzz_test \
	prov/carrier/vt/vt_poll_test prov/carrier/vt/vt_rule_test \
	prov/carrier/vt/vt_test prov/carrier/vt/vt_trust_test \
	prov/carrier/vt/vt_amo_test
check_PROGRAMS += $(VT_TESTS)
TESTS += $(VT_TESTS)
prov_carrier_vt_vt_fuzz_test_SOURCES = prov/carrier/vt/vt_fuzz_test.c \
	prov/carrier/carrier_end.c prov/carrier/carrier_end.h
prov_carrier_vt_vt_fuzz_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
VT_PLAY = prov/carrier/vt/vt_fixture.c prov/carrier/vt/vt_fixture.h \
	prov/carrier/carrier_end.c prov/carrier/carrier_end.h
prov_carrier_vt_vt_chain_test_SOURCES = prov/carrier/vt/vt_chain_test.c \
	$(VT_PLAY)
prov_carrier_vt_vt_chain_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
prov_carrier_vt_vt_dma_test_SOURCES = prov/carrier/vt/vt_dma_test.c $(VT_PLAY)
prov_carrier_vt_vt_dma_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
prov_carrier_vt_vt_poll_test_SOURCES = prov/carrier/vt/vt_poll_test.c $(VT_PLAY)
prov_carrier_vt_vt_poll_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
prov_carrier_vt_vt_rule_test_SOURCES = prov/carrier/vt/vt_rule_test.c $(VT_PLAY)
prov_carrier_vt_vt_rule_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
prov_carrier_vt_vt_test_SOURCES = prov/carrier/vt/vt_test.c $(VT_PLAY)
prov_carrier_vt_vt_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
prov_carrier_vt_vt_amo_test_SOURCES = prov/carrier/vt/vt_amo_test.c \
	$(VT_PLAY)
prov_carrier_vt_vt_amo_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
prov_carrier_vt_vt_trust_test_SOURCES = prov/carrier/vt/vt_trust_test.c \
	$(VT_PLAY)
prov_carrier_vt_vt_trust_test_LDADD = libweftcarrier.la libweftwire.la $(T_LIBS)
