#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Two builds of this tree in different folders install the same bytes. The
# folder's name is kept out by -ffile-prefix-map, as packagers do. LONG=1 only.
#
#   CFLAGS=FLAGS  flags instead of -O2 -g
top=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
unset MAKEFLAGS MAKELEVEL
export CCACHE_DISABLE=1 # the second build must not take the objects of the first
work=$(mktemp -d /var/tmp/weft-twice.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
for i in one other/folder; do
	mkdir -p "$work/$i"
	(
		cd "$work/$i" || exit 1
		CONFIG_SHELL=/bin/sh "$top/configure" -q --prefix=/opt/weft \
			CFLAGS="${CFLAGS:--O2 -g} -ffile-prefix-map=$PWD=. -ffile-prefix-map=$top=." &&
			make -s -j "$(nproc)" &&
			make -s install DESTDIR="$PWD/tree"
	) > "$work/log" 2>&1 || { tail "$work/log"; exit 1; }
done
diff -r "$work/one/tree" "$work/other/folder/tree" || exit 1
echo "$(find "$work/one/tree" -type f | wc -l) equal files"
