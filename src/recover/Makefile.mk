# src/recover: failures that a program survives
libmpi_abi_la_SOURCES += src/recover/recover_consensus.c \
	src/recover/recover_consensus.h

C_TESTS += src/recover/recover_consensus_test
src_recover_recover_consensus_test_SOURCES = \
	src/recover/recover_consensus_test.c \
	src/recover/recover_consensus.c
src_recover_recover_consensus_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/recover/README
