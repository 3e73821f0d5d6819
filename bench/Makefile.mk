# bench: sources and tests of this folder

# The MPI benchmarks compile with any mpicc; "make bench" builds them here.
MPI_BENCH = acc_latency cas_latency fop_latency get_acc_latency get_bw \
	get_latency put_bibw put_bw put_latency \
	allgather allgatherv allreduce alltoall alltoallv barrier bcast \
	bibw bw dt gather hello iallgather iallgatherv iallreduce ialltoall \
	ialltoallv ibarrier ibcast igather init ireduce ireduce_scatter \
	iscatter latency latency_mt match_depth mbw_mr memory multi_lat pack \
	persistent reduce reduce_scatter scatter win_life alloc_mem \
	latency_load
EXTRA_DIST += bench/README bench/results.md bench/link_choice.sh bench/bench.h bench/coll.h bench/coll_table.h \
	bench/p2p.h bench/win.h bench/compare bench/faults bench/goals bench/health \
	bench/machines bench/raw.c bench/trace bench/trace_cost.c \
	$(MPI_BENCH:%=bench/%.c)

bench: all
	$(MKDIR_P) bench/mpi
	for b in $(MPI_BENCH); do \
	  $(CC) -std=c11 -D_GNU_SOURCE -O2 -I$(srcdir)/include \
	    -o bench/mpi/$$b $(srcdir)/bench/$$b.c -L.libs -lmpi_abi \
	    -Wl,-rpath,$(abs_builddir)/.libs -lpthread || exit 1; \
	done
.PHONY: bench
clean-local: clean-bench
clean-bench:
	-rm -rf bench/mpi

# Benchmarks of libfabric providers, without MPI.
noinst_PROGRAMS += bench/fi_lat bench/fi_rate bench/fi_bw
bench_fi_lat_SOURCES = bench/fi_lat.c bench/fi_pair.c bench/fi_pair.h
bench_fi_lat_LDADD = $(FABRIC_LIBS)
bench_fi_rate_SOURCES = bench/fi_rate.c bench/fi_pair.c bench/fi_pair.h
bench_fi_rate_LDADD = $(FABRIC_LIBS)
bench_fi_bw_SOURCES = bench/fi_bw.c bench/fi_pair.c bench/fi_pair.h
bench_fi_bw_LDADD = $(FABRIC_LIBS)
