#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds without OpenSSL: jobs run on one host, in both clocks; a job that
# needs signatures is refused with a text, weft-info says so. LONG=1 only.
top=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
unset MAKEFLAGS MAKELEVEL
work=$(mktemp -d /var/tmp/weft-variant.XXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAIL: $*"
	exit 1
}

cd "$work" || exit 1
{ "$top/configure" --prefix="$work/tree" --without-openssl \
	--disable-fortran && make -s -j "$(nproc)" && make -s install; } \
	> log 2>&1 || { tail log; exit 1; }
grep -q 'OpenSSL *no: .*jobs run on one host only' log || fail "configure's summary"
PATH=$work/tree/bin:$PATH
mpicc -o hello "$top/examples/hello.c" || fail "mpicc"
mpiexec -n 2 ./hello > out || fail "live"
mpiexec --machine bgq -n 2 ./hello > out || fail "virtual time"
weft-info | grep -q 'several hosts.*no: configured without OpenSSL' ||
	fail "weft-info"
readelf -d "$work"/tree/lib/*.so "$work"/tree/lib/*/*.so |
	grep libcrypto && fail "libcrypto is loaded"
grep -r libcrypto "$work/tree/lib/pkgconfig" && fail "libcrypto in .pc files"
mpiexec -host one,two -n 2 ./hello > out 2>&1 && fail "several hosts"
grep -q 'configured without OpenSSL: jobs run on one host' out ||
	fail "no reason: $(cat out)"
FI_WEFT_CARRIER=sock mpiexec -n 2 ./hello > out 2>&1 &&
	fail "a job without signatures runs"
grep -q 'configured without OpenSSL' out || fail "no reason: $(cat out)"
FI_WEFT_CARRIER=sock FI_WEFT_KEY=none mpiexec -n 2 ./hello > out 2>&1 ||
	fail "FI_WEFT_KEY=none: $(cat out)"
echo "built and used without OpenSSL"
