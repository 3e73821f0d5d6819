#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How programs end: aborts and errors end the whole job with an exit code and a
# message that names the error; without a launcher a program is a job of one
# rank; a launcher that cannot be reached is an error; none of this needs a
# network.
top=${top_srcdir:-.}
build=${builddir:-$PWD}
lib=$build/.libs
[ -e "$lib/libweft-fi.so" ] && [ -x "$build/mpiexec" ] || exit 77
. "$top/test/timeout.sh" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top/include" -I"$top/test/mpi" \
	-o "$work/fail" "$top/test/mpi/env/exit_modes.c" -L"$lib" -lmpi_abi \
	-Wl,-rpath,"$lib" || exit 1
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top/include" -I"$top/test/mpi" \
	-o "$work/spawn" "$top/test/mpi/dynamic/dynamic_end.c" -L"$lib" \
	-lmpi_abi -Wl,-rpath,"$lib" || exit 1
bad=0

# expect NAME CODE PATTERN COMMAND...: checks the exit code, and that the output
# matches
expect() {
	local name=$1 code=$2 pattern=$3 rc
	shift 3
	timeout -k 5 30 "$@" > "$work/out" 2>&1 < /dev/null
	rc=$?
	if [ $rc = "$code" ] && { [ -z "$pattern" ] ||
		grep -q -- "$pattern" "$work/out"; }; then
		echo "ok   $name"
		return
	fi
	echo "FAIL $name: exit code $rc, expected $code and '$pattern'"
	sed 's/^/     | /' "$work/out"
	bad=1
}

m="$build/mpiexec -n 3"
expect abort 33 'rank 2 .*MPI_Abort(MPI_COMM_WORLD, 33)' \
	$m "$work/fail" abort
expect rank 6 'MPI_Send: invalid rank 3 in communicator of size 3 (argument 4)' \
	$m "$work/fail" rank
expect truncation 15 'MPI_Recv: message longer than the receive buffer' \
	$m "$work/fail" trunc
expect waitall 19 'MPI_Waitall: request 1 of 2 (receive from rank [012]) failed: message longer than the receive buffer (MPI_ERR_IN_STATUS)' \
	$m "$work/fail" waitall
expect waitall-dead 19 'MPI_Waitall: request 1 of 2 (receive from rank 1) failed: a peer process has ended: rank 1' \
	$m --machine bgq --faults 'dead-node 1 at 50 us' "$work/fail" dead
for how in "" "--machine bgq"; do
	expect "put $how" 48 'MPI_Put: target memory is not part of the window' \
		$m $how "$work/fail" put
	expect "put by messages $how" 48 \
		'MPI_Win_unlock_all: put to memory of rank 1 failed: target memory is not part of the window' \
		env WEFT_WIN_PATH=messages $m $how "$work/fail" put
	grep -q 'Input/output error' "$work/out" && {
		echo "FAIL put: a rank without a wrong access has an error"
		bad=1
	}
done
# an abort ends connected jobs, too
expect 'spawned abort' 5 'MPI_Abort(MPI_COMM_WORLD, 5)' \
	"$build/mpiexec" -n 2 "$work/spawn" abort
expect 'spawned exit' 3 'rank 1 .* exited with code 3' \
	"$build/mpiexec" -n 2 "$work/spawn" exit
expect 'spawned killed' 137 'rank 1 .* signal 9' \
	"$build/mpiexec" -n 2 "$work/spawn" kill
expect 'parent killed' 137 'rank 0 .* signal 9' \
	"$build/mpiexec" -n 2 "$work/spawn" parent
expect 'spawn in virtual time' 53 \
	'MPI_Comm_spawn: no free places are left .* --usize N' \
	"$build/mpiexec" -n 2 --machine bgq --clock virtual "$work/spawn" exit
expect killed 142 'rank 1 .* signal 14 (Alarm clock) in MPI_Recv$' \
	$m "$work/fail" alarm
expect threads 142 'signal 14 (Alarm clock) in MPI_\(Recv, MPI_Ssend\|Ssend, MPI_Recv\)$' \
	$m "$work/fail" threads
expect outside 139 'rank 1 .* signal 11 (Segmentation fault)$' \
	$m "$work/fail" compute
# the timeout is twice the time of a whole job, so that the ranks are in their
# calls when it expires
start=$(date +%s)
expect good 0 '' $m "$work/fail" good
expect time-out 124 'in MPI_Recv: ranks 0-1; in MPI_Barrier: ranks 2$' \
	$m --timeout $((1 + 2 * ($(date +%s) - start))) "$work/fail" mixed
expect alone 0 '' "$work/fail" good
expect silent 1 'PMIx server does not answer' \
	env OMPI_COMM_WORLD_SIZE=2 "$work/fail" good
expect unknown 1 'PMIx server does not answer' \
	env PMIX_RANK=0 PMIX_NAMESPACE=nobody "$work/fail" good
expect forced 0 '' env OMPI_COMM_WORLD_SIZE=2 WEFT_SINGLETON=1 "$work/fail" good
if unshare -n true 2> /dev/null; then
	expect offline 0 '' unshare -n "$work/fail" good
	expect offline-job 0 '' unshare -n sh -c \
		"ip link set lo up && exec $m $work/fail good"
else
	echo "SKIPPED: unshare -n is not allowed"
	skipped=77
fi
[ $bad = 0 ] || exit 1
exit ${skipped:-0}
