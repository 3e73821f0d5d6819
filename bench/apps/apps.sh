#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the applications with the library of the build tree and runs each with
# several numbers of ranks, live, and in virtual time on every machine that has
# a model; every application verifies its answer. RANKS, MACHINES and SIZES
# (small, large) select the runs; the defaults take seconds.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${builddir:-$PWD}
lib=$build/.libs
for need in "$lib/libmpi_abi.so.1" "$lib/libweft-fi.so" "$build/mpiexec"; do
	[ -e "$need" ] || { echo "no $need"; exit 77; }
done
. "$top/test/timeout.sh" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# applications and their arguments, by size
small=("app_cg 24" "app_sort 20000" "app_fft 32 1" "app_lu 200 8")
large=("app_cg 96" "app_sort 500000" "app_fft 128 2" "app_lu 1200 16")
[ "${SIZES:-small}" = large ] && runs=("${large[@]}") || runs=("${small[@]}")

# Under test/hosts, ranks run live on its hosts, with machine FI_WEFT_MACHINE.
launch() { "$build/mpiexec" "$@"; }
if [ -n "$HOSTS" ]; then
	. "$top/test/multihost/hosts_lib.sh" || exit 1
	use_key_file "$work"
	launch() { on_hosts "${@:2}"; }
	MACHINES=
fi
export -f launch
export build

bad=0
# try RANKS MACHINE RUN [PLAN]: runs an application, live if MACHINE is empty,
# otherwise in virtual time
try() {
	local app=${3%% *} rc result
	# shellcheck disable=SC2086
	timeout -k 5 60 bash -c 'launch "$@"' - ${2:+-q --machine $2} -n "$1" \
		${4:+--faults "$4"} \
		"$work/$app" ${3#* } > "$work/out" 2>&1
	rc=$?
	result=$(grep -a "^${app#app_}:" "$work/out")
	printf '%3d ranks, %s%s%s\n' "$1" "${2:+on $2, }" "${4:+$4, }" "$result"
	# the results with and without faults must be equal
	result=${result#*, }
	[ -n "$4" ] && [ "$result" != "$before" ] && rc="0, but not $before"
	before=$result
	[ "$rc" = 0 ] && return
	echo "FAIL $3 with $1 ranks${2:+ on $2}: exit code $rc"
	tail -n 5 "$work/out"
	bad=1
}

for run in "${runs[@]}"; do
	app=${run%% *}
	${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror \
		-I"$top/include" -o "$work/$app" "$top/bench/apps/$app.c" \
		-L"$lib" -lmpi_abi -lm -Wl,-rpath,"$lib" || exit 1
	for n in ${RANKS:-1 3 8 64}; do
		try "$n" "" "$run"
	done
	for machine in ${MACHINES-bgq qsnet2 gemini sunway apenet}; do
		try 8 "$machine" "$run"
		case $machine in qsnet2) rate=2e-7 ;; *) rate=1e-5 ;; esac
		try 8 "$machine" "$run" "seed = 7; errors * = $rate"
	done
done
exit $bad
