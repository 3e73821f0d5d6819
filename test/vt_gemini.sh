#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# MPI on Gemini's network: what its paper states of programs. A small message
# takes 1.5 us at most, a long one goes over all links between two chips: more
# than 5 GB/s in every dimension, and half of it in y with the slow lanes.
. "$top_srcdir/test/run_lib.sh" || exit 1
. "$top_srcdir/test/vt_lib.sh" || exit 1
within=120
for b in latency bw; do
	build_mpi $b "$top_srcdir/bench/$b.c" || exit 1
done

# figure MACHINE MAP PROGRAM BYTES: of two ranks, in the program's unit
figure() {
	run 0 -q --machine "$1" --map "$2" -n 2 "$dir/$3" -m "$4:$4" -i 2 -x 1
	tail -n 1 "$dir/out" | awk '{ print $2 }'
}

# within WHAT FIGURE LEAST MOST
within() {
	echo "$1: $2"
	awk -v x="$2" -v a="$3" -v b="$4" 'BEGIN { exit !(x >= a && x <= b) }' ||
		complain "$1: $2 is not between $3 and $4"
}

# the last letter is the one in which the ranks are neighbours; T: one chip
for map in ABCT TCBA TACB TABC; do
	within "8 B, $map" "$(figure gemini:4x4x4 $map latency 8)" 0.5 1.5
	within "256 KiB, $map" "$(figure gemini:4x4x4 $map bw 262144)" 5000 8100
done
within "256 KiB in y, slow lanes" \
	"$(figure gemini@slow:4x4x4 TACB bw 262144)" 2900 3200
exit $failed
