#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program on a modelled machine prints the same bytes in every run, on one
# core, and under load; a report does not change times. LONG=1: more sizes, up
# to 512 ranks.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_bench latency bw allreduce put_latency acc_latency || exit 1
build_mpi vt_prog "$top_srcdir/test/vt/vt_prog.c" || exit 1

# Load: starts one process that computes on each core but the last.
busy=
load() {
	local i
	for i in $(seq "$(nproc)"); do
		(while :; do :; done) &
		busy="$busy $!"
	done
}
unload() {
	[ -z "$busy" ] || kill $busy 2> /dev/null
	[ -z "$busy" ] || wait $busy 2> /dev/null
	busy=
}
trap 'unload; rm -rf "$dir"' EXIT

# once NAME PREFIX ARGUMENTS...: stores the output and the event hash of one
# run; PREFIX is a command that starts it
once() {
	local name=$1 before=$2
	shift 2
	timeout -k 5 "${LONG:+5}60" $before "$mpiexec" -v --machine "$@" \
		> "$dir/$name.out" 2> "$dir/$name.err" < /dev/null ||
		complain "$*: exit code $?: $(tail -n 3 "$dir/$name.err")"
	# the order of lines of different ranks depends on real time
	sort -o "$dir/$name.out" "$dir/$name.out"
	grep '^weft: virtual time' "$dir/$name.err" >> "$dir/$name.out"
}

# same ARGUMENTS...: checks that output is the same when run again, on one core,
# and under load
same() {
	local mode
	once first "" "$@"
	once again "" "$@"
	once core "taskset -c 0" "$@"
	load
	once loaded "" "$@"
	unload
	for mode in again core loaded; do
		cmp -s "$dir/first.out" "$dir/$mode.out" && continue
		complain "$*: other output when run $mode"
		diff "$dir/first.out" "$dir/$mode.out" | head -n 10
	done
	echo "$*: $(grep -o 'hash .*' "$dir/first.out")"
}

same bgq -n 2 "$dir/latency" -m 8192 -i 10 -x 2
same bgq -n 4 "$dir/latency" -m 64 -i 10 -x 2
same bgq -n 2 "$dir/bw" -m 4096:65536 -i 2 -x 1
same bgq -n 2 --ppn 2 "$dir/bw" -m 8:512 -i 2 -x 1
for n in 2 7 16; do
	same bgq -n $n "$dir/allreduce" -m 4:4096 -i 5 -x 2 -f
done
same bgq -n 16 --ppn 4 --map TEDCBA "$dir/allreduce" -m 8:8 -i 5 -x 2 -f
same bgq -n 4 "$dir/vt_prog" loops
for sync in flush lock pscw fence; do
	same bgq -n 2 "$dir/put_latency" -m 4096 -i 5 -x 2 -s $sync
done
for m in bgq qsnet2 gemini sunway apenet; do
	same $m -n 2 "$dir/acc_latency" -m 4096 -i 5 -x 2 -w create -s lock_all
	same $m -n 3 "$dir/vt_prog" reach
done
for m in qsnet2 gemini sunway apenet; do
	same $m -n 2 "$dir/latency" -m 65536 -i 5 -x 2
	same $m -n 7 "$dir/allreduce" -m 4:4096 -i 5 -x 2 -f
done
# the links between two chips are chosen by load
same gemini:2x2x2 --map TABC -n 2 "$dir/bw" -m 4096:65536 -i 2 -x 1
same gemini:2x2x2 --map TABC -n 2 "$dir/put_latency" -m 4096 -i 5 -x 2
same qsnet2@em64t:4x4 -n 16 "$dir/bw" -m 4096:65536 -i 2 -x 1
# messages from one leaf switch to another use both rails
same sunway -n 40 "$dir/allreduce" -m 8:1024 -i 2 -x 1 -f
if [ -n "$LONG" ]; then
	same bgq -n 2 "$dir/latency" -m 1048576 -i 10 -x 2
	same bgq -n 2 "$dir/bw" -m 1048576 -i 5 -x 1
	for n in 64 128 512; do
		same bgq -n $n "$dir/allreduce" -m 8:1024 -i 5 -x 2 -f
		same qsnet2 -n $n "$dir/allreduce" -m 8:1024 -i 5 -x 2 -f
		same sunway -n $n "$dir/allreduce" -m 8:1024 -i 5 -x 2 -f
	done
	same sunway --ppn 2 -n 1024 "$dir/allreduce" -m 8:8 -i 2 -x 1 -f
fi

# a report takes no virtual time
once bare "" bgq -n 4 "$dir/allreduce" -m 8:64 -i 5 -x 2
once report "" bgq -n 4 --report "$dir/allreduce" -m 8:64 -i 5 -x 2
cmp -s "$dir/bare.out" "$dir/report.out" || complain "--report changes times"
grep -q '^report: 4 ranks, ' "$dir/report.err" || complain "no report"
grep -q '^  MPI_Allreduce  *4 ' "$dir/report.err" || complain "no times of calls"
grep -q '^  class routes: 1 opened' "$dir/report.err" || complain "no routes"
# a rank that finishes at time 0 counts as finished; packets on class routes
# count as packets
build_hello || exit 1
run 0 -q --machine bgq:2x2 -n 4 --report "$hello"
grep -q '^report: 4 ranks, 0.000000 us' "$dir/err" || complain "$(cat "$dir/err")"
grep 'did not reach MPI_Finalize' "$dir/err" && complain "an end at time 0 is not counted"
read -r all routed <<< "$(sed -n \
	's/^network: .* \([0-9]*\) packets (\([0-9]*\) on class routes).*/\1 \2/p' \
	"$dir/report.err")"
grep -q "^  class routes: 1 opened, $routed packets" "$dir/report.err" &&
	[ "$all" -ge "$routed" ] && [ "$routed" -gt 0 ] ||
	complain "packets: $(grep -E 'packets' "$dir/report.err")"
exit $failed
