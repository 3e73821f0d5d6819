# src/msg: requests, progress, point-to-point messages
libmpi_abi_la_SOURCES += src/msg/msg_bsend.c src/msg/msg_bsend.h \
	src/msg/msg_active.c src/msg/msg_active.h src/msg/msg_ack.c src/msg/msg_ack.h src/msg/msg_inject.h \
	src/msg/msg_isendrecv.c src/msg/msg_isendrecv.h src/msg/msg_typed.c \
	src/msg/msg_typed.h src/msg/msg.c src/msg/msg.h src/msg/msg_p2p.c \
	src/msg/msg_p2p.h src/msg/msg_partitioned.c src/msg/msg_partitioned.h \
	src/msg/msg_pause.c src/msg/msg_pause.h \
	src/msg/msg_retry.c src/msg/msg_retry.h src/msg/msg_persist.c \
	src/msg/msg_persist.h src/msg/msg_probe.c src/msg/msg_probe.h \
	src/msg/msg_progress.c src/msg/msg_progress.h src/msg/msg_recv.c \
	src/msg/msg_recv.h src/msg/msg_req.c src/msg/msg_req.h \
	src/msg/msg_send.c src/msg/msg_send.h src/msg/msg_status.h \
	src/msg/msg_tag.h src/msg/msg_wait.c src/msg/msg_wait.h

C_TESTS += src/msg/msg_test src/msg/msg_retry_test src/msg/msg_persist_test \
	src/msg/msg_pause_explore_test
src_msg_msg_test_SOURCES = src/msg/msg_test.c src/msg/msg.c \
	src/msg/msg_active.c
src_msg_msg_test_CFLAGS = $(AM_CFLAGS)
src_msg_msg_retry_test_SOURCES = src/msg/msg_retry_test.c src/msg/msg_retry.c
src_msg_msg_retry_test_CFLAGS = $(AM_CFLAGS)
src_msg_msg_persist_test_SOURCES = src/msg/msg_persist_test.c \
	src/msg/msg_persist.c
src_msg_msg_persist_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/msg/README
