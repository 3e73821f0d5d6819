#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests jobs on two hosts with OpenSSH's ssh: mpiexec finds no mpirun and starts
# its daemons by ssh. Each host runs its own ssh server with keys and
# configuration of this test: sshd, or dropbear, whose Debian package does not
# start a system-wide server. The hosts have only IPv6.
if [ -z "$HOSTS" ]; then
	PATH=$PATH:/usr/sbin
	command -v ssh > /dev/null && command -v ssh-keygen > /dev/null ||
		{ echo "no ssh and ssh-keygen (openssh-client)"; exit 77; }
	server=$(command -v sshd || command -v dropbear) ||
		{ echo "no sshd or dropbear (openssh-server, dropbear-bin)"; exit 77; }
	user=$(getent shadow root | cut -d: -f2)
	case $user in !*) echo "the account root is locked"; exit 77 ;; esac
	server=$server exec bash "$top_srcdir/test/hosts" -6 2 bash "$0"
fi
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
make_work ssh
compile test/multihost/hosts_daemon.c job
mkdir "$work/bin"
ssh-keygen -q -t ed25519 -N "" -f "$work/key" || exit 1
cat > "$work/ssh_config" <<END
IdentityFile $work/key
IdentitiesOnly yes
UserKnownHostsFile $work/known_hosts
StrictHostKeyChecking no
BatchMode yes
LogLevel ERROR
END
# an ssh that does not read the user's own configuration
printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(type -P ssh)" "$work/ssh_config" \
	> "$work/bin/ssh"
chmod +x "$work/bin/ssh"
for tool in cat hostname true; do ln -s "$(type -P $tool)" "$work/bin/"; done

# start_server HOST COMMAND: the command gets its own /run, so that no file of
# it remains; the server ends with its host
start_server() {
	$HOSTS_RSH "$1" "mount -t tmpfs tmpfs /run && $2" 2> "$work/log.$1" ||
		{ complain "$server on $1 does not start"; exit 1; }
}
sshd_on() {
	[ -e "$work/sshd_config" ] || {
		ssh-keygen -q -t ed25519 -N "" -f "$work/host_key" || exit 1
		cat > "$work/sshd_config" <<-END
		Port 22
		HostKey $work/host_key
		AuthorizedKeysFile $work/key.pub
		PermitRootLogin yes
		StrictModes no
		UsePAM no
		PidFile /run/server.pid
		END
	}
	# sshd needs this folder for its unprivileged process
	start_server "$1" "mkdir -p -m 755 /run/sshd &&
		$server -f $work/sshd_config"
}
# dropbear reads the accepted keys from the home directory given in /etc/passwd.
dropbear_on() {
	[ -e "$work/passwd" ] || {
		mkdir -m 700 "$work/.ssh" && cp "$work/key.pub" "$work/.ssh/authorized_keys"
		awk -F: -v OFS=: -v home="$work" '$3 == 0 { $6 = home } 1' \
			/etc/passwd > "$work/passwd"
		dropbearkey -t ed25519 -f "$work/host_key" > /dev/null 2>&1 || exit 1
	}
	start_server "$1" "mount --bind $work/passwd /etc/passwd &&
		$server -s -E -r $work/host_key -p 22 -P /run/server.pid"
}
for h in $HOSTS; do "${server##*/}_on" $h; done
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
# ends the server of host2, so that host2 refuses the login
$HOSTS_RSH host2 'kill "$(cat /run/server.pid)"'
job 125 -n 4 "$work/job" < /dev/null
grep -q 'host2' "$work/err" || complain "no message about the host"
# waits until host1 has no process of the job, only two processes of test/hosts
# and the ssh server
for i in $(seq 300); do
	[ "$("$HOSTS_SELF" pids host1 | wc -l)" -le 3 ] && break
	sleep 0.1
done
[ "$i" != 300 ] || complain "processes are left on host1"
[ $bad = 0 ] && echo "jobs by $("$work/bin/ssh" -V 2>&1 | cut -d, -f1), ${server##*/}: good"
exit $bad
