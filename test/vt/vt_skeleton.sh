#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests mpiexec --skeleton: the ranks share the memory of large buffers, other
# data is transferred as usual, and virtual times are those of a run without the
# option.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_skeleton "$top_srcdir/test/vt/vt_skeleton.c" || exit 1

# says WORD: checks that the last run has printed this word
says() { grep -qx "$1" "$dir/out" || complain "not $1: $(cat "$dir/out")"; }

for machine in bgq gemini qsnet2 generic; do
	run 0 -v --machine $machine -n 5 "$dir/vt_skeleton"
	says private
	hash=$(grep -o 'hash.*' "$dir/err")
	run 0 -v --machine $machine -n 5 --skeleton "$dir/vt_skeleton"
	says folded
	[ -n "$hash" ] && [ "$(grep -o 'hash.*' "$dir/err")" = "$hash" ] ||
		complain "$machine: other times with --skeleton"
done
# blocks smaller than the option's number of bytes are private to a rank
run 0 --machine bgq -n 5 --skeleton=300000000 "$dir/vt_skeleton"
says private
run 125 --machine bgq -n 2 --skeleton=0 "$dir/vt_skeleton"
# the option is refused without virtual time
run 0 -n 2 --skeleton "$dir/vt_skeleton"
says private
grep -q -e '--skeleton has no effect' "$dir/err" || complain "no note"
exit $failed
