#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A rank is killed (SIGKILL) while all ranks are inside a collective: the job
# ends immediately, its last message names the rank, and nothing is left behind;
# this is tested under mpiexec, under Open MPI's mpirun, and with a launcher
# that does not detect the death.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
client=$dir/coll_client
${CC:-cc} -D_GNU_SOURCE -I"$top_srcdir/include" \
	"$top_srcdir/test/run/run_coll_client.c" -o "$client" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1

# no_match PATTERN: checks that no line of the output matches
no_match() {
	grep -qE -- "$1" "$dir/err" || return
	complain "\"$1\" in:"
	cat "$dir/err"
}

# dies N CALL MPI_CALL: kills rank 1 of N ranks in MPI_CALL and checks how the
# job ends
dies() {
	run 137 -n "$1" "$client" "$2" 1 fatal "$mark"
	last "process rank 1 with PID [0-9]+ on node [^ ]+ exited on signal 9 \(Killed\) in $3"
	no_match 'all calls succeeded'
	nothing_left
}

# unseen N CALL MPI_CALL: kills a rank whose death a shell hides from the
# launcher
unseen() {
	run 58 -n "$1" sh -c '"$0" "$@"; rc=$?; [ $rc != 137 ] || sleep 25; exit $rc' \
		"$client" "$2" 1 fatal "$mark"
	grep -q "$3: a peer process has ended: rank 1 " "$dir/err" ||
		complain "the death is not reported: $(cat "$dir/err")"
	no_match 'all calls succeeded'
	nothing_left
}

for machine in native bgq; do
	export FI_WEFT_MACHINE=$machine
	unseen 3 barrier MPI_Barrier
	unseen 2 allreduce MPI_Allreduce
	unseen 3 iallreduce MPI_Wait
	unseen 4 long MPI_Allreduce
	unseen 4 longiallreduce MPI_Wait
	for n in 2 3 9; do
		dies $n barrier MPI_Barrier
		dies $n allreduce MPI_Allreduce
		dies $n iallreduce MPI_Wait
	done
	dies 4 long MPI_Allreduce
	dies 4 longiallreduce MPI_Wait
	dies 3 alltoall MPI_Alltoall
done
unset FI_WEFT_MACHINE

# reported_by_orte: checks that Open MPI prints its message in a box, and that
# the exit code is that of the signal; on a loaded host ORTE may detect the
# death after the other ranks, which then name the dead rank.
reported_by_orte() {
	case $got in
	137) grep -q 'process rank 1 .*signal 9' "$dir/err" ;;
	58) grep -q 'a peer process has ended: rank 1 ' "$dir/err" ;;
	*) false ;;
	esac
}

if need_part mpirun.openmpi; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	for call in barrier allreduce iallreduce; do
		TMPDIR=$dir timeout -s KILL 60 mpirun.openmpi --oversubscribe -n 4 \
			"$client" $call 1 fatal "$mark" > "$dir/err" 2>&1 < /dev/null
		got=$?
		reported_by_orte || complain "mpirun, $call: $got: $(cat "$dir/err")"
		no_match 'all calls succeeded'
		nothing_left
	done
fi

end
