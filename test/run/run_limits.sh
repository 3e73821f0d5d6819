#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that ranks whose limits on address space or open files are too small
# report this with the numbers, and that the job ends; no process may hang,
# crash, or report a failed peer instead.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi "$mark" "$top_srcdir/test/run/run_scale.c" || exit 1
# skipped, since sanitizers reserve the whole address space
nm -D "$builddir/.libs/libmpi_abi.so.1" | grep -qE '__[at]san_' && exit 77

# limited RANKS LIMIT...: runs a job under "ulimit LIMIT" in each rank and
# returns its exit code
limited() {
	local ranks=$1
	shift
	timeout -s KILL 120 "$mpiexec" -n "$ranks" bash -c \
		"ulimit $* || exit 99; exec '$dir/$mark'" > "$dir/out" \
		2> "$dir/err" < /dev/null
}

good=0 peers=0
for kib in $(seq 15000 3000 60000) 131072; do
	limited 5 -v "$kib"
	code=$?
	if [ "$code" = 0 ]; then
		good=$((good + 1))
		continue
	fi
	# 127: not even the libraries can be loaded, and the loader reports it
	[ "$code" = 127 ] && grep -q 'shared object' "$dir/err" && continue
	grep -qE 'ulimit -v|failed to map segment' "$dir/err" ||
		complain "$kib KiB: exit code $code without a reason"
	grep -q "peer's memory" "$dir/err" && peers=$((peers + 1))
	# a rank that detects the end of a peer before its own error may report
	# the peer; mpiexec may not
	if [ "$code" -gt 127 ] || grep -q 'signal 11' "$dir/err" ||
		tail -n 1 "$dir/err" | grep -q 'has ended'; then
		complain "$kib KiB: exit code $code"
		tail -n 5 "$dir/err"
	fi
done
[ $good -gt 0 ] || complain "131072 KiB are not enough"
[ $peers -gt 0 ] || complain "no limit was reached when a peer was mapped"
echo "addresses: $good jobs ran, $peers had too little for a peer"

# once: checks that no reason is printed twice, even with the different numbers
# of several ranks
once() {
	local twice
	twice=$(sed -n 's/^weft[^:]*: error: //p' "$dir/err" |
		sed 's/^\(shm: cannot allocate [^:]*\):.*/\1/' | sort | uniq -d)
	[ -z "$twice" ] || {
		complain "printed more than once: $twice"
		cat "$dir/err"
	}
}

# the caller determines the number of inherited descriptors: begin with a limit
# that is too low for PMIx
reported=0
for n in $(seq 8 24); do
	limited 4 -n "$n"
	code=$?
	[ "$code" -le 127 ] || complain "ulimit -n $n: exit code $code"
	grep -q ": the limit is $n descriptors (ulimit -n)" "$dir/err" || continue
	reported=$((reported + 1))
	[ "$code" != 0 ] || complain "ulimit -n $n: exit code 0"
	once
done
[ $reported -gt 0 ] || complain "ulimit -n is not reported"
echo "descriptors: $reported jobs had too few"

limited 4 -v 30000
once

limited 4 -f 1000
code=$?
once
[ "$code" = 1 ] || complain "ulimit -f: exit code $code"
grep -qE '[0-9]+ KiB are needed, .* 1000 KiB \(ulimit -f\)' "$dir/err" ||
	complain "ulimit -f is not reported"
last 'rank [0-3] .*MPI_Init'
nothing_left
exit $failed
