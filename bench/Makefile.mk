# bench: sources and tests of this folder

# The MPI benchmarks compile with any mpicc; "make bench" builds them here. The
# program bench contains many benchmarks; each benchmark's name is a link to it.
MPI_BENCH = alloc_mem bench dt file file_blocks file_open gpu hello init latency_load latency_mt match_depth \
	memory pack persistent win_life
EXTRA_DIST += bench/README bench/results.md bench/link_choice.sh bench/bench.h bench/coll.h bench/coll_table.h \
	bench/p2p.h bench/p2p_table.h bench/win.h bench/win_table.h \
	bench/compare bench/faults bench/file.h bench/goals bench/health \
	bench/machines bench/raw.c bench/trace bench/trace_cost.c bench/trust.c bench/trust.xml \
	$(MPI_BENCH:%=bench/%.c)

MPI_BENCH_BUILT = $(MPI_BENCH:%=bench/mpi/%)
$(MPI_BENCH_BUILT): bench/mpi/%: $(srcdir)/bench/%.c \
		$(wildcard $(srcdir)/bench/*.h $(srcdir)/include/*.h) | libmpi_abi.la
	$(AM_V_CC)$(MKDIR_P) bench/mpi && \
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -I$(srcdir)/include \
	  -o $@ $< -L.libs -lmpi_abi -Wl,-rpath,$(abs_builddir)/.libs -lpthread
bench: all $(MPI_BENCH_BUILT)
	for b in `bench/mpi/bench`; do \
	  ln -f bench/mpi/bench bench/mpi/$$b || exit 1; \
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
