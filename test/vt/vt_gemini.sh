#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that MPI on the model of Gemini's network has the performance given in
# the paper. A short message takes at most 1.5 us, a long message uses all links
# between two chips: more than 5 GB/s in every dimension, and half of that in y
# with the slow lanes. The rate of atomics is that of a unit that caches words.
# Collectives have no hardware support: every member but one executes one
# atomic, the rest are puts, which take less time than messages; long vectors
# use messages.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
within=120
build_bench latency bw barrier allreduce bcast || exit 1

# figure MACHINE MAP PROGRAM BYTES: prints the result of two ranks, in the unit
# of the program
figure() {
	run 0 -q --machine "$1" --map "$2" -n 2 "$dir/$3" -m "$4:$4" -i 2 -x 1
	tail -n 1 "$dir/out" | awk '{ print $2 }'
}

# within NAME FIGURE LEAST MOST: checks that FIGURE is between LEAST and MOST
within() {
	echo "$1: $2"
	awk -v x="$2" -v a="$3" -v b="$4" 'BEGIN { exit !(x >= a && x <= b) }' ||
		complain "$1: $2 is not between $3 and $4"
}

# The last letter of a map is the dimension in which the two ranks are
# neighbours; with T they are on the two nodes of one chip.
for map in ABCT TCBA TACB TABC; do
	within "8 B, $map" "$(figure gemini:4x4x4 $map latency 8)" 0.5 1.5
	within "256 KiB, $map" "$(figure gemini:4x4x4 $map bw 262144)" 5000 8100
done
within "256 KiB in y, slow lanes" \
	"$(figure gemini@slow:4x4x4 TACB bw 262144)" 2900 3200

# The rate of messages to another chip does not decrease by more than 3 % as
# they get longer: the packets of a message use all links, and both protocols
# have the same rate at the eager limit.
last=0
for bytes in 512 1024 2048 4096 8192 16384; do
	rate=$(figure gemini:4x4x4 TABC bw $bytes)
	within "$bytes B" "$rate" "$(awk -v x=$last 'BEGIN { print 0.97 * x }')" 8100
	last=$rate
done

# Short MPI puts are not ordered, so they use all links, and several processes
# of a node saturate its interface: 64 of every 76 bytes are data, at 9.6 GB/s.
# puts BYTES PROCESSES: prints the bandwidth in MB/s
puts() {
	run 0 -q --machine gemini:4x4x4 --ppn "$2" -n $((3 * $2)) \
		"$builddir/weft-reproduce-mpi" "puts:$1:$2"
	awk -v b="$1" '{ printf "%.0f\n", b * 1e6 / $2 }' "$dir/out"
}
within "puts of 64 B, a process" "$(puts 64 1)" 240 330
within "puts of 64 B, four processes" "$(puts 64 4)" 950 1300
within "puts of 1 KiB, four processes" "$(puts 1024 4)" 7800 8100

# MPI atomics on the memory of one rank: the unit of its interface caches 64
# words and executes 100 million atomics per second on cached words, 45 million
# on others; the measured time includes the start and the end of the job.
build_mpi vt_prog "$top_srcdir/test/vt/vt_prog.c" || exit 1
run 0 -q --machine gemini -n 32 "$dir/vt_prog" atomics
rate() { awk -v n="$1" '$1 == n { print $2 }' "$dir/out"; }
within "atomics on 1 word" "$(rate 1)" 80 100
within "atomics on 64 words" "$(rate 64)" 80 100
within "atomics on 128 words" "$(rate 128)" 45 75
within "atomics on 8192 words" "$(rate 8192)" 40 46

# Every error response is reported as an event to the rank that sent the packet,
# and MPI retransmits the packet: messages, puts and collectives complete.
for plan in 1 2; do
	run 0 -q --machine gemini -n 16 --ppn $plan --report \
		--faults "seed = $plan; memory * = 3e-3" "$dir/vt_prog" resent
	got=$(sed -n 's/^resent //p' "$dir/out")
	want=$(sed -n 's/^  error responses received  *//p' "$dir/err")
	echo "seed $plan: $want error responses, $got packets retransmitted"
	[ "$want" -gt 50 ] && [ "$got" = "$want" ] ||
		complain "seed $plan: $want error responses, $got retransmitted"
done

# collective RANKS PROGRAM BYTES: sets $time to the time of the collective, and
# $atomics to its total number of atomics
collective() {
	run 0 -q --report --machine gemini -n "$1" "$dir/$2" ${3:+-m "$3:$3"} \
		-i 10 -x 0
	time=$(awk '!/^#/ && NF { t = NF > 1 ? $2 : $1 } END { print t }' "$dir/out")
	atomics=$(sed -n 's/.* \([0-9][0-9]*\) atomics count arrivals.*/\1/p' "$dir/err")
	atomics=${atomics:-0}
}
collective 16 barrier
within "barrier of 16" "$time" 1.8 3.2
counted=$atomics
[ "$counted" -ge 150 ] && [ $((counted % 15)) = 0 ] ||
	complain "ten barriers of 16 ranks use $counted atomics"
quick=$time
WEFT_COLL_BARRIER=dissemination collective 16 barrier
awk -v a="$quick" -v b="$time" 'BEGIN { exit !(1.5 * a < b) }' ||
	complain "atomics take $quick us, messages $time"
[ "$atomics" -lt 60 ] || complain "messages use atomics: $atomics"
collective 64 barrier
within "barrier of 64" "$time" 3 6
collective 2 barrier
within "barrier of 2" "$time" 0.8 1.5
[ "$atomics" = 0 ] || complain "two ranks use $atomics atomics"
collective 16 bcast 512
within "512 B to 16" "$time" 2 3.5
[ "$atomics" -gt "$counted" ] || complain "a broadcast does not count arrivals"
collective 16 allreduce 8
within "8 B of 16" "$time" 3 5
collective 8 allreduce 2048
long=$time
WEFT_COLL_ALLREDUCE=recdbl collective 8 allreduce 2048
[ "$long" = "$time" ] || complain "2 KiB take $long us, by messages $time"
exit $failed
