#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Random one-sided programs, compared with a model (test/mpi/win/win_fuzz.c),
# with 16 ranks on every machine: live through shared memory, through the
# interfaces and by messages, and in virtual time twice, where both runs must
# print the same bytes. LONG=1: with each number of ranks from 1 to 16, and more
# rounds.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi win_fuzz -I"$top_srcdir/test/mpi" "$top_srcdir/test/mpi/win/win_fuzz.c" ||
	exit 1
rounds=${LONG:+4}5 # five kinds of epochs alternate

# live MACHINE PATH RANKS: runs the program in live mode over this path
live() {
	FI_WEFT_MACHINE=$1 WEFT_WIN_PATH=$2 timeout -k 5 "${LONG:+5}60" \
		"$mpiexec" -n "$3" "$dir/win_fuzz" "$rounds" \
		> "$dir/out" 2>&1 < /dev/null ||
		complain "$*: exit code $?: $(tail -n 5 "$dir/out")"
}

# again MACHINE RANKS: checks that two runs in virtual time have the same output
again() {
	local i
	for i in 1 2; do
		timeout -k 5 "${LONG:+5}60" "$mpiexec" -v --machine "$1" \
			-n "$2" "$dir/win_fuzz" "$rounds" \
			> "$dir/$i" 2> "$dir/$i.err" < /dev/null ||
			complain "$*: exit code $?: $(tail -n 5 "$dir/$i.err")"
		grep '^weft: virtual time' "$dir/$i.err" >> "$dir/$i"
	done
	grep -q 'hash' "$dir/1" || complain "$*: no hash"
	cmp -s "$dir/1" "$dir/2" || complain "$*: two runs differ:
$(diff "$dir/1" "$dir/2" | head -n 5)"
}

for machine in native bgq qsnet2 gemini sunway apenet; do
	for n in ${LONG:+$(seq 15)} 16; do
		live $machine memory "$n"
		live $machine fabric "$n"
		[ -z "$LONG" ] && [ $machine != native ] ||
			live $machine messages "$n"
	done
	[ $machine = native ] && continue
	for n in ${LONG:+$(seq 6)} 7 ${LONG:+$(seq 8 16)}; do
		again $machine "$n"
	done
done
exit $failed
