#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Hosts that forbid system calls by seccomp: without sched_getaffinity jobs run
# unbound, with a message; without memfd_create the error message names the
# forbidden call; a signal ends mpiexec while it starts.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
build_hello || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall "$top_srcdir/test/run/run_seccomp.c" \
	-o "$dir/forbid" || exit 1
"$dir/forbid" 1 memfd_create true || { echo "no seccomp filters"; exit 77; }
real=$mpiexec

# forbid ERRNO CALLS: from here on mpiexec runs under a filter with which these
# system calls fail with ERRNO
forbid() {
	printf '#!/bin/sh\nexec "%s" %s %s "%s" "$@"\n' "$dir/forbid" "$1" "$2" \
		"$real" > "$dir/mpiexec"
	chmod +x "$dir/mpiexec"
	mpiexec=$dir/mpiexec
}

for errno in 1 38; do # EPERM, ENOSYS
	forbid $errno sched_getaffinity
	run 0 -n 2 "$hello"
	out "rank 0 of 2
rank 1 of 2"
	grep -q 'sched_getaffinity is forbidden here (.*): ranks are not bound' \
		"$dir/err" || complain "no message: $(cat "$dir/err")"
	[ "$(wc -l < "$dir/err")" = 1 ] || complain "more than one line"
	run 0 -q -n 2 --bind-to none "$hello"
	[ ! -s "$dir/err" ] || complain "not quiet: $(cat "$dir/err")"
	run 125 -n 2 --bind-to core "$hello"
	last '^mpiexec: --bind-to: sched_getaffinity is forbidden here'
	run 125 -n 2 --cpu-set 0 "$hello"
	last '^mpiexec: --cpu-set: sched_getaffinity is forbidden'
	forbid $errno sched_getaffinity,sched_setaffinity
	run 0 -q --machine bgq -n 2 "$hello"

	forbid $errno memfd_create
	run 1 -n 2 "$hello"
	grep -q 'memfd_create is forbidden here; a seccomp filter' "$dir/err" ||
		complain "the message does not name the forbidden call: $(cat "$dir/err")"
	run 0 -n 2 true
done

# hwloc reads the topology from a pipe without a writer, which blocks: a signal
# must end mpiexec there
mkfifo "$dir/pipe"
HWLOC_XMLFILE=$dir/pipe "$real" -n 1 true &
pid=$!
# waits: returns whether mpiexec is blocked in open(); kernels that do not
# report the system call print "0"
waits() {
	case $(cat "/proc/$pid/wchan" 2> /dev/null) in
	*partner* | *fifo* | *pipe* | 0) grep -q '^State:.S' "/proc/$pid/status" ;;
	*) return 1 ;;
	esac
}
wait_for waits
kill -TERM $pid
ended $pid
[ "$got" = 143 ] || complain "SIGTERM at the start: exit code $got"
nothing_left
end
