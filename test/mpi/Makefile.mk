# test/mpi: programs by chapter, run by run.sh from the list
clean-local: clean-mpi-programs
clean-mpi-programs:
	-rm -rf test/mpi/programs
.PHONY: clean-mpi-programs
EXTRA_DIST += test/mpi/list test/mpi/mt.h \
	test/mpi/env.c test/mpi/p2p_modes.c test/mpi/p2p_order.c \
	test/mpi/p2p_probe.c test/mpi/p2p_persist.c test/mpi/p2p_request.c \
	test/mpi/p2p_cancel.c test/mpi/err_count.c \
	test/mpi/p2p_trunc.c test/mpi/p2p_bsend.c test/mpi/p2p_part.c \
	test/mpi/p2p_type.c test/mpi/p2p_typed.c test/mpi/p2p_greq.c \
	test/mpi/device_t.h test/mpi/device_p2p.c test/mpi/device_coll.c \
	test/mpi/device_win.c \
	test/mpi/p2p_huge.c test/mpi/comm_make.c \
	test/mpi/comm_inter.c test/mpi/comm_leave.c test/mpi/group.c test/mpi/err.c test/mpi/args.c \
	test/mpi/threads.c test/mpi/thread_sleep.c test/mpi/memory.c \
	test/mpi/comm_pages.c test/mpi/quiet.c test/mpi/soak.c
EXTRA_DIST += test/mpi/type_make.c test/mpi/type_darray.c \
	test/mpi/type_threads.c test/mpi/pack.c \
	test/mpi/op.c test/mpi/info.c test/mpi/attr.c test/mpi/topo.c \
	test/mpi/tool.c
EXTRA_DIST += test/mpi/zero_t.h test/mpi/p2p_zero.c test/mpi/coll_zero.c \
	test/mpi/win_zero.c test/mpi/win_own.c
EXTRA_DIST += test/mpi/pmpi_count.c test/mpi/pmpi_app.c test/mpi/fail.c
PLAIN_TESTS += test/mpi/run_virtual.sh test/mpi/run_machines.sh \
	test/mpi/run.sh test/mpi/run_tcp.sh \
	test/mpi/run_pmpi.sh test/mpi/run_fail.sh test/mpi/run_faults.sh \
	test/mpi/run_noisy.sh test/mpi/run_win.sh \
	test/mpi/run_sock.sh test/mpi/run_hosts.sh
EXTRA_DIST += test/mpi/win_t.h test/mpi/win_move.c test/mpi/win_acc.c \
	test/mpi/win_sync.c test/mpi/win_query.c test/mpi/win_hints.c test/mpi/win_fuzz.c \
	test/mpi/win_passive.c test/mpi/win_fair.c test/mpi/win_threads.c \
	test/mpi/win_bulk.c test/mpi/win_heap.c \
	test/mpi/win_large.c test/mpi/win_paths.c test/mpi/win_busy.c
