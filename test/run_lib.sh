# SPDX-License-Identifier: BSD-3-Clause
# Verbs of the tests of mpiexec; sourced by test/run_*.sh.
# Everything happens in a directory of the test's own, $dir, removed at the end.
: "${builddir:=$PWD}"
mpiexec=$builddir/mpiexec
client=$builddir/test/run_client
dir=$(mktemp -d "${TMPDIR:-/tmp}/weft-test.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0
# a name in the arguments of every process of this test, to find leftovers by
mark=weft-mark-$$
unset MPIEXEC_TIMEOUT

complain() {
	echo "FAILED: $*"
	failed=1
}

# run CODE ARGUMENTS...: mpiexec must end with CODE within 30 s; its output is
# in $dir/out and $dir/err.
run() {
	local want=$1 got
	shift
	timeout -s KILL 30 "$mpiexec" "$@" > "$dir/out" 2> "$dir/err" < /dev/null
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

# nothing_left: no process of this test is alive after a moment.
nothing_left() {
	local i pids
	for i in $(seq 50); do
		pids=$(pgrep -f "$mark" | grep -vx "$$")
		[ -z "$pids" ] && return
		sleep 0.1
	done
	complain "processes are left behind:"
	ps -o pid,ppid,stat,args -p "$(echo $pids | tr ' ' ,)"
	kill -KILL $pids
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

# wait_for COMMAND...: until it succeeds, at most 20 s.
wait_for() {
	local i
	for i in $(seq 200); do
		"$@" && return
		sleep 0.1
	done
	complain "never happened: $*"
	return 1
}
