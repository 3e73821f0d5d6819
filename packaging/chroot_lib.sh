# SPDX-License-Identifier: BSD-3-Clause
# Functions for the scripts of this folder that install a new Debian in a folder
# (by debootstrap) and use it by chroot, so that the packages of the host do not
# change. The scripts source this file; they are skipped without root, and
# without debootstrap. $root is the folder of the current Debian tree.
#
#   SUITE=NAME   release of Debian (bookworm)
#   BASE=FOLDER  a tree made by debootstrap, copied instead of making one
#   MIRROR=URL   mirror of Debian
#   CACHE=FOLDER cache of ccache, for repeated builds
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh" || exit 1
# the configured build folder: the current one, or that of ./quickstart
build=${builddir:-$PWD}
[ -e "$build/config.status" ] || build=$top/build
[ "$(id -u)" = 0 ] || { echo "SKIPPED: debootstrap needs root"; exit 77; }
command -v debootstrap > /dev/null ||
	{ echo "SKIPPED: no debootstrap (Debian package debootstrap)"; exit 77; }
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
unset CC FC
suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}

in_root() { env -u TMPDIR chroot "$root" "$@"; }

apt_get() { in_root apt-get -qq "$@"; }

# add_packages PACKAGE...
add_packages() {
	logged "apt-get install $*" apt_get install -y --no-install-recommends "$@"
}

make_base() {
	[ -z "$BASE" ] || return 0
	BASE=$work/base
	logged debootstrap debootstrap --variant=minbase "$suite" "$BASE" "$mirror"
}

# new_root PACKAGE...: makes $root a copy of the base tree and installs these
# packages there
new_root() {
	make_base
	root=$work/root
	cp -a "$BASE" "$root" || fail "copy of $BASE"
	echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
	# buildah needs a root folder that is a mount point
	mount --bind "$root" "$root" && mount -t proc proc "$root/proc" &&
		mount -t sysfs -o ro sysfs "$root/sys" && mount --bind /dev "$root/dev" &&
		mount -t tmpfs tmpfs "$root/dev/shm" || fail "mount"
	logged "apt-get update" apt_get update
	[ $# = 0 ] || add_packages "$@"
	[ -z "$CACHE" ] || use_cache
}

use_cache() {
	mkdir "$root/ccache" && mount --bind "$CACHE" "$root/ccache" ||
		fail "mount of $CACHE"
	add_packages ccache
	unset CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_SLOPPINESS
	export CCACHE_DIR=/ccache PATH=/usr/lib/ccache:$PATH
}

# Makes the tarball $work/weft-$version.tar.xz. A lock lets only one script at a
# time do so.
make_tarball() {
	[ -e "$build/config.status" ] || fail "no build folder: run ./quickstart"
	logged "make dist" flock "$build/config.status" \
		make -s -C "$build" dist
	version=$(sed -n 's/^VERSION = //p' "$build/Makefile")
	mv "$build/weft-$version.tar.xz" "$work" || fail "no tarball"
}

# unpack_in_root FOLDER: unpacks the tarball in a folder of $root
unpack_in_root() {
	mkdir -p "$root$1"
	tar -C "$root$1" -xf "$work/weft-$version.tar.xz" || fail "tarball"
}

# Prints the files and links of $root that must be the same before a package is
# installed and after it is removed.
list_files() {
	find "$root" -xdev ! -type d ! -path "$root/var/*" ! -path "$root/ccache/*" ! -path "$root/tmp/*" \
		! -path "$root/etc/ld.so.cache" ! -path "$root/home/*" \
		! -path "$root/src/*" -printf '%P %l\n' | sort
}

# Prints the folders that exist only because Weft's packages were installed.
list_folders() {
	find "$root" -xdev ! -path "$root/src/*" -type d -name '*weft*' \
		-printf '%P\n'
}

# Checks after the removal of a package that the files are those listed in
# $work/before.
check_removed() {
	list_files > "$work/after"
	diff "$work/before" "$work/after" || fail "files are left, or changed"
	[ -z "$(list_folders)" ] || fail "folders are left: $(list_folders)"
	! grep -l weft "$root"/var/lib/dpkg/alternatives/* ||
		fail "alternatives are left"
}
