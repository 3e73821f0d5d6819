#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fi_pingpong between two network namespaces joined by a link with an MTU of
# 1500 bytes: packets are sent in segments, which the kernel splits and joins
# (GSO, GRO), and there are no IP fragments.
. "${top_srcdir:-.}/test/ofi/ofi_env.sh"
need fi_pingpong ip
a=weft-a-$$ b=weft-b-$$
cable=wf$(($$ % 100000))
if ! ip netns add $a 2> /dev/null; then
	echo "cannot create network namespaces"
	exit 77
fi
trap 'exit 1' INT TERM HUP
trap 'ip netns del $a; ip netns del $b; rm -rf "$work"' EXIT
{
	ip netns add $b &&
		ip link add ${cable}a netns $a type veth peer \
			name ${cable}b netns $b &&
		ip -n $a addr add 10.77.0.1/24 dev ${cable}a &&
		ip -n $b addr add 10.77.0.2/24 dev ${cable}b &&
		ip -n $a link set ${cable}a up && ip -n $b link set ${cable}b up &&
		ip -n $a link set lo up && ip -n $b link set lo up
} || { echo "cannot create a veth pair between network namespaces"; exit 77; }

export FI_PROVIDER=weft FI_WEFT_CARRIER=sock FI_WEFT_KEY=the-key-of-this-test
listens() {
	ip netns exec $a grep -q ':5BA0 00000000:0000 0A' /proc/net/tcp
}

# pingpong NAME ARGS...: runs fi_pingpong; port 23456 is free, since the network
# namespace is private.
pingpong() {
	local name=$1 server i
	shift
	FI_WEFT_IFACE=${cable}a timeout -k 2 60 ip netns exec $a \
		fi_pingpong -p weft -e rdm -c "$@" -B 23456 > "$work/server" 2>&1 &
	server=$!
	for i in $(seq 400); do
		listens && break
		kill -0 $server 2> /dev/null || break
		sleep 0.05
	done
	FI_WEFT_IFACE=10.77.0.2 timeout -k 2 40 ip netns exec $b \
		fi_pingpong -p weft -e rdm -c "$@" -P 23456 10.77.0.1 \
		> "$work/client" 2>&1 ||
		{ complain "$name: client failed"; cat "$work/client"; }
	wait $server || { complain "$name: server failed"; cat "$work/server"; }
	grep -q '^[0-9]' "$work/client" || complain "$name: no result"
}

sent() {
	ip netns exec $a cat /sys/class/net/${cable}a/statistics/tx_bytes
}

before=$(sent)
pingpong "all sizes" -m tagged -S all -I 2
[ $(($(sent) - before)) -gt 1000000 ] || complain "no packets were sent on the link"
pingpong messages -m msg -S 1048576 -I 5
ip netns exec $a cat /proc/net/snmp | awk '/^Ip:/ { n++; if (n == 1)
	split($0, k); else { split($0, v); for (i in k)
	if (k[i] ~ /FragCreates/ && v[i] > 0) exit 1 } }' ||
	complain "the kernel sent IP fragments"
exit $bad
