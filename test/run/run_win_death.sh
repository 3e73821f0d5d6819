#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A rank is killed (SIGKILL) inside an epoch of a window: the job ends, its last
# message names the rank, nothing is left behind; if the launcher does not
# detect the death, the waiting ranks detect it and name the rank.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
client=$dir/win_client
${CC:-cc} -D_GNU_SOURCE -I"$top_srcdir/include" \
	"$top_srcdir/test/run/run_win_client.c" -o "$client" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1

# dies N CALL WINDOW: kills rank 1 of N ranks and checks how the job ends
dies() {
	run 137 -n "$1" "$client" "$2" "$3" "$mark"
	last "process rank 1 with PID [0-9]+ on node [^ ]+ exited on signal 9 \(Killed\)"
	grep -q 'all calls succeeded' "$dir/out" && complain "no rank waited for the dead rank"
	nothing_left
}

# unseen N CALL WINDOW MPI_CALL: kills a rank whose death a shell hides from the
# launcher
unseen() {
	run 58 -n "$1" sh -c '"$0" "$@"; rc=$?; [ $rc != 137 ] || sleep 25; exit $rc' \
		"$client" "$2" "$3" "$mark"
	grep -q "$4: a peer process has ended: rank 1 " "$dir/err" ||
		complain "$2 $3: the death is not reported: $(cat "$dir/err")"
	nothing_left
}

for path in memory messages; do
	export WEFT_WIN_PATH=$path
	for window in create allocate; do
		dies 3 lock $window
		dies 3 fence $window
		dies 2 start $window
		dies 3 wait $window
		unseen 2 lock $window MPI_Win_lock
		unseen 3 start $window MPI_Win_start
		unseen 3 wait $window MPI_Win_wait
		unseen 2 fence $window MPI_Win_fence
	done
	dies 3 put create
done
unseen 2 put create 'MPI_\(Win_flush\|Accumulate\)'
end
