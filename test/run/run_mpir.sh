#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that debuggers find the ranks of a job: the table of processes in
# mpiexec (MPIR), a job that a debugger has started, and ranks that wait for a
# debugger.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
command -v gdb > /dev/null || { echo "no gdb"; exit 77; }
gdb -q -batch -ex run true 2>&1 | grep -q 'exited normally' ||
	{ echo "gdb cannot run a program here"; exit 77; }
nm -D "$builddir/.libs/libmpi_abi.so.1" | grep -qE '__[at]san_' && exit 77
nm "$builddir/.libs/libmpi_abi.so.1" 2>&1 | grep -q MPIR_debug_gate ||
	{ echo "the library is stripped"; exit 77; }
cat > "$dir/wait.c" << 'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("rank %d is %d\n", rank, (int)getpid());
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	while (argc > 1 && access(argv[1], F_OK))
		usleep(10000);
	MPI_Finalize();
	return 0;
}
END
${CC:-cc} -I"$top_srcdir/include" "$dir/wait.c" -o "$dir/wait" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1


# until_true COMMAND...: repeats the command until it succeeds, for at most a
# minute.
until_true() {
	local i
	for i in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	complain "not true after a minute: $*"
}

# has_lines FILE TEXT N: returns whether N lines of the file contain the text.
has_lines() { [ "$(grep -c "$2" "$1")" = "$3" ]; }

# ---- a debugger is attached to mpiexec
"$mpiexec" -n 3 "$dir/wait" "$dir/go" > "$dir/out" 2>&1 &
job=$!
until_true has_lines "$dir/out" 'rank . is' 3
gdb -q -batch -p $job -ex 'printf "size %d\n", MPIR_proctable_size' \
	-ex 'printf "rank %d is %d\n", 0, MPIR_proctable[0].pid' \
	-ex 'printf "rank %d is %d\n", 1, MPIR_proctable[1].pid' \
	-ex 'printf "rank %d is %d\n", 2, MPIR_proctable[2].pid' \
	-ex 'printf "program %s\n", MPIR_proctable[2].executable_name' \
	-ex 'printf "host %s\n", MPIR_proctable[2].host_name' \
	> "$dir/table" 2>&1
touch "$dir/go"
wait $job || complain "a job that was looked at fails"
grep -q '^size 3$' "$dir/table" || complain "size of the table"
grep -q "^program $dir/wait$" "$dir/table" || complain "name of the program"
grep -q "^host $(uname -n)$" "$dir/table" || complain "name of the host"
[ "$(grep '^rank' "$dir/table" | sort)" = "$(grep '^rank' "$dir/out" | sort)" ] ||
	{ complain "the table has other processes"; cat "$dir/table" "$dir/out"; }

# ---- a rank waits for a debugger, the others wait for the rank
rm -f "$dir/go"
WEFT_DEBUG_WAIT=5,1 "$mpiexec" -n 2 "$dir/wait" > "$dir/out" 2>&1 &
job=$!
until_true has_lines "$dir/out" '\[1\].*waiting for a debugger' 1
has_lines "$dir/out" 'rank . is' 0 || complain "MPI_Init has not waited"
pid=$(sed -n 's/.*gdb -p \([0-9]*\) .*/\1/p' "$dir/out")
gdb -q -batch -p "$pid" -ex 'set var MPIR_debug_gate = 1' > "$dir/gdb" 2>&1
wait $job || complain "a rank that has waited fails"
has_lines "$dir/out" 'rank . is' 2 || complain "ranks after the debugger"

# ---- a debugger starts the job, attaches to the ranks, and continues it
cat > "$dir/open" << 'END'
for pid; do
	tr '\0' '\n' < /proc/$pid/environ | grep '^WEFT_DEBUG_WAIT='
	gdb -q -batch -p $pid -ex 'set var MPIR_debug_gate = 1'
done
END
cat > "$dir/script" << END
set breakpoint pending on
set startup-with-shell off
break main
run
set var MPIR_being_debugged = 1
break MPIR_Breakpoint
continue
printf "state %d size %d\n", MPIR_debug_state, MPIR_proctable_size
eval "shell sh $dir/open %d %d", MPIR_proctable[0].pid, MPIR_proctable[1].pid
delete
continue
END
LD_LIBRARY_PATH=$builddir/.libs timeout 120 gdb -q -batch -x "$dir/script" \
	--args "$mpiexec" -n 2 "$dir/wait" > "$dir/out" 2>&1 ||
	complain "gdb with mpiexec"
grep -q 'state 1 size 2' "$dir/out" || complain "no stop at MPIR_Breakpoint"
has_lines "$dir/out" '^WEFT_DEBUG_WAIT=all' 2 || complain "ranks that wait"
grep -q 'exited normally' "$dir/out" || { complain "end"; cat "$dir/out"; }
nothing_left
end
