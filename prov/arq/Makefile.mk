# prov/arq: sequence numbers, windows and retransmission timers
noinst_LTLIBRARIES += libweftarq.la
libweftarq_la_SOURCES = prov/arq/arq.c prov/arq/arq.h

C_TESTS += prov/arq/arq_test prov/arq/arq_model_test
EXTRA_DIST += prov/arq/README
