#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares three ways to choose among parallel links: by load, by address, and
# by pair of nodes. Prints the tables of doc/model.md, "Routing on a torus of
# shared routers": messages of 4 KB on a torus of 8x8x8 routers, 1,024 nodes;
# accepted load in percent of the peak, mean and 99th percentile of the
# latencies in microseconds. Takes three minutes on one core.
#
#   bench/link_choice.sh [WEFT-SIM [MACHINE]]
sim=${1:-build/weft-sim}
machine=${2:-gemini:8x8x8}

# one ARGUMENTS...: prints accepted load, mean latency and 99th percentile of
# one run
one() {
	"$sim" --path bte -b 4096 --ack --warm 15us --time 15us --csv "$@" \
		2> /dev/null | awk -F, 'NR == 1 {
			for (i = 1; i <= NF; i++) at[$i] = i
			next
		} {
			printf "%.0f %%, %.1f, %.1f", 100 * $at["of_peak"],
				$at["latency_mean_ns"] / 1e3, $at["latency_p99_ns"] / 1e3
		}'
}

# row NAME ARGUMENTS...: prints a row of the table
row() {
	local name=$1 routing
	shift
	printf '| %s |' "$name"
	for routing in dynamic hashed deterministic; do
		printf ' %s |' "$(one -r $routing "$@")"
	done
	echo
}

echo '| traffic, offered | by load: accepted, mean, 99 % | by address | by pair |'
echo '|---|---|---|---|'
for load in 0.4 0.9; do
	percent=$(awk -v l=$load 'BEGIN { print 100 * l }')
	for pattern in uniform complement transpose; do
		row "$pattern, $percent %" -m "$machine" -p $pattern -l $load
	done
	row "hot spot of 2 %, $percent %" -m "$machine" -p hotspot --hot 0.02 \
		-l $load
done
# the +y link of a router in the middle has a quarter of the bandwidth
row 'uniform, 40 %, a slow link in y' -m "$machine" -l 0.4 --slow 1024.20:4
# the same link is masked: no packet uses it
row 'uniform, 40 %, a masked link in y' -m "$machine" -l 0.4 \
	--faults 'dead-link 0,0,0.B+.0'
