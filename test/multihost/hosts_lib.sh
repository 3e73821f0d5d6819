# SPDX-License-Identifier: BSD-3-Clause
# Functions of the scripts that test/hosts runs on virtual hosts (HOSTS is set
# then).

# needs COMMAND: skips the test if the command is not installed
needs() {
	[ -n "$HOSTS" ] || command -v "$1" > /dev/null ||
		{ echo "no $1"; exit 77; }
}

# run_on_hosts N...: if the script is not running on virtual hosts, runs it on N
# of them, once for each N, and exits
run_on_hosts() {
	local n
	[ -z "$HOSTS" ] || return 0
	for n; do bash "$top_srcdir/test/hosts" "$n" bash "$0" || exit; done
	exit 0
}

# use_key_file FOLDER: makes jobs use a key file of the test instead of the one
# in the home directory
use_key_file() {
	export WEFT_KEY_FILE=${WEFT_KEY_FILE:-$1/weft_key}
}

# make_work NAME: sets $build and $bad, and makes the folder $work
make_work() {
	build=${builddir:-$PWD}
	bad=0
	work=$(mktemp -d "${TMPDIR:-/tmp}/weft-$1.XXXXXX") || exit 1
	trap 'rm -rf "$work"' EXIT
	use_key_file "$work"
}

# spread RANKS: prints a host list such as "host1:2,host2:2", with equal numbers
# of ranks per host
spread() {
	local hosts=($HOSTS) slots
	hosts=("${hosts[@]:0:$1}")
	slots=$((($1 + ${#hosts[@]} - 1) / ${#hosts[@]}))
	hosts=("${hosts[@]/%/:$slots}")
	(IFS=,; echo "${hosts[*]}")
}

# on_hosts RANKS PROGRAM ARGUMENTS...: runs a job with the mpiexec of $build and
# the launcher that it finds, with MPIEXEC_FLAGS; IFACE is the interface (eth0;
# empty: chosen by Weft).
on_hosts() {
	# each virtual host has all processors of the computer
	[ "$1" -le "$(nproc)" ] || export WEFT_LOCAL_CPUS=1
	local iface=${IFACE-eth0}
	# shellcheck disable=SC2086
	"$build/mpiexec" -q -launcher mpirun ${iface:+-iface $iface} --bind-to none \
		-x WEFT_LOCAL_CPUS ${MPIEXEC_FLAGS:-} -host "$(spread "$1")" -n "$@"
}
export -f spread on_hosts

# make_ssh FOLDER: makes a folder for PATH that contains an ssh, which is the
# remote shell of test/hosts, and no launcher of Open MPI. This ssh prints
# $work/motd at a login.
make_ssh() {
	local tool
	mkdir "$1" || exit 1
	cat > "$1/ssh" <<END
#!/bin/bash
[ ! -e "$work/motd" ] || cat "$work/motd"
PATH=$PATH exec "$HOSTS_SELF" rsh "\$@"
END
	chmod +x "$1/ssh"
	for tool in cat hostname true; do ln -s "$(type -P $tool)" "$1/"; done
}

# compile FILE NAME: compiles a program of the tree to $work/NAME
compile() {
	local libs
	libs=$(realpath "$build/.libs")
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir" \
		-I"$top_srcdir/include" -I"$top_srcdir/test/mpi" "$top_srcdir/$1" \
		-o "$work/$2" -L"$libs" -lmpi_abi -lm -Wl,-rpath,"$libs" || exit 1
}

# complain TEXT...: prints the failure and the output in $work, and sets $bad to
# 1
complain() {
	local file
	echo "FAILED: ${what:+$what: }$*"
	for file in "$work"/out "$work"/err "$work"/log.*; do
		[ ! -e "$file" ] || cat "$file"
	done
	bad=1
}

# has FILE COUNT PATTERN: checks that COUNT lines of $work/FILE match
has() {
	[ "$(grep -cE -- "$3" "$work/$1")" = "$2" ] ||
		complain "$1 has not $2 lines \"$3\""
}

# nothing_left WHAT: waits until all processes of a job on the hosts have ended.
# Two processes of test/hosts stay on a host.
nothing_left() {
	local h i
	for h in $HOSTS; do
		for i in $(seq 300); do
			[ "$("$HOSTS_SELF" pids "$h" | wc -l)" -le 2 ] && break
			sleep 0.1
		done
		[ "$i" = 300 ] && complain "$h has processes after $1"
	done
}
