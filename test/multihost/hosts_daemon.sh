#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jobs on two hosts without another launcher: mpiexec finds no mpirun and starts
# itself by ssh, which a script replaces here. Tests output, input, variables,
# exit codes, signals and lost hosts, and that no process is left on a host.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
run_on_hosts 2
. "$top_srcdir/test/timeout.sh" || exit 1
make_work daemon
make_ssh "$work/bin"
compile test/multihost/hosts_daemon.c job

# job CODE ARGUMENTS...: runs mpiexec on both hosts and checks its exit code
job() {
	local want=$1 rc
	shift
	timeout -k 5 60 env PATH="$work/bin" "$build/mpiexec" -q \
		-host "${on:-host1:2,host2:2}" "$@" > "$work/out" 2> "$work/err"
	rc=$?
	[ $rc = "$want" ] || complain "mpiexec $*: exit code $rc, not $want"
}

printf 'a\nb\n' | job 0 -x E=5 -n 4 "$work/job" read
has out 2 '^rank [01] of 4 on host1: [01] of 2 there, sum 6, E=5$'
has out 2 '^rank [23] of 4 on host2: [01] of 2 there, sum 6, E=5$'
has out 2 '^read [ab]$'
job 0 -l -n 3 "$work/job" < /dev/null
has out 1 '^\[2\] rank 2 of 3 on host2: 0 of 1 there'
# text that the shell prints at a login must not be parsed as frames of the
# daemon
echo "Welcome" > "$work/motd"
on=host1,host2 job 0 "$work/job" < /dev/null
has out 2 'of 2 on'
has out 0 Welcome
rm "$work/motd"
job 0 -n 1 hostname : -n 3 hostname < /dev/null
has out 2 '^host1$'
seq 200000 > "$work/long"
job 0 -n 4 cat "$work/long" < /dev/null
[ "$(sort -n "$work/out" | uniq -c | awk '$1 == 4' | wc -l)" = 200000 ] ||
	complain "output is damaged"

echo "failures"
timeout -k 5 60 env PATH="$work/bin" "$build/mpiexec" -q -host host1,host2 \
	cat /dev/zero > /dev/full 2> "$work/err" < /dev/null
[ $? = 125 ] || complain "the exit code if the output cannot be written"
has err 1 '^mpiexec: cannot write the output of the ranks: No space left'
job 137 -n 4 "$work/job" kill < /dev/null
has err 1 '^mpiexec on host2: process rank 3 .*exited on signal 9'
job 3 -n 4 "$work/job" exit < /dev/null
job 5 -n 4 "$work/job" abort < /dev/null
job 127 -n 4 ./missing < /dev/null
# either host may report the error: the other one may be ended before it does
grep -qE '^mpiexec on host[12]: ./missing: not found' "$work/err" ||
	complain "no message about a missing program"
job 1 -n 2 true : -n 2 "$work/job" < /dev/null
has err 1 'the ranks of host host1 have exited, while'
job 124 --timeout 2 -n 4 "$work/job" sleep < /dev/null
on=host1,host9 job 125 -n 2 "$work/job" < /dev/null
has err 1 '^mpiexec: host host9: .ssh host9. ended .*Every host needs: a login'
nothing_left failures

# started: returns whether the ranks of a background job have printed their
# lines
started() {
	PATH=$work/bin "$build/mpiexec" -q -host host1:2,host2:2 -n 4 \
		"$work/job" sleep > "$work/out" 2> "$work/err" < /dev/null &
	pid=$!
	until [ "$(grep -c sum "$work/out")" = 4 ]; do
		kill -0 $pid 2> /dev/null || break
		sleep 0.05
	done
}

echo "signals"
started
kill -TERM $pid
wait $pid
[ $? = 143 ] || complain "the exit code after SIGTERM"
has err 1 '^mpiexec: ended by signal 15'
started
kill -KILL $pid
wait $pid 2> /dev/null
nothing_left SIGKILL
echo "a host dies"
started
"$HOSTS_SELF" kill host2
wait $pid
[ $? = 125 ] || complain "the exit code after the death of host2"
has err 1 '^mpiexec: the connection to host host2 is lost'
[ $bad = 0 ] && echo "hosts_daemon: good"
exit $bad
