#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that long messages between two hosts use streams, and that each arrives
# once and unchanged if streams break: after some bytes (by a fault plan), by a
# reset of the connection (ss -K), or because the network drops all TCP packets
# for 10 s.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2
make_work stream
export build
compile test/multihost/hosts_soak.c soak
export WEFT_LOG=info

# run WHAT GIB [FLAG...]: runs the job; its exit code is in $got
run() {
	what=$1
	MPIEXEC_FLAGS="-x WEFT_LOG ${*:3}" timeout 300 \
		bash -c 'on_hosts "$@"' - 2 "$work/soak" 1000 "$2" \
		> "$work/out" 2> "$work/err" < /dev/null
	got=$?
}

# count FIELD: prints the sum of a field in the streams' statistics
count() {
	grep -o "streams: .*" "$work/err" | grep -oE "[0-9]+ (bytes )?$1" |
		awk '{ n += $1 } END { print n + 0 }'
}

check() {
	[ $got = 0 ] || complain "exit code $got"
	grep -q "no message lost, duplicated or wrong" "$work/out" ||
		complain "no result"
	echo "$what: $(count opened) streams, $(count broken) broken," \
		"$(count received) bytes: good"
}

run "streams" 0.25
check
[ "$(count received)" -gt 400000000 ] || complain "streams are not used"
[ "$(count broken)" -le 2 ] || complain "streams break"

run "streams that break" 0.25 --faults "cut=3000000"
check
[ "$(count broken)" -gt 3 ] || complain "no stream broke"

FI_WEFT_STREAM_MIN=0 run "no streams" 0.25 -x FI_WEFT_STREAM_MIN
check
[ "$(count received)" = 0 ] || complain "streams are used"

# job_runs: waits until a rank has sent a message to the other host; until then
# the launcher still uses the network
job_runs() {
	local i
	for i in $(seq 600); do
		grep -qs "uses datagrams" "$work/err" && return
		sleep 0.1
	done
	return 1
}

# disturb COMMAND...: runs the command on the second host while the job runs
disturb() {
	rm -f "$work/err"
	(job_runs && $HOSTS_RSH host2 "$*" > /dev/null 2>&1) &
	run "$what" 1
	wait
	check
}
ports='state established sport gt 1023 dport gt 1023'
what="connections that are reset"
disturb "for i in 1 2 3 4 5; do ss -K $ports dst 10.77.0.1; sleep 0.3; done"

# a rule of the routing table drops the TCP packets that host2 sends
what="no TCP for 10 s"
rule="ip rule @ ipproto tcp prio 1 blackhole"
if $HOSTS_RSH host2 "${rule/@/add} && ${rule/@/del}" > /dev/null 2>&1; then
	disturb "${rule/@/add}; sleep 10; ${rule/@/del}"
else
	echo "$what: not tested, ip has no rules"
fi
exit $bad
