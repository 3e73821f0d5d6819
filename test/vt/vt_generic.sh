#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests MPI programs on a machine of the user: programs run on each kind of
# network that weft-sim --new writes, and two runs have the same events. Also
# tests a time computed by hand, the commands of the tutorial, and messages
# about wrong machine files.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_bench latency bw allreduce acc_latency || exit 1
sim=$builddir/weft-sim

# once NAME ARGUMENTS...: stores output and hash of one run
once() {
	local name=$1
	shift
	timeout 60 "$mpiexec" -v --machine "$@" > "$dir/$name" 2> "$dir/err" \
		< /dev/null ||
		complain "$*: exit code $?: $(tail -n 3 "$dir/err")"
	sort -o "$dir/$name" "$dir/$name"
	grep '^weft: virtual time' "$dir/err" >> "$dir/$name"
}

# same ARGUMENTS...: checks that two runs print the same and have equal hashes
same() {
	once first "$@"
	once again "$@"
	grep -q hash "$dir/first" || complain "$*: no hash"
	cmp -s "$dir/first" "$dir/again" ||
		complain "$*: a second run prints other output"
}

for kind in fattree dragonfly dragonfly+ hyperx torus mesh graph; do
	"$sim" --new $kind 100Gb > "$dir/$kind" || complain "--new $kind"
	same "$dir/$kind" -n 12 "$dir/allreduce" -m 8:4096 -i 3 -x 1 -f
	"$sim" --machine "$dir/$kind" --time 5us > "$dir/out" 2> "$dir/err" ||
		complain "weft-sim --machine $kind: $(cat "$dir/err")"
done
same "$dir/dragonfly" -n 72 --ppn 1 "$dir/bw" -m 65536:65536 -i 2 -x 1
same "$dir/graph" -n 2 "$dir/acc_latency" -m 4096 -i 3 -x 1 -w create -s lock_all

# faults of links are refused, with their names, on networks for which they are
# not modelled; faults of processes work on every network
for kind in dragonfly hyperx graph; do
	run 1 -q --machine "$dir/$kind" -n 4 --faults 'dead-link 0.0+ at 1us' \
		"$dir/latency" -m 8 -i 1
	err "plan:1: 0.0+: this network has no faults of links"
	"$sim" --machine "$dir/$kind" --faults 'errors * = 1e-6' 2> "$dir/err"
	err "plan:1: *: this network has no faults of links"
	run 58 -q --machine "$dir/$kind" -n 4 --faults 'dead-rank 1 at 1us' \
		"$dir/allreduce" -m 8 -i 100
	err "rank 1 (has failed at 1.000 us)"
done
# a fat tree and a torus described by the user may have bit errors and slow
# nodes
for kind in fattree torus; do
	same "$dir/$kind" -n 4 --faults 'errors * = 1e-6; slow-node 1 = 3' \
		"$dir/allreduce" -m 8:4096 -i 3 -x 1 -f
done

# o_send + o_recv + latency + two links + 58 bytes on the wire = 200 + 200 + 600
# + 300 + 5 + 5 ns, with less than 3 ns of rounding
once first "$dir/fattree" -n 2 "$dir/latency" -m 8:8 -i 10 -x 2
grep -Eq '^8 +1\.31' "$dir/first" || {
	complain "8 bytes do not take 1.31 us:"
	cat "$dir/first"
}

# message_packet determines whether a message has several packets, which adds
# the time eager_message; it must not exceed the packet size of the interface
{
	cat "$dir/fattree"
	echo 'eager_message = 1 us # assumed'
} > "$dir/whole"
{
	cat "$dir/whole"
	echo 'message_packet = 256 B # assumed'
} > "$dir/short"
once first "$dir/whole" -n 2 "$dir/latency" -m 512:512 -i 2 -x 1
once again "$dir/short" -n 2 "$dir/latency" -m 512:512 -i 2 -x 1
awk '$1 != 512 { next } FNR == NR { t = $2; next }
	{ exit !($2 > t + 0.98 && $2 < t + 1.03) }' "$dir/first" "$dir/again" ||
	complain "a second packet: $(cat "$dir/first" "$dir/again")"
sed 's/256 B/4065 B/' "$dir/short" > "$dir/big"
run 1 --machine "$dir/big" -n 2 "$dir/latency" -m 8:8 -i 1 -x 0
err "message_packet = 4065 B: packets of unit generic hold at most 4064 bytes"

# a file that lacks several keys and has a cycle of channels: all missing keys
# are reported
printf 'unit = generic\ntopology = graph\n' > "$dir/few"
run 125 --machine "$dir/few" -n 2 true
for key in name graph link hop o_send o_recv latency; do
	err "  $key "
done
{
	grep -v '^vcs\|^routing\|^graph' "$dir/graph"
	printf 'vcs = 1\ngraph = a -- b -- c -- d -- e -- a\n'
} > "$dir/ring"
run 125 --machine "$dir/ring" -n 2 true
err "vcs = 1 gives a cycle of 5 channels"
err "switch a to switch b, virtual channel 0"

# tables: prints times in OSU's format; the machine fitted to them must give the
# same times
tables() {
	"$mpiexec" -q --machine "$1" -n 2 "$dir/latency" -m 1048576 -i 5 -x 1
	"$mpiexec" -q --machine "$1" -n 2 "$dir/bw" -m 1048576 -i 2 -x 1
}
tables "$dir/fattree" > "$dir/measured"
"$builddir/weft-calibrate" -m "$dir/fattree" -o "$dir/fitted" \
	"$dir/measured" > "$dir/out" || complain "weft-calibrate: $(cat "$dir/out")"
tables "$dir/fitted" > "$dir/repeated"
paste "$dir/measured" "$dir/repeated" |
	awk '!/#/ { e = $2 / $4 - 1; if (e > 0.05 || e < -0.05) { bad = 1
		print } } END { exit bad }' ||
	complain "the fitted machine differs by more than 5 %"

# without a slash the argument would be the name of a machine, not of a file
cd "$dir" || exit 1
run 125 --machine fattree -n 2 true
err 'no machine fattree; the file in this folder is ./fattree'
cd - > /dev/null || exit 1

# unfit TEXT FILE: checks that no machine file is written, and that the reason
# contains TEXT
unfit() {
	"$builddir/weft-calibrate" -m "$dir/fattree" -o "$dir/none" "$2" \
		> "$dir/out" 2> "$dir/err"
	[ $? = 2 ] && [ ! -e "$dir/none" ] || complain "weft-calibrate $2"
	err "$1"
}
printf '# OSU MPI Latency Test\n8 1e11\n1048576 9e11\n' > "$dir/slow"
unfit "the fitted machine is not valid: $dir/none:7: link = " "$dir/slow"
: > "$dir/empty"
unfit "$dir/empty: no values" "$dir/empty"
nothing_left
exit $failed
