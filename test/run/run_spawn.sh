#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests spawned processes, live and in virtual time: on every machine in virtual
# time, where two runs must be equal; without a free slot; MPI_UNIVERSE_SIZE;
# the examples, also one that replaces failed ranks; failures of one job after
# MPI_Comm_disconnect.
. "$top_srcdir/test/run/run_lib.sh" || exit 1

# build FILE NAME: compiles a program
build() {
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -I"$top_srcdir" \
		-I"$top_srcdir/include" -I"$top_srcdir/test/mpi" \
		"$top_srcdir/$1" -o "$dir/$2" -L"$builddir/.libs" \
		-lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
}
build test/mpi/dynamic/dynamic_spawn.c spawn
build test/mpi/dynamic/dynamic_universe.c universe
build test/mpi/dynamic/dynamic_apart.c apart
build examples/pool.c pool
build examples/server.c server
build examples/replace.c replace

# hash: prints the line about the virtual time of the run
hash() { grep 'virtual time .* hash' "$dir/err"; }

within=120
for machine in bgq gemini qsnet2 sunway apenet; do
	run 0 -q -v --machine $machine --usize 20 -n 2 "$dir/spawn"
	first=$(hash)
	run 0 -q -v --machine $machine --usize 20 -n 2 "$dir/spawn"
	[ -n "$first" ] && [ "$(hash)" = "$first" ] ||
		complain "$machine: runs differ: $first, $(hash)"
done

# the program universe spawns until no slot is left
run 0 -q --machine bgq --usize 6 -n 2 "$dir/universe" 6 full
run 0 -q --machine bgq --usize 6 --ppn 2 -n 2 "$dir/universe" 6 full
# the node of rank 3 fails before the spawn, so no rank is spawned there
run 0 -q --machine bgq --usize 6 --faults 'dead-processor 3 at 0.1 us' -n 2 \
	"$dir/universe" 6 failed
run 0 -q --usize 6 -n 2 "$dir/universe" 6 live
run 125 -q --usize 1 -n 2 true
last 'the job itself has 2 ranks'
run 125 -q --machine bgq:1x1x1x1x2 --usize 6 -n 2 true

run 53 -q --machine bgq -n 1 "$dir/universe" 1 none
grep -q 'no free places are left' "$dir/err" || complain "$(cat "$dir/err")"

# examples: a pool of workers, a server and its clients
for options in '' '--machine gemini'; do
	run 0 -q $options --usize 4 -n 1 "$dir/pool"
	out '3 workers, 40 tasks: 3.141592654'
	run 0 -q $options -n 1 "$dir/server" serve 2 : -n 2 "$dir/server" ask 20
	out "2 clients, sum 40
sum so far: 20
sum so far: 40"
done
timeout 60 "$mpiexec" -n 1 "$dir/server" serve 2 > "$dir/served" 2>&1 &
run 0 -n 2 "$dir/server" ask 20
wait $! || complain "server: $(cat "$dir/served")"
grep -q 'sum 40' "$dir/served" || complain "server: $(cat "$dir/served")"

# replaced TEXT: checks that the run has replaced one rank and that its result
# is right
replaced() {
	grep -q "^4 ranks, 1 of them new" "$dir/out" &&
		grep -q '^result 17258513.314524$' "$dir/out" && return
	complain "$1: $(cat "$dir/out" "$dir/err")"
}
for victim in 0 2 3; do
	run 0 --survive -n 4 "$dir/replace" $victim 35
	replaced "live, rank $victim"
done
for machine in bgq gemini qsnet2 sunway apenet; do
	first=
	for _ in 1 2; do
		run 0 -q -v --machine $machine --usize 8 --survive \
			--faults 'dead-rank 2 at 50 us' -n 4 "$dir/replace"
		replaced $machine
		first=$first$(hash | sed 's/.*hash//')
	done
	set -- $first
	[ -n "$1" ] && [ "$1" = "$2" ] || complain "$machine: runs differ: $first"
done
# a failure ends only the job in which it happens, unless the jobs are connected
run 137 -n 2 "$dir/apart" child
out "parent 0 lives
parent 1 lives"
grep -q 'a spawned job has failed after it had disconnected' "$dir/err" ||
	complain "child: $(cat "$dir/err")"
run 137 -n 2 "$dir/apart" parent
out "child 0 lives
child 1 lives"
run 0 --survive -n 2 "$dir/apart" child
out "child 0 lives
parent 0 lives
parent 1 lives"
run 137 -n 2 "$dir/apart" again
out ''
run 124 --timeout 2 -n 2 "$dir/apart" none
out ''
# the time limit of mpiexec also applies to the spawned job
run 124 --timeout 2 -n 2 "$dir/apart" alone
out "parent 0 lives
parent 1 lives"
nothing_left
end
