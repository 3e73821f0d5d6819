#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests input and output of jobs: standard input, output by lines, tags, files,
# back-pressure, a reader that exits.
. "$top_srcdir/test/run/run_lib.sh" || exit 1

# fed ARGUMENTS...: runs mpiexec with the stdin of this function, and checks
# that it exits with 0; its output is in $dir/out.
fed() {
	local rc
	timeout -k 2 60 "$mpiexec" "$@" > "$dir/out" 2> "$dir/err"
	rc=$?
	[ $rc = 0 ] && return
	echo "mpiexec $*: exit code $rc: $(tail -n 3 "$dir/err")" >> "$dir/wrong"
	return 1
}

# tests stdin for rank 0, for another rank, for all ranks, and for none
check_stdin() {
	local want=$1
	shift
	printf 'a\nb\n' | fed -n 3 -l "$@" cat
	got=$(sort "$dir/out" | tr '\n' '|')
	[ "$got" = "$want" ] || complain "stdin $*: $got"
}
check_stdin '[0] a|[0] b|'
check_stdin '[2] a|[2] b|' -stdin 2
check_stdin '[0] a|[0] b|[1] a|[1] b|[2] a|[2] b|' --stdin all
check_stdin '' -stdin none
printf 'x\n' > "$dir/in"
fed -n 2 -stdin all cat < "$dir/in"
[ "$(cat "$dir/out")" = 'x
x' ] || complain "stdin all from a file: $(cat "$dir/out")"
# long stdin, read in many parts: each rank gets all of it
seq 200000 > "$dir/in"
cat "$dir/in" | fed -n 3 -stdin all cksum
[ "$(sort -u "$dir/out")" = "$(cksum < "$dir/in")" ] &&
	[ "$(wc -l < "$dir/out")" = 3 ] ||
	complain "long stdin for all: $(cat "$dir/out"), not $(cksum < "$dir/in")"
# a rank that does not read its stdin must not stop the input of the others
{ fed -n 3 -stdin all sh -c \
	'[ $PMI_RANK = 1 ] && exec true || exec cksum'; } < <(cat "$dir/in")
[ "$(cat "$dir/out")" = "$(cksum < "$dir/in"; cksum < "$dir/in")" ] ||
	complain "one rank stops reading: $(cat "$dir/out")"
# mpiexec leaves input that no rank reads to the next command
printf 'one\ntwo\n' | { fed -n 2 true; cat > "$dir/rest"; }
[ "$(cat "$dir/rest")" = 'one
two' ] || complain "stdin was consumed"
[ ! -e "$dir/wrong" ] || complain "$(cat "$dir/wrong")"

# tags
run 0 -n 2 -l sh -c 'echo out; echo err >&2'
out '[0] out
[1] out'
grep -qx '\[1\] err' "$dir/err" || complain "-l on stderr"
run 0 -n 1 --tag-output sh -c 'echo a; printf b'
[ "$(cat "$dir/out")" = '[1,0]<stdout>: a
[1,0]<stdout>: b' ] || complain "--tag-output: $(cat "$dir/out")"
run 0 -n 1 -prepend-pattern '%r: ' echo x
out '0: x'
run 0 -n 1 --timestamp-output echo x
grep -qE '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+ x$' "$dir/out" ||
	complain "--timestamp-output: $(cat "$dir/out")"
run 0 -n 1 --merge-stderr-to-stdout sh -c 'echo e >&2; echo o'
out 'e
o'
run 0 -n 1 printf 'no newline'
[ "$(cat "$dir/out")" = 'no newline' ] || complain "unfinished line"

# output without a newline is unchanged: no byte is added, also between ranks
run 0 -n 3 printf '\001\000\002'
[ "$(od -An -tx1 "$dir/out" | tr -d ' \n')" = 010002010002010002 ] ||
	complain "binary output: $(od -An -tx1 "$dir/out")"
head -c 3000000 /dev/urandom > "$dir/random"
run 0 -n 1 cat "$dir/random"
cmp "$dir/random" "$dir/out" || complain "random bytes"
run 0 -n 2 -l printf x
out '[0] x
[1] x'

# files
run 0 -n 2 -outfile-pattern "$dir/o.%r" -errfile-pattern "$dir/e.%r" \
	sh -c 'echo $PMI_RANK; echo e$PMI_RANK >&2'
[ "$(cat "$dir/o.1" "$dir/e.0")" = '1
e0' ] || complain "-outfile-pattern"
run 0 -n 2 --output-filename "$dir/tree" sh -c 'echo $PMI_RANK'
[ "$(cat "$dir/tree/1/rank.1/stdout")" = 1 ] || complain "--output-filename"

# programs may open /dev/stdout and /dev/stderr, which are not terminals
run 0 -n 1 sh -c 'echo dev > /dev/stdout; echo err > /dev/stderr; ! test -t 1'
out dev

# long lines of many ranks do not mix: 16 ranks, 20 lines of 50000 bytes
run 0 -n 16 sh -c 'c=$(printf "\\$(printf %o $((97 + PMI_RANK)))")
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		head -c 50000 /dev/zero | tr "\0" $c; echo; done'
bad=$(grep -cvE '^(a{1000,}|b+|c+|d+|e+|f+|g+|h+|i+|j+|k+|l+|m+|n+|o+|p+)$' \
	"$dir/out")
[ "$bad" = 0 ] && [ "$(wc -lc < "$dir/out" | tr -s ' ')" = ' 320 16000320' ] ||
	complain "long lines: $bad mixed, $(wc -lc < "$dir/out")"

# 100 MB through 16 ranks; nothing is lost
run 0 -n 16 sh -c 'yes 0123456 | head -c 6400000'
[ "$(wc -c < "$dir/out")" = 102400000 ] ||
	complain "large output: $(wc -c < "$dir/out") bytes"

# helper: prints the pid of the output collector of a background job
helper() { ps -o pid=,comm= --ppid $pid | awk '$2 == "mpiexec-io" { print $1 }'; }
has_helper() { [ -n "$(helper)" ]; }

# a slow reader slows the ranks down, since mpiexec does not buffer without
# limit
mkfifo "$dir/slow"
"$mpiexec" -n 2 sh -c 'yes | head -c 20000000' > "$dir/slow" 2> "$dir/err" &
pid=$!
exec 3< "$dir/slow"
wait_for has_helper
# waits until the output collector has read something and then has stopped
# reading
bytes=0
stands() {
	local before=$bytes
	bytes=$(sed -n 's/^rchar: //p' "/proc/$(helper)/io")
	[ "$bytes" -gt 65536 ] && [ "$bytes" = "$before" ]
}
wait_for stands
rss=$(awk '/^VmRSS:/ { print $2 }' "/proc/$(helper)/status")
[ -n "$rss" ] && [ "$rss" -lt 30000 ] ||
	complain "mpiexec buffers output: $rss KiB after $bytes bytes"
n=$(timeout 60 wc -c <&3)
exec 3<&-
[ "$n" = 40000000 ] || complain "slow reader: $n"
ended $pid
[ $got = 0 ] || complain "slow reader: exit code $got"

# a reader that exits: the ranks get the error, no process hangs
timeout 20 "$mpiexec" -n 4 yes 2> "$dir/err" | head -n 3 > "$dir/out"
rc=${PIPESTATUS[0]}
[ "$rc" = 141 ] || complain "closed stdout: exit code $rc"
[ "$(wc -l < "$dir/out")" = 3 ] || complain "closed stdout"
timeout 20 "$mpiexec" -n 2 echo x >&- 2> "$dir/err" ||
	complain "stdout closed from the start: $?"
timeout 20 "$mpiexec" -n 2 echo x > /dev/full 2> "$dir/err" &&
	complain "a full disk is not detected"
grep -q 'cannot write standard output: No space left' "$dir/err" ||
	complain "a full disk is not reported: $(cat "$dir/err")"

# a collector that is killed ends the job, and the reason is printed
"$mpiexec" -n 2 sh -c 'while :; do sleep 0.1; done' > "$dir/out" 2> "$dir/err" &
pid=$!
wait_for has_helper && kill -KILL "$(helper)"
ended $pid
[ $got = 125 ] || complain "a killed collector: exit code $got"
grep -q 'collector of output was killed' "$dir/err" || complain "$(cat "$dir/err")"
exit $failed
