#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks jobs of many ranks in virtual time: a rank has no PMIx thread, and its
# private memory grows by less than 0.75 KiB per rank of the job. LONG=1: 4096
# ranks with at most 4 MiB each, if the host has the memory.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi "$mark" "$top_srcdir/test/vt/vt_scale.c" || exit 1

# world RANKS: runs a job, and sets $threads and $private (KiB).
world() {
	run 0 -q --machine bgq -n "$1" "$dir/$mark"
	read -r _ threads _ private < "$dir/out"
	echo "$1 ranks: $threads threads, $private KiB"
	[ "${threads:-0}" = 1 ] || complain "$threads threads in a rank"
	nothing_left
}

world 32
small=$private
world 160
# 0.75 KiB for each of 128 more ranks is 96 KiB; 32 KiB allow for a few pages of
# other allocations
[ "$private" -le $((small + 96 + 32)) ] ||
	complain "160 ranks: $private KiB in a rank, $small KiB with 32 ranks"
free=$(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
if [ "${LONG:-0}" = 1 ] && [ "$free" -gt 14000 ]; then
	within=600 world 4096
	[ "$private" -le 4096 ] || complain "4096 ranks: $private KiB in a rank"
fi
exit $failed
