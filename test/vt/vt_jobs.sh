#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests mpiexec --job: several MPI programs on one modelled machine, each with
# its own MPI_COMM_WORLD; --place, --background, the report of each job.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_jobs "$top_srcdir/test/vt/vt_jobs.c" || exit 1
prog=$dir/vt_jobs

# has TEXT: checks that stdout has a line that contains this text
has() { grep -qF -- "$1" "$dir/out" || complain "no \"$1\" in: $(cat "$dir/out")"; }
# time_of RANKS: prints the time that the job with that many ranks has printed
time_of() { sed -n "s/^$1 ranks .*: \(.*\) us/\1/p" "$dir/out"; }

# each job has its own world, on every machine, and every run has the same
# result
for machine in bgq gemini qsnet2 sunway apenet generic; do
	for i in 1 2; do
		run 0 -v --machine $machine -n 3 "$prog" main 64 : -n 2 "$prog" main 64 \
			: --job -n 4 "$prog" main 64
		has "5 ranks 5, app numbers 2, good"
		has "4 ranks 4, app numbers 0, good"
		mv "$dir/out" "$dir/out$i"
		grep hash "$dir/err" > "$dir/hash$i"
	done
	cmp "$dir/hash1" "$dir/hash2" && cmp <(sort "$dir/out1") <(sort "$dir/out2") ||
		complain "$machine: two runs differ"
done

# jobs on nodes without a common link do not affect each other
"$builddir/weft-sim" --new fattree 100Gb > "$dir/tree"
run 0 --machine "$dir/tree" -n 16 "$prog" main 4096
alone=$(time_of 16)
run 0 --machine "$dir/tree" -n 16 --place 0-15 "$prog" main 4096 \
	: --job -n 12 --place 16-27 "$prog" main 4096
[ -n "$alone" ] && [ "$(time_of 16)" = "$alone" ] ||
	complain "other leaf switch: $(time_of 16) us, alone $alone"
# a job that shares leaf switches with another job takes longer
run 0 --machine "$dir/tree" -n 16 --place random=3 "$prog" main 65536
alone=$(time_of 16)
mixed() {
	run 0 -v --machine "$dir/tree" --report -n 16 --place random=3 "$prog" main 65536 \
		: --job --background -n 112 --place random=1 "$prog" traffic 65536
}
mixed
beside=$(time_of 16)
awk -v a="$alone" -v b="$beside" 'BEGIN { exit !(a > 0 && b > 1.05 * a) }' ||
	complain "$beside us beside traffic, $alone alone"
grep -v '^mpiexec: warning' "$dir/err" > "$dir/first"
err 'job 0: 16 ranks (0-15) on 16 nodes (random=3): '
err 'job 1: 112 ranks (16-127) on 112 nodes (random=1), background: '
err 'report: 2 jobs, machine tree'
grep -q 'did not reach MPI_Finalize' "$dir/err" && complain "a background is reported"
mixed
[ "$(time_of 16)" = "$beside" ] && cmp "$dir/first" "$dir/err" ||
	complain "two runs with a background differ"

# a dragonfly, on which a switch has several nodes
"$builddir/weft-sim" --new dragonfly 100Gb > "$dir/fly"
run 0 --machine "$dir/fly" --ppn 2 -n 12 --place random=2 "$prog" main 64 \
	: --job -n 11 "$prog" main 64
has "12 ranks 12, app numbers 0, good"
has "11 ranks 11, app numbers 0, good"

# the example checks the data of all patterns
build_mpi traffic "$top_srcdir/examples/traffic.c" || exit 1
for pattern in ring shift random alltoall; do
	run 0 --machine bgq -n 5 "$dir/traffic" $pattern 3000 6
done
run 2 --machine bgq -n 2 "$dir/traffic" star
err 'usage: traffic [ring|shift|random|alltoall'

# statistics number the ranks consecutively over all jobs
run 0 --machine "$dir/tree" --stats "$dir/s" -n 2 "$prog" main 512 : --job -n 3 "$prog" main 768
awk -F, '$3 == 512 && ($1 > 1 || $2 > 1) || $3 == 768 && ($1 < 2 || $2 < 2) { bad = 1 }
	$3 == 768 { n++ } END { exit bad || n != 30 }' "$dir/s-messages.csv" ||
	complain "messages of the second job"

# The page shows the jobs, and the collectives of each job separately, although
# the collectives of different jobs have the same numbers. The chain of waits
# ends in a job that ends by itself, not in the background job.
run 0 --machine "$dir/tree" --report-html "$dir/page.html" --trace "$dir/t.json" \
	-n 2 "$prog" main 64 : --job -n 3 "$prog" main 4096 \
	: --job --background -n 2 "$prog" traffic 64
python3 - "$dir/page.html" "$dir/t.json" << 'EOF' || complain "the page of three jobs"
import json, re, sys
page = open(sys.argv[1]).read()
d = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
			 page, re.S).group(1))
facts = dict(d["facts"])
assert "2 ranks (0-1)" in facts["job 0"], facts
assert "3 ranks (2-4)" in facts["job 1"], facts
assert "background" in facts["job 2"], facts
assert {c[5] for c in d["collectives"]} == {2, 3}, d["collectives"]
assert all((m[0] < 2) == (m[1] < 2) for m in d["messages"])
assert d["chain"][-1]["rank"] < 5, d["chain"][-1]
events = json.load(open(sys.argv[2]))["traceEvents"]
ranks = {e["tid"] for e in events if e["ph"] == "X"}
assert ranks == set(range(7)), ranks
EOF

# a failure ends all jobs; a deadlock in one job is detected when the other job
# has ended
run 3 --machine bgq -n 2 "$prog" : --job -n 4 "$prog" fail
run 35 --machine bgq -n 2 "$prog" : --job -n 3 "$prog" stuck
err 'cycle: rank 2 -> rank 3 -> rank 4 -> rank 2'

# wrong options
run 125 --machine bgq -n 1 --background "$prog"
err 'the first job cannot be a background'
run 125 -n 1 "$prog" : --job -n 1 "$prog"
err '--job: jobs share a modelled machine'
run 125 --machine bgq:1x1x1x1x2 -n 1 "$prog" : --job -n 1 --place 2 "$prog"
err '--place 2: the machine has 2 nodes, 0 to 1'
run 125 --machine bgq -n 1 "$prog" : -n 1 --place 1 "$prog"
err '--place applies to a whole job'
run 125 --machine bgq --map TABCDE -n 1 "$prog" : --job -n 1 "$prog"
err '--job: --map cannot be combined with it'
run 125 --machine bgq --record "$dir/r" -n 1 "$prog" : --job -n 1 "$prog"
err '--record: not possible with several jobs'
run 125 --machine bgq:1x1x1x1x2 -n 1 "$prog" : --job -n 2 "$prog"
err 'shape 1x1x1x1x2 has 2 nodes, 3 are needed'
nothing_left
exit $failed
