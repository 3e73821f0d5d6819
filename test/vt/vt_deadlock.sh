#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs in which all ranks wait are ended immediately, with a report that
# names every rank, its call, peer, tag and communicator, and the cycle.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_prog "$top_srcdir/test/vt/vt_prog.c" || exit 1

# stuck CASE: checks that the job exits within 10 s with code 35, and that
# mpiexec reports the deadlock last.
stuck() {
	local within=10
	run 35 -q --machine "${machine:-bgq:1x1x1x2x2}" -n 4 \
		"$dir/vt_prog" "$1"
	last '^mpiexec: deadlock: every rank waits for another; the job was ended$'
	grep -q '^weft: deadlock after .* us: . of 4 ranks wait' "$dir/err" ||
		complain "$1: no report"
	echo "$1"
}

stuck ring
err '  ranks 0-3: MPI_Ssend to rank + 1, tag 7, MPI_COMM_WORLD'
err '  cycle: rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0'
stuck large
err '  rank 0: MPI_Send to rank 1, tag 8, MPI_COMM_WORLD'
err '  cycle: rank 0 -> rank 1 -> rank 0'
stuck missing
err '  ranks 0,1,3: MPI_Barrier number 0 on MPI_COMM_WORLD; not in it: rank 2'
err '  rank 2: MPI_Recv from rank 1, any tag, MPI_COMM_WORLD'
err '  cycle: rank 1 -> rank 2 -> rank 1'
stuck skip_after_join
err '  ranks 0,1,3: MPI_Barrier number 1 on MPI_COMM_WORLD; not in it: rank 2'
stuck skipped
err '  ranks 0,1,3: MPI_Allreduce number 0 on MPI_COMM_WORLD; not in it: rank 2'
err '  rank 2: MPI_Finalize on MPI_COMM_WORLD; not in it: ranks 0,1,3'
stuck tests
err '  ranks 0-3: MPI_Test from rank + 1, tag 11, MPI_COMM_WORLD'
stuck testany
err '  ranks 0-3: MPI_Testany for one of 2 from rank 0, tag 0, MPI_COMM_WORLD | from rank 0, tag 1, MPI_COMM_WORLD'
stuck iprobes
err '  ranks 0-3: MPI_Iprobe from any rank, tag 12, MPI_COMM_WORLD'
stuck self_ssend
err '  ranks 0-3: MPI_Recv from itself, tag 13, MPI_COMM_WORLD'
stuck detach
err '  ranks 0-3: MPI_Buffer_detach to rank + 1, tag 14, MPI_COMM_WORLD'
stuck later
err '  rank 0: MPI_Recv from rank 3, tag 3, MPI_COMM_WORLD'
err '  ranks 1-3: MPI_Allreduce number 5 on MPI_COMM_WORLD; not in it: rank 0'
err '  cycle: rank 0 -> rank 3 -> rank 0'
stuck rows
err '  rank 1: MPI_Barrier number 0 on odd row; not in it: rank 3'
err '  rank 3: MPI_Recv from rank 1, tag 4, MPI_COMM_WORLD'
err '  cycle: rank 1 -> rank 3 -> rank 1'
stuck chosen
err '  ranks 0,1: MPI_Barrier number 0 on some; not in it: rank 3'
err '  cycle: rank 1 -> rank 3 -> rank 1'
stuck sides
err 'rank 0: MPI_Barrier number 0 on both; not in it: ranks 1,3'
err '  cycle: rank 0 -> rank 1 -> rank 0'
stuck any_source
err '  ranks 0-3: MPI_Recv from any rank, tag 5, MPI_COMM_WORLD'
stuck probe
err '  rank 0: MPI_Probe from rank 1, tag 6, MPI_COMM_WORLD'
stuck waitall
err '  ranks 0-3: MPI_Waitall for all of 2 from rank + 1, tag 1, MPI_COMM_WORLD | from rank - 1, tag 2, MPI_COMM_WORLD'
stuck finalized
err '  rank 0: MPI_Finalize'
err '  ranks 1-3: MPI_Recv from rank 0, tag 9, MPI_COMM_WORLD'
run 16 -q --machine bgq:1x1x1x2x2 -n 4 "$dir/vt_prog" differ
err 'MPI_Bcast: the members called different collectives'
nothing_left
# the same reports on other machines
for machine in qsnet2:4 gemini:2x1x1 sunway apenet:4x1x1; do
	stuck ring
	err '  cycle: rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0'
	stuck large
	err '  rank 0: MPI_Send to rank 1, tag 8, MPI_COMM_WORLD'
	stuck missing
	err '  rank 2: MPI_Recv from rank 1, any tag, MPI_COMM_WORLD'
	stuck later
	err '  rank 0: MPI_Recv from rank 3, tag 3, MPI_COMM_WORLD'
done
exit $failed
