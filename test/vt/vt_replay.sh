#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A replay of recorded calls on the same machine has the same events, at the
# same times, as the run: the hashes are equal. Recording does not change times.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
for app in cg fft lu sort; do
	build_mpi app_$app "$top_srcdir/bench/apps/app_$app.c" || exit 1
done
build_mpi vt_replay "$top_srcdir/test/vt/vt_replay.c" || exit 1

# same MACHINE RANKS [OPTION...] -- PROGRAM ARGUMENTS...: checks that a run has
# the same events without recording, with recording, and in the replay
same() {
	local machine=$1 ranks=$2 options=() plain recorded replayed
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	run 0 -v --machine "$machine" "${options[@]}" -n "$ranks" "$@"
	plain=$(grep -o 'virtual time.*hash.*' "$dir/err")
	run 0 -v --machine "$machine" "${options[@]}" -n "$ranks" \
		--record "$dir/calls" "$@"
	recorded=$(grep -o 'virtual time.*hash.*' "$dir/err")
	grep 'unknown variable' "$dir/err" && complain "--record: a warning"
	replayed=$(timeout 60 "$builddir/weft-sim" --machine "$machine" \
		"${options[@]}" --replay "$dir/calls" 2>&1 |
		grep -e 'virtual time' -e weft-sim:.*rank)
	[ -n "$plain" ] && [ "$plain" = "$recorded" ] &&
		[ "$recorded" = "$replayed" ] && return
	complain "$machine, $ranks ranks, $*: run, recorded run and replay:"
	printf '%s\n' "$plain" "$recorded" "$replayed"
}

for machine in bgq gemini qsnet2 sunway apenet; do
	same $machine 8 -- "$dir/app_cg" 24
	same $machine 8 -- "$dir/app_sort" 20000
	same $machine 8 -- "$dir/app_fft" 32 1
	same $machine 8 -- "$dir/app_lu" 200 8
	same $machine 6 -- "$dir/vt_replay" ring 1024
	same $machine 8 -- "$dir/vt_replay" halo 64
	same $machine 8 -- "$dir/vt_replay" halo 20000
	same $machine 5 -- "$dir/vt_replay" alltoall 2048
	same $machine 7 -- "$dir/vt_replay" calls 300
done
same bgq 6 -- "$dir/vt_replay" blocks 64000
same gemini 6 -- "$dir/vt_replay" blocks 640
same bgq 8 --ppn 4 -- "$dir/app_cg" 24
# The same on a machine of the user.
for form in fattree dragonfly; do
	"$builddir/weft-sim" --new $form 100Gb > "$dir/own" 2> /dev/null
	same "$dir/own" 8 -- "$dir/app_cg" 24
	same "$dir/own" 8 -- "$dir/vt_replay" halo 20000
done
same gemini 8 --map TCBA --ppn 2 -- "$dir/vt_replay" halo 3000

# Computation between calls is recorded, and scaled by --compute.
build_mpi vt_compute "$top_srcdir/test/vt/vt_compute.c" || exit 1
echo 'solve 100 us' > "$dir/table"
run 0 -v --machine bgq -n 4 --noise 2000,30 --compute-table "$dir/table" \
	--record "$dir/calls" "$dir/vt_compute" region
want=$(grep -o 'virtual time.*hash.*' "$dir/err")
got=$(timeout 60 "$builddir/weft-sim" --machine bgq --replay "$dir/calls" \
	2> /dev/null | grep 'virtual time')
[ -n "$got" ] && [ "$want" = "$got" ] ||
	complain "computation: $got, not $want"
timeout 60 "$builddir/weft-sim" --machine bgq --compute 0 \
	--replay "$dir/calls" 2> /dev/null | grep -qE 'virtual time [0-9]\.' ||
	complain "--compute 0 replays computation"

# Replays calls recorded on one machine on another machine, and with another
# algorithm.
run 0 -v --machine gemini -n 8 "$dir/vt_replay" halo 64
want=$(grep -o 'virtual time.*hash.*' "$dir/err")
run 0 --machine bgq -n 8 --record "$dir/calls" "$dir/vt_replay" halo 64
got=$(timeout 60 "$builddir/weft-sim" --machine gemini --replay "$dir/calls" \
	2> /dev/null | grep 'virtual time')
[ "$want" = "$got" ] || complain "bgq's calls on gemini: $got, not $want"
got=$(WEFT_COLL_ALLREDUCE=ring timeout 60 "$builddir/weft-sim" \
	--machine gemini --replay "$dir/calls" 2> /dev/null |
	grep 'virtual time')
[ "$want" != "$got" ] || complain "WEFT_COLL_ALLREDUCE has no effect"

# A call that cannot be replayed is refused, and the message contains its name.
run 0 --machine bgq -n 2 --record "$dir/calls" "$dir/vt_replay" window 8
timeout 60 "$builddir/weft-sim" --replay "$dir/calls" > "$dir/out" 2> "$dir/err"
err 'MPI_Win_allocate cannot be replayed'
run 125 --machine bgq -n 2 --record /nonexistent/x "$dir/vt_replay" ring 8
err 'mpiexec: --record /nonexistent/x: No such file'
exit $failed
