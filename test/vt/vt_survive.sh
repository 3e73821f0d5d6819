#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jobs that survive failures in virtual time: a fault plan ends ranks, the other
# ranks recover, and every run gives the same times and the same report.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi solver "$top_srcdir/examples/survive.c" || exit 1
build_mpi random "$top_srcdir/test/mpi/fault/fault_random.c" \
	"-I$top_srcdir" || exit 1

has() {
	grep -qE -- "$1" "$dir/out" "$dir/err" || {
		complain "$what: not in the output: $1"
		cat "$dir/out" "$dir/err"
	}
}

# same FILE: stores the report of a run in FILE, and compares it with the report
# of the previous run there
same() {
	grep -h -E '^report|^recovery|^ ' "$dir/err" "$dir/out" | sort > "$dir/now"
	[ ! -f "$dir/$1" ] || cmp -s "$dir/$1" "$dir/now" || {
		complain "$what: two runs differ"
		diff "$dir/$1" "$dir/now" | head -20
	}
	mv "$dir/now" "$dir/$1"
}

# survive MACHINE PLAN RANKS FAILED: runs a job in which FAILED of RANKS ranks
# fail under the fault plan PLAN
survive() {
	what="$1, $2"
	run 0 -q --machine "$1" --survive --report --verbose -n $3 \
		--faults "$2" "$dir/solver"
	has "^result $result\$"
	has "$4 of $3 ranks have failed, the others have completed the job"
}

run 0 -q --machine bgq --survive -n 4 "$dir/solver"
result=$(sed -n 's/^result //p' "$dir/out")
[ -n "$result" ] || complain "no result: $(cat "$dir/out")"
for m in bgq gemini qsnet2 sunway apenet; do
	plan='dead-processor 3 at 40us; detect by 30 us; dead-rank 0 at 100 us'
	for i in 1 2; do
		survive $m "$plan" 6 2
		has '^  failure of rank 3 +40.000$'
		has '^  detection of rank 3 +5 +7[0-9]\.'
		has '^  failure of rank 0 +100.000$'
		has '^  detection of rank 0 +4 +130\.'
		has '^  revocation +[45] '
		has '^  agreement +[45] '
		has '^  shrink +[45] '
		has '^    rank 3: has failed at 40.000 us, known at 70.000 us'
		same report.$m
	done
	# the machine file determines when the failure is detected
	survive $m 'dead-rank 2 at 30 us' 4 1
	has '^  detection of rank 2 +3 +10[0-9][0-9]\.'
	echo "$m: ranks that end"
done

# a node that fails together with its links, on machines that can route around
# it
for m in gemini qsnet2 sunway; do
	for i in 1 2; do
		survive $m 'dead-node 2 at 60us' 6 1
		same node.$m
	done
	echo "$m: a node that fails"
done
what='no detour'
run 125 --machine bgq --survive -n 4 --faults 'dead-node 2 at 60us' "$dir/solver"
last 'bgq has no detour around dead-node 2, .* dead-processor 2 stops'

# a rank that kills itself ends at a time given by its own clock
for i in 1 2; do
	what='a rank that kills itself'
	run 0 -q --machine bgq --survive --report -n 4 "$dir/solver" 2 35
	has "^result $result\$"
	same self
done

# deaths at many moments, also during agreements and shrinks, and of several
# ranks on one node
what='random'
runs=6
[ -z "$LONG" ] || runs=60
machines=(bgq gemini qsnet2 sunway apenet)
for i in $(seq $runs); do
	n=$((4 + i % 5))
	m=${machines[i % 5]}
	plan="dead-rank $((i % n)) at $((37 * i % 700 + 200)) us; detect by 15 us"
	plan="$plan; dead-rank $(((i + 2) % n)) at $((61 * i % 700 + 220)) us"
	what="$m, $n ranks, $plan"
	run 0 -q --machine $m --ppn $((1 + i % 2)) --survive -n $n --report \
		--faults "$plan" "$dir/random" $i 0 1 2
	[ "$(grep -c ': good$' "$dir/out")" = $((n - 2)) ] ||
		complain "$what: $(cat "$dir/out" "$dir/err")"
	[ $failed = 0 ] || break
done

what='plans'
run 1 -q --machine bgq --survive -n 4 --faults 'dead-rank 4 at 1us' "$dir/solver"
has 'plan:1: 4: no such rank'
run 1 -q --machine bgq --survive -n 4 --faults 'dead-processor 99 at 1us' "$dir/solver"
has 'plan:1: 99: no such node'
run 1 -q --machine bgq -n 4 --faults 'dead-rank 1 at 1us for 1us' "$dir/solver"
has 'a process that has ended does not return'
nothing_left
exit $failed
