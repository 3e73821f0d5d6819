#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests MPI files on a file system that two hosts share, with file locks and
# without (test/run/run_refuse.c makes the system calls fail): shared file
# pointers, atomic mode, concurrent writes, and data sieving. The ranks are
# started by Open MPI's mpirun.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2
. "$top_srcdir/test/run/run_lib.sh" || exit 1
use_key_file "$dir"
export build=$builddir

for name in mix shared calls; do
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" \
		-I"$top_srcdir/test/mpi" "$top_srcdir/test/mpi/file/file_$name.c" \
		-o "$dir/$name" -L"$builddir/.libs" -lmpi_abi -lm \
		-Wl,-rpath,"$builddir/.libs" || exit 1
done
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w "$top_srcdir/test/run/run_refuse.c" \
	-o "$dir/refuse" || exit 1
wrappers=("")
if "$dir/refuse" locks true 2> /dev/null; then
	wrappers+=("$dir/refuse locks")
else
	skip_part "no seccomp"
fi

# passes COMMAND...: checks that the command succeeds with four ranks, two on
# each host
passes() {
	timeout 60 bash -c 'on_hosts "$@"' - 4 "$@" > "$dir/out" 2>&1 < /dev/null &&
		return
	complain "$*: exit code $?"
	tail -n 20 "$dir/out"
}
rounds=4
[ -z "$LONG" ] || rounds=100
for wrapper in "${wrappers[@]}"; do
	passes $wrapper "$dir/calls"
	passes $wrapper "$dir/mix" $rounds 3 "$TMPDIR"
	passes $wrapper "$dir/shared" $rounds 3 "$TMPDIR"
done
end
