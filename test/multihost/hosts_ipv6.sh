#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests jobs on two hosts that have only IPv6: datagrams, streams, encryption, a
# network partition, a host that dies, mpirun. Then tests hosts with both IPv4
# and IPv6, and a job whose hosts have different address families.
if [ -z "$HOSTS" ]; then
	bash "$top_srcdir/test/hosts" -6 2 bash "$0" only &&
		exec bash "$top_srcdir/test/hosts" -46 2 bash "$0" both
	exit
fi
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
make_work ipv6
export build
make_ssh "$work/bin"
compile test/multihost/hosts_daemon.c job
compile test/multihost/hosts_soak.c soak
export WEFT_LOG=info

# job CODE WHAT ARGUMENTS...: runs mpiexec on the hosts in $on or on both, and
# checks its exit code
job() {
	local want=$1 got
	what=$2
	shift 2
	timeout -k 5 120 env PATH="$work/bin" "$build/mpiexec" -q -x WEFT_LOG \
		-launcher ssh -host "${on:-host1:2,host2:2}" "$@" \
		> "$work/out" 2> "$work/err" < /dev/null
	got=$?
	[ $got = "$want" ] || complain "exit code $got, not $want"
	echo "$what: exit code $got"
}

# count FIELD: prints the sum of a field in the streams' statistics
count() {
	grep -o "streams: .*" "$work/err" | grep -oE "[0-9]+ (bytes )?$1" |
		awk '{ n += $1 } END { print n + 0 }'
}

# uses ADDRESS: checks that the endpoints of four ranks have addresses of this
# form
uses() {
	[ "$(grep -c "ofi: endpoint address $1" "$work/err")" = 4 ] ||
		complain "the addresses are not $1"
}

# soak WHAT FLAGS...: sends small messages, and 0.1 GiB by streams
soak() {
	what=$1
	shift
	on=host1,host2 job 0 "$what" -n 2 "$@" "$work/soak" 1000 0.1
	grep -q "no message lost, duplicated or wrong" "$work/out" ||
		complain "no result"
}

only_ipv6() {
	job 0 "IPv6 only" -n 4 "$work/job"
	uses 'fd77::[12];'
	grep -q 'hybrid: \[fd77::[12]\]:[0-9]* uses datagrams' "$work/err" ||
		complain "no datagrams"
	grep -q 'hybrid: \[fd77::[12]\]:[0-9]* uses shared memory' "$work/err" ||
		complain "no shared memory within a host"
	soak "streams"
	[ "$(count received)" -gt 100000000 ] || complain "streams are not used"
	FI_WEFT_ENCRYPT=yes soak "encrypted streams that break, with loss" \
		--faults "cut=3000000;loss=0.01" -x FI_WEFT_ENCRYPT
	[ "$(count broken)" -gt 1 ] || complain "no stream broke"
	FI_WEFT_SILENCE=60 job 0 "partition" -x FI_WEFT_SILENCE --faults \
		"partition fd77::1|fd77::2 at 0 s for 1 s" -n 4 "$work/job"
	mpirun_job
	host_dies
}

mpirun_job() {
	what="mpirun"
	ompi_info --parsable -a 2> /dev/null | grep -q '^options:ipv6:yes' ||
		{ echo "$what: no Open MPI with IPv6"; return; }
	MPIEXEC_FLAGS="-x WEFT_LOG" timeout -k 5 60 \
		bash -c 'on_hosts "$@"' - 4 "$work/job" \
		> "$work/out" 2> "$work/err" < /dev/null ||
		complain "exit code $?"
	grep -q 'hybrid: \[fd77::[12]\]:[0-9]* uses datagrams' "$work/err" ||
		complain "no datagrams"
	echo "$what: good"
}

host_dies() {
	what="a host that dies"
	# removes the lines of the previous job, which would end the wait below
	# too early
	: > "$work/out"
	PATH=$work/bin "$build/mpiexec" -q -launcher ssh -host host1:2,host2:2 \
		-n 4 "$work/job" sleep > "$work/out" 2> "$work/err" < /dev/null &
	local pid=$!
	until [ "$(grep -c sum "$work/out")" = 4 ]; do
		kill -0 $pid 2> /dev/null || break
		sleep 0.05
	done
	"$HOSTS_SELF" kill host2
	wait $pid
	[ $? = 125 ] || complain "the exit code"
	grep -q 'the connection to host host2 is lost' "$work/err" ||
		complain "no message"
	echo "$what: reported"
}

both_families() {
	job 0 "both families" -n 4 "$work/job"
	uses '10.77.0.[12];'
	FI_WEFT_FAMILY=inet6 job 0 "FI_WEFT_FAMILY=inet6" \
		-x FI_WEFT_FAMILY -n 4 "$work/job"
	uses 'fd77::[12];'
	job 0 "an address of an interface" -iface eth0 -n 4 "$work/job"
	$HOSTS_RSH host2 "ip addr del 10.77.0.2/24 dev eth0"
	job 1 "hosts of different families" -n 4 "$work/job"
	grep -q 'rank [0-3] has an IPv[46] address and rank [0-3] an IPv' \
		"$work/err" || complain "no message"
	FI_WEFT_FAMILY=inet6 job 0 "one family of two" \
		-x FI_WEFT_FAMILY -n 4 "$work/job"
	FI_WEFT_FAMILY=inet job 1 "a family without an address" \
		-x FI_WEFT_FAMILY -n 4 "$work/job"
	grep -q 'no interface except the loopback is up with an IPv4' \
		"$work/err" || complain "no message"
}

case $1 in
only) only_ipv6 ;;
both) both_families ;;
esac
exit $bad
