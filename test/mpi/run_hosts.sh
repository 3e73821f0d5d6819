#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs of the list, and the applications, on virtual hosts of
# test/hosts, started by mpiexec through Open MPI's mpirun: some programs on 2,
# 3 and 4 hosts; with LONG=1 all programs, on each machine, with 1 to 8 ranks
# per host; then on two hosts under each fault plan, with a measurement of the
# bandwidth. MACHINES, HOST_COUNTS, ONLY and PLANS (one per line) select runs.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
command -v mpirun.openmpi > /dev/null || { echo "no mpirun.openmpi"; exit 77; }
bash "$top/test/hosts" 1 true || exit

# on HOSTS MACHINE RANKS_MAX PROGRAMS: runs the programs that match the pattern
# PROGRAMS
on() {
	echo "== $1 hosts, $2, at most $3 ranks"
	SECONDS_EACH=${SECONDS_EACH:-${LONG:+120}} LONG= MACHINE=$2 RANKS_MAX=$3 ONLY=$4 \
		bash "$top/test/hosts" "$1" bash "$top/test/mpi/run.sh" || bad=1
}

# apps HOSTS MACHINE RANKS...: runs the applications
apps() {
	echo "== $1 hosts, $2, applications"
	FI_WEFT_MACHINE=$2 RANKS="${*:3}" \
		bash "$top/test/hosts" "$1" bash "$top/bench/apps/apps.sh" || bad=1
}

bad=0
if [ -z "$LONG" ]; then
	on 2 native 4 '@(env|p2p_modes|p2p_part|p2p_type|comm_make|comm_inter|win_fuzz|win_paths|win_self_progress|win_large|coll_fuzz|file_*)'
	on 3 bgq 3 '@(p2p_order|win_sync|coll_mix)'
	on 4 gemini 4 '@(p2p_probe|comm_inter|coll_inter)'
	on 2 qsnet2 3 '@(p2p_persist|win_acc|coll_outstanding)'
	apps 2 native 2 4
	apps 3 qsnet2 3
	exit $bad
fi
for machine in ${MACHINES-native bgq gemini qsnet2 sunway apenet}; do
	for n in ${HOST_COUNTS-2 3 4}; do
		on "$n" "$machine" $((8 * n)) "${ONLY:-*}"
		apps "$n" "$machine" "$n" $((4 * n)) $((8 * n))
	done
done
while read -r plan <&3; do
	[ -n "$plan" ] || continue
	echo "== under $plan"
	MPIEXEC_FLAGS="--faults $plan" on 2 native 4 "${ONLY:-*}"
	bash "$top/test/multihost/hosts_soak.sh" 20000 0.1 "$plan" || bad=1
done 3<<< "${PLANS-seed=1;loss=0.01
seed=1;loss=0.05
seed=1;loss=0.2
seed=1;duplicate=0.05
seed=1;reorder=0.1
seed=1;corrupt=0.05}"
exit $bad
