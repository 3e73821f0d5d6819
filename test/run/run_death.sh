#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests all ways in which a job ends abnormally: the exit code, the last
# message, and that nothing is left behind.
. "$top_srcdir/test/run/run_lib.sh" || exit 1

# $mark identifies processes of this test: the client accepts it as a command
# for rank -1, which does not exist
c() { echo "$client -1:$mark"; }
subject='process rank 1 with PID [0-9]+ on node [^ ]+'

# deaths after init: the other ranks wait in a fence that cannot complete
run 139 -n 3 $(c) init 1:kill=11 fence fini
last "$subject exited on signal 11 \(Segmentation fault\)"
run 137 -n 3 $(c) init 1:kill=9 fence fini
last "$subject exited on signal 9 \(Killed\)"
run 3 -n 3 $(c) init 1:exit=3 fence fini
last "$subject exited with code 3"
run 7 -n 3 $(c) init 1:abort=7 fence fini
last "$subject called MPI_Abort with error code 7: abort requested by the test"
run 1 -n 3 $(c) init 1:abort=0 fence fini
last "$subject called MPI_Abort with error code 0"
run 1 -n 3 $(c) init 1:abort=256 fence fini
last "$subject called MPI_Abort with error code 256"
run 1 -n 3 $(c) init 1:exit=0 fence fini
last "$subject exited with code 0 without calling MPI_Finalize"
run 1 -n 3 $(c) 1:exit=0 init fence fini
last "$subject exited with code 0 before MPI_Init"
run 4 -n 3 $(c) 1:exit=4 sleep=30
last "$subject exited with code 4"
run 5 -n 3 $(c) init fence fini 1:exit=5
last "$subject exited with code 5"
nothing_left

# a rank that exits with 0 without any MPI call is not an error, whether early
# or late
run 0 -n 3 $(c) 1:exit=0 2:sleep=1

# time-out, with a list of the ranks
run 124 -n 4 --timeout 1 $(c) 3:sleep=30 init 0:fini sleep=30
last 'timeout after 1 s'
grep -q 'in MPI (after MPI_Init): ranks 1-2; not in MPI yet: ranks 3; after MPI_Finalize: ranks 0' "$dir/err" ||
	complain "no list of the ranks: $(cat "$dir/err")"
MPIEXEC_TIMEOUT=1 run 124 -n 1 $(c) sleep=30
nothing_left

# a rank that ignores SIGTERM is killed
run 3 -n 2 $(c) ignore=15 1:exit=3 sleep=30
nothing_left

# errors of mpiexec itself
run 127 -n 2 "$dir/no-such-program"
last 'not found'
run 127 -n 2 no-such-program-in-path
last 'not found'
touch "$dir/plain"
run 126 -n 2 "$dir/plain"
last 'not executable'
printf '\001\002' > "$dir/garbage"
chmod +x "$dir/garbage"
run 126 -n 2 "$dir/garbage"
grep -q 'Exec format error' "$dir/err" || complain "$(cat "$dir/err")"
run 125 --binf-to core true
last 'did you mean --bind-to'
run 125 -n 2
run 125 -n 2 -launcher fork -host not-this-host.invalid true
last 'not-this-host.invalid is not this host'
run 125 -n 1 -wdir "$dir/no-such-directory" true
run 125 -n 2 --machine native true
last 'native is this host and has no model: there is no virtual clock'
run 125 -n 33 --machine bgq:2x2x2x2x2 true
last '33 are needed'
run 125 -n 1000 --nooversubscribe true

# children and grandchildren of ranks are ended, too, also in separate sessions
run 0 -n 2 $(c) orphan
nothing_left
run 3 -n 2 $(c) orphan 1:exit=3 sleep=30
nothing_left
run 3 -n 2 sh -c "sleep 300 \$0 & [ \$PMI_RANK = 1 ] && exit 3; wait" "$mark"
nothing_left

# started COUNT: returns whether at least COUNT sleeping ranks of this test
# exist
started() { [ "$(pgrep -fc "run_client -1:$mark init")" -ge "$1" ]; }
in_background() {
	# without this, a background job of a script would ignore SIGINT from
	# its start
	env --default-signal=INT,HUP "$mpiexec" -n 3 "$@" > "$dir/out" \
		2> "$dir/err" < /dev/null &
	pid=$!
}

# SIGKILL of mpiexec also ends the ranks, even those started by a shell
in_background $(c) init sleep=300
wait_for started 4
kill -KILL $pid
ended $pid
nothing_left
in_background sh -c "$client -1:$mark init sleep=300; true"
wait_for started 7
kill -KILL $pid
ended $pid
nothing_left

# signals to mpiexec are forwarded to the ranks, and the exit code reports them
for s in INT:130 TERM:143 HUP:129; do
	in_background $(c) init sleep=300
	wait_for started 4
	kill -${s%:*} $pid
	ended $pid
	[ $got = ${s#*:} ] || complain "${s%:*}: exit code $got"
	nothing_left
done
in_background sh -c 'trap "echo got usr1; exit 0" USR1; touch $0.$PMI_RANK
	while :; do sleep 0.05; done' "$dir/trap"
wait_for test -e "$dir/trap.0" -a -e "$dir/trap.1" -a -e "$dir/trap.2"
kill -USR1 $pid
ended $pid
[ $got = 0 ] || complain "USR1: exit code $got"
[ "$(grep -c 'got usr1' "$dir/out")" = 3 ] || complain "USR1 not forwarded"

# a second signal ends the job immediately
in_background $(c) init ignore=15 ignore=2 sleep=300
wait_for started 4
kill -TERM $pid
# waits until mpiexec has handled the first signal (SIGTERM, bit 14), so that it
# is no longer pending
taken() { [ $((0x$(sed -n 's/^ShdPnd:.//p' /proc/$pid/status) & 1 << 14)) = 0 ]; }
wait_for taken
kill -TERM $pid
ended $pid
[ $got = 143 ] || complain "second TERM: exit code $got"
nothing_left

exit $failed
