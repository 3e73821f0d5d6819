#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the tarball (make dist) contains every tracked file, and otherwise
# only the files that autogen.sh generates, which git ignores.
cd "${top_srcdir:-.}" || exit 1
[ -e .git ] || { echo "not a git checkout"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL
# updates the Makefile first, since configure prints its results if it has to
# run again
make -s -C "${builddir:-build}" Makefile > "$work/log" || exit 1
make -s -C "${builddir:-build}" dist-list | sort -u > "$work/dist"
git ls-files | sort > "$work/tracked"
comm -23 "$work/tracked" "$work/dist" > "$work/missing"
comm -13 "$work/tracked" "$work/dist" > "$work/other"
git check-ignore --no-index --stdin < "$work/other" | sort > "$work/made"
comm -23 "$work/other" "$work/made" > "$work/unknown"
bad=0
[ ! -s "$work/missing" ] || {
	echo "tracked, but not in the tarball (add to EXTRA_DIST):"
	cat "$work/missing"
	bad=1
}
[ ! -s "$work/unknown" ] || {
	echo "in the tarball, but not tracked:"
	cat "$work/unknown"
	bad=1
}
echo "$(wc -l < "$work/dist") files"
[ -s "$work/dist" ] || bad=1
exit $bad
