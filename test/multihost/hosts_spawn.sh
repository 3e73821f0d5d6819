#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests processes that mpiexec's daemons spawn in jobs on several hosts: the
# hosts of the new ranks, the info keys host and hostfile, several programs,
# spawned jobs that spawn further jobs, failures, signals; no process may be
# left on a host.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
run_on_hosts 3
. "$top_srcdir/test/timeout.sh" || exit 1
make_work spawn
export WEFT_LOCAL_CPUS=1

compile test/multihost/hosts_spawn.c spawn
compile test/mpi/dynamic/dynamic_spawn.c tests
compile test/mpi/dynamic/dynamic_apart.c apart
compile examples/pool.c pool
compile examples/replace.c replace

# job CODE ARGUMENTS...: runs a job on hosts and checks its exit code
job() {
	local want=$1 rc
	shift
	what=$*
	timeout -k 5 90 "$build/mpiexec" -q --bind-to none -launcher ssh \
		-launcher-exec "$HOSTS_RSH" -host "${on:-host1:2,host2:2}" "$@" \
		> "$work/out" 2> "$work/err" < /dev/null
	rc=$?
	[ $rc = "$want" ] || complain "exit code $rc, not $want"
}

echo "places"
# free slots are used first
job 0 -n 2 "$work/spawn" end 0 2 -
has out 2 '^parent [01] of 2 on host1$'
has out 2 '^child [01] of 2 on host2, '
job 0 -n 3 "$work/spawn" end 2 1 -
has out 1 '^child 0 of 1 on host2, '
# if no slot is free, new ranks are distributed over all hosts
job 0 -n 4 "$work/spawn" end 3 2 -
has out 1 '^child 0 of 2 on host1, '
has out 1 '^child 1 of 2 on host2, '
# a single process spawns
on=host1,host2,host3 job 0 -n 1 "$work/spawn" end 0 2 -
has out 1 '^child 0 of 2 on host2, '
has out 1 '^child 1 of 2 on host3, '
on=host1,host2,host3 job 0 -ppn 2 -n 1 "$work/spawn" end 0 3 -
has out 1 '^child 0 of 3 on host1, '
has out 2 '^child [12] of 3 on host2, '

job 0 -n 1 --usize 4 "$work/pool"
has out 1 '^3 workers, 40 tasks: 3.141592654$'

echo "keys host and hostfile"
on=host1,host2,host3 job 0 -n 2 "$work/spawn" end 0 2 host3
has out 2 '^child [01] of 2 on host3, '
# localhost is the host of the process that spawns
job 0 -n 4 "$work/spawn" end 3 1 localhost
has out 1 '^child 0 of 1 on host2, '
printf 'host3:2\nhost1\n' > "$work/file"
on=host1,host2,host3 job 0 -n 2 "$work/spawn" end 1 3 "@$work/file"
has out 2 '^child [01] of 3 on host3, '
has out 1 '^child 2 of 3 on host1, '
job 0 -n 4 "$work/spawn" end 1 1 host3
has out 4 'MPI_ERR_SPAWN: .*names a host that is not one of this job'
job 0 -n 4 "$work/spawn" end 1 1 "@$work/missing"
has out 4 'MPI_ERR_SPAWN: .*hosts that cannot be read'

echo "several programs"
job 0 -n 2 "$work/spawn" end 0 1 host2 2 host1
has out 1 '^child 0 of 3 on host2, program 0$'
has out 2 '^child [12] of 3 on host1, program 1$'
job 0 -n 2 "$work/spawn" end 0 1 - 1 - 1 -
has out 1 'on host1, program 0$'
has out 2 'on host2, program [12]$'
job 0 -n 2 "$work/spawn" end 0 1 host1 1 host2 1 host1
has out 2 'MPI_ERR_SPAWN'
has err 1 'two programs use the same host'

echo "spawned jobs that spawn"
on=host1,host2,host3 job 0 -n 1 "$work/spawn" again 0 2 -
has out 4 '^child [01] of 2 on host[23], '
# the parents have ended, the spawned job has not
job 0 -n 2 "$work/spawn" late 0 2 -
has out 2 '^late rank [01]$'

echo "the tests of one host"
for n in 1 2 3; do
	job 0 -n $n "$work/tests"
