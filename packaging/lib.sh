# SPDX-License-Identifier: BSD-3-Clause
# The beginning of every script of this folder, sourced. The scripts skip without
# LONG=1. All files are in $work, which is removed at the end, also if the script
# is ended; the next script removes what SIGKILL left.
top=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
unset MAKEFLAGS MAKELEVEL MFLAGS
# libtool takes half the time in a shell smaller than bash
export CONFIG_SHELL=/bin/sh
folders=$(realpath "${TMPDIR:-/var/tmp}")/weft-packaging
# a tree of chroot_lib.sh
root=

fail() {
	echo "FAIL: $*"
	exit 1
}

# logged TEXT COMMAND...: shows the end of the output if the command fails
logged() {
	local text=$1
	shift
	"$@" > "$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "$text"; }
}

# Ends the processes of the current tree, unmounts and removes it.
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

# "make distcheck" leaves a folder that is read-only
clean_up() {
	end_root || return
	[ "$(id -u)" = 0 ] || chmod -R u+w "$work"
	rm -rf --one-file-system "$work"
}

# names of folders have the number of the process
for work in "$folders".[0-9]*.*; do
	p=${work#"$folders".}
	[ -O "$work" ] && [ ! -e "/proc/${p%.*}" ] || continue
	[ ! -e "$work/root" ] || root=$work/root
	clean_up
done
work=$(mktemp -d "$folders.$$.XXXXXX") || exit 1
trap clean_up EXIT

# Scripts that build this tree, not the tarball, need its configure.
need_configure() {
	[ -x "$top/configure" ] ||
		fail "no $top/configure: run ./quickstart, which also installs what a build needs"
}
