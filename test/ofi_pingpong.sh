#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# libfabric's own fi_pingpong between two processes: all sizes with checked
# content, messages and tagged messages, on every machine; large messages
# also without DMA.
. "${top_srcdir:-.}/test/ofi_env.sh"
need fi_pingpong
export FI_PROVIDER=weft
port=$((20000 + $$ % 20000))

# pingpong NAME ARGS...: a server and a client; the control port is ours.
pingpong() {
	local name=$1 server
	shift
	port=$((port + 1))
	timeout -k 2 40 fi_pingpong -p weft -e rdm -c "$@" -B $port \
		> "$work/server" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		grep -q "$(printf ':%04X 00000000:0000 0A' $port)" \
			/proc/net/tcp && break
		sleep 0.05
	done
	timeout -k 2 40 fi_pingpong -p weft -e rdm -c "$@" -P $port 127.0.0.1 \
		> "$work/client" 2>&1 ||
		{ complain "$name: client failed"; cat "$work/client"; }
	wait $server ||
		{ complain "$name: server failed"; cat "$work/server"; }
	grep -q '^[0-9]' "$work/client" || complain "$name: no result"
}

for m in $machines; do
	export FI_WEFT_MACHINE=$m
	for kind in msg tagged; do
		pingpong "$m $kind" -m $kind -S all -I 5
	done
	FI_WEFT_DMA=no pingpong "$m without DMA" -m tagged -S 1048576 -I 5
done
exit $bad
