#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that a network that is down for three seconds does not end the job,
# that every survivor detects a silent host after FI_WEFT_SILENCE, that mpirun
# detects immediately if the processes of a host are killed, and that no process
# of the job is left.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2 3
make_work death
compile test/multihost/hosts_exchange.c talk
hosts=($HOSTS)
last=${hosts[-1]}
ranks=$((2 * ${#hosts[@]}))
# eventually SECONDS COMMAND...: repeats the command until it succeeds
eventually() {
	local i limit=$(($1 * 10))
	shift
	for i in $(seq $limit); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

round() { # 0: none yet
	local n
	n=$(cat "$work/f" 2> /dev/null)
	echo "${n:-0}"
}
past() { [ "$(round)" -gt "$1" ]; }
has_ended() { ! kill -0 "$1" 2> /dev/null; }

# start WHAT [listen | any_source | probe]: starts the job and waits until it runs
start() {
	what="$1, ${#hosts[@]} hosts"
	rm -f "$work"/f*
	on_hosts $ranks "$work/talk" "$work/f" $2 > "$work/out" 2>&1 < /dev/null &
	job=$!
	eventually 60 past 20 || complain "does not start"
}

# finish SECONDS: requests the end of the job and waits; its exit code is in
# $got
finish() {
	touch "$work/f.end"
	eventually "$1" has_ended $job || {
		complain "the job does not end"
		kill -KILL $job
	}
	wait $job 2> /dev/null
	got=$?
}

# Returns whether the hosts that are up have no process of the job left.
alone() {
	local h
	for h in "${hosts[@]}"; do
		[ $h != "$dead" ] || continue
		[ -z "$($HOSTS_RSH $h 'pgrep -x "talk|orted"')" ] || return 1
	done
}
dead=
nothing_left() { eventually 60 alone || complain "processes are left"; }

# survivor RANK: returns whether this rank has reported that a rank of the last
# host has failed, with the number of that rank
survivor() {
	grep -q "a peer process has ended: rank .* on $last" "$work/f.$1" \
		2> /dev/null
}
survivors() {
	local r
	for r in $(seq 0 $((ranks - 3))); do survivor $r || return 1; done
}

export FI_WEFT_SILENCE=20
start "three seconds without a network"
$HOSTS_SELF cut $last
was=$(round)
sleep 3 # the tested time without a network
between=$(round)
$HOSTS_SELF join $last
eventually 60 past $((between + 20)) || complain "does not continue after $between"
finish 60
[ $got = 0 ] || complain "exit code $got"
[ "$(grep -c good "$work/out")" = $ranks ] || complain "not all ranks report success"
[ $((between - was)) -lt 20 ] || complain "the network was not down"
nothing_left
echo "$what: round $between, then $(round): good"

# silent WHAT [listen | any_source | probe]: makes the last host unreachable
# during a job; mpirun does not detect this until the host is down
silent() {
	start "$@"
	SECONDS=0
	$HOSTS_SELF cut $last
	eventually 60 survivors || complain "survivors: $(cat "$work"/f.[0-9]*)"
	echo "$what: all survivors have detected it after $SECONDS s (FI_WEFT_SILENCE=5)"
	[ $SECONDS -ge 4 ] || complain "detected too early"
	sed 's/^/  /' "$work"/f.[0-9]*
}
export FI_WEFT_SILENCE=5
silent "a host that is silent"
$HOSTS_SELF join $last
finish 60
nothing_left
silent "a silent host, all ranks wait with MPI_ANY_SOURCE" any_source
$HOSTS_SELF join $last
finish 60
nothing_left
silent "a silent host, and looks for a message of it" probe
$HOSTS_SELF join $last
finish 60
nothing_left
silent "a silent host to which no rank sends" listen
$HOSTS_SELF kill $last
dead=$last
finish 60
[ $got != 0 ] || complain "exit code 0"
nothing_left

hosts=("${hosts[@]:0:${#hosts[@]}-1}")
if [ ${#hosts[@]} -gt 1 ]; then
	HOSTS="${hosts[*]}" ranks=$((2 * ${#hosts[@]}))
	last=${hosts[-1]}
	start "a host that is killed"
	$HOSTS_SELF kill $last
	dead=$last
	eventually 60 has_ended $job || complain "the job continues"
	finish 60
	[ $got != 0 ] || complain "exit code 0"
	nothing_left
	echo "$what: the job has ended"
fi
exit $bad
