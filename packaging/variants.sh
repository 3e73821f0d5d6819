#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests builds that differ from the usual one, each by jobs live and in virtual
# time. Without OpenSSL, jobs run on one host, a job that needs signatures is
# refused with a message, and weft-info reports the missing OpenSSL. clang
# compiles everything without a warning. LONG=1 only.
. "$(dirname "$0")/lib.sh" || exit 1
need_configure

# variant OPTION...: builds, installs into $work/tree, and runs a job live and
# one in virtual time
variant() {
	rm -rf "$work/build" "$work/tree"
	mkdir "$work/build" && cd "$work/build" || exit 1
	{ "$top/configure" --prefix="$work/tree" "$@" &&
		make -s -j "$(nproc)" && make -s install; } > log 2>&1 ||
		{ tail log; fail "build with $*"; }
	mpicc -o hello "$top/examples/hello.c" || fail "mpicc with $*"
	mpiexec -n 2 ./hello > out || fail "live with $*"
	grep -q 'rank 1 of 2' out || fail "live with $*: $(cat out)"
	mpiexec --machine bgq -n 2 ./hello > out || fail "virtual time with $*"
	grep -q 'rank 1 of 2' out || fail "virtual time with $*: $(cat out)"
}

without_openssl() {
	variant --without-openssl --disable-fortran
	grep -q 'OpenSSL *no: .*jobs run on one host only' log ||
		fail "configure's summary"
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
}

with_clang() {
	variant CC=clang --enable-werror --enable-static
	mpicc -show | grep -q '^clang ' || fail "mpicc does not call clang"
	FI_WEFT_CARRIER=sock mpiexec -n 2 ./hello > out 2>&1 ||
		fail "datagrams with clang: $(cat out)"
	mpicc -static-mpi -o hello "$top/examples/hello.c" &&
		mpiexec -n 2 ./hello > out || fail "static library of clang"
}

PATH=$work/tree/bin:$PATH
without_openssl
echo "built and used without OpenSSL"
command -v clang > /dev/null || { echo "SKIPPED: no clang (Debian package clang)"; exit 77; }
with_clang
echo "built and used with clang"
