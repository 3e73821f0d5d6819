# SPDX-License-Identifier: BSD-3-Clause
# Verbs of the tests of mpiexec; sourced by test/run_*.sh.
# Everything happens in a directory of the test's own, $dir, removed at the end.
: "${builddir:=$PWD}"
mpiexec=$builddir/mpiexec
client=$builddir/test/run_client
dir=$(mktemp -d "${TMPDIR:-/tmp}/weft-test.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
# a name in the environment of every process of this test (and in arguments of
# some), to find leftovers by; what they make as temporary files goes to a place
# that must be empty in the end
mark=weft-mark-$$
export TEST_MARK=$mark TMPDIR=$dir/temporary
mkdir "$TMPDIR"
unset MPIEXEC_TIMEOUT

. "$top_srcdir/test/timeout.sh" || exit 1

complain() {
	echo "FAILED: $*"
	failed=1
}

# run CODE ARGUMENTS...: mpiexec must end with CODE within ${within:-30} s; its
# output is in $dir/out and $dir/err.
run() {
	local want=$1 got
	shift
	timeout "${within:-30}" "$mpiexec" "$@" > "$dir/out" 2> "$dir/err" < /dev/null
	got=$?
	[ "$got" = "$want" ] && return
	complain "mpiexec $*: exit code $got, not $want"
	tail -n 5 "$dir/out" "$dir/err"
}

# last PATTERN: the last line of stderr must match.
last() {
	tail -n 1 "$dir/err" | grep -qE -- "$1" && return
	complain "last words are not \"$1\":"
	cat "$dir/err"
}

# out TEXT: stdout, sorted, must be this.
out() {
	[ "$(sort "$dir/out")" = "$1" ] && return
	complain "stdout is not as expected: $1"
	head -n 20 "$dir/out"
}

# Processes that a job of this test started, whatever they call themselves.
leftovers() (
	unset TEST_MARK # those who look are none
	grep -lsa "TEST_MARK=$mark" /proc/[0-9]*/environ | cut -d/ -f3
)

# Unix sockets of Weft that no process has: descriptors that were sent and never
# received keep them, and the memory behind them. Only root sees all processes.
lost_sockets() {
	[ "$(id -u)" = 0 ] || return
	awk '$8 ~ /^@weft/ { print $7 }' /proc/net/unix > "$dir/sockets"
	find /proc/[0-9]*/fd -lname 'socket:*' -printf '%l\n' 2> /dev/null |
		tr -dc '0-9\n' | grep -vxFf - "$dir/sockets"
}

no_socket_lost() { [ -z "$(lost_sockets)" ]; }

# nothing_left: of the jobs of this test no process is alive after a moment, no
# file or directory was left, and no socket hangs in the air.
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
	# others' sockets come and go while we look
	wait_for no_socket_lost || grep @weft /proc/net/unix
}

# ended PID: the exit code of a job in the background, which must end within 30 s,
# in $got.
gone() { ! kill -0 "$1" 2> /dev/null; }
ended() {
	local i
	for i in $(seq 300); do
		gone "$1" && break
		sleep 0.1
	done
	gone "$1" || {
		complain "process $1 does not end"
		kill -KILL "$1"
	}
	wait "$1" 2> /dev/null
	got=$?
}

# need_part PROGRAM...: may the part that needs them run? If not, the whole test
# counts as skipped in the end.
skipped=
need_part() {
	local p
	for p; do
		command -v "$p" > /dev/null && continue
		skip_part "no $p"
		return 1
	done
}

# skip_part WHY: a part of the test is left out.
skip_part() {
	echo "SKIPPED: $*"
	skipped=1
}

# end: leave with what happened: a failure, a part that was skipped, or success.
end() {
	[ "$failed" = 0 ] || exit 1
	[ -z "$skipped" ] || exit 77
	exit 0
}

# build_hello: an MPI program of this tree that greets, as $hello.
build_hello() {
	hello=$dir/hello
	${CC:-cc} -I"$top_srcdir/include" "$top_srcdir/test/run_hello.c" \
		-o "$hello" -L"$builddir/.libs" -lmpi_abi \
		-Wl,-rpath,"$builddir/.libs"
}

# wait_for COMMAND...: until it succeeds, at most 600 times: a busy host is
# slower between two tries, too.
wait_for() {
	local i
	for i in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	complain "never happened: $*"
	return 1
}
