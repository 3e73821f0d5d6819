#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests weft-sim and weft-reproduce: valid and invalid arguments, identical
# output for the same seed, machine files of the user, and the quick
# predictions. LONG=1: all predictions (zone routing, the longer all-to-all,
# jobs of 1,024 ranks).
set -u
sim=$builddir/weft-sim
rep=$builddir/weft-reproduce
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
skipped=0
# has PROGRAM: returns whether the program exists; if not, the test counts as
# skipped at the end.
has() {
	command -v "$1" >/dev/null && return
	echo "SKIPPED: no $1"
	skipped=77
	return 1
}
fail() {
	echo "FAIL: $*"
	exit 1
}

# refused TEXT ARGUMENTS...: checks for exit status 2, and one line that
# contains the text.
refused() {
	local words=$1 rc
	shift
	"$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	[ $rc -eq 2 ] || fail "$* gave $rc"
	[ ! -s "$dir/out" ] || fail "$* printed on stdout"
	grep -q -- "$words" "$dir/err" || { cat "$dir/err"; fail "$*: no $words"; }
}

short="--warm 2us --time 4us"
small="-m bgq:2x2x2x2x2"

# All random choices depend only on the seed.
for args in "" "-p permutation -c 4" "-p all-to-all -x -b 1k" \
	"-p hotspot -r deterministic" "-p complement -l 0.2,1.5 --json" \
	"-p neighbour --csv" "--histogram -z 1"; do
	# shellcheck disable=SC2086
	"$sim" $small $short $args >"$dir/a" 2>"$dir/err" ||
		{ cat "$dir/err"; fail "weft-sim $args"; }
	# shellcheck disable=SC2086
	"$sim" $small $short $args >"$dir/b" 2>/dev/null
	[ -s "$dir/a" ] || fail "weft-sim $args prints nothing"
	cmp -s "$dir/a" "$dir/b" || fail "weft-sim $args: two runs differ"
done
grep -q 'packet-hops/s' "$dir/err" || fail "no speed on stderr"
# shellcheck disable=SC2086
"$sim" $small $short -s 2 >"$dir/b" 2>/dev/null
"$sim" $small $short >"$dir/a" 2>/dev/null
cmp -s "$dir/a" "$dir/b" && fail "the seed has no effect"

if has python3; then
	"$sim" $small $short -l 0.1:0.3:0.1 --json 2>/dev/null |
		python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["nodes"] == 32 and len(d["points"]) == 3
p = d["points"][0]
assert 0 < p["of_peak"] < 0.2 and p["latency_ns"]["p50"] > 600
assert any(l["port"] == "E+" for l in p["links"])
' || fail "JSON of weft-sim"
fi
[ "$("$sim" $small $short -l 0.1,0.2 --csv 2>/dev/null | wc -l)" -eq 3 ] ||
	fail "CSV has a heading and a line for each load"

# A tree: every pattern except neighbour, and links by level, switch and port.
tree="-m qsnet2:4x4x4 --path event --warm 20us --time 60us"
for args in "" "-p all-to-all -x3" "-p complement -r deterministic" \
	"-p hotspot -c 2" "-p permutation --csv" "-p transpose -l 0.9" "-b 8 -r high --json"; do
	# shellcheck disable=SC2086
	"$sim" $tree $args >"$dir/t" 2>"$dir/err" ||
		{ cat "$dir/err"; fail "weft-sim $tree $args"; }
done
# shellcheck disable=SC2086
"$sim" $tree -p complement -l 0.5 >"$dir/t" 2>/dev/null
for class in 0+ 1- 1+ 2- 2+ 3-; do
	[ "$(grep -c "^$class  *64 " "$dir/t")" -eq 1 ] ||
		{ cat "$dir/t"; fail "no links of class $class"; }
done
grep -Eq '^  (node|level [123] switch) [0-9]+ port [0-7] [0-3][+-] ' "$dir/t" ||
	{ cat "$dir/t"; fail "busiest links of a tree"; }
