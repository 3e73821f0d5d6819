#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs programs of the list live with bit errors: the machine's error-detecting
# code finds the wrong bits, and the packets that contain them are
# retransmitted. Results must be correct.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${builddir:-$PWD}
. "$top/test/timeout.sh" || exit 1
only=${ONLY:-'@(p2p_order|coll_all|win_move)'}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
${CC:-gcc} -std=c11 -O2 -w -I"$top/include" -o "$dir/latency" \
	"$top/bench/bench.c" -L"$build/.libs" -lmpi_abi -lm \
	-Wl,-rpath,"$build/.libs" || exit 1

# check_errors MACHINE: checks that bits of packets were corrupted, and that all
# errors were detected or corrected
check_errors() {
	WEFT_LOG=info FI_WEFT_MACHINE=$1 timeout -k 5 60 "$build/mpiexec" \
		-n 2 --faults "seed = 3; errors * = 2e-5" "$dir/latency" \
		-m 1:16384 -i 30 -x 5 > "$dir/out" 2>&1 || {
		echo "FAIL $1: exit code $?"
		tail -n 5 "$dir/out"
		bad=1
	}
	sed -n 's/.*faults: \([0-9]*\) frames damaged or dropped here; \([0-9]*\) detected, \([0-9]*\) corrected, \([0-9]*\) .*/\1 \2 \3 \4/p' \
		"$dir/out" | awk -v m="$1" '{ d += $1; f += $2; c += $3; s += $4 }
		END { printf "%s: %d damaged, %d detected, %d corrected, %d retransmitted\n",
			m, d, f, c, s
		exit !(d > 20 && d - f - c <= d / 10 && f + c <= d) }' || {
		echo "FAIL $1: damaged packets were not detected"
		bad=1
	}
}
# With a plan that has no faults the lossy carrier is not used.
for plan in 'seed = 3' 'seed = 3; errors * = 1e-9'; do
	WEFT_LOG=info timeout -k 5 60 "$build/mpiexec" -n 2 --faults "$plan" \
		"$dir/latency" -m 8:8 -i 5 -x 1 > "$dir/out" 2>&1 || {
		echo "FAIL $plan: exit code $?"
		bad=1
	}
	ranks=$(grep -c 'frames damaged or dropped here' "$dir/out")
	case $plan in *errors*) [ "$ranks" = 2 ] ;; *) [ "$ranks" = 0 ] ;; esac || {
		echo "FAIL $plan: $ranks ranks use error codes"
		bad=1
	}
done
for m in ${MACHINES:-native bgq gemini qsnet2 sunway apenet}; do
	check_errors "$m"
	MACHINE=$m ONLY=$only RANKS_MAX=${RANKS_MAX:-3} \
		FI_WEFT_FAULTS="seed = 7; errors * = 2e-6" \
		bash -O extglob "$top/test/mpi/run.sh" || bad=1
done
exit $bad
