#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests which path packets take on the hosts of test/hosts: shared memory to
# ranks of the same host and datagrams to others, in one job; the path that
# FI_WEFT_CARRIER forces; the log message that states why a path is not used. In
# collectives the ranks of a host combine first, and between two hosts one
# packet is sent in each direction. Windows on several hosts use memory among
# ranks of a host. Also the CPU time of waiting for another host.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2 3
make_work paths
for prog in paths coll wait_cpu win; do
	compile "test/multihost/hosts_$prog.c" $prog
done
hosts=($HOSTS)

# try NAME RANKS PROGRAM ARGUMENTS...: checks that the job prints "good" RANKS
# times
try() {
	local what="$1, ${#hosts[@]} hosts"
	shift
	timeout -k 5 60 bash -c 'on_hosts "$@"' - "$1" "$work/$2" "${@:3}" \
		> "$work/out" 2>&1 < /dev/null &&
		[ "$(grep -c ': good$' "$work/out")" = "$1" ] || {
		echo "FAILED: $what"
		cat "$work/out"
		bad=1
		return
	}
	echo "$what: good"
}

export build
for machine in native bgq gemini qsnet2 sunway; do
	FI_WEFT_MACHINE=$machine try "collectives, $machine" $((2 * ${#hosts[@]})) \
		coll ${#hosts[@]}
	[ "$machine" != native ] || grep packets "$work/out"
done
try "windows" $((2 * ${#hosts[@]})) win
[ ${#hosts[@]} = 2 ] || exit $bad
export FI_WEFT_FAULTS="loss=0.01; duplicate=0.1; reorder=0.1; corrupt=0.1; delay=0.1 by 1 ms"
MPIEXEC_FLAGS="-x FI_WEFT_FAULTS" try "one rank, and a bad network" 1 coll 1
unset FI_WEFT_FAULTS
try "waiting" 2 wait_cpu
grep processor "$work/out"
# the interface is chosen by Weft, then by its name
MPIEXEC_FLAGS=-v IFACE= try "two ranks on each of two hosts" 4 paths
export WEFT_LOG=info
MPIEXEC_FLAGS="-x WEFT_LOG" try "two ranks on each, and why" 4 paths
for want in "uses shared memory" \
	"uses datagrams: its address is not in this network namespace"; do
	grep -q "$want" "$work/out" || {
		echo "FAILED: not in the log: $want"
		cat "$work/out"
		bad=1
	}
done
unset WEFT_LOG
export FI_WEFT_CARRIER=sock
try "all by datagrams" 4 paths datagrams
FI_WEFT_CARRIER=shm
HOSTS=${HOSTS%% *} try "one host, by memory" 2 paths memory
FI_WEFT_CARRIER=hybrid
HOSTS=${HOSTS%% *} try "one host, both" 2 paths memory
FI_WEFT_CARRIER=sock
HOSTS=${HOSTS%% *} try "one host, all by datagrams" 2 paths datagrams
unset FI_WEFT_CARRIER
HOSTS=${HOSTS%% *} try "one host" 2 paths memory
exit $bad
