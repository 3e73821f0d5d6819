# test/mpi: test programs by subject; run.sh runs them as listed in the file
# list
clean-local: clean-mpi-programs
clean-mpi-programs:
	-rm -rf test/mpi/programs
.PHONY: clean-mpi-programs
PLAIN_TESTS += test/mpi/run_virtual.sh test/mpi/run_machines.sh \
	test/mpi/run.sh test/mpi/run_tcp.sh \
	test/mpi/run_pmpi.sh test/mpi/run_exit_modes.sh test/mpi/run_faults.sh \
	test/mpi/run_lossy.sh test/mpi/run_win.sh \
	test/mpi/run_sock.sh test/mpi/run_hosts.sh \
	test/mpi/run_null_args.sh test/mpi/run_own_core.sh \
	test/mpi/run_io_users.sh test/mpi/run_fortran_suites.sh
EXTRA_DIST += test/mpi/env/null_args.py
EXTRA_DIST += test/mpi/list
# all programs, so that none of the list is missing in the tarball
EXTRA_DIST += $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/test/mpi/*.h \
	$(srcdir)/test/mpi/*/*.[chf] $(srcdir)/test/mpi/*/*.f90))
