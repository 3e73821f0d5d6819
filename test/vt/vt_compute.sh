#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Computation in virtual time: times of regions from a table, sampled regions,
# noise, counted instructions, and the speed of the machine's processor.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_compute "$top_srcdir/test/vt/vt_compute.c" || exit 1
prog=$dir/vt_compute

# time_us: prints the time of rank 0 in the last run, in us, without the time of
# reading the clock
time_us() { sed -n 's/^rank 0: .* \([0-9.]*\) us/\1/p' "$dir/out"; }
wtime=0.020

printf '# times\nsolve 100 us # assumed\nstep 2.5 ms\n' > "$dir/table"
run 0 --machine bgq -n 2 --compute-table "$dir/table" "$prog" region
out "rank 0: 10 times, 1000.020 us
rank 1: 10 times, 1000.020 us"
run 0 --machine bgq -n 2 --compute-table "$dir/table" "$prog" sample
out "rank 0: 0 times, 25000.020 us
rank 1: 0 times, 25000.020 us"
# a computation that is replaced by its time, and not executed
run 0 --machine bgq -n 2 "$prog" time
out "rank 0: 0 times, 125.020 us
rank 1: 0 times, 125.020 us"
# without a table three executions are measured
run 0 --machine bgq -n 1 "$prog" sample
grep -q '^rank 0: 3 times' "$dir/out" || complain "$(cat "$dir/out")"
# with the live clock, all executions take place
run 0 -n 1 --compute-table "$dir/table" -q "$prog" sample
grep -q '^rank 0: 10 times' "$dir/out" || complain "$(cat "$dir/out")"
printf 'solve soon\n' > "$dir/bad"
run 0 --machine bgq -n 1 --compute-table "$dir/bad" "$prog" region
grep -qF 'bad:1: expected NAME TIME UNIT' "$dir/err" || complain "no message"

# Noise is the same in every run with the same seed, and different with another
# seed; interruptions of fixed length extend 25 ms by a multiple of that length.
noisy() {
	run 0 -v --machine bgq -n 2 --compute-table "$dir/table" \
		--noise "$1" "$prog" sample
	sort "$dir/out"
	grep -o 'hash.*' "$dir/err"
}
a=$(noisy 1000,30)
[ "$a" = "$(noisy 1000,30)" ] || complain "noise differs from run to run"
[ "$a" != "$(noisy 1000,30,7)" ] || complain "the seed has no effect"
noisy 2000,10,fixed > /dev/null
time_us | awk -v w=$wtime '{ x = ($1 - w - 25000) / 10;
	exit !(x > 5 && x < 200 && x - int(x + 0.5) < 0.01) }' ||
	complain "fixed noise: $(cat "$dir/out")"
run 125 --machine bgq -n 1 --noise 5 "$prog" region
err 'mpiexec: --noise 5: must be RATE,LENGTH'
run 125 --machine bgq -n 1 --compute instructions=x "$prog" region
err 'or instructions=N per second'

# Counted instructions agree between runs; a processor of half the speed takes
# twice the time.
{
	echo 'processor_speed = 50 # assumed'
	cat "$top_srcdir/share/machines/bgq"
} > "$dir/slow"
count() {
	timeout 30 "$mpiexec" --machine "$1" --compute instructions=1e9 -n 1 \
		"$prog" loop > "$dir/out" 2> "$dir/err"
}
if count bgq; then
	one=$(time_us)
	count bgq
	two=$(time_us)
	count "$dir/slow"
	slow=$(time_us)
	echo "$one $two $slow" | awk '{ exit !($1 > 10000 &&
		($1 - $2) / $1 < 0.01 && ($2 - $1) / $1 < 0.01 &&
		$3 / $1 > 1.98 && $3 / $1 < 2.02) }' ||
		complain "counted instructions: $one, $two, and slow $slow us"
else
	# checks that there is one message, and that no rank has started
	err 'mpiexec: --compute instructions=1e9: instructions cannot be counted on this host'
	[ "$(wc -l < "$dir/err")" = 1 ] || complain "more than one line: $(cat "$dir/err")"
fi

# Counted basic blocks: every run gives the same output; a processor of half the
# speed takes twice the time; a program without the counter is refused.
build_mpi vt_blocks -fsanitize-coverage=trace-pc "$top_srcdir/test/vt/vt_compute.c" \
	-L"$builddir/.libs" -lweft-blocks || exit 1
blocks() { run 0 -v --machine "$1" --compute blocks=1e9 -n 2 "$dir/vt_blocks" loop; }
count_blocks() {
	local hash one
	blocks bgq
	sort "$dir/out" > "$dir/first"
	hash=$(grep -o 'hash.*' "$dir/err")
	one=$(time_us)
	blocks bgq
	sort "$dir/out" | cmp - "$dir/first" && [ "$(grep -o 'hash.*' "$dir/err")" = "$hash" ] ||
		complain "$1: counted blocks differ from run to run"
	blocks "$dir/slow"
	# the loop has ten million iterations, so the time must be in this range
	echo "$one $(time_us)" | awk '{ exit !($1 > 10000 && $1 < 100000 &&
		$2 / $1 > 1.999 && $2 / $1 < 2.001) }' ||
		complain "$1: counted blocks: $one, and slow $(time_us) us"
}
count_blocks "${CC:-cc}"
if command -v clang > /dev/null; then
	CC=clang build_mpi vt_blocks -fsanitize-coverage=trace-pc \
		"$top_srcdir/test/vt/vt_compute.c" -L"$builddir/.libs" -lweft-blocks &&
		count_blocks clang || complain "clang"
fi
run 1 --machine bgq --compute blocks=1e9 -n 1 "$prog" loop
err 'does not count basic blocks'
exit $failed
