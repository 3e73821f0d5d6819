#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks libweft-nic: it exports only the units, each of its headers compiles
# alone, in C and C++, and its examples run.
set -u
lib=$builddir/.libs/libweft-nic.so
bad=0
skipped=0

other=$(nm -D --defined-only "$lib" | awk '{ print $3 }' |
	grep -vE '^weft_(bgq|gemini|qsnet2|sunway|apenet|mem)_')
if [ -n "$other" ]; then
	echo "libweft-nic.so exports: $other"
	bad=1
fi

. "$top_srcdir/test/timeout.sh" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for h in place mem bgq gemini qsnet2 sunway apenet; do
	echo "#include <weft/$h.h>" > "$tmp/$h.c"
	cp "$tmp/$h.c" "$tmp/$h.cc"
	$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$top_srcdir/include" \
		-fsyntax-only "$tmp/$h.c" || bad=1
	if command -v g++ > /dev/null; then
		g++ -std=c++11 -Wall -Werror -I"$top_srcdir/include" \
			-fsyntax-only "$tmp/$h.cc" || bad=1
	else
		skipped=77
	fi
done

for e in unit_bgq unit_gemini unit_qsnet2 unit_tports unit_sunway unit_apenet; do
	timeout 60 "$builddir/examples/$e" || {
		echo "$e failed"
		bad=1
	}
done
[ $bad = 0 ] || exit 1
[ $skipped = 0 ] || echo "SKIPPED: no g++"
exit $skipped
