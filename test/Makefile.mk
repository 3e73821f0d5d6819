# test: tests across folders, and the test library
if HAVE_CMOCKA
check_LTLIBRARIES += libweft-t.la
endif
libweft_t_la_SOURCES = test/t.c test/t.h test/t_pace.c test/t_pace.h
libweft_t_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
# The program that runs the tests is never instrumented.
check_PROGRAMS += test/patience
test_patience_SOURCES = test/patience.c test/t_pace.c test/t_pace.h \
	src/base/clock.c
test_patience_CFLAGS = -std=c11 -O2 -g -Wall -Wextra -Wno-unused-parameter
test_patience_LDFLAGS =
EXTRA_DIST += test/circles.py test/circles.sh test/layers.sh test/shape.sh \
	test/timeout.sh test/mutate/run test/mutate/list
PLAIN_TESTS += test/circles.sh test/layers.sh test/shape.sh
PLAIN_TESTS += test/doc_map.sh test/format.sh test/patience.sh test/words.sh
EXTRA_DIST += test/words.py
# commands printed in README and the documentation
PLAIN_TESTS += test/doc_man.sh test/doc_pages.sh test/doc_readme.sh
EXTRA_DIST += test/doc_lib.sh
# emulates several hosts on one computer, also for users without a cluster
exampledir = $(docdir)/examples
dist_example_SCRIPTS = test/hosts
PLAIN_TESTS += test/hosts_ways.sh test/hosts_leave.sh
PLAIN_TESTS += test/hosts_self.sh test/hosts_death.sh test/hosts_slurm.sh
PLAIN_TESTS += test/hosts_stranger.sh
check_PROGRAMS += test/hosts_stranger
test_hosts_stranger_SOURCES = test/hosts_stranger.c
test_hosts_stranger_CFLAGS = $(AM_CFLAGS) $(PMIX_CFLAGS) $(CRYPTO_CFLAGS)
test_hosts_stranger_LDADD = $(PMIX_LIBS) $(CRYPTO_LIBS)
EXTRA_DIST += test/hosts_lib.sh test/hosts_datagrams.h test/hosts_talk.c
EXTRA_DIST += test/hosts_ways.c test/hosts_leave.c test/hosts_coll.c
EXTRA_DIST += test/hosts_rest.c test/hosts_soak.c test/hosts_soak.sh
include test/threads.mk
include test/abi.mk
include test/vt.mk
