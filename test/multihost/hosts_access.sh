#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A job on two hosts, started by Open MPI's mpirun: an attacker, another user of
# a host that joins the job's PMIx server or reads every packet on the network,
# gets no key, and its datagrams to the ranks are refused. Hosts with different
# key files, and key files that others can read, end the job with a message.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2
make_work attacker
attacker=$(realpath "$build/test/multihost/hosts_access")
chmod 755 "$work"
compile test/multihost/hosts_exchange.c talk
# The reader of a FIFO waits for the line of its writer.
mkfifo "$work/result" "$work/ready"
"$attacker" listen "$work/wire" > "$work/ready" &
listener=$!
read -r word < "$work/ready"
[ "$word" = listening ] || { complain "the capture does not start"; exit 1; }

export WEFT_LOG=info
on_hosts 2 sh -c '
	[ "$PMIX_RANK" = 1 ] || exec "$1/talk" "$1/f"
	{
		# ranks have published their data when they communicate
		until [ -s "$1/f" ] || [ -e "$1/f.end" ]; do sleep 0.05; done
		# PMIx of another user cannot open the files of the server and
		# hangs, because the data is not published
		PMIX_MCA_gds=hash exec timeout -s KILL 30 "$2" join "$1/stolen" > "$1/result"
	} &
	attacker=$!
	{ read -r word < "$1/result"; echo "$word" > "$1/word"; touch "$1/f.end"; } &
	"$1/talk" "$1/f"
	code=$?
	kill $attacker
	exit $code' sh "$work" "$attacker" > "$work/out" 2>&1 < /dev/null
code=$?
kill $listener
wait $listener 2> /dev/null
[ $code = 0 ] || complain "the job ends with $code"
[ "$(grep -c good "$work/out")" = 2 ] || complain "not all ranks report success"
word=$(cat "$work/word")
if [ "$word" = refused ]; then
	# a PMIx server that checks users refuses the attacker; other tests
	# cover the rest
	echo "the attacker could not join"
elif [ "$word" = joined ]; then
	"$attacker" check "$work/weft_key" "$work/stolen" "$work/wire" ||
		complain "a key can be read"
	[ "$(grep -cE '\([1-9][0-9]* forged' "$work/out")" = 1 ] ||
		complain "datagrams of the attacker are not refused"
else
	complain "the attacker: $word"
fi
unset WEFT_LOG

# refused NAME TEXT COMMAND...: checks that the command fails in time, with this
# text
refused() {
	local what=$1 text=$2
	shift 2
	timeout -k 5 60 "$@" > "$work/out" 2>&1 < /dev/null
	case $? in
	0) complain "$what: the job runs" ;;
	124 | 137) complain "$what: the job hangs" ;;
	esac
	grep -q "$text" "$work/out" || complain "$what: no \"$text\""
}
touch "$work/f.end"
run=(mpirun.openmpi --oversubscribe --bind-to none)
refused 'different key files' 'host2: rank 0 has a key that differs from this rank' \
	"${run[@]}" -host host1 -x WEFT_KEY_FILE="$work/k1" -n 1 "$work/talk" "$work/f" : \
	-host host2 -x WEFT_KEY_FILE="$work/k2" -n 1 "$work/talk" "$work/f"
chmod 640 "$work/k1"
refused 'a key file of mode 0640' "k1 has mode 0640" \
	"${run[@]}" -host host1,host2 -x WEFT_KEY_FILE="$work/k1" -n 2 "$work/talk" "$work/f"
chmod 600 "$work/k1"
# no key file can be created there
"${run[@]}" -host host1,host2 -x WEFT_KEY_FILE=/proc/none -n 2 "$work/talk" \
	"$work/f" > "$work/out" 2>&1 < /dev/null || complain "the job without a secret failed"
grep -q 'this job is not protected from other users' "$work/out" ||
	complain "a job without a secret prints no warning"
exit $bad
