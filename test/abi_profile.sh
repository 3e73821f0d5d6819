#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# PMPI: a profiler loaded by LD_PRELOAD counts the calls of a program that was
# built without it, and the library itself calls none of its public names.
build=${builddir:-build}
top=${top_srcdir:-.}
cc=${CC:-gcc}
lib=$build/.libs/libmpi_abi.so
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

bash "$top/test/abi/header.sh" > "$dir/foreign_mpi.h" || exit 1
$cc -std=c99 -I"$dir" "$top/test/abi/foreign.c" -o "$dir/program" "$lib" \
	-Wl,-rpath,"$build/.libs" || exit 1
$cc -std=c99 -shared -fPIC -I"$top/include" "$top/test/abi/profile.c" \
	-o "$dir/profile.so" "$lib" || exit 1
out=$(LD_PRELOAD=$dir/profile.so "$dir/program" 2>&1)
echo "$out"
case $out in
*"profile: 1 isend 2 allreduce 1 type_vector"*) exit 0 ;;
esac
exit 1
