#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Groups on nodes that are not consecutive, on qsnet2 in virtual time, use trees
# of chained events. Each step takes the time of the interface's event, the
# injection and the link, but no processor time: a member that computes delays
# no other member. Collectives by messages take longer, and wait for the
# computing member.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
within=120
build_mpi vt_chain "$top_srcdir/test/vt/vt_chain.c" || exit 1

# chain MACHINE [CASE]: runs vt_chain; its sorted lines are in $dir/lines, the
# model's hash is in $hash
chain() {
	run 0 -v --machine "$1" -n 8 "$dir/vt_chain" ${2:+"$2"}
	sort "$dir/out" > "$dir/lines"
	hash=$(sed -n 's/^weft: virtual time.*hash //p' "$dir/err")
	[ -n "$hash" ] || complain "$1 $2: no hash"
}

# slowest NAME COLUMN: prints the time of the slowest member in us, without the
# member that computes if COLUMN is 4
slowest() {
	awk -v name="$1" -v column="$2" '
		$1 == name && (column == 3 || $2 != 3) && $column > most {
			most = $column
		}
		END { print most + 0 }' "$dir/lines"
}

# within NAME LEAST MOST: checks that the time of the group is between LEAST and
# MOST us, that it is not longer while a member computes, and the time of that
# member
within() {
	local idle busy
	idle=$(slowest "$1" 3)
	busy=$(slowest "$1" 4)
	echo "$1: $idle us, $busy while one member computes"
	awk -v a="$idle" -v b="$busy" -v least="$2" -v most="$3" \
		'BEGIN { exit !(a >= least && a <= most && b <= a + 0.05) }' ||
		complain "$1: not $2 to $3 us, or delayed by the computing member"
	awk -v name="$1" '$1 == name && $2 == 3 && $4 >= 20000 { n++ }
		END { exit n != 1 }' "$dir/lines" || complain "$1: no rank computed"
}

# Software and host take 0.66 us. A step takes 0.08 us for the event, 0.16 for
# the reception, and 0.07 to 0.25 for bytes, links and switches; the steps of
# one member are serial. A barrier has two steps up and two down.
chain qsnet2:4x4
cp "$dir/lines" "$dir/first"
first=$hash
within barrier 1.8 2.4
within first 1.8 2.4
within last 2.1 2.8
quick=$(slowest barrier 3)
cast=$(slowest first 3)
chain qsnet2:4x4
cmp "$dir/lines" "$dir/first" || complain "times differ in a second run"
[ "$hash" = "$first" ] || complain "hash $hash, then $first"

# checks that the event's time is a parameter of the machine
sed 's/^event.inject .*/event.inject = 582.5 ns # assumed/' \
	"$top_srcdir/share/machines/qsnet2" > "$dir/slow"
chain "$dir/slow:4x4"
echo "barrier with slow events: $(slowest barrier 3) us"
awk -v a="$quick" -v b="$(slowest barrier 3)" \
	'BEGIN { exit !(b - a >= 1.9 && b - a <= 2.6) }' ||
	complain "four steps do not take half a us more each"

# chain_off: runs the same operations by messages
chain_off() {
	echo "$1: barrier $(slowest barrier 3) us, first $(slowest first 3)"
	awk -v a="$quick" -v b="$(slowest barrier 3)" -v c="$cast" \
		-v d="$(slowest first 3)" \
		'BEGIN { exit !(1.5 * a < b && 1.5 * c < d) }' ||
		complain "$1: chained events are not faster than messages"
	awk -v b="$(slowest barrier 4)" 'BEGIN { exit b < 20000 }' ||
		complain "$1: messages do not wait for the computing member"
}
sed 's/^coll_chain .*/coll_chain = no/' "$top_srcdir/share/machines/qsnet2" \
	> "$dir/plain"
chain "$dir/plain:4x4"
chain_off 'coll_chain = no'
WEFT_COLL_BARRIER=dissemination WEFT_COLL_BCAST=binomial chain qsnet2:4x4
chain_off 'messages, forced'

# operations with all roots and lengths, without a pause between them
chain qsnet2:4x4 storm
first=$hash
chain qsnet2:4x4 storm
echo "storm: $hash"
[ "$hash" = "$first" ] || complain "storm: hash $hash, then $first"
chain qsnet2:4x4 differ
exit $failed
