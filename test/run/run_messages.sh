#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the messages of a failed job report the actual reason, in one line
# and only once.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
build_hello || exit 1

# stderr_lines COUNT PATTERN: checks that COUNT lines of stderr match
stderr_lines() {
	[ "$(grep -cE -- "$2" "$dir/err")" = "$1" ] && return
	complain "not $1 of \"$2\":"
	cat "$dir/err"
}
# lines COUNT: checks that stderr has COUNT lines
lines() {
	[ "$(wc -l < "$dir/err")" = "$1" ] && return
	complain "not $1 lines:"
	cat "$dir/err"
}

# all ranks abort
cat > "$dir/abort.c" << 'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Abort(MPI_COMM_WORLD, 3);
}
END
${CC:-cc} -I"$top_srcdir/include" "$dir/abort.c" -o "$dir/abort" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
run 3 -n 4 "$dir/abort"
last 'called MPI_Abort with error code 3: MPI_Abort\(MPI_COMM_WORLD, 3\)$'
lines 1
# a singleton prints the message itself, since it has no launcher
timeout 20 "$dir/abort" 2> "$dir/err"
stderr_lines 1 'rank 0 on .*: MPI_Abort\(MPI_COMM_WORLD, 3\)$'

# an error of all ranks is printed by the rank that reports it first, and by
# mpiexec
cat > "$dir/wrong.c" << 'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Send(0, 0, MPI_INT, 99, 0, MPI_COMM_WORLD);
}
END
${CC:-cc} -I"$top_srcdir/include" "$dir/wrong.c" -o "$dir/wrong" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
run 6 -n 4 "$dir/wrong"
stderr_lines 2 'MPI_Send: invalid rank 99'
lines 2

# invalid variables
FI_WEFT_FIFO=99999999999 WEFT_LOG=zz FI_WEFT_NODE=-4 WEFT_SPON=1 \
	run 0 -n 4 "$hello"
stderr_lines 1 'FI_WEFT_FIFO=99999999999 is not a size .*0\.\.1048576; using 0$'
stderr_lines 1 'WEFT_LOG=zz is not one of error\|warn\|info\|debug; using warn$'
stderr_lines 1 'FI_WEFT_NODE=-4 is not a number, -1\.\.'
stderr_lines 1 'unknown variable WEFT_SPON is ignored; did you mean WEFT_SPIN\?$'
lines 4
FI_WEFT_MACHINE=bgp run 125 -n 4 "$hello"
stderr_lines 1 'FI_WEFT_MACHINE=bgp: no such machine; nearest is bgq'
lines 1
run 125 -n 2 "$hello" : -n 2 -env FI_WEFT_MACHINE nativ "$hello"
last 'FI_WEFT_MACHINE=nativ: no such machine; nearest is native'
run 125 -n 2 --machine bgp --clock live "$hello"
last '^mpiexec: --machine bgp: no such machine; nearest is bgq'
FI_WEFT_MACHINE=bgp timeout 20 "$hello" > "$dir/out" 2> "$dir/err" &&
	complain "an unknown machine is accepted"
stderr_lines 1 'FI_WEFT_MACHINE=bgp: no such machine; use one of native bgq '
# mpiexec and weft-info list the same machines as the provider
machines=$(sed 's/.*use one of //; q' "$dir/err")
[ "$("$builddir/weft-info" | sed -n 's/^  machines *//p')" = "$machines" ] ||
	complain "weft-info lists other machines than $machines"
for m in $machines; do
	FI_WEFT_MACHINE=$m run 0 -n 2 "$hello"
done

# tests only environment variables that launchers really set
run 1 -n 1 sh -c "unset PMIX_RANK; exec $hello"
stderr_lines 1 'PMIX_NAMESPACE is set, so a launcher started this process'

# programs that cannot be started
cd "$dir" || exit 1
touch plain
run 126 -n 2 plain
last '^mpiexec: plain: not found in PATH, and \./plain is not executable$'
run 126 -n 2 ./plain
last '^mpiexec: \./plain: not executable$'
run 127 -n 2 hello
last '^mpiexec: hello: not found in PATH; did you mean \./hello\?$'
run 127 -n 2 nothing
last '^mpiexec: nothing: not found$'

# each process of a program that was linked with an MPI without PMIx is a job of
# one rank
echo 'int MPI_Init(int *n, char ***v) { return 0; }' > mpich.c
echo 'int MPI_Init(int *, char ***);
int main(int n, char **v) { return MPI_Init(&n, &v); }' > foreign.c
${CC:-cc} -shared -fPIC -Wl,-soname,libmpich.so.12 mpich.c -o libmpich.so.12 &&
	${CC:-cc} foreign.c -o foreign ./libmpich.so.12 -Wl,-rpath,"$dir" ||
	exit 1
run 0 -n 3 ./foreign
stderr_lines 1 'foreign is a program of another MPI \(libmpich.so.12\) and does not use PMIx'
lines 1
run 0 -q -n 3 ./foreign
lines 0
run 0 -n 1 ./foreign
lines 0
need_part mpicc.openmpi && {
	mpicc.openmpi "$top_srcdir/test/run/run_hello.c" -o friend || exit 1
	run 0 -n 2 ./friend
	stderr_lines 0 'another MPI'
}
end
