# test: tests across folders, and the test library
if HAVE_CMOCKA
check_LTLIBRARIES += libweft-t.la
endif
libweft_t_la_SOURCES = test/t.c test/t.h test/support/t_leak.c test/support/t_pace.c test/support/t_pace.h \
	test/prov/prov_job.c test/prov/prov_job.h \
	test/support/carrier_fixture.c test/support/carrier_fixture.h \
	test/support/code_reference.c test/support/code_reference.h \
	test/support/cunit_fixture.c test/support/cunit_fixture.h \
	test/support/explore.c test/support/explore.h \
	test/support/explore_atomic.h test/support/explore_int.h \
	test/support/explore_memory.c \
	test/support/fuzz.c test/support/fuzz.h \
	test/support/log_text.c test/support/log_text.h \
	test/support/net_fault_fixture.c test/support/net_fault_fixture.h \
	test/support/net_golden_table.h \
	test/support/net_fixture.c test/support/net_fixture.h \
	test/support/types_dt_model.c test/support/types_dt_model.h \
	test/support/vt_fixture.c test/support/vt_fixture.h
libweft_t_la_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
EXTRA_DIST += test/prov/prov_calls.h test/prov/prov_group.h test/support/loops.h \
	test/support/apenet_pair.h test/support/bgq_pair.h test/support/gemini_pair.h \
	test/support/nic_pair.h test/support/pair.h test/support/qsnet2_pair.h \
	test/support/sunway_pair.h test/support/stream_pair.h \
	test/support/t_family.h test/support/unit_grid.h \
	test/support/replay_sim.h test/support/replay_write.h test/support/fake_cuda.c
C_TESTS += test/support/explore_test test/support/fuzz_test
# The program that runs the tests is never instrumented.
check_PROGRAMS += test/support/idle_timeout
test_support_idle_timeout_SOURCES = test/support/idle_timeout.c test/support/t_pace.c test/support/t_pace.h \
	src/base/clock.c
test_support_idle_timeout_CFLAGS = -std=c11 -O2 -g -Wall -Wextra -Wno-unused-parameter
test_support_idle_timeout_LDFLAGS =
test_support_idle_timeout_LDADD =
EXTRA_DIST += test/README test/tree/call_cycles.py test/tree/call_cycles.sh test/tree/layers.sh test/tree/line_limits.sh \
	test/timeout.sh test/mutate/run test/mutate/list test/mutate/auto test/mutate/nothing \
	test/mutate/mutate_faults.py test/mutate/mutate_build.py test/mutate/mutate_jobs.py test/mutate/mutate_sample.py \
	test/mutate/equivalent test/mutate/README
TREE_TESTS += test/tree/mutate_list.sh test/tree/call_cycles.sh test/tree/layers.sh test/tree/line_limits.sh
TREE_TESTS += test/doc/doc_map.sh test/tree/format.sh test/tree/words.sh
TREE_TESTS += test/tree/dist.sh test/tree/features.sh
TREE_TESTS += test/tree/dist_build.sh
PLAIN_TESTS += test/tools/sim_published.sh
PLAIN_TESTS += test/mutate/auto.sh test/support/idle_timeout.sh
PLAIN_TESTS += test/prov/prov_unbounded.sh test/prov/prov_ipv6.sh
EXTRA_DIST += test/tree/words.py test/tree/features.py
# these run the commands printed in README.md, the documents and the man pages
PLAIN_TESTS += test/doc/doc_man.sh test/doc/doc_pages.sh test/doc/doc_readme.sh
TREE_TESTS += test/doc/doc_site.sh test/doc/doc_narrow.sh
EXTRA_DIST += test/doc/doc_lib.sh test/doc/doc_site.py
# test/hosts emulates several hosts on one computer; it is installed for users
# without a cluster
exampledir = $(docdir)/examples
dist_example_SCRIPTS = test/hosts
PLAIN_TESTS += test/multihost/hosts_paths.sh test/multihost/hosts_finalize.sh
PLAIN_TESTS += test/multihost/hosts_self.sh test/multihost/hosts_death.sh \
	test/multihost/hosts_stream.sh test/multihost/hosts_slurm.sh
PLAIN_TESTS += test/multihost/hosts_access.sh test/multihost/hosts_daemon.sh \
	test/multihost/hosts_spawn.sh
PLAIN_TESTS += test/multihost/hosts_scale.sh test/multihost/hosts_survive.sh \
	test/multihost/hosts_session.sh
EXTRA_DIST += test/multihost/hosts_survive.c test/multihost/hosts_session.c test/run/run_spawn_error.c
PLAIN_TESTS += test/multihost/hosts_files.sh
PLAIN_TESTS += test/multihost/hosts_ipv6.sh test/multihost/hosts_ssh.sh
EXTRA_DIST += test/multihost/hosts_daemon.c test/multihost/hosts_spawn.c test/multihost/hosts_scale.c
check_PROGRAMS += test/multihost/hosts_access
test_multihost_hosts_access_LDADD = $(PMIX_LIBS) $(CRYPTO_LIBS)
EXTRA_DIST += test/multihost/hosts_lib.sh test/multihost/hosts_datagrams.h test/multihost/hosts_exchange.c
EXTRA_DIST += test/multihost/hosts_paths.c test/multihost/hosts_finalize.c test/multihost/hosts_coll.c
EXTRA_DIST += test/multihost/hosts_win.c test/multihost/hosts_wait_cpu.c test/multihost/hosts_soak.c test/multihost/hosts_soak.sh
include test/threads.mk
include test/abi/Makefile.mk
include test/vt/Makefile.mk
EXTRA_DIST += test/mpi/README test/multihost/README test/ofi/README \
	test/prov/README test/run/README test/support/README test/vt/README
