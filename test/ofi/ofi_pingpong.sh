#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# libfabric's own fi_pingpong between two processes: all sizes with checked
# content, messages and tagged messages, on every machine, in shared memory and
# by datagrams; large messages also without DMA.
. "${top_srcdir:-.}/test/ofi/ofi_env.sh"
need fi_pingpong
export FI_PROVIDER=weft
# Ports below the range from which the kernel assigns ephemeral ports.
port=$((20000 + $$ % 6000))

listens() { grep -q "$(printf ':%04X 00000000:0000 0A' $port)" /proc/net/tcp; }

# serve ARGS...: starts a server on a free port and sets $server to its pid. If
# another process binds the port after the check that it is free, the next port
# is tried.
serve() {
	local i
	while true; do
		port=$((port < 26000 ? port + 1 : 20001))
		listens && continue
		timeout -k 2 60 fi_pingpong -p weft -e rdm -c "$@" -B $port \
			> "$work/server" 2>&1 &
		server=$!
		for i in $(seq 400); do
			listens && return
			kill -0 $server 2> /dev/null || break
			sleep 0.05
		done
		grep -q 'Address already in use' "$work/server" || return
		wait $server
	done
}

# pingpong NAME ARGS...: runs a server and a client, with a control port of
# their own.
pingpong() {
	local name=$1 server
	shift
	serve "$@"
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
		pingpong "$m $kind" -m $kind -S all -I 2
	done
	FI_WEFT_CARRIER=sock pingpong "$m by datagrams" -m tagged -S all -I 2
	FI_WEFT_DMA=no pingpong "$m without DMA" -m tagged -S 1048576 -I 5
done
exit $bad