grep -q 'peak     0.9280 GB/s' "$dir/t" || fail "a full tree takes all"
"$sim" -m qsnet2@slim:4x4x4 -p complement --path event 2>/dev/null |
	grep -q 'peak     0.2320 GB/s' || fail "a slim tree takes a quarter"
# A network with two rails, whose leaf switches are joined in pairs.
rails="-m sunway --path rdma --warm 2us --time 3us"
for args in "" "-p complement -r deterministic" "-p hotspot -c 2" \
	"-p permutation -b 65536" "-p transpose"; do
	# shellcheck disable=SC2086
	"$sim" $rails $args >"$dir/t" 2>"$dir/err" ||
		{ cat "$dir/err"; fail "weft-sim $rails $args"; }
done
grep -q '^1=  *256 ' "$dir/t" || { cat "$dir/t"; fail "no links across"; }
grep -Eq '^  (node [0-9]+|level [12] switch [01]\.[0-9]+) port [0-9]+ [012][+=-] ' \
	"$dir/t" || { cat "$dir/t"; fail "busiest links of rails"; }
grep -q 'peak     26.6' "$dir/t" || fail "two rails take twice as much"
# shellcheck disable=SC2086
"$sim" -m sunway:4x4 --channels --ack -r high $short >"$dir/t" 2>/dev/null ||
	fail "weft-sim --channels"
grep -q '^high *[1-9]' "$dir/t" && grep -q '^system *[1-9]' "$dir/t" &&
	grep -q '^dynamic *0$' "$dir/t" || { cat "$dir/t"; fail "channels"; }
# A network with two nodes per router and several links to each neighbour.
# shellcheck disable=SC2086
"$sim" -m gemini:2x2x2 --path bte $short -p neighbour -r deterministic \
	>"$dir/t" 2>/dev/null || fail "weft-sim on gemini"
grep -q 'gemini 2x2x2, 16 nodes' "$dir/t" || fail "nodes of gemini"
for class in 'A-  *64' 'B+  *32' 'C-  *64' 'N-  *16' 'N+  *16'; do
	grep -q "^$class " "$dir/t" || { cat "$dir/t"; fail "gemini: $class"; }
done
# shellcheck disable=SC2086
"$sim" -m gemini:2x2x2 --path bte $short -p neighbour -r hashed --ack \
	--slow 16.16:50 --links 1 >"$dir/t" 2>/dev/null ||
	fail "weft-sim --slow on gemini"
grep -q ', hashed, ' "$dir/t" || fail "hashed packets"
grep -q '^  (0,0,0) link 0 B- ' "$dir/t" ||
	{ cat "$dir/t"; fail "a slow link is the busiest"; }
# More traffic is accepted if links are chosen by load than by address, and by
# address than by pair; a masked link carries no traffic, while the others carry
# as much as before.
# taken ARGUMENTS...: prints the accepted traffic in per mill of the peak
taken() {
	"$sim" -m gemini:4x4x4 --path bte -b 4096 --ack --warm 5us --time 5us \
		--csv "$@" 2> /dev/null | awk -F, 'NR == 1 {
			for (i = 1; i <= NF; i++) at[$i] = i
			next
		} { printf "%d", 1000 * $at["of_peak"] }'
}
load=$(taken -l 0.9 -r dynamic) address=$(taken -l 0.9 -r hashed)
pair=$(taken -l 0.9 -r deterministic)
[ "$load" -gt $((address + 100)) ] && [ "$address" -gt $((pair + 100)) ] ||
	fail "gemini takes $load by load, $address by address, $pair by pair"
whole=$(taken -l 0.4) masked=$(taken -l 0.4 --faults 'dead-link 0,0,0.B+.0')
[ $((masked * 20)) -gt $((whole * 19)) ] ||
	fail "a masked link costs $((whole - masked)) of $whole"
"$sim" -m gemini:4x4x4 --path bte -b 4096 --ack --warm 5us --time 5us -l 0.4 \
	--faults 'dead-link 0,0,0.B+.0' --links 4 > "$dir/t" 2> /dev/null ||
	fail "weft-sim with a masked link"
