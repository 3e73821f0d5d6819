# src/recover: recovery of programs that survive failures
libmpi_abi_la_SOURCES += src/recover/recover.c src/recover/recover.h \
	src/recover/recover_agree.c src/recover/recover_agree.h \
	src/recover/recover_ballot.c src/recover/recover_ballot.h \
	src/recover/recover_consensus.c src/recover/recover_consensus.h \
	src/recover/recover_failed.c src/recover/recover_failed.h \
	src/recover/recover_interrupt.c src/recover/recover_interrupt.h \
	src/recover/recover_members.c src/recover/recover_members.h \
	src/recover/recover_msg.c src/recover/recover_msg.h \
	src/recover/recover_record.c src/recover/recover_record.h \
	src/recover/recover_revoke.c src/recover/recover_revoke.h

C_TESTS += src/recover/recover_consensus_test
src_recover_recover_consensus_test_SOURCES = \
	src/recover/recover_consensus_test.c \
	src/recover/recover_consensus.c
src_recover_recover_consensus_test_CFLAGS = $(AM_CFLAGS)
EXTRA_DIST += src/recover/README
