#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the RPM packages of weft.spec from the tarball, in a new Debian with
# Debian's rpmbuild, installs them there, runs a program live and in virtual
# time, removes them, and checks that none of their files is left. LONG=1 only.
#
#   KEEP=FOLDER     keeps the packages there
#   RPMS=FOLDER     takes the packages from there instead of building them
#   OPTFLAGS=FLAGS  flags of the compiler instead of those of rpmbuild
#   SUITE, BASE, MIRROR, CACHE: packaging/chroot_lib.sh
. "$(dirname "$0")/chroot_lib.sh" || exit 1

# Builds with --nodeps, since the database of rpm does not contain Debian's
# packages.
build_rpms() {
	mkdir -p "$root/src/rpm/SOURCES" "$root/src/rpm/SPECS"
	cp "$work/weft-$version.tar.xz" "$root/src/rpm/SOURCES"
	cp "$top/packaging/weft.spec" "$root/src/rpm/SPECS"
	logged rpmbuild in_root rpmbuild -ba --nodeps \
		--define '_topdir /src/rpm' --define '_builddir /src' \
		--define "_smp_mflags -j$(nproc)" \
		${OPTFLAGS:+--define "optflags $OPTFLAGS"} \
		/src/rpm/SPECS/weft.spec
	rpms=$(cd "$root" && find src/rpm/RPMS -name 'weft-*.rpm' \
		! -name '*debug*' -printf '/%p ')
	[ "$(wc -w <<< "$rpms")" = 2 ] || fail "packages: $rpms"
	[ -z "$KEEP" ] || cp $(sed "s|/src|$root/src|g" <<< "$rpms") "$KEEP"
}

rpm_in_root() { in_root rpm --dbpath /src/db --nodeps --noscripts "$@"; }

use_rpms() {
	local tree
	cp "$top/examples/hello.c" "$root/src"
	list_files > "$work/before"
	# shellcheck disable=SC2086
	logged "rpm -i" rpm_in_root -i $rpms
	tree=$(in_root find / -xdev -path '*weft/bin/mpicc' ! -path '/src/*')
	tree=${tree%/bin/mpicc}
	logged "first job" in_root env PATH="$tree/bin:$PATH" sh -exc "
		mpicc -o /src/hello /src/hello.c
		mpiexec -n 4 /src/hello
		mpiexec --machine bgq -n 4 --report /src/hello
		weft-info"
	[ "$(grep -c '^rank .* of 4' "$work/log")" -ge 8 ] ||
		{ cat "$work/log"; fail "ranks are missing"; }
	grep 'us of virtual time' "$work/log" || fail "no report"
	logged "rpm -e" rpm_in_root -e weft weft-devel
	check_removed
}

new_root gcc libc6-dev make pkg-config gfortran python3 rpm xz-utils file \
	libfabric-dev libpmix-dev libhwloc-dev libssl-dev
mkdir "$root/src"
if [ -n "$RPMS" ]; then
	cp "$RPMS"/weft-*.rpm "$root/src" || exit 1
	rpms=$(cd "$root" && find src -name 'weft-*.rpm' -printf '/%p ')
else
	make_tarball
	build_rpms
fi
use_rpms
echo "built, installed, used and removed:$(sed 's|/[^ ]*/| |g' <<< " $rpms")"
