#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests options of configure: OpenSSL present, disabled and missing; messages
# about missing libraries and programs; prefixes of libraries; the user's
# CFLAGS; unsupported systems and options. Installed pkg-config files must not
# name a path outside their prefix. LONG=1 only.
. "$(dirname "$0")/lib.sh" || exit 1
need_configure
unset CFLAGS
cd "$work" || exit 1
failed=0

complain() {
	echo "FAILED: $*"
	failed=1
}

conf() {
	rm -rf build && mkdir build && cd build || exit 1
	"$top/configure" --prefix=/opt/weft \
		--disable-fortran "$@" > ../log 2>&1
	local rc=$?
	cd ..
	return $rc
}

# accepted TEXT OPTION...: checks that configure succeeds and prints TEXT
accepted() {
	local text=$1
	shift
	conf "$@" || { tail -n 3 log; complain "configure $*"; }
	grep -q -- "$text" log || complain "configure $* does not print: $text"
}

# refused TEXT OPTION...: checks that configure fails and prints TEXT
refused() {
	local text=$1
	shift
	conf "$@" && complain "configure $* is accepted"
	grep -q -- "error: .*$text" log ||
		{ tail -n 3 log; complain "configure $* does not print: $text"; }
}

# made VARIABLE PATTERN: checks that the variable's line in the Makefile matches
made() {
	grep -E "^$1 = " build/Makefile | grep -qE -- "$2" ||
		complain "$(grep -E "^$1 = " build/Makefile) is not $2"
}

# without NAME PATTERN: writes a pkg-config that does not find these libraries
without() {
	printf '#!/bin/sh\ncase $* in %s) exit 1;; esac\nexec pkg-config "$@"\n' "$2" \
		> "$1" && chmod +x "$1"
}
without no-crypto '*libcrypto*'
without no-hwloc '*hwloc*'
without no-cmocka '*cmocka*'
without nothing '*libfabric*|*pmix*|*hwloc*'

accepted 'OpenSSL *[3-9]'
made WEFT_CFLAGS ' -O2 -g'
grep -q '^#define HAVE_CRYPTO 1' build/config.h || complain "HAVE_CRYPTO"
make -s -C build src/tools/info/weft.pc prov/machine/weft-nic.pc > log 2>&1 ||
	complain "make weft.pc: $(cat log)"
cat build/src/tools/info/weft.pc build/prov/machine/weft-nic.pc > pc
grep -q '^libdir=${exec_prefix}/lib$' pc || complain "libdir: $(cat pc)"
grep -q '^Requires.private: .*libcrypto' pc || complain "Requires: $(cat pc)"
grep -i rpath pc && complain "rpath in pkg-config files"
[ "$(grep -c /opt/weft pc)" = 2 ] || complain "the prefix occurs twice in: $(cat pc)"

accepted 'OpenSSL *no: --without-openssl; jobs run on one host' --without-openssl
accepted 'OpenSSL *no: .*libssl-dev is missing' PKG_CONFIG="$work/no-crypto"
refused 'apt-get install libssl-dev' --with-openssl PKG_CONFIG="$work/no-crypto"

refused 'missing libraries; on Debian: apt-get install libhwloc-dev$' \
	PKG_CONFIG="$work/no-hwloc"
refused 'apt-get install libfabric-dev libpmix-dev libhwloc-dev$' \
	PKG_CONFIG="$work/nothing"
refused 'pkg-config not found: apt-get install pkg-config' PKG_CONFIG=false
accepted 'make check needs Debian package libcmocka-dev' \
	PKG_CONFIG="$work/no-cmocka"

accepted 'Weft' CFLAGS='-O3 -fno-plt'
made CFLAGS '^CFLAGS = -O3 -fno-plt$'
made WEFT_CFLAGS '-Wno-unused-parameter$'

# the hwloc in this prefix must be found before the system's
mkdir -p prefix/lib/pkgconfig
printf 'Name: hwloc\nDescription: of this test\nVersion: 2.99.0\nCflags: -I%s\nLibs: -L%s -lhwloc\n' \
	"$work/prefix/include" "$work/prefix/lib" > prefix/lib/pkgconfig/hwloc.pc
accepted 'hwloc *2.99.0' --with-hwloc="$work/prefix"
made HWLOC_CFLAGS "-I$work/prefix/include"
refused 'no folder lib/pkgconfig there' --with-libfabric=/nowhere
refused 'pmix cannot be left out' --without-pmix

refused '64-bit C11 atomics are lock-free' weft_cv_atomics=no
refused 'shared libraries are needed' --disable-shared
accepted 'Weft' --enable-static
make -s -C build src/tools/info/weft.pc > log 2>&1
grep -q '^Requires.private: pmix hwloc libcrypto$' \
	build/src/tools/info/weft.pc || complain "--enable-static: weft.pc"
grep -q "^build_old_libs=no" build/libtool ||
	complain "--enable-static compiles every file twice"

[ $failed = 0 ] && echo "configure: all options as expected"
exit $failed
