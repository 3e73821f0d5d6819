#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the values of weft-sim in doc/your-machine.md, which compares them
# with publications, are those that weft-sim prints.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
page=$top_srcdir/doc/your-machine.md
cd "$dir" || exit 1
sim=$builddir/weft-sim

# row ARGUMENTS...: prints the line of results; field 4 is the accepted part of
# the load, field 5 the mean latency in ns
row() {
	"$sim" "$@" 2> /dev/null |
		awk 'on && NF { print; exit } $1 == "GB/s" { on = 1 }'
}
# says TEXT: checks that the page contains this text
says() { grep -qF -- "$1" "$page" || complain "the page does not have: $1"; }

"$sim" --new dragonfly 100Gb | sed 's/^shape .*/shape = 33x8/
	s/_nodes .*/_nodes = 4/; s/_links .*/_links = 4/' > kim
full="--load 1.0 --warm 60us --time 40us"
for routing in minimal valiant ugal; do
	sed "s/^routing .*/routing = $routing/" kim > kim.$routing
	even=$(row --machine ./kim.$routing $full | awk '{ printf "%.0f", $4 }')
	next=$(row --machine ./kim.$routing $full --pattern group |
		awk '{ printf $4 < 10 ? "%.1f" : "%.0f", $4 }')
	says "| \`$routing\` | $even | $next |"
done
mean() {
	row --machine ./kim.$1 --load 0.3 --warm 60us --time 40us --pattern group |
		awk '{ printf "%.1f", $5 / 1000 }'
}
says "messages take $(mean valiant) us with \`valiant\` and $(mean ugal) us with \`ugal\`"

"$sim" --new fattree 100Gb | sed 's/^shape .*/shape = 16x32/' > tree
for routing in deterministic dynamic; do
	tree="--machine ./tree --pattern permutation --routing $routing"
	range=$(for seed in 1 2 3 4 5; do row $tree $full --seed $seed; done |
		awk 'NR == 1 || $4 < low { low = $4 } $4 > high { high = $4 }
		END { printf "%.0f to %.0f", low, high }')
	part=$(for seed in 1 2 3; do
		row $tree --exchange=1 --bytes 1048576 --seed $seed
	done | awk '{ t += $5 } END { printf "%.0f", 100 * 85.4e3 / (t / NR) }')
	says "| \`$routing\` | $range | $part |"
done
exit $failed
