#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# stdin, output by lines, tags, files, back-pressure, a reader that leaves.
. "$top_srcdir/test/run_lib.sh" || exit 1

# stdin goes to rank 0, to another, to all, to none
check_stdin() {
	local want=$1
	shift
	got=$(printf 'a\nb\n' | timeout 20 "$mpiexec" -n 3 -l "$@" cat | sort |
		tr '\n' '|')
	[ "$got" = "$want" ] || complain "stdin $*: $got"
}
check_stdin '[0] a|[0] b|'
check_stdin '[2] a|[2] b|' -stdin 2
check_stdin '[0] a|[0] b|[1] a|[1] b|[2] a|[2] b|' --stdin all
check_stdin '' -stdin none
printf 'x\n' > "$dir/in"
got=$(timeout 20 "$mpiexec" -n 2 -stdin all cat < "$dir/in" | wc -l)
[ "$got" = 2 ] || complain "stdin all from a file: $got"
# mpiexec takes nothing of a stdin that its ranks do not read
got=$(printf 'one\ntwo\n' | { timeout 20 "$mpiexec" -n 2 true; cat; } | wc -l)
[ "$got" = 2 ] || complain "stdin was eaten"

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

# files
run 0 -n 2 -outfile-pattern "$dir/o.%r" -errfile-pattern "$dir/e.%r" \
	sh -c 'echo $PMI_RANK; echo e$PMI_RANK >&2'
[ "$(cat "$dir/o.1" "$dir/e.0")" = '1
e0' ] || complain "-outfile-pattern"
run 0 -n 2 --output-filename "$dir/tree" sh -c 'echo $PMI_RANK'
[ "$(cat "$dir/tree/1/rank.1/stdout")" = 1 ] || complain "--output-filename"

# programs may open /dev/stdout and /dev/stderr, which are no terminals
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

# a slow reader slows the ranks down, mpiexec does not collect in memory
timeout 30 "$mpiexec" -n 2 sh -c 'yes | head -c 20000000' 2> "$dir/err" | {
	sleep 1
	ps -o rss= -C mpiexec-io > "$dir/rss"
	wc -c > "$dir/n"
}
[ "$(cat "$dir/n")" = 40000000 ] || complain "slow reader: $(cat "$dir/n")"
awk '$1 > 30000 { exit 1 }' "$dir/rss" || complain "output piles up in memory"

# a reader that leaves: the ranks learn it, nobody hangs
timeout 20 "$mpiexec" -n 4 yes 2> "$dir/err" | head -n 3 > "$dir/out"
rc=${PIPESTATUS[0]}
[ "$rc" = 141 ] || complain "closed stdout: exit code $rc"
[ "$(wc -l < "$dir/out")" = 3 ] || complain "closed stdout"
timeout 20 "$mpiexec" -n 2 echo x >&- 2> "$dir/err" ||
	complain "stdout closed from the start: $?"
if [ -w /dev/full ]; then
	timeout 20 "$mpiexec" -n 2 echo x > /dev/full 2> "$dir/err"
	[ $? -ne 0 ] || complain "a full disk is not noticed"
fi

# a collector that is killed ends the job, and the reason is told
"$mpiexec" -n 2 sh -c 'while :; do sleep 0.1; done' > "$dir/out" 2> "$dir/err" &
pid=$!
helper() { ps -o pid=,comm= --ppid $pid | awk '$2 == "mpiexec-io" { print $1 }'; }
has_helper() { [ -n "$(helper)" ]; }
wait_for has_helper && kill -KILL "$(helper)"
wait $pid
[ $? = 125 ] || complain "a killed collector: $?"
grep -q 'collector of output was killed' "$dir/err" || complain "$(cat "$dir/err")"
exit $failed
