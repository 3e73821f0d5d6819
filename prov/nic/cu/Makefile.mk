# prov/nic/cu: the collective unit
noinst_LTLIBRARIES += libweftcu.la
libweftcu_la_SOURCES = \
	prov/nic/cu/cu.h prov/nic/cu/cu_layout.h \
	prov/nic/cu/cu_alu.c prov/nic/cu/cu_alu.h prov/nic/cu/cu_credit.c \
	prov/nic/cu/cu_exact.c prov/nic/cu/cu_exact.h prov/nic/cu/cu_msg.c \
	prov/nic/cu/cu_fold.h \
	prov/nic/cu/cu_group.c prov/nic/cu/cu_group.h prov/nic/cu/cu_meet.c \
	prov/nic/cu/cu_board.c prov/nic/cu/cu_tree_host.c prov/nic/cu/cu_node.c \
	prov/nic/cu/cu_tree_levels.c \
	prov/nic/cu/cu_packet.c prov/nic/cu/cu_single.c \
	prov/nic/cu/cu_tree.c prov/nic/cu/cu_tree.h
libweftcu_la_LIBADD = -lm
# the arithmetic consists of loops over arrays
libweftcu_la_CFLAGS = $(AM_CFLAGS) -O3

EXTRA_DIST += prov/nic/cu/README

CU_TESTS = prov/nic/cu/cu_alu_test prov/nic/cu/cu_msg_test \
	prov/nic/cu/cu_group_test prov/nic/cu/cu_order_test \
	prov/nic/cu/cu_tree_test
check_PROGRAMS += $(CU_TESTS)
TESTS += $(CU_TESTS)
prov_nic_cu_cu_alu_test_LDADD = libweftcu.la $(T_LIBS) -lm
CU_FLIGHT = prov/nic/cu/cu_flight.c prov/nic/cu/cu_flight.h
prov_nic_cu_cu_msg_test_SOURCES = prov/nic/cu/cu_msg_test.c $(CU_FLIGHT)
prov_nic_cu_cu_msg_test_LDADD = libweftcu.la $(T_LIBS)
prov_nic_cu_cu_group_test_SOURCES = prov/nic/cu/cu_group_test.c $(CU_FLIGHT)
prov_nic_cu_cu_group_test_LDADD = libweftcu.la $(T_LIBS)
prov_nic_cu_cu_order_test_LDADD = libweftcu.la $(T_LIBS)
prov_nic_cu_cu_tree_test_LDADD = libweftcu.la $(T_LIBS)
