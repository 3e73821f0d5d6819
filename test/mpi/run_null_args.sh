#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every function of mpi.h with a null handle, or a null pointer for a result, in
# each of its parameters returns an error of the right class.
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${builddir:-.}" && pwd)
lib=$build/.libs
command -v python3 > /dev/null || { echo "no python3"; exit 77; }
[ -e "$lib/libmpi_abi.so.1" ] || exit 77
. "$top/test/timeout.sh" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 "$top/test/mpi/env/null_args.py" "$top/include/mpi.h" \
	> "$work/null_args.inc" || exit 1
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O0 -w -I"$top/include" -I"$work" \
	-o "$work/null_args" "$top/test/mpi/env/null_args.c" -L"$lib" \
	-lmpi_abi -Wl,-rpath,"$lib" || exit 1
timeout -k 5 60 "$work/null_args" "$work/file"
