#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Loops on the clock and on tests end, at the machine's time; several threads
# of a rank work; the options of mpiexec reach the model.
. "$top_srcdir/test/run_lib.sh" || exit 1
. "$top_srcdir/test/vt_lib.sh" || exit 1
build_mpi vt_prog "$top_srcdir/test/vt_prog.c" || exit 1

run 0 -q --machine bgq -n 4 "$dir/vt_prog" loops
sort "$dir/out"
# rank 0 waits 2 * 50 us, rank 2 2 * 150 us; their peers wait for them
awk '{ want = $2 < 2 ? 100 : 300 }
	$3 < want || $3 > want + 2 { print "not near " want ": " $0; bad = 1 }
	END { exit bad || NR != 4 }' "$dir/out" || complain "loops end elsewhere"

run 0 -q --machine bgq -n 4 "$dir/vt_prog" flood
out 'in proportion'

# overlap MACHINE LEAST MOST: us until rank 0 has 1 MiB of one who computes
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
FI_WEFT_DMA=no overlap bgq:2 20000 21000 # then its processor has to send

run 0 -q --machine bgq -n 4 "$dir/vt_prog" threads
echo threads

# ranks on one node are nearer to each other than on two
near=$("$mpiexec" -q --machine bgq:2x1x1x1x1 --ppn 2 -n 2 "$dir/vt_prog" good)
far=$("$mpiexec" -q --machine bgq:2x1x1x1x1 --ppn 2 --map TABCDE -n 2 \
	"$dir/vt_prog" good)
echo "near $near, far $far"
[ "$near" != "$far" ] || complain "--map changes nothing"
printf '0 0 0 0 0 0\n1 0 0 0 0 0\n' > "$dir/map"
run 0 -q --machine bgq:2x1x1x1x1 --ppn 2 --map "$dir/map" -n 2 \
	"$dir/vt_prog" good
[ "$(cat "$dir/out")" = "$far" ] || complain "a map from a file is another"

# Switches whose tables hold one group by each port: others of the same nodes
# go with it, and those who are no members drop what comes.
sed 's/^routes_port .*/routes_port = 1/' "$top_srcdir/share/machines/sunway" \
	> "$dir/coarse"
run 0 -q --machine sunway --report -n 40 "$dir/vt_prog" groups
opened=$(grep -o 'class routes: [0-9]* opened' "$dir/err")
run 0 -q --machine "$dir/coarse" --report -n 40 "$dir/vt_prog" groups
echo "sunway: $opened"
err "$opened"
[ "${opened//[^0-9]/}" -ge 7 ] || complain "groups have no class routes"

# a machine of one's own
cp "$top_srcdir/share/machines/bgq" "$dir/slow"
sed -i 's/^hop .*/hop = 90 ns/' "$dir/slow"
run 0 -q --machine "$dir/slow:2x1x1x1x1" -n 2 "$dir/vt_prog" good
slow=$(cat "$dir/out")
echo "slow $slow"
[ "$slow" != "$near" ] && [ "$slow" != "$far" ] ||
	complain "the file of a machine changes nothing"
sed -i 's/^unit .*/unit = mi/' "$dir/slow"
run 125 --machine "$dir/slow:2x1x1x1x1" -n 2 "$dir/vt_prog" good
err 'unit = mi: no such network interface'
cp "$top_srcdir/share/machines/qsnet2" "$dir/tree"
run 0 -q --machine "$dir/tree@em64t:4" -n 2 "$dir/vt_prog" good
tree=$(cat "$dir/out")
run 0 -q --machine "qsnet2@em64t:4" -n 2 "$dir/vt_prog" good
[ "$(cat "$dir/out")" = "$tree" ] || complain "a copy of qsnet2 is another"
run 0 -q --machine "$dir/tree:4" -n 2 "$dir/vt_prog" good
[ "$(cat "$dir/out")" != "$tree" ] || complain "@em64t changes nothing"
run 125 --machine "$dir/nothing" -n 2 "$dir/vt_prog" good

# options that other launchers would pass on unseen
export FI_WEFT_MACHINE=bgq FI_WEFT_CLOCK=virtual
FI_WEFT_PPN=-1 run 1 -n 2 "$dir/vt_prog" good
err 'FI_WEFT_PPN=-1: 1 to 1000000 ranks on a node'
FI_WEFT_COMPUTE=soon run 1 -n 2 "$dir/vt_prog" good
err 'FI_WEFT_COMPUTE=soon: a factor'
exit $failed
