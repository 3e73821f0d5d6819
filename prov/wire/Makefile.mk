# prov/wire: the packet, and the order of packets
noinst_LTLIBRARIES += libweftwire.la
libweftwire_la_SOURCES = \
	prov/wire/wire.h \
	prov/wire/wire_seq.c prov/wire/wire_seq.h

check_PROGRAMS += prov/wire/wire_seq_test
TESTS += prov/wire/wire_seq_test
prov_wire_wire_seq_test_LDADD = libweftwire.la $(T_LIBS)
EXTRA_DIST += prov/wire/README
