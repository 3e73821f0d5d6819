#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that other users of the host can neither join a job, nor delay it, nor
# end it.
[ "$(id -u)" = 0 ] || { echo "only root can change the user"; exit 77; }
. "$top_srcdir/test/run/run_lib.sh"
attacker=$builddir/test/run/run_access

# Opens a connection that sends no data before any rank calls MPI_Init, as
# another user and as the same user. The reader of the FIFO waits until the
# attacker is connected.
mkfifo "$dir/held"
for kind in silent kin mumble; do
	run 0 -n 2 sh -c '
		if [ "$PMIX_RANK" = 0 ]; then
			"$1" "$4" > "$2" &
			read -r word < "$2"
			[ "$word" = held ] || exit 3
		fi
		exec "$3" init hello fence check fini' \
		"$mark" "$attacker" "$dir/held" "$client" "$kind"
	out "rank 0 of 2
rank 1 of 2"
	nothing_left
done

# An attacking process of another user knows all names and numbers of the job.
run 0 -n 1 sh -c '
	"$1" join
	echo "attacker: $?"
	exec "$2" init hello fence check fini' "$mark" "$attacker" "$client"
out "attacker: 1
rank 0 of 1"
grep -q "user 65534" "$dir/err" ||
	complain "the refused connection is not reported"
nothing_left

# Checks that two jobs have no value in common that could be guessed.
run 0 -n 1 sh -c 'echo "$PMIX_NAMESPACE"'
one=$(cat "$dir/out")
echo "$one" | grep -qE '^weft-[0-9a-f]{32}$' ||
	complain "the namespace $one can be guessed"
run 0 -n 1 sh -c 'echo "$PMIX_NAMESPACE"'
[ "$one" = "$(cat "$dir/out")" ] && complain "two jobs have the same name"
exit $failed
