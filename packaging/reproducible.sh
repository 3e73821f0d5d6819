#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that two builds of this tree in different folders install the same
# bytes. As in packagers' builds, -ffile-prefix-map keeps the name of the build
# folder out of the files. LONG=1 only.
#
#   CFLAGS=FLAGS  flags instead of -O2 -g
. "$(dirname "$0")/lib.sh" || exit 1
need_configure
export CCACHE_DISABLE=1 # the second build must not take the objects of the first
for i in one other/folder; do
	mkdir -p "$work/$i"
	(
		cd "$work/$i" || exit 1
		"$top/configure" -q --prefix=/opt/weft \
			CFLAGS="${CFLAGS:--O2 -g} -ffile-prefix-map=$PWD=. -ffile-prefix-map=$top=." &&
			make -s -j "$(nproc)" &&
			make -s install DESTDIR="$PWD/tree"
	) > "$work/log" 2>&1 || { tail "$work/log"; fail "build $i"; }
done
diff -r "$work/one/tree" "$work/other/folder/tree" || fail "two builds differ"
echo "$(find "$work/one/tree" -type f | wc -l) equal files"
