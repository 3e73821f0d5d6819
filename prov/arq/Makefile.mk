# prov/arq: sequence numbers, windows and retransmission timers
noinst_LTLIBRARIES += libweftarq.la
libweftarq_la_SOURCES = prov/arq/arq.c prov/arq/arq.h

ARQ_TESTS = prov/arq/arq_test prov/arq/arq_model_test
check_PROGRAMS += $(ARQ_TESTS)
TESTS += $(ARQ_TESTS)
prov_arq_arq_test_LDADD = libweftarq.la $(T_LIBS)
prov_arq_arq_model_test_LDADD = libweftarq.la $(T_LIBS)
EXTRA_DIST += prov/arq/README
