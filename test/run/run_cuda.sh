#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Memory of GPUs in MPI programs, with a library in place of NVIDIA's driver
# (test/support/fake_cuda.c): the programs of test/mpi/device, with memory that
# can be shared between processes, with a GPU per process, and with a driver
# that refuses to share; and what programs see when the driver fails.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
fake=$dir/libfake_cuda.so
${CC:-cc} -shared -fPIC -O1 -D_GNU_SOURCE -o "$fake" \
	"$top_srcdir/test/support/fake_cuda.c" -lpthread ||
	complain "the library does not compile"
export FI_WEFT_CUDA=$fake TEST_DEVICE_KIND=cuda:device RANKS_MAX=3

# jobs NAME PATTERN VARIABLE...: runs the programs whose names match, with these
# environment variables
jobs() {
	local name=$1 only=$2
	shift 2
	env ONLY="$only" "$@" bash "$top_srcdir/test/mpi/run.sh" > "$dir/out" 2>&1 ||
		{ cat "$dir/out"; complain "$name"; }
}
jobs "memory of one GPU" 'device_*'
export RANKS_MAX=2
jobs "a GPU per process" device_long FAKE_CUDA_OWN=1
jobs "no shared memory" device_long FAKE_CUDA_NO_IPC=1
jobs "handles that cannot be opened" device_long \
	FAKE_CUDA_REFUSE=cuIpcOpenMemHandle_v2
jobs "apenet" device_long MACHINE=apenet

cat > "$dir/fail.c" << 'END'
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints the error class of each step. */
static void tell(const char *what, int rc)
{
	int class;

	MPI_Error_class(rc, &class);
	printf("%s %s\n", what,
	       class == MPI_SUCCESS	     ? "ok"
	       : class == MPI_ERR_NO_MEM     ? "memory"
	       : class == MPI_ERR_INFO_VALUE ? "value"
					     : "error");
}

int main(int argc, char **argv)
{
	int one = 1;
	MPI_Info info;
	void *at = NULL;
	char host[100] = "";
	int rc;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Info_create(&info);
	MPI_Info_set(info, "weft_memory_alloc_kind", "cuda:device");
	if (!MPIX_Query_cuda_support())
		printf("none\n");
	rc = MPI_Alloc_mem(1000, info, &at);
	tell("alloc", rc);
	if (!rc)
		tell("send", MPI_Sendrecv(at, 100, MPI_BYTE, 0, 1, host, 100,
					  MPI_BYTE, 0, 1, MPI_COMM_WORLD,
					  MPI_STATUS_IGNORE));
	tell("host", MPI_Sendrecv(&one, 1, MPI_INT, 0, 1, host, 1, MPI_INT, 0,
				  1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	MPI_Info_free(&info);
	MPI_Finalize();
	return 0;
}
END
${CC:-cc} -I"$top_srcdir/include" "$dir/fail.c" -o "$dir/fail" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" ||
	complain "the program does not compile"

# failure REFUSED WANT: checks the error classes that a program gets when the
# driver refuses this function
failure() {
	local got

	got=$(FAKE_CUDA_REFUSE=$1 "$builddir/mpiexec" -n 1 "$dir/fail" \
		2> "$dir/err" | tr '\n' ' ')
	[ "$got" = "$2 " ] || { cat "$dir/err"; complain "$1: $got, not $2"; }
}
failure nothing "alloc ok send ok host ok"
failure cuInit "alloc memory host ok"
failure cuMemAlloc_v2 "alloc memory host ok"
failure cuMemHostAlloc "alloc memory host ok"
failure cuModuleLoadData "alloc memory host ok"
failure cuMemcpyAsync "alloc ok send error host ok"
# a GPU that fails while a job runs
${CC:-cc} -I"$top_srcdir/include" "$top_srcdir/test/run/run_cuda_lost.c" \
	-o "$dir/lost" -L"$builddir/.libs" -lmpi_abi \
	-Wl,-rpath,"$builddir/.libs" || complain "the program does not compile"
for machine in native apenet; do
	FI_WEFT_MACHINE=$machine run 0 -n 2 "$dir/lost"
	out ''
	FAKE_CUDA_NO_IPC=1 FI_WEFT_MACHINE=$machine run 0 -n 2 "$dir/lost"
	out ''
done
unset TEST_DEVICE_KIND
FI_WEFT_CUDA=no "$builddir/mpiexec" -n 1 "$dir/fail" > "$dir/out" 2>&1
grep -q none "$dir/out" && grep -q 'alloc value' "$dir/out" || { cat "$dir/out"; complain "no is ignored"; }
FI_WEFT_CUDA=/no/such/library "$builddir/mpiexec" -n 1 "$dir/fail" \
	> "$dir/out" 2>&1
grep -q 'alloc memory' "$dir/out" || { cat "$dir/out"; complain "a wrong path"; }
exit $failed
