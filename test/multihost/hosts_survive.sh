#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests jobs on several hosts that survive failures (mpiexec --survive): ranks
# that die at given and at random moments (LONG=1: 200 runs), a host that dies,
# and a host that becomes silent. Checks exit codes, and that no process is left
# on a host.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
run_on_hosts 3
. "$top_srcdir/test/timeout.sh" || exit 1
make_work survive
export WEFT_LOCAL_CPUS=1

compile test/mpi/fault/fault_basic.c basic
compile test/mpi/fault/fault_random.c random
compile test/multihost/hosts_survive.c lose
compile test/multihost/hosts_daemon.c job
compile examples/survive.c solver

# survive ARGUMENTS...: mpiexec --survive
survive() {
	timeout -k 5 120 "$build/mpiexec" -q --survive --bind-to none \
		-launcher-exec "$HOSTS_RSH" -x WEFT_LOCAL_CPUS "$@" \
		> "$work/out" 2> "$work/err" < /dev/null
}

# job CODE ARGUMENTS...: runs a job on two hosts and checks its exit code
job() {
	local want=$1 rc
	shift
	survive -host host1:2,host2:2 "$@"
	rc=$?
	[ $rc = "$want" ] || complain "mpiexec $*: exit code $rc, not $want"
}

for case in errors receive send any_source collectives revoke agree missing \
	shrink; do
	job 0 -n 4 "$work/basic" $case
	left=3
	[ $case = shrink ] && left=2
	has out $left ': good$'
done
has err 1 '^mpiexec on host1: process rank 1 .* on signal 9 .*; the job continues with 3 ranks$'
has err 1 '^mpiexec: 2 of 4 ranks have failed, the others have completed the job$'
FI_WEFT_MACHINE=bgq job 0 -x FI_WEFT_MACHINE -n 4 "$work/basic" shrink
has out 2 ': good$'

runs=4
[ -z "$LONG" ] || runs=200
for i in $(seq $runs); do
	victims=$((1 + i % 3))
	job 0 -n 4 "$work/random" "$i" $victims 150
	[ "$(grep -c ': good$' "$work/out")" -ge $((4 - victims)) ] ||
		complain "seed $i, $victims deaths"
	[ $bad = 0 ] || break
done

job 0 -n 4 "$work/solver"
want=$(grep result "$work/out")
job 0 -n 4 "$work/solver" 2 35
[ "$(grep result "$work/out")" = "$want" ] || complain "another result"
nothing_left "the death of ranks"

echo "exit codes"
job 137 -n 4 "$work/basic" all
has err 0 'have completed the job'
job 3 -n 4 "$work/job" exit-late
job 5 -n 4 "$work/job" abort
# a process dies without having called MPI_Init
job 137 -n 3 "$work/basic" receive : -n 1 sh -c 'kill -9 $$'
job 125 -launcher mpirun -n 4 true
has err 1 'possible only with -launcher ssh'
nothing_left "an early end"

freeze() { kill -STOP $("$HOSTS_SELF" pids "$1"); }
die() { "$HOSTS_SELF" kill "$1"; }

# host_death HOW WHAT ARGUMENTS...: runs a job, makes the last of three hosts
# fail, and checks that the job reports WHAT
host_death() {
	local how=$1 what=$2 job rc
	shift 2
	rm -f "$work/ready"
	survive -host host1:2,host2:2,host3:2 -n 6 "$work/lose" \
		"$work/ready" 4 "$@" &
	job=$!
	until [ -e "$work/ready" ]; do
		kill -0 $job 2> /dev/null || break
		sleep 0.05
	done
	$how host3
	wait $job
	rc=$?
	[ $rc = 0 ] || complain "$how $*: exit code $rc"
	has out 4 ': good$'
	has err 1 "^mpiexec: $what; its ranks have failed, and the job continues\$"
	has err 1 '^mpiexec: 2 of 6 ranks have failed, the others have'
}
# at this time the ranks of the last host have sent no packets to the others
echo "a host does not answer"
export FI_WEFT_SILENCE=5
host_death freeze 'host host3 does not answer' late
kill -CONT $("$HOSTS_SELF" pids host3)
nothing_left "the end of host3"
unset FI_WEFT_SILENCE
echo "a host dies"
host_death die 'the connection to host host3 is lost'
HOSTS="host1 host2" nothing_left "the death of host3"
[ $bad = 0 ] && echo "hosts_survive: good"
exit $bad
