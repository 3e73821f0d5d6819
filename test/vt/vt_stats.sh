#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mpiexec --stats: tables of links, nodes and messages, as CSV and JSON lines;
# energies from the machine file; examples/sweep.sh.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_replay "$top_srcdir/test/vt/vt_replay.c" || exit 1

# sum FILE COLUMN: prints the sum of a column of a table
sum() { awk -F'"' '{ print ($3 == "" ? $0 : "node" $3) }' "$dir/$1" |
	awk -F, -v c="$2" 'NR > 1 { s += $c } END { printf "%.9g\n", s }'; }
# is WHAT GOT WANT: checks that the values are equal
is() { [ "$2" = "$3" ] || complain "$1: $2, not $3"; }

{
	printf 'link_energy = 100 # assumed\n'
	printf 'node_power = 20000 # assumed\n'
	cat "$top_srcdir/share/machines/apenet"
} > "$dir/machine"
run 0 -v --machine "$dir/machine" -n 6 --stats "$dir/s" "$dir/vt_replay" ring 1024
hash=$(grep -o 'hash.*' "$dir/err")
run 0 -v --machine "$dir/machine" -n 6 "$dir/vt_replay" ring 1024
is "hash without --stats" "$(grep -o 'hash.*' "$dir/err")" "$hash"

# ten messages of 1024 bytes from each of six ranks, outside collectives
is messages "$(awk -F, '$3 == 1024 && !$5' "$dir/s-messages.csv" | wc -l)" 60
awk -F, 'NR > 1 && !($7 > $6 && $9 > 0)' "$dir/s-messages.csv" |
	grep . && complain "a message was received before it was sent"
# the values of a node are the sums over its links
for column in 3 4 5 7; do
	is "column $column of nodes" "$(sum s-nodes.csv "$column")" \
		"$(sum s-links.csv "$column")"
done
bytes=$(sum s-links.csv 4)
[ "$bytes" -gt 61440 ] || complain "only $bytes bytes on links"
is "energy of links" "$(sum s-links.csv 7)" \
	"$(awk -v b="$bytes" 'BEGIN { printf "%.9g", b * 100e-12 }')"
# every node also consumes its power for the duration of the run
awk -F, 'NR > 1 && !($NF > $(NF - 1))' "$dir/s-nodes.csv" | grep . &&
	complain "a node takes no energy"
# JSON lines contain the same rows as the CSV files
lines=$(cat "$dir"/s-*.csv | wc -l)
is "lines of JSON" "$(wc -l < "$dir/s.jsonl")" $((lines - 3))
if command -v python3 > /dev/null; then
	python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' < "$dir/s.jsonl" ||
		complain "not JSON lines"
fi
run 125 --machine bgq -n 1 --stats /nonexistent/x "$dir/vt_replay" ring 8
err 'mpiexec: --stats /nonexistent/x'

(cd "$dir" && SIM=$builddir/weft-sim RANKS=8 STEPS=1 MACHINES="bgq gemini" \
	SIZES="64 4k" timeout 60 bash "$top_srcdir/examples/sweep.sh") > "$dir/out" ||
	complain "sweep.sh failed"
is "rows of the sweep" "$(wc -l < "$dir/sweep.csv")" 5
grep -q '^gemini,8,4096,[0-9.]*$' "$dir/sweep.csv" || complain "no row of gemini"
! command -v gnuplot > /dev/null || [ -s "$dir/sweep.svg" ] ||
	complain "no figure"
exit $failed
