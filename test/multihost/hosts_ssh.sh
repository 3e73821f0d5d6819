#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jobs on two hosts by OpenSSH: mpiexec finds no mpirun and starts its daemons
# by ssh. Each host runs its own sshd, with keys and configuration of this test.
# The hosts have IPv6 only.
if [ -z "$HOSTS" ]; then
	sshd=$(PATH=$PATH:/usr/sbin command -v sshd) &&
		command -v ssh ssh-keygen > /dev/null ||
		{ echo "no sshd, ssh and ssh-keygen (openssh-server)"; exit 77; }
	user=$(getent shadow root | cut -d: -f2)
	case $user in !*) echo "the account root is locked"; exit 77 ;; esac
	sshd=$sshd exec bash "$top_srcdir/test/hosts" -6 2 bash "$0"
fi
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
make_work ssh
compile test/multihost/hosts_daemon.c job
mkdir "$work/bin"
ssh-keygen -q -t ed25519 -N "" -f "$work/host_key" &&
	ssh-keygen -q -t ed25519 -N "" -f "$work/key" || exit 1
cat > "$work/sshd_config" <<END
Port 22
HostKey $work/host_key
AuthorizedKeysFile $work/key.pub
PermitRootLogin yes
StrictModes no
UsePAM no
PidFile /run/sshd.pid
END
cat > "$work/ssh_config" <<END
IdentityFile $work/key
IdentitiesOnly yes
UserKnownHostsFile $work/known_hosts
StrictHostKeyChecking no
BatchMode yes
LogLevel ERROR
END
# the user's own configuration is not read
printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(type -P ssh)" "$work/ssh_config" \
	> "$work/bin/ssh"
chmod +x "$work/bin/ssh"
for tool in cat hostname true; do ln -s "$(type -P $tool)" "$work/bin/"; done

# The folder of sshd for its unprivileged process is on a file system of the
# host, so nothing of this is left. sshd ends with its host.
for h in $HOSTS; do
	$HOSTS_RSH $h "mount -t tmpfs tmpfs /run && mkdir -p -m 755 /run/sshd &&
		$sshd -f $work/sshd_config -E $work/log.$h" ||
		{ complain "sshd on $h does not start"; exit 1; }
done
for h in $HOSTS; do
	for i in $(seq 100); do
		"$work/bin/ssh" $h true 2> "$work/err" && break
		sleep 0.1
	done
	[ "$i" != 100 ] || { complain "no login on $h"; exit 1; }
done

# job CODE ARGUMENTS...: runs mpiexec on both hosts and checks its exit code
job() {
	local want=$1 rc
	shift
	timeout -k 5 60 env PATH="$work/bin" "$build/mpiexec" -q \
		-host host1:2,host2:2 "$@" > "$work/out" 2> "$work/err"
	rc=$?
	[ $rc = "$want" ] || complain "mpiexec $*: exit code $rc, not $want"
}

printf 'a\nb\n' | job 0 -x E=5 -n 4 "$work/job" read
for r in 0 1 2 3; do
	grep -qE "^rank $r of 4 on host$((r / 2 + 1)): .*, sum 6, E=5\$" \
		"$work/out" || complain "no line of rank $r"
done
[ "$(grep -c '^read [ab]$' "$work/out")" = 2 ] || complain "no input"
job 137 -n 4 "$work/job" kill < /dev/null
job 5 -n 4 "$work/job" abort < /dev/null
# a host that refuses the login
$HOSTS_RSH host2 'kill "$(cat /run/sshd.pid)"'
job 125 -n 4 "$work/job" < /dev/null
grep -q 'host2' "$work/err" || complain "no message about the host"
# no process of the job is left: two of test/hosts and sshd of host1
for i in $(seq 300); do
	[ "$("$HOSTS_SELF" pids host1 | wc -l)" -le 3 ] && break
	sleep 0.1
done
[ "$i" != 300 ] || complain "processes are left on host1"
[ $bad = 0 ] && echo "jobs by $("$work/bin/ssh" -V 2>&1 | cut -d, -f1): good"
exit $bad
