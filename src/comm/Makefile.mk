# src/comm: communicators, groups, context ids
libmpi_abi_la_SOURCES += src/comm/comm_agree.c src/comm/comm_agree.h \
	src/comm/comm_channel.c src/comm/comm_channel.h \
	src/comm/comm_coll_table.c src/comm/comm_coll_table.h src/comm/comm.c \
	src/comm/comm.h src/comm/comm_context.c src/comm/comm_context.h \
	src/comm/comm_group.c src/comm/comm_group.h src/comm/comm_inter.c \
	src/comm/comm_inter.h src/comm/comm_make.c src/comm/comm_make.h \
	src/comm/comm_exchange.c src/comm/comm_exchange.h \
	src/comm/comm_local.c src/comm/comm_local.h \
	src/comm/comm_port.c src/comm/comm_port.h \
	src/comm/comm_session.c src/comm/comm_session.h \
	src/comm/comm_split.c src/comm/comm_split.h

C_TESTS += src/comm/comm_session_test
src_comm_comm_session_test_SOURCES = src/comm/comm_session_test.c \
	src/comm/comm_group.c src/comm/comm_session.c
src_comm_comm_session_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/comm/README
