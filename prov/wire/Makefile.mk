# prov/wire: the packet, and the order of packets
noinst_LTLIBRARIES += libweftwire.la
libweftwire_la_SOURCES = \
	prov/wire/wire.h \
	prov/wire/wire_seq.c prov/wire/wire_seq.h

C_TESTS += prov/wire/wire_seq_test
EXTRA_DIST += prov/wire/README
