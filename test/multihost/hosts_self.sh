#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests test/hosts: its virtual hosts share only files, each accepts a remote
# shell, links can be cut, and no process remains, however the script ends.
hosts=${top_srcdir:-.}/test/hosts
bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/weft-hosts.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
complain() {
	echo "FAILED: $*"
	bad=1
}

# eventually COMMAND...: repeats the command until it succeeds, for at most 60 s
eventually() {
	local i
	for i in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	complain "never happened: $*"
}

# Prints each step, so that the last line shows where the test hangs.
echo "start and end"
bash "$hosts" 1 true || exit # 77 if hosts cannot be created

bash "$hosts" 3 bash -c 'exit 7' && complain "exit code 0"
[ $? = 7 ] || complain "the exit code of the command is lost"
echo "standard input"
[ "$(echo word | bash "$hosts" 1 cat)" = word ] || complain "no standard input"

# Checks which resources of a host are private and which are shared.
cat > "$work/own" <<'END'
fail() { echo "FAILED: $*"; bad=1; }
bad=0
[ "$HOSTS" = "host1 host2 host3" ] || fail "HOSTS=$HOSTS"
[ "$(cat "$HOSTS_FILE")" = "$(printf 'host1\nhost2\nhost3')" ] || fail HOSTS_FILE
for h in $HOSTS; do
	[ "$($HOSTS_RSH $h hostname)" = $h ] || fail "name of $h"
	[ "$($HOSTS_RSH $h 'cat /proc/1/comm')" = bash ] || fail "/proc of $h"
	for ns in net pid uts ipc mnt; do
		$HOSTS_RSH $h readlink /proc/self/ns/$ns
	done
	for ns in net pid uts ipc mnt; do readlink /proc/self/ns/$ns; done
done > "$1/ns"
[ "$(sort -u "$1/ns" | wc -l)" = 20 ] || fail "shared: $(cat "$1/ns")"
$HOSTS_RSH host1 'echo x > /dev/shm/x'
$HOSTS_RSH host2 'test -e /dev/shm/x' && fail "/dev/shm is shared"
secret=1 $HOSTS_RSH host1 'test -z "$secret"' || fail "the environment is shared"
$HOSTS_RSH -l root -n host1 'echo "a  b"; exit 5' > "$1/out"
[ $? = 5 ] || fail "the exit code of rsh is lost"
[ "$(cat "$1/out")" = "a  b" ] || fail "words of rsh"
$HOSTS_RSH host4 true 2> /dev/null && fail "host4 exists"
reach() { # FROM TO: does a connection to the port of its agent find a host?
	$HOSTS_RSH $1 "bash -c 'exec 3<> /dev/tcp/$2/9'" 2>&1 | grep -q refused
}
reach host1 host3 || fail "host1 cannot reach host3"
$HOSTS_SELF cut host3
$HOSTS_RSH host1 'timeout 1 bash -c "exec 3<> /dev/tcp/host3/9"' 2> /dev/null
[ $? = 124 ] || fail "the cable of host3 is cut, and host1 reaches it"
$HOSTS_SELF join host3
for i in $(seq 100); do reach host1 host3 && break; done
reach host1 host3 || fail "host3 does not come back"
$HOSTS_RSH host2 'setsid sleep 1000 > /dev/null 2>&1 & echo $!' > /dev/null
[ "$($HOSTS_SELF pids host2 | wc -l)" -ge 3 ] || fail "pids"
pids=$($HOSTS_SELF pids host2)
$HOSTS_SELF kill host2
for p in $pids; do kill -0 $p 2> /dev/null && fail "$p is alive"; done
$HOSTS_RSH host2 true 2> /dev/null && fail "host2 is alive"
exit $bad
END
echo "private resources"
bash "$hosts" 3 bash "$work/own" "$work" || bad=1

# Two concurrent instances have the same host names and pids, and share no file.
echo "two instances"
if command -v mpirun.openmpi > /dev/null; then
	cat > "$work/job" <<'END'
for i in 1 2 3; do
	mpirun.openmpi --hostfile "$HOSTS_FILE" --oversubscribe -n 2 sh -c \
		'echo "$PMIX_SERVER_TMPDIR"' || exit 1
done
END
	bash "$hosts" 2 bash "$work/job" > "$work/one" 2> "$work/one.err" &
	one=$!
	bash "$hosts" 2 bash "$work/job" > "$work/two" 2> "$work/two.err" &
	two=$!
	wait $one || complain "the first of two: $(cat "$work/one.err")"
	wait $two || complain "the second of two: $(cat "$work/two.err")"
	[ "$(cat "$work/one" "$work/two" | grep -c '^/dev/shm/')" = 12 ] ||
		complain "files of a launcher are outside of the host's private directory"
else
	echo "SKIPPED: no mpirun.openmpi"
fi

# The end of test/hosts ends all of its processes; the sleeping processes run
# on the hosts and are identified by the duration of their sleep.
long=$((1000000 + $$))
cat > "$work/stay" <<'END'
$HOSTS_RSH host1 "echo x > $1/there; exec sleep $2" &
$HOSTS_RSH host2 "setsid sleep $2 & echo x > $1/there2; wait" &
wait
END
sleepers() { ps -eo pid,args | grep "[s]leep $long"; }
none() { [ -z "$(sleepers)" ]; }
for sig in TERM INT HUP KILL; do
	echo "ended by $sig"
	rm -f "$work"/there*
	# a background job of a script ignores SIGINT, and below nohup also
	# SIGHUP
	env --default-signal=INT,HUP bash "$hosts" 2 bash "$work/stay" "$work" $long &
	pid=$!
	eventually test -s "$work/there" -a -s "$work/there2"
	[ -n "$(sleepers)" ] || complain "no sleeping processes"
	kill -$sig $pid
	wait $pid 2> /dev/null
	eventually none
done
ip link show lan > /dev/null 2>&1 && complain "a bridge is left"

# A user without the required permission gets a message.
if command -v setpriv > /dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups bash -s 1 true \
		< "$hosts" 2> "$work/err"
	[ $? = 77 ] || complain "not root: no skip"
	grep -q root "$work/err" || complain "not root: $(cat "$work/err")"
fi
[ $bad = 0 ] && echo "hosts: good"
exit $bad