grep -Eq '^  \(0,0,0\) link 0 B\+ dead  0 packets, .* [1-9][0-9]* detours' "$dir/t" ||
	{ cat "$dir/t"; fail "a masked link is in use"; }
grep -Eq '[0-9]{4}\.[0-9]+ %' "$dir/t" &&
	{ cat "$dir/t"; fail "a link is busy for more than 100 % of the time"; }
refused 'NODE.PORT:TIMES' "$sim" --slow 3:2
refused 'needs the coordinates' "$sim" -m qsnet2 -p neighbour
refused 'transpose needs a square' "$sim" -p transpose
refused 'qsnet2 has sten dma event' "$sim" -m qsnet2 --path fma
refused 'one path, without a name' "$sim" --path dma

refused 'nearest is uniform' "$sim" -p unifrm
refused 'above 0' "$sim" -l 0
refused 'expected a number' "$sim" -l x
refused 'FROM:TO:STEP' "$sim" -l 0.1:0.5
refused 'open loop' "$sim" -l 0.5 -c 4
refused 'use one of them' "$sim" -c 4 -x
refused 'expected a time' "$sim" --time 5
refused 'must be above 0' "$sim" --time 0us
refused 'whole number' "$sim" -b -3
refused 'whole number' "$sim" -z 4
refused 'dynamic, deterministic, hashed' "$sim" -r fast
refused 'nearest is bgq' "$sim" -m bgp
refused '5 dimensions' "$sim" -m bgq:2x2x2x2x2x2
refused 'two nodes' "$sim" -m bgq:1
refused 'unexpected argument' "$sim" uniform
refused 'png or .svg' "$sim" --plot x.gif
refused 'unknown option --nonsense; weft-sim --help' "$sim" --nonsense
refused 'did you mean --histogram' "$sim" --histogramm
refused 'no SYSTEM given; use apenet, bgq, ' "$rep"
refused 'no published results' "$rep" bgl
refused 'no row' "$rep" bgq --only BGQ-T9
refused 'without one' "$rep" bgq -m bgq:4x4
refused 'unknown option --nonsense' "$rep" --nonsense bgq
refused 'one system' "$rep" bgq bgq
refused 'ID is missing' "$rep" bgq --only

# A machine file of the user, made by changing a copy; errors in it must be
# reported.
own=$dir/own
sed 's|^link .*|link = 4 GB/s # assumed: twice the rate|' \
	"$top_srcdir/share/machines/bgq" >"$own"
# shellcheck disable=SC2086
"$sim" -m "$own:2x2x2x2x2" $short 2>/dev/null >"$dir/b" || fail "own machine"
cmp -s "$dir/a" "$dir/b" && fail "twice the link rate has no effect"
line=$(grep -n '^hop' "$own" | cut -d: -f1)
sed -i 's|^hop .*|hop = 45 GB/s|' "$own"
refused "$own:$line: hop = 45 GB/s: unit" "$sim" -m "$own"
refused "$own:$line: hop = 45 GB/s: unit" "$rep" bgq -m "$own"

# The numbers passed to gnuplot must be those of the other outputs. A script in
# place of gnuplot stores them.
mkdir "$dir/bin"
printf '#!/bin/sh\ncat >"$PLOTTED"\n' >"$dir/bin/gnuplot"
chmod +x "$dir/bin/gnuplot"
# plot ARGUMENTS...: runs weft-sim; the data of its first plot is in $dir/data
plot() {
	# shellcheck disable=SC2086
	PATH=$dir/bin:$PATH PLOTTED=$dir/plotted "$sim" $small $short "$@" \
		2>/dev/null >"$dir/o" || fail "plot $*"
	sed -n '/<< END$/,/^END$/p' "$dir/plotted" | grep '^[0-9]' >"$dir/data"
}
# column NAME: prints a column of the CSV output
column() {
	awk -F, -v name="$1" 'NR == 1 {
		for (i = 1; i <= NF; i++)
			if ($i == name)
				c = i
		next
	}
	{ print $c }' "$dir/o"
}
# equal NAME: checks that the two columns of stdin, which has at least one line,
# are equal
equal() {
	awk '{
		d = $1 > $2 ? $1 - $2 : $2 - $1
		if (NF != 2 || d > 1e-5 * $1 + 1e-5)
			bad = 1
	}
	END { exit bad || !NR }' || fail "plotted: $1"
}
plot -l 0.1,0.5 --csv --plot "$dir/p.svg"
[ "$(wc -l <"$dir/data")" = 2 ] || fail "points of two loads"
i=0
for name in load of_peak latency_mean_ns latency_p50_ns latency_p99_ns; do
	i=$((i + 1))
	paste -d ' ' <(column $name) <(cut -d ' ' -f $i "$dir/data") | equal $name
