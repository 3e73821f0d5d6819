#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The choices of the machine files: no collective whose algorithm they choose is
# more than 10 % slower than its fastest algorithm, on any machine. LONG=1: more
# ranks and sizes. Operations that are slower than other operations with the
# same result are listed, not refused (doc/model.md).
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
within=300
tune=$builddir/weft-tune
[ -x "$tune" ] || { echo "no weft-tune"; exit 77; }
ranks=4 sizes=8,4096
[ -z "$LONG" ] || { ranks=4,8,16 sizes=8,512,4096,16384,65536; within=3000; }
other=' (bcast|allreduce|allgather|[a-z_]+ and [a-z_]+): '

# check MACHINE: weft-tune --check for the operations that have choices
check() {
	local op
	for op in gather scatter allgather alltoall reduce_scatter scan; do
		"$builddir/mpiexec" -q --machine "$1" -n "${ranks##*,}" "$tune" \
			--check --ranks $ranks --sizes $sizes --only $op \
			> "$dir/out" 2> "$dir/err"
		rc=$?
		[ $rc = 0 ] && [ ! -s "$dir/out" ] ||
			{ [ $rc = 1 ] && [ -s "$dir/out" ]; } ||
			complain "$1 $op: exit code $rc"
		grep -E ";$other" "$dir/out"
		grep -vE ";$other" "$dir/out" > "$dir/slow" &&
			complain "$1: an algorithm is faster: $(cat "$dir/slow")"
		grep -v 'exited with code 1' "$dir/err" > "$dir/bad" &&
			complain "$1 $op: $(cat "$dir/bad")"
	done
}

# an algorithm that is known to be slower is reported
WEFT_COLL_SCAN=linear run 1 -q --machine bgq -n 4 "$tune" --check --ranks 4 \
	--sizes 8 --only scan
grep -q '^scan of 4 ranks, 8 bytes: .*; recdbl: ' "$dir/out" ||
	complain "the slow scan is not reported"
for machine in bgq qsnet2 gemini sunway apenet; do
	check $machine
	echo "$machine: ranks $ranks, sizes $sizes"
done
exit $failed
