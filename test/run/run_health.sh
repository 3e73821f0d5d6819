#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Health monitoring of a live job: weft-info --health, and the error message
# about a dead peer, distinguish stopped from killed ranks within two periods,
# as counted by the neighbours of these ranks. This test does not measure time
# itself.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
info=$builddir/weft-info
prog=$dir/health_client
${CC:-cc} -D_GNU_SOURCE -I"$top_srcdir/include" \
	"$top_srcdir/test/run/run_health.c" -o "$prog" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1

# A shell hides the death of a rank from the launcher: the shell remains until
# mpiexec ends it.
hidden='"$0" "$@"; rc=$?; [ $rc != 137 ] || while :; do sleep 0.1; done; exit $rc'

# start ARGUMENTS...: starts a job in the background, whose ranks write their
# pids to $dir/pid.RANK and wait for $dir/go
start() {
	rm -f "$dir"/pid.* "$dir/go"
	"$mpiexec" "$@" sh -c "$hidden" "$prog" "$dir/go" "$dir/pid" "$mark" \
		> "$dir/out" 2> "$dir/err" < /dev/null &
	job=$!
}

# pid RANK: prints the pid of a running rank
pid() { cat "$dir/pid.$1"; }
there() { [ -s "$dir/pid.$1" ]; }

# rank N STATE INTERFACE BY: checks that the output of weft-info has a line for
# rank N that matches these patterns
rank() {
	"$info" --health "$job" > "$dir/health" 2>&1
	grep -qE "^  $1 +[0-9]+ +$2 +$3 +$4 " "$dir/health"
}
by='rank [0-9]+'

# within RANK: prints the time until the state was detected, in tenths of a
# period
within() {
	sed -nE "s/^  $1 .* ([0-9]+)\.([0-9]) periods.*/\1\2/p" "$dir/health"
}

# in_time RANK LEAST: checks that the state was detected within two periods,
# after at least LEAST tenths of a period
in_time() {
	local w
	w=$(within "$1")
	[ -n "$w" ] && [ "$w" -ge "$2" ] && [ "$w" -le 20 ] && return
	complain "rank $1 detected within ${w:-?} tenths of a period:"
	cat "$dir/health"
}

# all N STATE: checks that all N ranks have this state, as reported by a
# neighbour
all() {
	local i
	for i in $(seq 0 $(($1 - 1))); do
		rank "$i" "$2" normal "$by" || return
	done
}

# no rank is monitored without --health
start -n 2
wait_for there 1
"$info" --health $job > "$dir/health" 2>&1
[ $? = 1 ] || complain "exit code for a job that is not monitored"
grep -q "no job $job with health monitoring" "$dir/health" || complain "$(cat "$dir/health")"
[ -z "$(find /proc/"$(pid 0)"/fd -lname '*weft-health*' 2> /dev/null)" ] ||
	complain "a shared region exists without --health"
! grep -qx weft-health /proc/"$(pid 0)"/task/*/comm ||
	complain "a monitoring thread runs without --health"
touch "$dir/go"
ended $job
[ $got = 0 ] || complain "exit code $got: $(cat "$dir/err")"

# a stopped rank is reported as sick, a continued one as normal, and a killed
# one as broken, also in the error message
for machine in native apenet:2x2x1; do
	start --health 500 --machine $machine --clock live -n 4
	for i in 0 1 2 3; do wait_for there $i; done
	wait_for all 4 normal || cat "$dir/health"
	[ $machine = native ] || grep -q 'torus *2x2x1' "$dir/health" ||
		complain "not the machine's torus: $(cat "$dir/health")"
	grep -q 'period *500.000 ms' "$dir/health" || complain "another period"
	grep -qx weft-health /proc/"$(pid 2)"/task/*/comm ||
		complain "no monitoring thread runs"
	kill -STOP "$(pid 2)"
	wait_for rank 2 sick normal "$by"
	in_time 2 20
	for i in 0 1 3; do
		rank $i normal normal "$by" || complain "rank $i, too:
$(cat "$dir/health")"
	done
	kill -CONT "$(pid 2)"
	wait_for all 4 normal || cat "$dir/health"
	kill -KILL "$(pid 2)"
	wait_for rank 2 broken broken "$by"
	in_time 2 10
	# selects the job by name and by a rank's pid; output as JSON
	name=$(sed -n 's/^  name *//p' "$dir/health")
	for j in "$name" "$(pid 1)"; do
		"$info" --json --health "$j" > "$dir/json" ||
			complain "no job $j"
		grep -q '"rank": "2", .*"host": "broken"' "$dir/json" ||
			complain "$j: $(cat "$dir/json")"
	done
	touch "$dir/go"
	ended $job
	grep -qE 'survivor: MPI_Recv: .* rank 2 \(broken, last heartbeat [0-9.]+ s ago, detected by rank [013] [0-9.]+ s ago\)' \
		"$dir/out" || complain "the error: $(cat "$dir/out" "$dir/err")"
	nothing_left
done

# in virtual time the model monitors the nodes
"$mpiexec" --health 100 --machine apenet -n 2 "$prog" /dev/null "$dir/pid" \
	> /dev/null 2> "$dir/err" ||
	complain "virtual time: $(cat "$dir/err")"
grep -q 'WEFT_HEALTH: the health watch is off in virtual time' "$dir/err" ||
	complain "virtual time is not reported: $(cat "$dir/err")"
run 125 --health 0 -n 1 true
run 125 --health 60001 -n 1 true

# another launcher
if need_part mpirun.openmpi; then
	rm -f "$dir"/pid.* "$dir/go"
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	WEFT_HEALTH=500 mpirun.openmpi --oversubscribe -n 3 "$prog" \
		"$dir/go" "$dir/pid" "$mark" > "$dir/out" 2> "$dir/err" \
		< /dev/null &
	job=$!
	for i in 0 1 2; do wait_for there $i; done
	wait_for all 3 normal || cat "$dir/health" "$dir/err"
	touch "$dir/go"
	ended $job
	[ $got = 0 ] || complain "mpirun: exit code $got: $(cat "$dir/err")"
fi
nothing_left
end
