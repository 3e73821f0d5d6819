#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests mpiexec --replay and --calls: processes that make recorded calls have
# the same events as the recorded run, also if these calls are a job beside a
# program.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
for app in cg fft lu sort; do
	build_mpi app_$app "$top_srcdir/bench/apps/app_$app.c" || exit 1
done
build_mpi vt_replay "$top_srcdir/test/vt/vt_replay.c" || exit 1
build_mpi vt_jobs "$top_srcdir/test/vt/vt_jobs.c" || exit 1
prog=$dir/vt_jobs

events() { grep -o 'virtual time.*hash.*' "$dir/err"; }

# same MACHINE RANKS PROGRAM ARGUMENTS...: records a run, and checks that its
# replay has the same events
same() {
	local machine=$1 ranks=$2 want got
	shift 2
	run 0 -v --machine "$machine" -n "$ranks" --record "$dir/calls" "$@"
	want=$(events)
	run 0 -v --machine "$machine" --replay "$dir/calls"
	got=$(events)
	[ -n "$want" ] && [ "$want" = "$got" ] ||
		complain "$machine, $ranks ranks, $*: run $want, replay $got"
}

for machine in bgq gemini qsnet2 sunway apenet generic; do
	same $machine 8 "$dir/app_cg" 24
	same $machine 8 "$dir/app_sort" 20000
	same $machine 8 "$dir/app_fft" 32 1
	same $machine 8 "$dir/app_lu" 200 8
	same $machine 6 "$dir/vt_replay" ring 1024
	same $machine 8 "$dir/vt_replay" halo 20000
	same $machine 5 "$dir/vt_replay" alltoall 2048
	same $machine 7 "$dir/vt_replay" calls 300
done

for machine in bgq gemini; do
	same $machine 6 "$dir/vt_replay" blocks 640
	same $machine 6 "$dir/vt_replay" blocks 64000
done

# the replay of recorded computation takes the same time
build_mpi vt_compute "$top_srcdir/test/vt/vt_compute.c" || exit 1
echo 'solve 100 us' > "$dir/table"
run 0 -v --machine bgq -n 4 --compute-table "$dir/table" \
	--record "$dir/calls" "$dir/vt_compute" region
want=$(events)
run 0 -v --machine bgq --compute 1 --replay "$dir/calls"
[ "$(events)" = "$want" ] || complain "computation: $(events), not $want"

# weft-sim --calls and mpiexec --calls make the same calls
for calls in halo,ranks=8,bytes=20000,steps=3 shift,ranks=6,bytes=300,compute=7 \
	alltoall,ranks=5,bytes=64 ring,ranks=4,bytes=100; do
	want=$("$builddir/weft-sim" --machine gemini --calls $calls 2> /dev/null |
		grep -o 'virtual time.*')
	run 0 -v --machine gemini --calls $calls
	[ -n "$want" ] && [ "$(events)" = "$want" ] ||
		complain "--calls $calls: $(events), weft-sim $want"
done

# time_of RANKS: prints the time that the job with that many ranks has printed
time_of() { sed -n "s/^$1 ranks .*: \(.*\) us/\1/p" "$dir/out"; }

# a recording is replayed as background traffic of a program
run 0 --machine bgq:2x2x2x2x2 -n 16 --record "$dir/calls" "$prog" main 65536
run 0 --machine bgq:2x2x2x2x2 -n 16 --place random=3 "$prog" main 65536
alone=$(time_of 16)
beside() {
	run 0 -v --machine bgq:2x2x2x2x2 --report -n 16 --place random=3 "$prog" main 65536 \
		: --job --background --replay "$dir/calls" --place random
	grep -v '^mpiexec: warning' "$dir/err" > "$dir/err$1"
}
beside 1
slow=$(time_of 16)
awk -v a="$alone" -v b="$slow" 'BEGIN { exit !(a > 0 && b > 1.02 * a) }' ||
	complain "$slow us beside a replay, $alone alone"
err "job 1: 16 ranks (16-31) on 16 nodes (random), background: $dir/calls"
beside 2
[ "$(time_of 16)" = "$slow" ] && cmp "$dir/err1" "$dir/err2" ||
	complain "two runs beside a replay differ"

# a pattern whose ranks do not communicate does not stop the model
run 0 --machine bgq -n 4 "$prog" main 64 \
	: --job --background --calls ring,ranks=1,compute=1
run 0 --machine bgq -n 4 "$prog" main 64 \
	: --job --background --calls ring,ranks=2,steps=0

# calls in another folder than mpiexec's current one, and several jobs that
# replay calls
(cd "$dir" && mkdir -p sub && run 0 --machine bgq -wdir sub --replay calls \
	: --job --calls ring,ranks=3; exit $failed) || failed=1

# replays an OTF2 archive
if [ -e "$builddir/.libs/libweft-replay-otf2.so" ]; then
	run 0 --machine bgq -n 4 --trace "$dir/t.otf2" "$prog" main 64
	want=$("$builddir/weft-sim" --replay "$dir/t.otf2/traces.otf2" 2> /dev/null |
		grep -o 'virtual time.*')
	run 0 -v --machine bgq --replay "$dir/t.otf2/traces.otf2"
	[ -n "$want" ] && [ "$(events)" = "$want" ] ||
		complain "an archive: $(events), weft-sim $want"
fi

# wrong arguments
run 125 --machine bgq -n 3 --replay "$dir/calls"
err "-n 3: --replay $dir/calls has the calls of 16 ranks; leave out -n"
run 125 --machine bgq --replay "$dir/calls" "$prog"
err '--replay: takes no program'
run 125 --replay "$dir/calls"
err '--replay: needs a modelled machine'
run 125 --machine bgq --clock live --calls ring
err '--calls: needs a modelled machine'
run 125 --machine bgq --replay "$dir/calls" --calls ring
err '--replay and --calls: a job has one of them'
run 125 --machine bgq --calls star
err '--calls: no pattern "star"; use ring, halo, alltoall or shift'
run 125 --machine bgq --replay "$dir/nothing"
err "--replay: $dir/nothing: No such file or directory"
head -c 1000 "$dir/calls" > "$dir/short"
run 125 --machine bgq --replay "$dir/short"
err ": truncated"
run 125 --machine bgq --replay "$dir/table"
err 'not a trace of calls'
nothing_left
exit $failed
