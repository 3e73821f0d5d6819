#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jobs that survive the death of ranks (mpiexec --survive): errors, revocation,
# agreement and shrink on every machine; ranks that are killed at random moments
# (LONG=1: 500 runs); exit codes; nothing is left behind.
. "$top_srcdir/test/run/run_lib.sh" || exit 1

# build FILE NAME: compiles a program
build() {
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -I"$top_srcdir" \
		-I"$top_srcdir/include" "$top_srcdir/$1" -o "$dir/$2" \
		-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
}
build test/mpi/fault/fault_basic.c basic
build test/mpi/fault/fault_random.c random
build examples/survive.c solver

# good RANKS: checks that RANKS ranks have succeeded
good() {
	[ "$(grep -c ': good$' "$dir/out")" = "$1" ] && return
	complain "$what: not $1 ranks report success:"
	cat "$dir/out" "$dir/err"
}

for machine in native bgq gemini qsnet2 sunway apenet; do
	export FI_WEFT_MACHINE=$machine
	for case in errors receive send any_source collectives revoke agree \
		missing shrink; do
		what="$machine, $case"
		run 0 --survive -n 4 "$dir/basic" $case
		left=3
		[ $case = shrink ] && left=2
		good $left
	done
	run 0 --survive -n 17 "$dir/basic" shrink
	good 15
done
unset FI_WEFT_MACHINE
what="processor time after a failure"
run 0 --survive -n 4 "$dir/basic" idle
good 3
nothing_left

# random RUN MACHINE: runs a job whose ranks are killed at random moments
random() {
	local n=$((3 + $1 % 7))
	local victims=$((1 + $1 % (n - 1)))
	export FI_WEFT_MACHINE=$2
	what="$2, $n ranks, seed $1"
	run 0 --survive -n $n "$dir/random" "$1" $victims 150
	[ "$(grep -c ': good$' "$dir/out")" -ge $((n - victims)) ] ||
		complain "$what: $(cat "$dir/out" "$dir/err")"
}
machines=(native bgq gemini qsnet2 sunway apenet)
runs=12
[ -z "$LONG" ] || runs=500
for i in $(seq $runs); do
	random "$i" "${machines[i % 6]}"
	[ $failed = 0 ] || break
done
unset FI_WEFT_MACHINE
nothing_left

# the example must have the same result with and without failures
run 0 --survive -n 4 "$dir/solver"
want=$(grep result "$dir/out")
[ -n "$want" ] || complain "no result: $(cat "$dir/out")"
for when in 11 35 99; do
	run 0 --survive -n 4 "$dir/solver" $((when % 4)) $when
	[ "$(grep result "$dir/out")" = "$want" ] ||
		complain "step $when: $(cat "$dir/out")"
done

# exit codes: the death of a rank is not an error, unless no rank is left; the
# exit code of a rank after MPI_Finalize is; MPI_Abort ends the job
c() { echo "$client -1:$mark"; }
run 137 --survive -n 2 $(c) init kill=9
run 139 --survive -n 3 $(c) 1:kill=11 init fence fini
last 'rank 1 .* exited on signal 11'
run 137 --survive -n 4 "$dir/basic" all
run 125 --survive -launcher mpirun -host elsewhere.example -n 2 true
last 'possible only with -launcher ssh'
# the report has the times of the recovery, by the host's clock
run 0 --survive --report -n 4 "$dir/solver" 2 35
for line in 'detection of rank 2 +3' 'revocation +3' 'agreement +3' 'shrink +3'; do
	grep -qE "^  $line " "$dir/err" ||
		complain "no $line in the report: $(cat "$dir/err")"
done
nothing_left
end
