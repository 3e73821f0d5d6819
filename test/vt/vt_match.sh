#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests matching of messages by the interface (qsnet2): receives progress while
# the receiver computes, searches of the queues take time, and the ranks of a
# node share the processor of the interface. Also tests FI_WEFT_MATCH=host. All
# times are virtual, in us.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_match "$top_srcdir/test/vt/vt_match.c" || exit 1

# large PROGRAM MATCH SEND_LEAST SEND_MOST RECV_LEAST RECV_MOST: checks the
# times of a send and a receive with FI_WEFT_MATCH=MATCH
large() {
	FI_WEFT_MATCH=$2 run 0 -q --machine qsnet2:4 -n 2 "$dir/vt_match" "$1"
	echo "$1, $2: $(sort "$dir/out" | tr '\n' ' ')"
	awk -v sl="$3" -v sm="$4" -v rl="$5" -v rm="$6" '
		$1 == "send" && ($2 < sl || $2 > sm) { bad = 1 }
		$1 == "recv" && ($2 < rl || $2 > rm || $3 != -1) { bad = 1 }
		END { exit bad || NR != 2 }' "$dir/out" ||
		complain "$1, $2: not $3 to $4 and $5 to $6 us"
}
large early unit 285 310 1000 1002
large early host 1285 1310 1285 1310
# threads MACHINE LEAST MOST: checks that bgq's communication threads and
# gemini's progress threads also let receives progress
threads() {
	run 0 -q --machine "$1" -n 2 "$dir/vt_match" early
	echo "$1: $(sort "$dir/out" | tr '\n' ' ')"
	awk -v least="$2" -v most="$3" '
		$1 == "send" && ($2 < least || $2 > most) { bad = 1 }
		$1 == "recv" && ($2 < 1000 || $2 > 1004) { bad = 1 }
		END { exit bad || NR != 2 }' "$dir/out" ||
		complain "$1: a message waits for the processor"
}
threads bgq@commthread:2 140 160
threads gemini@progress 30 50
large late unit 1285 1310 1285 1310
large late host 1285 1310 1285 1310
# the interface fetches the bytes, the processor unpacks them later
large typed unit 285 310 1000 1002
# MPI packs when the send is posted
large pack unit 1000 1002 285 310

# value NAME NUMBER: prints the third word of the line of the last run that
# begins with NAME and NUMBER
value() {
	awk -v what="$1" -v n="$2" '$1 == what && $2 == n { print $3 }' "$dir/out"
}

# differs NAME LESS MORE WANT: checks that the times MORE and LESS differ by
# WANT us
differs() {
	awk -v a="$2" -v b="$3" -v want="$4" '
		BEGIN { exit !(a != "" && b - a > want - .02 && b - a < want + .02) }' ||
		complain "$1: $3 - $2 us is not $4 us"
}

# the interface takes 60 ns for each of 100 more entries; the host's processor
# takes no time to search
run 0 -q --machine qsnet2:4 -n 2 "$dir/vt_match" queue
differs "queue, unit" "$(value queue 0)" "$(value queue 100)" 6
FI_WEFT_MATCH=host run 0 -q --machine qsnet2:4 -n 2 "$dir/vt_match" queue
differs "queue, host" "$(value queue 0)" "$(value queue 100)" 0

# four ranks of a node, four messages at once: the last waits for three matches
printf '%s\n' "0 0" "0 1" "0 2" "0 3" "1 0" "2 0" "3 0" "3 1" > "$dir/map"
run 0 -q --machine qsnet2:4 --ppn 4 --map "$dir/map" -n 8 "$dir/vt_match" node
cat "$dir/out"
awk -v a="$(value node 1)" -v b="$(value node 4)" '
	BEGIN { exit !(a != "" && b - a > .85 && b - a < 1.3) }' ||
	complain "the ranks of a node do not share the interface's processor"

# the same times and bytes in every run
run 0 -q --machine qsnet2:4x4 -n 7 "$dir/vt_match" pairs
sort "$dir/out" > "$dir/first"
grep -q wrong "$dir/first" && complain "$(grep wrong "$dir/first")"
[ "$(wc -l < "$dir/first")" -eq 7 ] || complain "pairs: $(cat "$dir/first")"
taskset -c 0 "$mpiexec" -q --machine qsnet2:4x4 -n 7 "$dir/vt_match" pairs |
	sort | cmp - "$dir/first" || complain "other times on one core"
FI_WEFT_MATCH=host run 0 -q --machine qsnet2:4x4 -n 7 "$dir/vt_match" pairs
grep -q wrong "$dir/out" && complain "host: $(grep wrong "$dir/out")"

FI_WEFT_MATCH=board run 0 --machine qsnet2:4 -n 2 "$dir/vt_match" early
err 'FI_WEFT_MATCH=board is not one of machine|unit|host'
exit $failed
