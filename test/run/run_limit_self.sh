#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests limits on the mpiexec process itself: too little address space, a stack
# that is too small or too large, a thread that cannot be started. The job runs
# or ends with a message that names the limit; mpiexec never hangs and never
# dies by a signal.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
build_hello || exit 1
# skipped, since sanitizers reserve the whole address space
nm -D "$builddir/.libs/libmpi_abi.so.1" | grep -qE '__[at]san_' && exit 77

# limited "ULIMIT; ULIMIT": runs mpiexec under these limits; its exit code is in
# $code
limited() {
	(
		eval "$1" || exit 99
		exec timeout -s KILL 60 "$mpiexec" -n 2 "$hello" > "$dir/out" \
			2> "$dir/err" < /dev/null
	)
	code=$?
}

good=0 refused=0
for kib in $(seq 8000 500 14000) $(seq 16000 2000 40000); do
	limited "ulimit -v $kib"
	# a signal may kill a rank that lacks memory, but never mpiexec
	[ $code -le 127 ] || grep -q '^mpiexec: process rank' "$dir/err" || {
		complain "$kib KiB of addresses: exit code $code"
		tail -n 3 "$dir/err"
	}
	[ $code = 0 ] && good=$((good + 1))
	[ $code = 125 ] && refused=$((refused + 1))
	case $code in 0 | 127) continue ;; esac
	grep -qiE 'ulimit -v|NO-MEM|failed to map segment|out of .*memory|signal 11' "$dir/err" ||
		complain "$kib KiB: exit code $code without a reason: $(cat "$dir/err")"
done
[ $good -gt 0 ] && [ $refused -gt 0 ] ||
	complain "$good jobs ran and $refused were refused"
echo "addresses: $good jobs ran, $refused were refused by mpiexec"

# each thread has a stack of 1 GiB, and the address space has room for only one
# such stack
limited "ulimit -s 1048576; ulimit -v 2000000"
[ $code = 0 ] || complain "a large stack: exit code $code: $(cat "$dir/err")"

# small stacks: mpiexec raises its own limit if that is allowed, otherwise it
# refuses the job with the numbers; ranks have the limit of the user
limited "ulimit -S -s 100"
[ $code = 0 ] || complain "a small soft limit: exit code $code"
(
	ulimit -S -s 100
	run 0 -n 1 bash -c 'ulimit -s'
	out 100
	exit $failed
) || failed=1
# a large environment, which is stored on the stack
(
	ulimit -S -s 240
	environment=$(printf '%060000d' 0)
	export environment
	run 0 -n 1 bash -c 'ulimit -s'
	out 240
	exit $failed
) || failed=1
if [ "$(id -u)" = 0 ] && need_part setpriv; then
	chmod 755 "$dir"
	for kib in 100 128 200; do
		(
			ulimit -s $kib
			exec setpriv --reuid 65534 --regid 65534 --clear-groups \
				timeout -s KILL 60 "$mpiexec" -n 1 true
		) > "$dir/out" 2> "$dir/err" < /dev/null
		code=$?
		# 126: another user may not enter the build directory
		[ $code = 126 ] && { skip_part "no mpiexec for others"; break; }
		[ $code = 125 ] || complain "ulimit -s $kib: exit code $code"
		last "mpiexec needs a stack of 512 KiB, the limit is $kib KiB; raise it by ulimit -s"
	done
fi

# a thread that cannot be started: PMIx does not detect that its listener is
# missing
${CC:-cc} -std=c11 -D_GNU_SOURCE -shared -fPIC \
	"$top_srcdir/test/run/run_limit_self.c" -o "$dir/preload.so" || exit 1
LD_PRELOAD=$dir/preload.so FAIL_THREAD=3 run 125 -n 1 -genvlist PATH "$hello"
last "the thread that accepts the ranks' connections does not run"

# a rank in MPI_Init that does not connect to the server within the time limit
export MPIEXEC_CONNECT_TIMEOUT=0.4
run 125 -n 2 -env LD_PRELOAD "$dir/preload.so" -env HANG_INIT 1 "$hello"
last 'rank [01] .* has been in MPI_Init for 0.4 s and does not reach the PMIx'
# the time limit does not apply to a program that never calls MPI_Init
run 0 -n 2 sleep 1.5
# nor does it apply to a stopped rank
cat > "$dir/stopped" << END
self=\$\$
(sleep 1.5; kill -CONT \$self) &
kill -STOP \$self
exec "$hello"
END
run 0 -n 1 sh "$dir/stopped"
nothing_left
end
