#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that loops that call MPI_Wtime or MPI_Test end at the right virtual
# time, that a rank may have several threads, and that the options of mpiexec
# reach the model.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_prog "$top_srcdir/test/vt/vt_prog.c" || exit 1

run 0 -q --machine bgq -n 4 "$dir/vt_prog" loops
sort "$dir/out"
# rank 0 waits 2 * 50 us, rank 2 2 * 150 us; their peers wait for them
awk '{ want = $2 < 2 ? 100 : 300 }
	$3 < want || $3 > want + 2 { print "not near " want ": " $0; bad = 1 }
	END { exit bad || NR != 4 }' "$dir/out" || complain "loops end at other times"

run 0 -q --machine bgq -n 4 "$dir/vt_prog" flood
out 'in proportion'

# overlap MACHINE LEAST MOST: checks that the time until rank 0 has received 1
# MiB from a rank that computes is between LEAST and MOST us
overlap() {
	run 0 -q --machine "$1" -n 2 "$dir/vt_prog" overlap
	echo "$1: $(sort "$dir/out" | tr '\n' ' ')"
	awk -v least="$2" -v most="$3" '
		$1 == 0 && ($2 < least || $2 > most) { bad = 1 }
		$1 == 1 && $2 < 20000 { bad = 1 }
		END { exit bad || NR != 2 }' "$dir/out" ||
		complain "$1: 1 MiB not between $2 and $3 us"
}
overlap bgq:2 580 610
overlap qsnet2:4 1130 1180
overlap gemini 130 180
overlap sunway 75 110
overlap apenet 470 800
FI_WEFT_DMA=no overlap bgq:2 20000 21000 # without DMA its processor has to send

# reach MACHINE MOST LONG: checks one-sided accesses to a rank that computes:
# short ones take at most MOST us, those of 1 MiB at most LONG us, and each
# access reads the values written by the previous ones
reach() {
	run 0 -q --machine "$1" -n 2 "$dir/vt_prog" reach
	echo "$1: $(tr '\n' ',' < "$dir/out")"
	awk -v most="$2" -v long="$3" '
		$1 > ($2 == "long" ? long : most) { print "late: " $0; bad = 1 }
		{ found = found " " $NF }
		END { exit bad || found != " -1 1 -1 -1 1 2 -1 3" }' \
		"$dir/out" || complain "$1: a rank waits for a processor"
}
reach bgq:2 1.5 610
reach qsnet2:4 3 1180
reach gemini 2 180
# accesses of 8 bytes use the fast path of the machine: STEN on qsnet2, FMA on
# gemini
# access_takes NAME LEAST MOST COUNT: checks that COUNT accesses of this kind in
# the output take LEAST to MOST us
access_takes() {
	awk -v name="$1" -v least="$2" -v most="$3" -v count="$4" \
		'$2 == name && $1 >= least && $1 <= most { n++ }
		END { exit n != count }' "$dir/out" ||
		complain "$4 accesses ($1) do not take $2 to $3 us: $(cat "$dir/out")"
}
run 0 -q --machine qsnet2:4 -n 2 "$dir/vt_prog" reach
access_takes put 1.0 1.2 1 # 0.85 us, software, and the acknowledgement
access_takes get 2.6 2.7 2 # a DMA that a STEN packet starts: no stores of its host
run 0 -q --machine gemini -n 2 "$dir/vt_prog" reach
access_takes put 0.85 1.0 1 # 0.7 us, software, and the response
FI_WEFT_DMA=no run 0 -q --machine gemini -n 2 "$dir/vt_prog" reach
awk 'NR == 1 && $1 < 20000 { exit 1 }' "$dir/out" ||
	complain "a put completes without DMA and without progress of the target"

run 0 -q --machine bgq -n 4 "$dir/vt_prog" threads
echo threads

# the latency between ranks on one node is lower than between two nodes
same_node=$("$mpiexec" -q --machine bgq:2x1x1x1x1 --ppn 2 -n 2 "$dir/vt_prog" good)
two_nodes=$("$mpiexec" -q --machine bgq:2x1x1x1x1 --ppn 2 --map TABCDE -n 2 \
	"$dir/vt_prog" good)
echo "same node $same_node, two nodes $two_nodes"
[ "$same_node" != "$two_nodes" ] || complain "--map has no effect"
printf '0 0 0 0 0 0\n1 0 0 0 0 0\n' > "$dir/map"
run 0 -q --machine bgq:2x1x1x1x1 --ppn 2 --map "$dir/map" -n 2 \
	"$dir/vt_prog" good
[ "$(cat "$dir/out")" = "$two_nodes" ] || complain "a map from a file gives other times"

# Switches whose tables have one entry for groups per port: several groups of
# these nodes share the entry, and nodes that are not members drop the packets.
sed 's/^routes_port .*/routes_port = 1/' "$top_srcdir/share/machines/sunway" \
	> "$dir/coarse"
run 0 -q --machine sunway --report -n 40 "$dir/vt_prog" groups
opened=$(grep -o 'class routes: [0-9]* opened' "$dir/err")
run 0 -q --machine "$dir/coarse" --report -n 40 "$dir/vt_prog" groups
echo "sunway: $opened"
err "$opened"
[ "${opened//[^0-9]/}" -ge 7 ] || complain "too few class routes were opened"

# a machine file of the user
cp "$top_srcdir/share/machines/bgq" "$dir/slow"
sed -i 's/^hop .*/hop = 90 ns/' "$dir/slow"
run 0 -q --machine "$dir/slow:2x1x1x1x1" -n 2 "$dir/vt_prog" good
slow=$(cat "$dir/out")
echo "slow $slow"
[ "$slow" != "$same_node" ] && [ "$slow" != "$two_nodes" ] ||
	complain "a changed machine file has no effect"
sed -i 's/^unit .*/unit = mi/' "$dir/slow"
run 125 --machine "$dir/slow:2x1x1x1x1" -n 2 "$dir/vt_prog" good
err 'unit = mi: no such network interface'
cp "$top_srcdir/share/machines/qsnet2" "$dir/tree"
run 0 -q --machine "$dir/tree@em64t:4" -n 2 "$dir/vt_prog" good
tree=$(cat "$dir/out")
run 0 -q --machine "qsnet2@em64t:4" -n 2 "$dir/vt_prog" good
[ "$(cat "$dir/out")" = "$tree" ] || complain "a copy of qsnet2's file gives other times"
run 0 -q --machine "$dir/tree:4" -n 2 "$dir/vt_prog" good
[ "$(cat "$dir/out")" != "$tree" ] || complain "@em64t has no effect"
run 125 --machine "$dir/nothing" -n 2 "$dir/vt_prog" good

# options in the environment, which other launchers pass on unchecked: the ranks
# check them
export FI_WEFT_MACHINE=bgq FI_WEFT_CLOCK=virtual
FI_WEFT_PPN=-1 run 1 -n 2 "$dir/vt_prog" good
err 'FI_WEFT_PPN=-1: must be 1 to 1000000 ranks per node'
FI_WEFT_COMPUTE=soon run 1 -n 2 "$dir/vt_prog" good
err 'FI_WEFT_COMPUTE=soon: must be a factor'
exit $failed
