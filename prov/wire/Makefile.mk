# prov/wire: the packet, and the order of packets

check_PROGRAMS += prov/wire/wire_seq_test
TESTS += prov/wire/wire_seq_test
prov_wire_wire_seq_test_LDADD = libweftarq.la $(T_LIBS)
EXTRA_DIST += prov/wire/README
