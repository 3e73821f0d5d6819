#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program compiled without Weft's mpi.h, with a header made from the tables of
# the standard ABI, runs with Weft's library: as a singleton, and as a job of
# three ranks.
build=${builddir:-build}
top=${top_srcdir:-.}
cc=${CC:-gcc}
. "$top/test/timeout.sh" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

bash "$top/test/abi/header.sh" > "$dir/foreign_mpi.h" || exit 1
$cc -std=c99 -Wall -I"$dir" "$top/test/abi/foreign.c" -o "$dir/foreign" \
	-Wl,--unresolved-symbols=report-all "$build/.libs/libmpi_abi.so" \
	-Wl,-rpath,"$build/.libs" || exit 1
needs=$(readelf -d "$dir/foreign" | grep -c 'NEEDED.*libmpi_abi.so.1')
[ "$needs" = 1 ] || { echo "does not need libmpi_abi.so.1"; exit 1; }

[ "$("$dir/foreign")" = "foreign: 1 ranks agree" ] || exit 1
[ -x "$build/mpiexec" ] || { echo "SKIPPED: no mpiexec"; exit 77; }
[ "$(timeout 60 "$build/mpiexec" -n 3 "$dir/foreign")" = \
	"foreign: 3 ranks agree" ]
