#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# test/multihost/hosts_soak.sh [MESSAGES [GIB [PLAN]]], from the build
# directory, as root: MESSAGES small messages and GIB GiB of bulk data between
# two hosts of test/hosts under a fault plan (default 10000000 50
# seed=1;loss=0.01), verified, with a check of memory use. Bandwidths in MB/s
# are goodput. The run can take hours; it is not part of make check.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${builddir:-$PWD}
[ -e "$build/.libs/libmpi_abi.so.1" ] || { echo "no library in $build"; exit 77; }
[ -n "$HOSTS" ] || exec bash "$top/test/hosts" 2 bash "$0" "$@"
export build
. "$top/test/multihost/hosts_lib.sh" || exit 1
make_work soak
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -I"$top/include" "$top/test/multihost/hosts_soak.c" \
	-o "$work/soak" -L"$build/.libs" -lmpi_abi -Wl,-rpath,"$build/.libs" || exit 1
plan=${3-seed=1;loss=0.01}
# at this log level retransmissions are reported at the end
export WEFT_LOG=info
MPIEXEC_FLAGS="-x WEFT_LOG ${plan:+--faults ${plan// /}}" \
	on_hosts 2 "$work/soak" "${1:-10000000}" "${2:-50}" 2> "$work/err"
rc=$?
grep 'sock: .* packets sent' "$work/err" || cat "$work/err"
for h in $HOSTS; do
	$HOSTS_RSH "$h" cat /proc/net/snmp | awk -v h="$h" '/^Udp: [0-9]/ {
		print h ": " $2 " datagrams in, " $5 " out, " $6 " lost for lack of room" }'
done
exit $rc
