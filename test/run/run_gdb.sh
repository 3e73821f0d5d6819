#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mpiexec --gdb: the exit code and the last line of the output report the rank
# that died, not a peer that detected its death.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
command -v gdb > /dev/null || { echo "no gdb"; exit 77; }
gdb -q -batch -ex run true 2>&1 | grep -q 'exited normally' ||
	{ echo "gdb cannot run a program here"; exit 77; }
nm -D "$builddir/.libs/libmpi_abi.so.1" | grep -qE '__[at]san_' && exit 77
cat > "$dir/die.c" << 'END'
#include <mpi.h>
#include <stdlib.h>
#include <signal.h>

int main(int argc, char **argv)
{
	int rank, how = atoi(argv[1]);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1 && how > 128)
		raise(how - 128);
	if (rank == 1 && how)
		exit(how);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
${CC:-cc} -I"$top_srcdir/include" "$dir/die.c" -o "$dir/die" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
within=60
run 139 --gdb -n 2 "$dir/die" 139
last 'process rank 1 .* exited on signal 11 '
grep -q 'in main' "$dir/out" || complain "no backtrace"
run 7 --gdb -n 2 "$dir/die" 7
last 'process rank 1 .* exited with code 7'
run 0 --gdb -n 2 "$dir/die" 0

# Replaces gdb by a script that ends long after its rank, so that the peer's
# abort arrives before the exit code of the rank that died.
mkdir "$dir/bin"
cat > "$dir/bin/gdb" << 'END'
#!/bin/sh
while [ "$1" != --args ]; do shift; done
shift
"$@"
code=$?
sleep 0.3
exit $code
END
chmod +x "$dir/bin/gdb"
PATH=$dir/bin:$PATH run 7 --gdb -n 2 "$dir/die" 7
last 'process rank 1 .* exited with code 7'
nothing_left
end
