# SPDX-License-Identifier: BSD-3-Clause
# Functions for the tests of mpiexec; sourced by test/run/run_*.sh and others.
# All files of a test are in its directory $dir, which is removed at the end.
: "${builddir:=$PWD}"
mpiexec=$builddir/mpiexec
client=$builddir/test/run/run_client
dir=$(mktemp -d "${TMPDIR:-/tmp}/weft-test.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
# a name in the environment of every process of this test (and in arguments of
# some), to find leftover processes; their temporary files are created in a
# directory that must be empty at the end
mark=weft-mark-$$
export TEST_MARK=$mark TMPDIR=$dir/temporary
mkdir "$TMPDIR"
unset MPIEXEC_TIMEOUT

. "$top_srcdir/test/timeout.sh" || exit 1

complain() {
	echo "FAILED: $*"
	failed=1
}

# run CODE ARGUMENTS...: runs mpiexec, which must exit with CODE within
# ${within:-30} s; its output is in $dir/out and $dir/err.
run() {
	local want=$1 got
	shift
	timeout "${within:-30}" "$mpiexec" "$@" > "$dir/out" 2> "$dir/err" < /dev/null
	got=$?
	[ "$got" = "$want" ] && return
	complain "mpiexec $*: exit code $got, not $want"
	tail -n 5 "$dir/out" "$dir/err"
}

# last PATTERN: checks that the last line of stderr matches.
last() {
	tail -n 1 "$dir/err" | grep -qE -- "$1" && return
	complain "the last line does not match \"$1\":"
	cat "$dir/err"
}

# out TEXT: checks that the sorted stdout is TEXT.
out() {
	[ "$(sort "$dir/out")" = "$1" ] && return
	complain "stdout is not as expected: $1"
	head -n 20 "$dir/out"
}

# Prints the processes that a job of this test started, under any name.
leftovers() (
	unset TEST_MARK # do not count the searching processes
	grep -lsa "TEST_MARK=$mark" /proc/[0-9]*/environ | cut -d/ -f3
)

# Prints Unix sockets of Weft that no process owns: descriptors that were sent
# but never received keep such sockets, and the memory that the descriptors
# refer to. Only root can inspect all processes.
lost_sockets() {
	[ "$(id -u)" = 0 ] || return
	awk '$8 ~ /^@weft/ { print $7 }' /proc/net/unix > "$dir/sockets"
	find /proc/[0-9]*/fd -lname 'socket:*' -printf '%l\n' 2> /dev/null |
		tr -dc '0-9\n' | grep -vxFf - "$dir/sockets"
}

no_socket_lost() { [ -z "$(lost_sockets)" ]; }

# nothing_left: checks that no process, file, directory or socket of this test's
# jobs remains (waits up to 30 s for processes).
nothing_left() {
	local i pids files
	for i in $(seq 300); do
		pids=$(leftovers)
		[ -n "$pids" ] || break
		sleep 0.1
	done
	if [ -n "$pids" ]; then
		complain "processes are left behind:"
		ps -o pid,ppid,stat,args -p "$(echo $pids | tr ' ' ,)"
		kill -KILL $pids
	fi
	files=$(find "$TMPDIR" -mindepth 1)
	[ -z "$files" ] || complain "files are left behind: $files"
	# sockets of other jobs may appear temporarily
	wait_for no_socket_lost || grep @weft /proc/net/unix
}

# ended PID: waits up to 30 s for the end of a background job, and sets $got to
# its exit code.
has_ended() { ! kill -0 "$1" 2> /dev/null; }
ended() {
	local i
	for i in $(seq 300); do
		has_ended "$1" && break
		sleep 0.1
	done
	has_ended "$1" || {
		complain "process $1 does not end"
		kill -KILL "$1"
	}
	wait "$1" 2> /dev/null
	got=$?
}

# need_part PROGRAM...: succeeds if the programs exist. Otherwise the whole test
# counts as skipped at the end.
skipped=
need_part() {
	local p
	for p; do
		command -v "$p" > /dev/null && continue
		skip_part "no $p"
		return 1
	done
}

# skip_part REASON: reports that a part of the test is skipped.
skip_part() {
	echo "SKIPPED: $*"
	skipped=1
}

# end: exits with the result: failed, skipped in part, or passed.
end() {
	[ "$failed" = 0 ] || exit 1
	[ -z "$skipped" ] || exit 77
	exit 0
}

# build_hello: builds an MPI program of this tree that prints a greeting,
# $hello.
build_hello() {
	hello=$dir/hello
	${CC:-cc} -I"$top_srcdir/include" "$top_srcdir/test/run/run_hello.c" \
		-o "$hello" -L"$builddir/.libs" -lmpi_abi \
		-Wl,-rpath,"$builddir/.libs"
}

# wait_for COMMAND...: repeats the command until it succeeds, at most 600 times.
# The time between two attempts is longer on a loaded host.
wait_for() {
	local i
	for i in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	complain "never happened: $*"
	return 1
}
