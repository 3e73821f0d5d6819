#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that a rank that dies, exits early or aborts ends a job in virtual
# time, and that Ctrl-C does so, too; the last line of the output names the
# reason, and nothing is left behind.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi "$mark" "$top_srcdir/test/vt/vt_prog.c" || exit 1
virtual="-q --machine bgq -n 4"

# ends CODE CASE PATTERN: checks the exit code and the last line
ends() {
	run "$1" $virtual "$dir/$mark" "$2"
	last "$3"
	nothing_left
	echo "$2"
}

ends 139 crash 'rank 1 .* signal 11 \(Segmentation fault\)$'
ends 137 killed 'rank 1 .* signal 9 \(Killed\)$'
ends 1 leave 'rank 1 .* exited with code 0 without calling MPI_Finalize$'
ends 3 fail 'rank 1 .* exited with code 3$'
ends 5 abort 'rank 1 .* called MPI_Abort with error code 5'
run 0 $virtual "$dir/$mark" good
nothing_left

# Returns whether all four ranks have mapped the shared memory of virtual time.
in_virtual_time() {
	[ "$(grep -ls 'memfd:weft-vt' $(leftovers | sed 's|.*|/proc/&/maps|') \
		< /dev/null | wc -l)" -ge 4 ]
}

# Ctrl-C, and the death of mpiexec itself
for sig in INT KILL; do
	env --default-signal=INT "$mpiexec" $virtual "$dir/$mark" forever \
		> "$dir/out" 2> "$dir/err" < /dev/null &
	pid=$!
	wait_for in_virtual_time
	kill -$sig $pid
	ended $pid
	[ $sig = KILL ] || [ $got = 130 ] ||
		complain "after SIG$sig: exit code $got"
	nothing_left
	echo "SIG$sig"
done
exit $failed
