#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages from the tarball of this tree, checks them with
# lintian, installs them in a new Debian 12 (debootstrap), beside Open MPI,
# compiles examples/hello.c with the alternatives, runs it in both clocks, and
# removes the packages, after which no file of theirs is left. LONG=1 only: it
# takes several minutes and the network. KEEP=FOLDER keeps the packages there,
# DEBS=FOLDER takes them from there instead of building them.
top=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${builddir:-$PWD}
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "SKIPPED: debootstrap needs root"; exit 77; }
for p in dh dpkg-buildpackage debootstrap; do
	command -v $p > /dev/null || { echo "SKIPPED: no $p"; exit 77; }
done
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
unset MAKEFLAGS MAKELEVEL
mirror=${MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d /var/tmp/weft-deb.XXXXXX) || exit 1
root=$work/root

clean_up() {
	local m
	for m in dev/shm dev sys proc; do
		! mountpoint -q "$root/$m" || umount -l "$root/$m"
	done
	rm -rf --one-file-system "$work"
}
trap clean_up EXIT

fail() {
	echo "FAIL: $*"
	exit 1
}

build_packages() {
	local version
	make -s -C "$build" dist > "$work/log" 2>&1 ||
		{ tail -n 20 "$work/log"; fail "make dist"; }
	version=$(echo "$build"/weft-*.tar.xz)
	version=${version##*/weft-}
	version=${version%.tar.xz}
	mv "$build/weft-$version.tar.xz" "$work/weft_$version.orig.tar.xz"
	tar -C "$work" -xf "$work/weft_$version.orig.tar.xz" || fail "tarball"
	cp -r "$top/packaging/debian" "$work/weft-$version/debian"
	(cd "$work/weft-$version" && DEB_BUILD_OPTIONS="parallel=$(nproc)" \
		dpkg-buildpackage -us -uc -b > ../log 2>&1) ||
		{ tail -n 40 "$work/log"; fail "dpkg-buildpackage"; }
	mkdir "$work/debs" && mv "$work"/*.deb "$work/debs"
	[ -z "$KEEP" ] || cp "$work"/debs/*.deb "$KEEP"
}

in_root() { chroot "$root" "$@"; }

make_root() {
	debootstrap --variant=minbase bookworm "$root" "$mirror" \
		> "$work/log" 2>&1 || { tail "$work/log"; fail "debootstrap"; }
	mount -t proc proc "$root/proc" &&
		mount -t sysfs -o ro sysfs "$root/sys" && mount --bind /dev "$root/dev" &&
		mount -t tmpfs tmpfs "$root/dev/shm" || fail "mount"
	in_root apt-get -qq update &&
		in_root apt-get -qq install -y --no-install-recommends \
			gcc libc6-dev openmpi-bin libopenmpi-dev > "$work/log" 2>&1 ||
		{ tail "$work/log"; fail "packages of Debian"; }
}

# State of the tree that must be as before after the removal.
list_files() {
	find "$root" -xdev ! -type d ! -path "$root/var/*" ! -path "$root/tmp/*" \
		! -path "$root/etc/ld.so.cache" -printf '%P %l\n' | sort
}

install_packages() {
	local deb deps
	# what the packages need is installed first and stays
	deps=$(for deb in "$work"/debs/*.deb; do
		dpkg-deb -f "$deb" Depends
	done | tr ',' '\n' | sed 's/|.*//; s/(.*)//; s/ //g' |
		grep -v weft | sort -u)
	# shellcheck disable=SC2086
	in_root apt-get -qq install -y --no-install-recommends $deps \
		> "$work/log" 2>&1 || { tail "$work/log"; fail "dependencies"; }
	list_files > "$work/before"
	mkdir "$root/debs" && cp "$work"/debs/*.deb "$root/debs"
	in_root sh -c 'dpkg -i /debs/*.deb' > "$work/log" 2>&1 ||
		{ tail "$work/log"; fail "dpkg -i"; }
	rm -r "$root/debs"
}

use_packages() {
	local out
	[ "$(in_root readlink -f /usr/bin/mpicc)" = /usr/bin/opal_wrapper ] ||
		fail "mpicc of Open MPI was replaced"
	cp "$top/examples/hello.c" "$root/tmp"
	in_root mpicc.weft -o /tmp/hello /tmp/hello.c || fail "mpicc.weft"
	out=$(in_root mpiexec.weft -n 4 /tmp/hello) || fail "live: $out"
	[ "$(echo "$out" | grep -c rank)" = 4 ] || fail "live: $out"
	out=$(in_root mpiexec.weft --machine bgq -n 4 --report /tmp/hello 2>&1) ||
		fail "virtual time: $out"
	echo "$out" | head -n 12
	in_root update-alternatives --set mpi /usr/bin/mpicc.weft > /dev/null &&
		in_root update-alternatives --set mpirun /usr/bin/mpirun.weft \
			> /dev/null || fail "alternatives"
	in_root sh -c 'mpicc -o /tmp/hello2 /tmp/hello.c && mpiexec -n 2 /tmp/hello2' ||
		fail "by the alternatives"
	in_root weft-info | head -n 5
	in_root update-alternatives --auto mpi > /dev/null
	in_root update-alternatives --auto mpirun > /dev/null
}

remove_packages() {
	in_root dpkg -P weft-dev weft-bin weft-doc libmpi-abi-weft \
		> "$work/log" 2>&1 || { tail "$work/log"; fail "dpkg -P"; }
	list_files > "$work/after"
	diff "$work/before" "$work/after" || fail "files are left, or changed"
}

if [ -n "$DEBS" ]; then
	mkdir "$work/debs" && cp "$DEBS"/*.deb "$work/debs" || exit 1
else
	build_packages
fi
if command -v lintian > /dev/null; then
	lintian --allow-root --fail-on error --tag-display-limit 0 \
		"$work"/debs/*.deb || fail "lintian"
fi
make_root
install_packages
use_packages
remove_packages
echo "installed, used and removed: $(cd "$work/debs" && echo *.deb)"
