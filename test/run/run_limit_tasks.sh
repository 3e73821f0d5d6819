#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that a user whose limit on processes and threads is too low for a job
# gets a message with the numbers, and that the message names the rank if a rank
# cannot start a thread. The kernel counts all processes of a user, including
# zombies, so each job runs as a different user.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
build_hello || exit 1
user=61000
as() {
	setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}
chmod -R go+rX "$dir"
as "$hello" > "$dir/out" 2>&1 || {
	echo "this test must be able to become another user that can read $builddir"
	exit 77
}

# 8 ranks with one thread each, mpiexec with two threads, and an output
# collector
ranks=8 need=20 thread=0 process=0
for max in $(seq 3 $((need + 2))); do
	user=$((61000 + ($$ * 23 + max) % 4000))
	as bash -c "ulimit -u $max; exec timeout -s KILL 60 '$mpiexec' -n $ranks \
		'$hello' $mark" > "$dir/out" 2> "$dir/err" < /dev/null
	code=$?
	[ "$code" = 0 ] && continue
	[ "$code" = 125 ] && process=$((process + 1))
	grep -qE 'fork|collector|thread' "$dir/err" ||
		complain "limit $max: exit code $code without a reason"
	grep -q 'code 0' "$dir/err" && complain "limit $max: the message reports exit code 0"
	grep -q '^weft.*no thread can be started' "$dir/err" || continue
	thread=$((thread + 1))
	grep -q "$need processes and threads .* $max in all (ulimit -u)" \
		"$dir/err" || complain "limit $max: the message does not contain the numbers"
	# If several ranks get the same error, only one of them prints it.
	# mpiexec reports this rank or another one with the error; rank and pid
	# in its message must match.
	blamed=$(tail -n 1 "$dir/err" |
		sed -n 's/.*rank \([0-9]*\) with PID \([0-9]*\) .*code 1.*/\1 \2/p')
	printed=$(sed -n 's/.*rank \([0-9]*\) on .* (pid \([0-9]*\)).*/\1 \2/p' \
		"$dir/err" | head -n 1)
	[ -z "$blamed" ] || [ "$blamed" = "$printed" ] ||
		{ [ "${blamed% *}" != "${printed% *}" ] &&
			[ "${blamed#* }" != "${printed#* }" ]; } ||
		complain "limit $max: mpiexec reports $blamed, but $printed printed the error"
done
[ $thread -gt 0 ] || complain "no rank was without a thread"
[ $process -gt 0 ] || complain "no rank could not be started"
echo "$process jobs had too few processes, $thread too few threads"
exit $failed
