#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests fault plans in virtual time: a program has the same results as without
# faults, at a later time, which is the same in every run; errors in a plan are
# reported; a node that fails ends the job or, with errors returned, affects
# only the ranks that communicate with it.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi "$mark" "$top_srcdir/test/vt/vt_node_failure.c" || exit 1

# has PATTERN: checks that the output of the last run matches
has() {
	grep -qE -- "$1" "$dir/out" "$dir/err" || {
		complain "not in the output: $1"
		cat "$dir/out" "$dir/err"
	}
}
hash_of() { grep -oE 'hash [0-9a-f]+' "$dir/err"; }
time_of() { grep -oE 'virtual time [0-9.]+' "$dir/err"; }

# Checks that the reports of two runs of a job with a failed node are the same.
dead_reported() {
	has '^network: .* packets'
	has '^  dead nodes +1'
	has '\(dead\): [0-9]+ bad packets, [0-9]+ detours'
	has "^    rank $1: .* has failed, as set by the fault plan, known at [0-9.]+ us"
	grep -A 99 '^faults:' "$dir/err" | grep '^ ' > "$dir/report.$2"
	[ "$2" = 1 ] || cmp -s "$dir/report.1" "$dir/report.2" ||
		complain "$m: two reports differ"
}

for m in bgq gemini qsnet2 apenet sunway; do
	# sunway corrects short bursts, so it gets longer ones
	burst= && [ $m != sunway ] || burst='; burst * = 200'
	run 0 -q --machine $m -n 4 --ppn 1 --verbose "$dir/$mark"
	good=$(hash_of) early=$(time_of)
	run 0 -q --machine $m -n 4 --ppn 1 --verbose --faults 'loss = 0.5' "$dir/$mark"
	[ "$(hash_of)" = "$good" ] || complain "$m: a plan for carriers changes the run"
	for plan in 1 1 2; do
		run 0 -q --machine $m -n 4 --ppn 1 --verbose --report \
			--faults "seed = $plan; errors * = 2e-5$burst" "$dir/$mark"
		has 'bad packets detected +[1-9]'
		hash[plan + 10]=${hash[plan]}
		hash[plan]=$(hash_of)
	done
	[ "${hash[1]}" = "${hash[11]}" ] || complain "$m: two runs differ"
	[ "${hash[1]}" != "${hash[2]}" ] || complain "$m: two seeds give the same run"
	[ "${hash[1]}" != "$good" ] || complain "$m: errors do not change the run"
	[ "$(time_of)" != "$early" ] || complain "$m: errors take no time"
	echo "$m: link errors"

	run 58 -q --machine $m -n 4 --ppn 1 --faults 'dead-node 3 at 20us' \
		"$dir/$mark"
	last 'rank 3 \(node .* has failed, as set by the fault plan\) \(MPI_ERR_PROC_AB'
	nothing_left
	for i in 1 2; do
		run 58 -q --machine $m -n 4 --ppn 1 --report \
			--faults 'dead-node 3 at 20us' "$dir/$mark"
		dead_reported 3 $i
	done
	for i in 1 2; do
		run 0 -q --machine $m -n 4 --ppn 1 --report \
			--faults 'dead-node 0 at 20us' "$dir/$mark" return
		dead_reported 0 $i
	done
	run 0 -q --machine $m -n 4 --ppn 1 --faults 'dead-node 3 at 20us' \
		"$dir/$mark" return
	has '^rank 0: 200 rounds, 0'
	has '^rank 1: 200 rounds, 0'
	has '^rank 2: MPI_Sendrecv: .*rank 3 \(node .* has failed'
	has '^rank 2: [0-9]+ rounds, 1'
	nothing_left
	echo "$m: a failed node"
done

# On a machine with fault awareness the report has the time at which the failure
# of a node is detected.
for i in 1 2; do
	run 58 -q --machine apenet -n 4 --report \
		--faults 'seed = 1; dead-node 3 at 20us' "$dir/$mark"
	has '^fault awareness, period 500.000 ms'
	known[i]=$(grep -E 'died at 0.020 ms: first neighbour [0-9.]+ ms, last [0-9.]+ ms, master [0-9.]+ ms later \(host broken, interface broken\)' \
		"$dir/err")
	[ -n "${known[i]}" ] || complain "no node detects the failure: $(cat "$dir/err")"
	nothing_left
done
[ "${known[1]}" = "${known[2]}" ] || complain "detection times differ"

# On a machine that cannot route around a dead link the job ends, and a message
# names the link.
run 1 -q --machine bgq:4 -n 4 --faults 'dead-link 0.A+' "$dir/$mark"
err "plan: a link is dead from the start, and bgq has no detour"
run 1 -q --machine bgq:4 -n 4 --faults 'dead-link 0.A+ at 20us' "$dir/$mark"
has 'a link of \(0,0,0,0,0\) is dead, and bgq has no detour'
run 0 -q --machine qsnet2:4x4 -n 8 --faults 'dead-switch 2:1 at 5us' \
	"$dir/$mark"
nothing_left

printf 'seed = 1\n\nerrors Q+ = 1\n' > "$dir/plan"
run 125 -q --machine bgq -n 2 --faults 'errors * = two' "$dir/$mark"
has 'plan:1: errors: expected a number'
run 1 -q --machine bgq -n 2 --faults "$dir/plan" "$dir/$mark"
has 'plan:3: Q\+: no such class of links'
run 125 -q -n 2 --faults 'errors * = 1' "$dir/$mark"
nothing_left
exit $failed
