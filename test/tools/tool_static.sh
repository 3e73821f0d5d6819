#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The static libraries: programs that are linked with them run without the
# shared MPI library and its provider module, live, in virtual time and over
# another provider; they have no global symbols other than those of the shared
# library.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
unset MAKEFLAGS MAKELEVEL
flock "$builddir/config.status" make -s -C "$builddir" static \
	> "$dir/log" 2>&1 || { tail "$dir/log"; exit 1; }

# A folder with only the static libraries, the headers and the wrappers.
tree=$dir/tree
mkdir -p "$tree/bin" "$tree/lib"
ln -s "$builddir"/lib*.a "$tree/lib"
ln -s "$top_srcdir/include" "$tree"
cp "$builddir"/src/tools/info/mpicc "$tree/bin"
cp "$builddir"/src/tools/info/mpicc "$tree/bin/mpifort"

# globals FILE...: prints the global names of libraries
globals() { nm "$@" | awk '{ print $3 }' | grep . | sort -u; }
for lib in libmpi_abi libweft-nic libmpifort_abi; do
	[ -e "$builddir/$lib.a" ] || continue
	globals -D --defined-only "$builddir/.libs/$lib.so" > "$dir/shared"
	globals -g --defined-only "$builddir/$lib.a" > "$dir/static"
	diff "$dir/shared" "$dir/static" > "$dir/out" ||
		complain "$lib.a and $lib.so differ: $(head -n 5 "$dir/out")"
done

# alone PROGRAM: checks that the program needs no shared library of Weft
alone() {
	readelf -d "$1" | grep NEEDED | grep -E 'mpi_abi|weft' &&
		complain "$1 needs a shared library of Weft"
}

"$tree/bin/mpicc" -static-mpi -O2 -o "$dir/hello" \
	"$top_srcdir/examples/hello.c" || complain "mpicc -static-mpi"
alone "$dir/hello"
run 0 -n 2 "$dir/hello"
grep -q 'rank 1 of 2' "$dir/out" || complain "live: $(cat "$dir/out")"
run 0 --machine bgq -n 2 "$dir/hello"
grep -q 'rank 1 of 2' "$dir/out" || complain "virtual time: $(cat "$dir/out")"
"$dir/hello" > "$dir/out" || complain "without a launcher"

# a profiling library, linked before the static library
cat > "$dir/profile.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int MPI_Barrier(MPI_Comm comm)
{
	puts("profiled");
	return PMPI_Barrier(comm);
}
int main(void)
{
	MPI_Init(NULL, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
END
"$tree/bin/mpicc" -static-mpi -o "$dir/profile" "$dir/profile.c" ||
	complain "a program that defines MPI_Barrier"
[ "$("$dir/profile")" = profiled ] || complain "MPI_Barrier is not replaced"

if [ -e "$builddir/libmpifort_abi.a" ]; then
	printf '%s\n' '      include "mpif.h"' '      integer e' \
		'      call mpi_init(e)' '      call mpi_finalize(e)' \
		'      end' > "$dir/one.f"
	"$tree/bin/mpifort" -I"$builddir/src/fortran" -static-mpi \
		-o "$dir/one" "$dir/one.f" || complain "mpifort -static-mpi"
	alone "$dir/one"
	run 0 -n 2 "$dir/one"
fi

# without the static library a message is printed
rm "$tree/lib/libmpi_abi.a"
"$tree/bin/mpicc" -static-mpi -o "$dir/hello" "$top_srcdir/examples/hello.c" \
	2> "$dir/err" && complain "-static-mpi without an archive"
grep -q 'configure Weft with --enable-static' "$dir/err" ||
	complain "no reason: $(cat "$dir/err")"
end
