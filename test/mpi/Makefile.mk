# test/mpi: programs by subject, run by run.sh from the list
clean-local: clean-mpi-programs
clean-mpi-programs:
	-rm -rf test/mpi/programs
.PHONY: clean-mpi-programs
PLAIN_TESTS += test/mpi/run_virtual.sh test/mpi/run_machines.sh \
	test/mpi/run.sh test/mpi/run_tcp.sh \
	test/mpi/run_pmpi.sh test/mpi/run_exit_modes.sh test/mpi/run_faults.sh \
	test/mpi/run_lossy.sh test/mpi/run_win.sh \
	test/mpi/run_sock.sh test/mpi/run_hosts.sh
EXTRA_DIST += test/mpi/list
EXTRA_DIST += test/mpi/mpi_t.h test/mpi/zero_t.h
EXTRA_DIST += test/mpi/coll/coll_algorithms.c test/mpi/coll/coll_all.c \
	test/mpi/coll/coll_bottom.c test/mpi/coll/coll_derived.c \
	test/mpi/coll/coll_errors.c test/mpi/coll/coll_exact.c \
	test/mpi/coll/coll_fuzz.c test/mpi/coll/coll_huge.c \
	test/mpi/coll/coll_inter.c test/mpi/coll/coll_join.c \
	test/mpi/coll/coll_mismatch.c test/mpi/coll/coll_mix.c \
	test/mpi/coll/coll_neighbor.c test/mpi/coll/coll_offload.c \
	test/mpi/coll/coll_ops.c test/mpi/coll/coll_order.c \
	test/mpi/coll/coll_outstanding.c test/mpi/coll/coll_routes.c \
	test/mpi/coll/coll_skew.c test/mpi/coll/coll_stress.c \
	test/mpi/coll/coll_t.h test/mpi/coll/coll_threads.c \
	test/mpi/coll/coll_types.h test/mpi/coll/coll_unit.c \
	test/mpi/coll/coll_zero.c
EXTRA_DIST += test/mpi/comm/attr.c test/mpi/comm/comm_disconnect.c \
	test/mpi/comm/comm_inter.c test/mpi/comm/comm_make.c \
	test/mpi/comm/comm_memory.c test/mpi/comm/group.c test/mpi/comm/topo.c
EXTRA_DIST += test/mpi/device/device_coll.c test/mpi/device/device_p2p.c \
	test/mpi/device/device_t.h test/mpi/device/device_win.c
EXTRA_DIST += test/mpi/env/args.c test/mpi/env/env.c test/mpi/env/err.c \
	test/mpi/env/err_count.c test/mpi/env/exit_modes.c test/mpi/env/info.c \
	test/mpi/env/memory.c test/mpi/env/pmpi_app.c \
	test/mpi/env/pmpi_count.c test/mpi/env/soak.c test/mpi/env/tool.c \
	test/mpi/env/wakeups.c
EXTRA_DIST += test/mpi/file/file_calls.c test/mpi/file/file_errors.c \
	test/mpi/file/file_fuzz.c test/mpi/file/file_t.h \
	test/mpi/file/file_views.c
EXTRA_DIST += test/mpi/fortran/fort_f08.f90 test/mpi/fortran/fort_mpi.f90 \
	test/mpi/fortran/fort_mpif.f
EXTRA_DIST += test/mpi/p2p/p2p_bsend.c test/mpi/p2p/p2p_cancel.c \
	test/mpi/p2p/p2p_greq.c test/mpi/p2p/p2p_huge.c \
	test/mpi/p2p/p2p_modes.c test/mpi/p2p/p2p_order.c \
	test/mpi/p2p/p2p_part.c test/mpi/p2p/p2p_persist.c \
	test/mpi/p2p/p2p_probe.c test/mpi/p2p/p2p_request.c \
	test/mpi/p2p/p2p_trunc.c test/mpi/p2p/p2p_type.c \
	test/mpi/p2p/p2p_typed.c test/mpi/p2p/p2p_zero.c
EXTRA_DIST += test/mpi/dynamic/dynamic_end.c test/mpi/dynamic/dynamic_port.c \
	test/mpi/dynamic/dynamic_spawn.c
EXTRA_DIST += test/mpi/session/session.c test/mpi/session/session_sets.c \
	test/mpi/session/session_threads.c
EXTRA_DIST += test/mpi/thread/thread_blocking.c test/mpi/thread/threads.c
EXTRA_DIST += test/mpi/type/op.c test/mpi/type/pack.c test/mpi/type/type_darray.c \
	test/mpi/type/type_make.c test/mpi/type/type_threads.c
EXTRA_DIST += test/mpi/win/win_acc.c test/mpi/win/win_async_progress.c \
	test/mpi/win/win_bulk.c test/mpi/win/win_fair.c \
	test/mpi/win/win_fuzz.c test/mpi/win/win_heap.c \
	test/mpi/win/win_hints.c test/mpi/win/win_large.c \
	test/mpi/win/win_move.c test/mpi/win/win_passive.c \
	test/mpi/win/win_paths.c test/mpi/win/win_unit.c test/mpi/win/win_query.c \
	test/mpi/win/win_self_progress.c test/mpi/win/win_sync.c \
	test/mpi/win/win_t.h test/mpi/win/win_threads.c \
	test/mpi/win/win_reuse.c test/mpi/win/win_zero.c
