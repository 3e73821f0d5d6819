#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Cross-compiles the tarball for another architecture, in a new Debian with
# libraries of that architecture, and runs under qemu-user the unit tests of
# error-correcting codes and of shared structures. Before that, checks that
# configure refuses a 32-bit system. LONG=1 only.
#
#   ARCH=NAME     arm64 (default); riscv64 needs SUITE=trixie
#   XFLAGS=FLAGS  CFLAGS of the build
#   SUITE, BASE, MIRROR, CACHE: packaging/chroot_lib.sh
. "$(dirname "$0")/chroot_lib.sh" || exit 1
arch=${ARCH:-arm64}
case $arch in
arm64) cpu=aarch64 ;;
amd64) cpu=x86_64 ;;
*) cpu=$arch ;;
esac
triplet=$cpu-linux-gnu

# at FOLDER COMMAND...: runs the command in a folder of $root
at() {
	local folder=$1
	shift
	in_root env -C "$folder" "$@"
}

refuses_32_bits() {
	add_packages libc6-dev-i386 "lib32gcc-$(in_root gcc -dumpversion)-dev"
	mkdir "$root/src/narrow"
	! at /src/narrow "/src/weft-$version/configure" CC='gcc -m32' \
		> "$work/log" 2>&1 || fail "a 32-bit system is accepted"
	grep 'error: Weft needs a 64-bit system' "$work/log" ||
		{ tail "$work/log"; fail "32 bits: another error"; }
}

cross_packages() {
	in_root dpkg --add-architecture "$arch"
	logged "apt-get update" apt_get update
	add_packages "gcc-$cpu-linux-gnu" "gfortran-$cpu-linux-gnu" \
		qemu-user-static $(printf "%s:$arch " libc6-dev libfabric-dev \
			libpmix-dev libhwloc-dev libssl-dev libcmocka-dev)
}

cross_build() {
	mkdir "$root/src/build"
	logged configure at /src/build "/src/weft-$version/configure" \
		--host="$triplet" --enable-static \
		--prefix=/opt/weft ${XFLAGS:+CFLAGS="$XFLAGS"} \
		PKG_CONFIG=pkg-config \
		PKG_CONFIG_LIBDIR="/usr/lib/$triplet/pkgconfig:/usr/share/pkgconfig"
	grep -E '^ +(compiler|Fortran)' "$work/log"
	logged make at /src/build make -s -j "$(nproc)" all
	logged "make install" at /src/build make -s install DESTDIR=/src/tree
	for f in lib/libmpi_abi.so lib/libmpifort_abi.so bin/mpiexec; do
		in_root readelf -h "/src/tree/opt/weft/$f" > "$work/log" ||
			fail "no $f"
		grep -qi "Machine:.*${cpu/_/-}" "$work/log" ||
			{ cat "$work/log"; fail "$f is for another processor"; }
	done
}

# Runs the unit tests of folders whose structures are in shared memory or in
# packets.
cross_tests() {
	local t tests=
	for t in src/base/{atomic,fence,hash,iov,list,num,permute,pool,region,rng,word} \
		prov/arq/{arq,arq_model} prov/match/match src/types/types_op \
		prov/code/code_{8b10b,crc,ghash,hamming,line,rs}; do
		tests="$tests ${t}_test"
	done
	logged "make of the tests" at /src/build make -s -j "$(nproc)" $tests
	at /src/build make -s check-TESTS TESTS="$tests" \
		check_PROGRAMS="$tests" LOG_COMPILER="qemu-$cpu-static" > "$work/log" 2>&1 ||
		{ at /src/build cat test-suite.log | tail -n 60; fail "tests"; }
	grep -E '^# (PASS|SKIP|FAIL)' "$work/log"
}

# Checks that the installed mpiexec starts under qemu-user.
cross_info() {
	at / "qemu-$cpu-static" /src/tree/opt/weft/bin/mpiexec --version ||
		fail "mpiexec --version"
}

make_tarball
new_root gcc libc6-dev make pkg-config python3
unpack_in_root /src
refuses_32_bits
cross_packages
cross_build
cross_tests
cross_info
echo "$arch: built, and tested by qemu-user"
