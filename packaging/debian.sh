#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Debian packages from the tarball of this tree in a new Debian 12
# (debootstrap) that has only their build dependencies, checks them with
# lintian, and runs the commands of doc/packages.md in another new Debian 12,
# beside Open MPI and MPICH: they install the packages, compile a program, run
# it live and in virtual time, and remove the packages, after which none of
# their files may be left. LONG=1 only: it takes several minutes and needs the
# network.
#
#   KEEP=FOLDER  keeps the packages there
#   DEBS=FOLDER  takes the packages from there instead of building them
#   SUITE, BASE, MIRROR: packaging/chroot_lib.sh
. "$(dirname "$0")/chroot_lib.sh" || exit 1

# Runs tests in the build folder without Chromium, gdb, Slurm, fi_pingpong and
# other MPIs: a test that needs one of them is skipped and prints the reason.
test_without_tools() {
	local t tests="test/page/run_page.sh test/doc/doc_narrow.sh
		test/run/run_gdb.sh test/run/run_launchers.sh
		test/multihost/hosts_slurm.sh test/ofi/ofi_openmpi.sh
		test/ofi/ofi_pingpong.sh test/abi/abi_foreign.sh"

	add_packages iproute2 procps netbase
	in_root env -u LONG make -s -C "/src/weft-$version" check-TESTS \
		TESTS="$(echo $tests)" check_PROGRAMS=test/support/idle_timeout \
		> "$work/log" 2>&1 || {
		cat "$root/src/weft-$version/test-suite.log"
		fail "tests without optional tools"
	}
	grep '^# SKIP' "$work/log"
	for t in $(sed -n 's/^SKIP: //p' "$work/log"); do
		grep -iE '^(SKIPPED: |no |not )' \
			"$root/src/weft-$version/${t%.sh}.log" ||
			fail "$t is skipped without a reason"
	done
}

build_packages() {
	make_tarball
	new_root build-essential fakeroot lintian
	unpack_in_root /src
	cp "$work/weft-$version.tar.xz" "$root/src/weft_$version.orig.tar.xz"
	cp -r "$top/packaging/debian" "$root/src/weft-$version/debian"
	logged "build dependencies" apt_get build-dep -y \
		--no-install-recommends "/src/weft-$version"
	logged dpkg-buildpackage in_root env -C "/src/weft-$version" \
		DEB_BUILD_OPTIONS="parallel=$(nproc) $DEB_BUILD_OPTIONS" \
		dpkg-buildpackage -us -uc
	logged lintian in_root sh -c \
		"lintian --allow-root --fail-on error,warning --tag-display-limit 0 /src/*.changes"
	cat "$work/log"
	mkdir "$work/debs" && mv "$root"/src/*.deb "$work/debs"
	test_without_tools
	[ -z "$KEEP" ] || cp "$work"/debs/*.deb "$KEEP"
	end_root
}

# page_commands SECTION: prints the commands of a section of the page
page_commands() {
	awk -v s="## $1" '/^## / { on = $0 == s } on && /^    / {
		print substr($0, 5) }' "$top/doc/packages.md"
}

# run_section SECTION: runs the section's commands in /home/user, which contains
# the packages
run_section() {
	local commands
	commands=$(page_commands "$1")
	[ -n "$commands" ] || fail "doc/packages.md has no commands in $1"
	logged "$1" in_root sh -exc "cd /home/user; $commands"
}

# Checks that links of other packages (Open MPI, MPICH) are as before when
# Weft's packages are installed beside them.
check_others() {
	local name
	for name in mpicc mpirun; do
		case $(in_root readlink -f /usr/bin/$name) in
		*weft*) fail "$name of Open MPI was replaced" ;;
		esac
	done
	in_root sh -ec 'mpicc.openmpi -show && mpicc.mpich -show' > /dev/null ||
		fail "another MPI's mpicc"
}

# Every link of the packages leads to a file of the packages, not to a file of
# another MPI.
check_links() {
	local f
	in_root dpkg -L libmpi-abi-weft weft-bin weft-dev weft-doc |
		sort -u > "$work/own"
	while read -r f; do
		[ ! -L "$root$f" ] || in_root readlink -f "$f"
	done < "$work/own" | sort -u | comm -23 - "$work/own" > "$work/links"
	[ ! -s "$work/links" ] || fail "links lead to $(cat "$work/links")"
}

use_packages() {
	mkdir -p "$root/home/user"
	# dependencies of the packages are installed first and are not removed
	# shellcheck disable=SC2046
	add_packages $(dependencies)
	list_files > "$work/before"
	cp "$work"/debs/*.deb "$root/home/user"
	run_section Install
	check_links
	check_others
	run_section "First job"
	[ "$(grep -c '^rank .* of 4' "$work/log")" -ge 8 ] ||
		{ cat "$work/log"; fail "ranks are missing"; }
	grep 'us of virtual time' "$work/log" || fail "no report"
	run_section "Beside other MPIs"
	run_section Remove
	check_removed
}

dependencies() {
	local deb
	for deb in "$work"/debs/*.deb; do
		dpkg-deb -f "$deb" Depends
	done | tr ',' '\n' | sed 's/|.*//; s/(.*)//; s/ //g' | grep -v weft |
		sort -u
}

if [ -n "$DEBS" ]; then
	mkdir "$work/debs" && cp "$DEBS"/*.deb "$work/debs" || exit 1
else
	build_packages
fi
rm -f "$work"/debs/*-dbgsym_*.deb
new_root gcc libc6-dev openmpi-bin libopenmpi-dev mpich libmpich-dev
use_packages
echo "installed, used and removed: $(cd "$work/debs" && echo *.deb)"
