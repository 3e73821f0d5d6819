#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks on every machine that local calls return while other ranks communicate,
# at the same virtual time in every run, and that a rank that completes receives
# is not reported as waiting. test/vt/vt_poll.c has the cases.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_poll "$top_srcdir/test/vt/vt_poll.c" || exit 1

# once MACHINE RANKS CASE...: checks that the job ends, and that a second run on
# one core prints the same output
once() {
	local machine=$1 n=$2
	shift 2
	run 0 -q --machine "$machine" -n "$n" "$dir/vt_poll" "$@"
	sort -o "$dir/first" "$dir/out"
	taskset -c 0 timeout 30 "$mpiexec" -q --machine "$machine" -n "$n" \
		"$dir/vt_poll" "$@" < /dev/null 2>&1 | sort > "$dir/again"
	# each rank prints its time
	[ "$(grep -cE '^[0-9]+ [0-9]+\.[0-9]+$' "$dir/first")" = "$n" ] ||
		complain "$machine $*: a rank prints no time"
	cmp -s "$dir/first" "$dir/again" ||
		complain "$machine $*: a second run prints other output"
	echo "$machine $*: $(tr '\n' ' ' < "$dir/first")"
}

calls="test testany testsome testall get_status iprobe improbe win_sync
	win_flush win_test"
for machine in bgq qsnet2 gemini sunway apenet; do
	for case in $calls early clock memory; do
		once $machine 4 $case
	done
	# more polls for receives without a packet than the number of polls that
	# counts as a deadlock
	once $machine 2 oneway 40000
done
once bgq 2 long 1000
# If a rank polls while all others wait, this is not a deadlock, unless the rank
# polls forever, which test/vt/vt_deadlock.sh tests.
once bgq 4 many_polls 20000
nothing_left
exit $failed
