# SPDX-License-Identifier: BSD-3-Clause
# Every script of this folder sources this file first. The scripts are skipped
# without LONG=1. All of their files are in $work, which is removed at the end,
# also if a signal ends the script; after SIGKILL the next script removes it.
top=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
unset MAKEFLAGS MAKELEVEL MFLAGS
# libtool takes half the time in a shell smaller than bash
export CONFIG_SHELL=/bin/sh
folders=$(realpath "${TMPDIR:-/var/tmp}")/weft-packaging
# a Debian tree made by chroot_lib.sh, if any
root=

fail() {
	echo "FAIL: $*"
	exit 1
}

# logged TEXT COMMAND...: runs the command, and shows the end of its output if
# it fails
logged() {
	local text=$1
	shift
	"$@" > "$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "$text"; }
}

# Ends the processes of the current tree ($root), unmounts it and removes it.
end_root() {
	local p
	[ -n "$root" ] || return 0
	for p in /proc/[0-9]*; do
		case $(readlink "$p/root") in
		"$root" | "$root"/*) kill -KILL "${p#/proc/}" ;;
		esac
	done
	awk -v r="$root" '$2 == r || index($2, r "/") == 1 { print $2 }' /proc/mounts |
		sort -r | xargs -r umount -l || return
	rm -rf --one-file-system "$root"
	root=
}

# "make distcheck" leaves a read-only folder
clean_up() {
	end_root || return
	[ "$(id -u)" = 0 ] || chmod -R u+w "$work"
	rm -rf --one-file-system "$work"
}

# the name of a folder contains the pid of its script
for work in "$folders".[0-9]*.*; do
	p=${work#"$folders".}
	[ -O "$work" ] && [ ! -e "/proc/${p%.*}" ] || continue
	[ ! -e "$work/root" ] || root=$work/root
	clean_up
done
work=$(mktemp -d "$folders.$$.XXXXXX") || exit 1
trap clean_up EXIT

# Fails without a configure script in the sources, which scripts that build this
# tree instead of the tarball need.
need_configure() {
	[ -x "$top/configure" ] ||
		fail "no $top/configure: run ./quickstart, which also installs what a build needs"
}
