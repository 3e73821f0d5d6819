#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library can be exchanged when a program starts: a program that was linked
# with another libmpi_abi.so.1, a stub made from the table of the standard ABI,
# runs with Weft's, and a program that was linked with Weft's runs with the stub.
build=${builddir:-build}
top=${top_srcdir:-.}
cc=${CC:-gcc}
. "$top/test/timeout.sh" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
nm -D "$build/.libs/libmpi_abi.so.1" | grep -qE '__[at]san_' && exit 77

# Every function of the stub prints its name and returns 0.
{
	echo '#include <stdio.h>'
	grep -v '^#' "$top/share/abi/functions" | cut -f3 | sort -u |
		sed 's/.*/int &(void) { return printf("stub &\\n") * 0; }/'
} > "$dir/stub.c"
mkdir "$dir/stub" && $cc -shared -fPIC -w -Wl,-soname,libmpi_abi.so.1 \
	"$dir/stub.c" -o "$dir/stub/libmpi_abi.so.1" || exit 1
bash "$top/test/abi/header.sh" > "$dir/foreign_mpi.h" || exit 1

# linked with the stub, run with Weft's library
$cc -std=c99 -I"$dir" "$top/test/abi/foreign.c" -o "$dir/foreign" \
	"$dir/stub/libmpi_abi.so.1" || exit 1
[ "$(LD_LIBRARY_PATH=$dir/stub "$dir/foreign" 2> /dev/null | head -n 1)" = \
	"stub MPI_Init_thread" ] || { echo "not linked with the stub"; exit 1; }
export LD_LIBRARY_PATH=$build/.libs
[ "$("$dir/foreign")" = "foreign: 1 ranks agree" ] || exit 1
[ "$(timeout 60 "$build/mpiexec" -n 3 "$dir/foreign")" = \
	"foreign: 3 ranks agree" ] || exit 1
unset LD_LIBRARY_PATH

# compiled with Weft's header and linked with its library, as by mpicc, run with
# the stub
$cc -I"$top/include" "$top/examples/hello.c" -o "$dir/hello" \
	-L"$build/.libs" -lmpi_abi -Wl,-rpath,"$build/.libs" \
	-Wl,--enable-new-dtags || exit 1
[ "$("$dir/hello" | grep -c 'of 1')" = 1 ] || exit 1
LD_LIBRARY_PATH=$dir/stub "$dir/hello" > "$dir/out" || exit 1
for name in MPI_Init MPI_Comm_rank MPI_Comm_size MPI_Finalize; do
	grep -qx "stub $name" "$dir/out" ||
		{ echo "$name of the stub is not called"; exit 1; }
done
