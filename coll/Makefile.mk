# coll: collective operations
noinst_LTLIBRARIES += libweftcoll.la
libweftcoll_la_SOURCES = \
	coll/coll.h coll/coll_prog.h coll/coll_prog.c coll/coll_side.c \
	coll/coll_sched.h coll/coll_sched.c coll/coll_select.h \
	coll/coll_select.c coll/coll_tree.h coll/coll_unit.c coll/coll_tree.c \
	coll/coll_exact.c coll/coll_by_host.c \
	coll/coll_choice.c coll/coll_choice.h coll/coll_composed.c \
	coll/coll_device.c coll/coll_device.h coll/coll_device_direct.c \
	coll/coll_hosts.c coll/coll_hosts.h \
	coll/coll_halving.h coll/coll_halving.c \
	coll/coll_shared.h coll/coll_shared.c coll/coll_shared_algo.c \
	coll/coll_slices.h coll/coll_slices.c \
	coll/barrier/barrier_dissem.c coll/barrier/barrier_inter.c \
	coll/barrier/barrier_linear.c coll/barrier/barrier_tree.c \
	coll/bcast/bcast_binomial.c coll/bcast/bcast_chain.c \
	coll/bcast/bcast_inter.c coll/bcast/bcast_linear.c \
	coll/bcast/bcast_scatter.c \
	coll/reduce/reduce_binomial.c coll/reduce/reduce_inter.c \
	coll/reduce/reduce_linear.c coll/reduce/reduce_rabenseifner.c \
	coll/reduce/reduce_slices.c \
	coll/allreduce/allreduce_inter.c coll/allreduce/allreduce_linear.c \
	coll/allreduce/allreduce_rabenseifner.c \
	coll/allreduce/allreduce_pieces.c \
	coll/allreduce/allreduce_recdbl.c coll/allreduce/allreduce_ring.c \
	coll/allreduce/allreduce_slices.c coll/allreduce/allreduce_tree.c \
	coll/gather/gather_binomial.c coll/gather/gather_linear.c \
	coll/scatter/scatter_linear.c \
	coll/allgather/allgather_bruck.c coll/allgather/allgather_inter.c \
	coll/allgather/allgather_linear.c coll/allgather/allgather_recdbl.c \
	coll/allgather/allgather_ring.c \
	coll/alltoall/alltoall_bruck.c coll/alltoall/alltoall_inplace.c \
	coll/alltoall/alltoall_linear.c coll/alltoall/alltoall_pairwise.c \
	coll/alltoall/alltoall_random.c \
	coll/redscat/redscat_ahead.c \
	coll/redscat/redscat_halving.c coll/redscat/redscat_inter.c \
	coll/redscat/redscat_ordered.c coll/redscat/redscat_pairwise.c \
	coll/redscat/redscat_recdbl.c \
	coll/scan/scan_linear.c coll/scan/scan_recdbl.c \
	coll/neighbor/neighbor_linear.c

C_TESTS += coll/coll_algo_test coll/coll_sched_test coll/coll_select_test \
	coll/coll_shared_test coll/coll_tree_test
coll_coll_algo_test_SOURCES = coll/coll_algo_test.c \
	test/support/coll_case.c test/support/coll_case.h test/support/coll_guard.c test/support/coll_guard.h \
	test/support/coll_mock.c test/support/coll_mock.h
coll_coll_shared_test_SOURCES = coll/coll_shared_test.c \
	test/support/coll_case.c test/support/coll_case.h \
	test/support/coll_mock.c test/support/coll_mock.h
coll_coll_algo_test_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=free
coll_coll_sched_test_SOURCES = coll/coll_sched_test.c \
	test/support/coll_mock.c test/support/coll_mock.h
coll_coll_select_test_SOURCES = coll/coll_select_test.c \
	test/support/coll_mock.c test/support/coll_mock.h

EXTRA_DIST += coll/README

# Applications that verify their results; the script builds them and runs small
# cases.
EXTRA_DIST += bench/apps/app.h bench/apps/app_cg.c bench/apps/app_fft.c \
	bench/apps/app_lu.c bench/apps/app_sort.c bench/apps/README \
	bench/coll_scan.c
PLAIN_TESTS += bench/apps/apps.sh