done
plot --histogram --plot "$dir/p.svg"
[ "$(sed -n '/from ns/,/^$/p' "$dir/o" | sed 1d | awk 'NF { print $2 }')" = \
	"$(cut -d ' ' -f 2 "$dir/data")" ] || fail "messages of the histogram"
plot --csv --heat "$dir/h.svg"
[ "$(wc -l <"$dir/data")" = 320 ] || fail "32 nodes with 10 links"
i=0
for name in A- A+ B- B+ C- C+ D- D+ E- E+; do
	awk -v port=$i -v want="$(column "use_$name")" '$1 == port {
		sum += $3
	}
	END { print want, sum / 3200 }' "$dir/data" | equal "use of $name"
	grep -q "set xtics (.*'$name' $i[,)]" "$dir/plotted" || fail "label $name"
	i=$((i + 1))
done

if has gnuplot; then
	# shellcheck disable=SC2086
	"$sim" $small $short -l 0.1,0.5 --plot "$dir/p.svg" \
		--heat "$dir/h.png" >/dev/null 2>&1 || fail "pictures"
	[ -s "$dir/p.svg" ] && [ -s "$dir/h.png" ] || fail "no pictures"
	# shellcheck disable=SC2086
	"$sim" $tree --heat "$dir/t.svg" >/dev/null 2>&1 || fail "levels"
	grep -q 'level 3' "$dir/t.svg" || fail "no picture of level 3"
	grep -q '7 (2+)' "$dir/t.svg" || fail "no link up in the picture"
	# shellcheck disable=SC2086
	"$sim" $rails --heat "$dir/s.svg" >/dev/null 2>&1 || fail "rails"
	grep -q '36 (1=)' "$dir/s.svg" || fail "no link across in the picture"
	"$rep" bgq --only BGQ-T1-HW --plot "$dir/r.png" >/dev/null ||
		fail "plot of weft-reproduce"
	[ -s "$dir/r.png" ] || fail "no picture of weft-reproduce"
fi

"$rep" bgq --list | grep -q 'BGQ-X-ZONE2 .*left out' || fail "--list"
"$rep" all --quick --html "$dir/all.html" >"$dir/all" ||
	{ cat "$dir/all"; fail "predictions"; }
[ -s "$dir/all.html" ] || fail "no page of all machines"
# part SYSTEM: prints the part of the output that begins with the name of the
# system
part() { awk -v s="$1" '/^[a-z0-9]+$/ { on = $0 == s } on' "$dir/all"; }
part bgq | grep -q 'left out (--quick)' || fail "--quick does not say so"
[ "$(part bgq | grep -c '^  [1-8]\. ')" -eq 8 ] || fail "eight constants"
for system in bgq qsnet2 gemini sunway apenet; do
	[ "$(part $system | grep -c 'in band$')" -ge 12 ] || fail "rows of $system"
done
if [ -n "${LONG:-}" ]; then
	"$rep" all >"$dir/b" || { cat "$dir/b"; fail "all predictions"; }
	[ "$(grep -cE '^BGQ-X-(ZONE[012]|A2A32K) .*(band|explained)$' "$dir/b")" -eq 4 ] ||
		fail "zone routing and the longer all-to-all"
	grep -q 'left out' "$dir/b" && fail "rows are left out"
