#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Updates the lists of missing functions from the library:
#
#   include/mpi.h    prototypes of existing functions; the others are at the end,
#                    visible to the library's own sources only
#   doc/not-yet.md   the missing functions of the standard, by chapter
#   README.md        the section "Limits", in numbers
#
#   test/abi/abi_update.sh BUILDDIR           rewrites the three files
#   test/abi/abi_update.sh --check BUILDDIR   fails when they would change
set -e
check=
[ "$1" = --check ] && { check=1; shift; }
build=${1:-${builddir:-build}}
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
lib=$build/.libs/libmpi_abi.so
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C

nm -D --defined-only "$lib" | awk '$3 ~ /^MPI_/ { print $3 }' |
	sort > "$dir/have"
grep -v '^#' "$top/share/abi/functions" > "$dir/all"

# ---- mpi.h: one line per prototype, breaks as \001 and tabs as \002 -------

awk -v have="$dir/have" '
BEGIN {
	while ((getline name < have) > 0) is_there[name] = 1
	n = split("env p2p persistent partitioned collective nbc " \
		"persistent-coll neighbour comm intercomm group topology " \
		"attr datatype pack info errhandler rma io spawn session " \
		"abi fortran-conv tools", order)
	for (i = 1; i <= n; i++) number[order[i]] = i
}
/^\/\* ---- env / { in_protos = 1 }
/^#ifndef WEFT_STRICT_ABI/ { in_protos = 0 }
!in_protos { next }
/^\/\* ---- / { chapter = $0; key = $3 }
/^(#|\/\*|$)/ { next }
{ text = text == "" ? $0 : text "\001" $0 }
/;$/ {
	match(text, /P?MPI_[A-Za-z0-9_]+\(/)
	name = substr(text, RSTART, RLENGTH - 1)
	public = name
	sub(/^P/, "", public)
	gsub("\t", "\002", text)
	printf "%d\t%03d\t%s\t%d\t%s\t%s\n", !(public in is_there),
		number[key], chapter, name != public, name, text
	text = ""
}' "$top/include/mpi.h" |
	sort -t "$(printf '\t')" -k1,1n -k2,2n -k4,4n -k5,5 > "$dir/protos"

awk -F'\t' '
$1 && !later { later = 1
	print "\n/* ---- not in the library yet: for its own sources ---------" \
		"--------------- */"
	print "\n#ifdef WEFT_MPI_NOT_YET" }
$3 != chapter || $1 != was { print "\n" $3 "\n"; face = $4 }
$4 != face { print "" }
{ chapter = $3; was = $1; face = $4; gsub("\001", "\n", $6)
  gsub("\002", "\t", $6); print $6 }
END { if (later) print "\n#endif" }' "$dir/protos" > "$dir/protos.h"

{
	awk '/^\/\* ---- env / { exit } { print }' "$top/include/mpi.h" |
		sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
	cat "$dir/protos.h"
	echo
	awk '/^#ifndef WEFT_STRICT_ABI/ { on = 1 } on' "$top/include/mpi.h"
} > "$dir/mpi.h"

# ---- doc/not-yet.md --------------------------------------------------------

missing() {
	awk -F'\t' -v have="$dir/have" '
	BEGIN {
		while ((getline name < have) > 0) is_there[name] = 1
		title["io"] = "files"
		title["rma"] = "one-sided communication"
		title["spawn"] = "dynamic processes"
		title["session"] = "sessions"
		title["p2p"] = "point-to-point"
		title["attr"] = "attributes"
		title["errhandler"] = "error handlers"
		title["env"] = "environment"
		title["nbc"] = "nonblocking collectives"
		title["persistent-coll"] = "persistent collectives"
		title["abi"] = "binary interface"
		title["fortran-conv"] = "handles as integers"
	}
	!($3 in is_there) {
		c = $1 in title ? title[$1] : $1
		n[c]++
		list[c] = list[c] " " $3
	}
	END { for (c in n) printf "%s\t%d\t%s\n", c, n[c], list[c] }' \
		"$dir/all" | sort
}
missing > "$dir/missing"
total=$(wc -l < "$dir/all")
missing=$(awk -F'\t' '{ n += $2 } END { print n + 0 }' "$dir/missing")

{
	echo "# Functions of MPI 5.0 that are not there yet"
	echo
	echo "$((total - missing)) of the $total functions of the standard ABI" \
		"are in the library. A program that calls one of the others" \
		"does not link. This page is made by test/abi/abi_update.sh from the" \
		"symbols of the library." | fold -s -w 78 | sed 's/ $//'
	while IFS=$'\t' read -r chapter n list; do
		echo
		echo "## $chapter ($n)"
		echo
		echo "$list" | tr ' ' '\n' | grep . | sort | paste -s -d' ' |
			fold -s -w 78 | sed 's/ $//'
	done < "$dir/missing"
} > "$dir/not-yet.md"

# ---- README.md -------------------------------------------------------------

start='<!-- limits: made by test/abi/abi_update.sh -->'
end='<!-- end of limits -->'
{
	echo "$start"
	echo "$((total - missing)) of the $total functions of the MPI 5.0" \
		"standard ABI are there." \
		"The others do not link; doc/not-yet.md lists them:" \
		"$(awk -F'\t' '{ printf("%s%s %d", (NR > 1 ? ", " : ""), $1, $2) }
			END { print "." }' "$dir/missing")" |
		fold -s -w 98 | sed 's/ $//'
	echo "$end"
} > "$dir/limits"
if grep -qF "$start" "$top/README.md"; then
	awk -v start="$start" -v end="$end" -v limits="$dir/limits" '
	$0 == start { while ((getline line < limits) > 0) print line; skip = 1 }
	!skip { print }
	$0 == end { skip = 0 }' "$top/README.md" > "$dir/README.md"
else
	{ cat "$top/README.md"; echo; echo "## Limits"; echo
	  cat "$dir/limits"; } > "$dir/README.md"
fi

# ---- the result ------------------------------------------------------------

bad=0
for f in include/mpi.h doc/not-yet.md README.md; do
	new=$dir/$(basename $f)
	if [ -n "$check" ]; then
		diff -u "$top/$f" "$new" > "$dir/diff" 2>&1 && continue
		echo "$f is out of date: run test/abi/abi_update.sh $build"
		head -n 20 "$dir/diff"
		bad=1
	else
		cmp -s "$new" "$top/$f" || cp "$new" "$top/$f"
	fi
done
exit $bad
