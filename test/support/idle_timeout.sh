#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# test/support/idle_timeout: exit codes are returned, a command without output
# is ended with all of its processes, a command with output is not, and on a
# loaded host the limit is longer.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
idle_timeout=$builddir/test/support/idle_timeout
busy=
trap '[ -z "$busy" ] || kill $busy; rm -rf "$dir"' EXIT
# idle_timeout below counts the load of its own process tree, not that of the
# idle_timeout that runs this test
unset T_PACE_ROOT

# ends CODE SECONDS COMMAND...: checks the exit code of idle_timeout
ends() {
	local want=$1 got
	shift
	"$idle_timeout" "$@" > "$dir/out" 2>&1 < /dev/null
	got=$?
	[ $got = "$want" ] && return
	complain "idle_timeout $*: exit code $got, not $want"
	cat "$dir/out"
}

ends 0 5 true
ends 7 5 sh -c 'exit 7'
ends 77 5 sh -c 'exit 77'
ends 137 5 sh -c 'kill -KILL $$'
ends 127 5 "$dir/not-there"

ends 124 1 sh -c 'setsid sh -c "sleep 300; :" $0 & sleep 300; :' "$mark"
grep -q '^idle_timeout: 1 s without output .*: ended$' "$dir/out" ||
	complain "no reason printed: $(cat "$dir/out")"
nothing_left
ends 124 1 sh -c 'trap "" TERM; while :; do sleep 0.1; done' "$mark"
nothing_left
"$idle_timeout" 60 sh -c 'echo > "$1"; sleep 300; :' "$mark" "$dir/up" &
wait_for test -e "$dir/up"
kill -TERM $!
wait $!
[ $? = 124 ] || complain "SIGTERM does not end the command"
nothing_left

ends 0 2 sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.5; echo $i; done'
[ "$(tail -n 1 "$dir/out")" = 8 ] || complain "a test with output was ended"
ends 124 1 sh -c 'while :; do sleep 0.2; echo and; done'
grep -q '^idle_timeout: 5 s with output' "$dir/out" ||
	complain "no reason: $(tail -n 3 "$dir/out")"

# with three busy processes per core, one counted second takes three or four
# seconds
for _ in $(seq $((3 * $(nproc)))); do
	(while :; do :; done) &
	busy="$busy $!"
done
start=$(date +%s%N)
ends 124 1 sleep 300
ms=$((($(date +%s%N) - start) / 1000000))
echo "a second with three busy processes per core: $ms ms"
[ $ms -gt 2000 ] || complain "the load was not detected"
exit $failed
