#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The one-sided benchmarks with each kind of window and synchronization: all of
# them run, and the data is correct (-c: otherwise the exit code is not 0).
# Without LONG=1 one of them runs with all combinations, the others with half
# of them.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1

n=0
first=yes
names="put_latency get_latency put_bw get_bw put_bibw acc_latency
	acc_char_latency get_acc_latency fop_latency cas_latency"
# shellcheck disable=SC2086
build_bench $names || exit 1
for b in $names; do
	for w in create allocate dynamic; do
		for s in lock lock_all flush flush_local pscw fence; do
			[ -n "$LONG$first" ] || [ $w = allocate ] ||
				[ $s = flush ] || continue
			run 0 -n 2 "$dir/$b" -c -w "$w" -s "$s" -m 8:64 -i 3
			grep -q '^8 ' "$dir/out" ||
				complain "$b -w $w -s $s: no result"
			n=$((n + 1))
		done
	done
	first=
done
[ $n = $((${LONG:+90} + 90)) ] || complain "$n combinations"
exit $failed
