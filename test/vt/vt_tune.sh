#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the choices of algorithms in the machine files: on every machine, no
# collective for which they choose is more than 10 % slower than its fastest
# algorithm, or than other operations that give the same result. LONG=1: more
# ranks and sizes. Barrier, bcast, reduce and allreduce always use the machine's
# hardware for collectives (doc/model.md), except on apenet, which has none.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
within=300
tune=$builddir/weft-tune
[ -x "$tune" ] || { echo "no weft-tune"; exit 77; }
ranks=4 sizes=8,4096
[ -z "$LONG" ] || { ranks=4,8,16 sizes=8,512,4096,16384,65536; within=3000; }
chosen='gather scatter allgather alltoall reduce_scatter scan'

# check MACHINE OPERATION...: runs weft-tune --check for these operations
check() {
	local machine=$1 op rc
	shift
	for op; do
		"$builddir/mpiexec" -q --machine "$machine" -n "${ranks##*,}" \
			"$tune" --check --ranks $ranks --sizes $sizes --only "$op" \
			> "$dir/out" 2> "$dir/err"
		rc=$?
		[ $rc = 0 ] && [ ! -s "$dir/out" ] ||
			complain "$machine $op: exit code $rc: $(cat "$dir/out")"
		grep -v 'exited with code 1' "$dir/err" > "$dir/bad" &&
			complain "$machine $op: $(cat "$dir/bad")"
	done
}

# checks that an algorithm known to be slower is reported
WEFT_COLL_SCAN=linear run 1 -q --machine bgq -n 4 "$tune" --check --ranks 4 \
	--sizes 8 --only scan
grep -q '^scan of 4 ranks, 8 bytes: .*; recdbl: ' "$dir/out" ||
	complain "the slow scan is not reported"
for machine in bgq qsnet2 gemini sunway; do
	# shellcheck disable=SC2086
	check $machine $chosen
	echo "$machine: ranks $ranks, sizes $sizes"
done
# shellcheck disable=SC2086
check apenet barrier bcast reduce allreduce $chosen
echo "apenet: ranks $ranks, sizes $sizes"
exit $failed