done
on=host1,host2 job 0 -n 2 "$work/tests"
FI_WEFT_KEY=sixteen_characters job 0 -x FI_WEFT_KEY -n 2 "$work/spawn" end 0 2 -
has out 2 '^child [01] of 2 on host2, '
FI_WEFT_KEY=none job 0 -x FI_WEFT_KEY -n 1 "$work/spawn" end 0 2 -
has out 2 '^child '

echo "failures"
job 137 -n 2 "$work/spawn" kill 0 2 -
has err 1 '^mpiexec on host2: process rank 1 .*exited on signal 9'
job 6 -n 2 "$work/spawn" abort 1 2 -
job 3 -n 2 "$work/spawn" exit 1 2 -
job 137 -n 4 "$work/spawn" parent-kill 0 2 -
# a program that exists on only one host, and a host that does not exist
"$HOSTS_SELF" rsh host1 "cp $work/spawn /dev/shm/alone" || complain "no copy"
job 0 -n 2 /dev/shm/alone end 0 1 host2
has out 2 'MPI_ERR_SPAWN: .*cannot be found or executed'
job 0 -n 2 /dev/shm/alone end 0 1 host1
has out 1 '^child 0 of 1 on host1, '
on=host1,host9 job 0 -n 1 "$work/spawn" end 0 1 host9
has out 1 'MPI_ERR_SPAWN: .*has not started'
has err 1 'host9.*Every host needs: a login'
nothing_left failures

echo "failures after MPI_Comm_disconnect"
job 137 -n 3 "$work/apart" child
has out 3 '^parent [012] lives$'
has out 0 '^child'
has err 1 'a spawned job has failed after it had disconnected'
job 137 -n 3 "$work/apart" parent
has out 2 '^child [01] lives$'
has out 0 '^parent'
job 137 -n 3 "$work/apart" again
has out 0 lives
job 124 --timeout 2 -n 3 "$work/apart" none
has out 0 lives
job 124 --timeout 2 -n 3 "$work/apart" alone
has out 3 '^parent [012] lives$'
has out 0 '^child'
nothing_left "MPI_Comm_disconnect"

echo "failures that the job survives"
for victim in 0 3; do
	job 0 --survive -n 4 "$work/replace" $victim 35
	has out 1 '^4 ranks, 1 of them new'
	has out 1 '^result 17258513.314524$'
done
nothing_left "--survive"

# Open MPI's mpirun chooses the hosts
if command -v mpirun.openmpi > /dev/null; then
	echo "mpirun"
	# orte N LIST ARGUMENTS...: runs a job by Open MPI's mpirun
	orte() {
		what="mpirun $*"
		timeout -k 5 60 "$build/mpiexec" -q -launcher mpirun -iface eth0 \
			--bind-to none --oversubscribe -x WEFT_LOCAL_CPUS -host "$2" \
			-n "$1" "$work/spawn" "${@:3}" > "$work/out" \
			2> "$work/err" < /dev/null || complain "exit code $?"
	}
	orte 2 host1,host2 end 1 2 -
	has out 2 '^child [01] of 2 on host[12], '
	has out 2 '^parent [01] of 2 on host[12]$'
	orte 1 host1:2,host2:2 end 0 1 host2
	has out 1 '^child 0 of 1 on host2, '
	has out 1 '^parent 0 of 1 on host1$'
fi

# started: returns whether parents and children of a background job have printed
# their lines; then they sleep
started() {
	"$build/mpiexec" -q --bind-to none -launcher ssh -launcher-exec \
		"$HOSTS_RSH" -host host1:2,host2:2 -n 2 "$work/spawn" sleep 0 2 - \
		> "$work/out" 2> "$work/err" < /dev/null &
	pid=$!
	until [ "$(grep -c 'parent' "$work/out")" = 2 ]; do
		kill -0 $pid 2> /dev/null || break
		sleep 0.05
	done
}

echo "signals"
started
kill -TERM $pid
wait $pid
[ $? = 143 ] || complain "the exit code after SIGTERM"
nothing_left SIGTERM
started
kill -KILL $pid
wait $pid 2> /dev/null
nothing_left SIGKILL
echo "a host dies"
started
"$HOSTS_SELF" kill host2
wait $pid
[ $? = 125 ] || complain "the exit code after the death of host2"
HOSTS=host1 nothing_left "the death of host2"
[ $bad = 0 ] && echo "hosts_spawn: good"
exit $bad
