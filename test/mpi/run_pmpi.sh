#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A profiling library (PMPI) counts the calls of an unmodified program; internal
# calls of the MPI library are not counted.
top=${top_srcdir:-.}
build=${builddir:-$PWD}
lib=$build/.libs
[ -e "$lib/libweft-fi.so" ] && [ -x "$build/mpiexec" ] || exit 77
. "$top/test/timeout.sh" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cc="${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -w -I$top/include -I$top/test/mpi"
$cc -shared -fPIC -o "$work/count.so" "$top/test/mpi/env/pmpi_count.c" || exit 1
$cc -o "$work/app" "$top/test/mpi/env/pmpi_app.c" -L"$lib" -lmpi_abi \
	-Wl,-rpath,"$lib" || exit 1
timeout 60 "$build/mpiexec" -n 3 -x LD_PRELOAD="$work/count.so" "$work/app" \
	> "$work/out" || { cat "$work/out"; exit 1; }
want='3 sends, 3 receives, 2 allreduces'
[ "$(grep -c "$want" "$work/out")" = 3 ] || { cat "$work/out"; exit 1; }
