#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jobs on many hosts, two ranks on each, started by daemons of mpiexec: 8 hosts;
# with LONG=1 also 32. "hosts_scale.sh N..." uses N hosts instead, and prints
# the resources that a rank uses (doc/hosts.md).
build=${builddir:-$PWD}
if [ -z "$HOSTS" ]; then
	. "$top_srcdir/test/timeout.sh" || exit 1
	[ $# -gt 0 ] || set -- 8 ${LONG:+32}
	for n; do
		timeout -k 5 600 bash "$top_srcdir/test/hosts" "$n" bash "$0" || exit
	done
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/weft-scale.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -I"$top_srcdir/include" \
	"$top_srcdir/test/multihost/hosts_scale.c" -o "$work/scale" \
	-L"$build/.libs" -lmpi_abi -Wl,-rpath,"$build/.libs" || exit 1
hosts=($HOSTS)
list=$(IFS=,; echo "${hosts[*]/%/:2}")
ranks=$((2 * ${#hosts[@]}))
started=${EPOCHREALTIME/./}
"$build/mpiexec" -q -launcher ssh -launcher-exec "$HOSTS_RSH" -host "$list" \
	-n $ranks "$work/scale" > "$work/out" < /dev/null || {
	echo "FAILED: ${#hosts[@]} hosts: exit code $?"
	cat "$work/out"
	exit 1
}
ended=${EPOCHREALTIME/./}
cat "$work/out"
echo "hosts ${#hosts[@]}: $(((ended - started) / 1000)) ms from start to end"
grep -q "^$ranks ranks: good$" "$work/out"
