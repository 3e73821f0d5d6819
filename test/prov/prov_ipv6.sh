#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs tests of the carriers again with IPv6 addresses (test/support/t_family.h).
build=${builddir:-$PWD}
grep -q '^0*1 .* lo$' /proc/net/if_inet6 2> /dev/null ||
	{ echo "the loopback has no IPv6 address"; exit 77; }
export T_FAMILY=inet6
bad=0
for t in carrier_grid_test hybrid/hybrid_test shm/shm_proc_test \
	sock/sock_gro_split_test sock/sock_keys_test sock/sock_test \
	sock/sock_window_test stream/stream_forge_test stream/stream_test; do
	out=$("$build/prov/carrier/$t" 2>&1)
	case $? in
	0 | 77) ;;
	*)
		echo "$t with IPv6:"
		grep -vE '^\[( RUN|  *OK|=)' <<< "$out"
		bad=1 ;;
	esac
done
exit $bad
