# prov/group/cunit: the collective unit
noinst_LTLIBRARIES += libweftcunit.la
libweftcunit_la_SOURCES = \
	prov/group/cunit/cunit.h prov/group/cunit/cunit_layout.h \
	prov/group/cunit/cunit_alu.c prov/group/cunit/cunit_alu.h prov/group/cunit/cunit_credit.c \
	prov/group/cunit/cunit_exact.c prov/group/cunit/cunit_exact.h prov/group/cunit/cunit_msg.c \
	prov/group/cunit/cunit_fold.h \
	prov/group/cunit/cunit_group.c prov/group/cunit/cunit_group.h prov/group/cunit/cunit_syncpoint.c \
	prov/group/cunit/cunit_board.c prov/group/cunit/cunit_node.c \
	prov/group/cunit/cunit_packet.c prov/group/cunit/cunit_single.c
libweftcunit_la_LIBADD = -lm
# -O3, since exact sums and copies are loops over arrays
libweftcunit_la_CFLAGS = $(AM_CFLAGS) -O3

EXTRA_DIST += prov/group/cunit/README

C_TESTS += prov/group/cunit/cunit_alu_test prov/group/cunit/cunit_msg_test \
	prov/group/cunit/cunit_group_test prov/group/cunit/cunit_order_test