fi
# an MPI program and the model must give the same times
for by in mpi model; do
	"$rep" sunway --by $by --only SWE-T2-HW-256 --csv >"$dir/$by" || fail "--by $by"
	grep -q "^SWE-T2-HW-256,.*,$by\$" "$dir/$by" || fail "--by $by: $(cat "$dir/$by")"
done
"$rep" qsnet2 --by hand 2>/dev/null && fail "--by hand"
# In Fig. 8 each put costs software time, both in the program and in the model,
# so that a process with puts of 64 B cannot saturate the interface (8.08 GB/s).
for by in mpi model; do
	"$rep" gemini --by $by --only GEM-F8-1-64 >"$dir/$by" || fail "--by $by"
	awk '$1 == "GEM-F8-1-64" && $5 > 0.2 && $5 < 0.4 { found = 1 }
		END { exit !found }' "$dir/$by" || fail "Fig. 8: $(cat "$dir/$by")"
done
"$rep" bgq --only BGQ-T3 --csv | grep -q '^BGQ-T3-LAT-512,' || fail "--csv"
if has python3; then
	"$rep" bgq --only BGQ-T3 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["predicted"] == d["in_band"] == 8 and len(d["constants"]) == 8
assert d["machine"] == d["system"] == "bgq" and "sensitivity" not in d
assert d["calibrated"] == 1
for name in "explained", "bounds", "bounds_hold", "left_out", "failed":
    assert d[name] == 0, name
assert [r["id"] for r in d["rows"]] == [
    "BGQ-T3-LAT-%d" % 2 ** k for k in range(1, 10)]
for r in d["rows"]:
    assert r["kind"] == ("calibrated" if r["x"] == "2" else "predicted")
    error = 100 * (r["model"] / r["paper"] - 1)
    assert abs(r["error"] - error) < 0.01 and r["verdict"] == "in band"
' || fail "JSON of weft-reproduce"
fi
sed 's|^hop .*|hop = 90 ns # assumed: slow|' "$top_srcdir/share/machines/bgq" \
	>"$own"
"$rep" bgq --only BGQ-T1 -m "$own" >/dev/null &&
	fail "a wrong machine reproduces the paper"
# --sensitivity: the link rate of a machine variant changes the row of that
# variant, which is computed from it; the time of MPI_Wtime() changes no row.
"$rep" qsnet2 --only QSN-T2-4 --sensitivity >"$dir/s" || fail "--sensitivity"
grep -q '^raw: link .* 1/1 *1/1 *1/1 *1/1$' "$dir/s" || fail "a link's rate"
grep -q '^wtime .* 0/0 *0/0  unchecked$' "$dir/s" || fail "an unchecked number"
"$rep" qsnet2 --only QSN-T4-BW --sensitivity | grep -q \
	'; 3 predictions could have failed, 3 of them held; ' ||
	fail "predictions that can fail"
"$rep" qsnet2 --sensitivity --csv >/dev/null 2>&1 && fail "--sensitivity --csv"
# The progress line is printed on standard error, and only if it is requested.
"$rep" bgq --only BGQ-T1 >"$dir/plain" 2>"$dir/err" || fail "weft-reproduce"
[ ! -s "$dir/err" ] || fail "progress without a terminal: $(head -c 300 "$dir/err")"
"$rep" bgq --only BGQ-T1 --progress >"$dir/shown" 2>"$dir/err" || fail "--progress"
cmp "$dir/plain" "$dir/shown" || fail "progress changes the output"
tr '\r' '\n' <"$dir/err" | sed 's/^[^a-z]*//; /^[^a-z]*$/d' >"$dir/lines"
rows=$(grep -c '^bgq: ' "$dir/lines")
head -n 1 "$dir/lines" | grep -qE "^\[?K?bgq: 0 of $rows rows, [0-9]+ s; BGQ" ||
	fail "first: $(head -n 1 "$dir/lines")"
tail -n 1 "$dir/lines" |
	grep -qE "bgq: $((rows - 1)) of $rows rows, [0-9]+ s, about [0-9]+ s left; " ||
	fail "last: $(tail -n 1 "$dir/lines")"
exit $skipped
