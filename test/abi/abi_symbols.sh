#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the exports of libmpi_abi.so.1: MPI_X (weak) and PMPI_X (strong) for
# each function that it has, and nothing else. All functions must be in the
# table of the standard (share/abi/functions). The missing functions are listed
# in mpi.h, doc/not-yet.md and README.md.
build=${builddir:-build}
top=${top_srcdir:-.}
lib=$build/.libs/libmpi_abi.so
command -v nm > /dev/null || exit 77
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
bad=0
complain() { echo "$*"; bad=1; }

nm -D --defined-only "$lib" | awk '{ print $2, $3 }' | sort -k2 > "$dir/all"
grep -vE ' P?MPIX_' "$dir/all" > "$dir/syms"
awk '$1 == "W" && $2 ~ /^MPI_/ { print $2 }' "$dir/syms" > "$dir/weak"
awk '$1 == "T" && $2 ~ /^PMPI_/ { print substr($2, 2) }' "$dir/syms" \
	> "$dir/strong"
grep -v '^#' "$top/share/abi/functions" | cut -f3 | sort > "$dir/table"

other=$(awk '!($1 == "W" && $2 ~ /^MPI_/) && !($1 == "T" && $2 ~ /^PMPI_/) {
	print $2 }' "$dir/syms")
[ -z "$other" ] || complain "other exported symbols:" $other
one=$(comm -3 "$dir/weak" "$dir/strong")
[ -z "$one" ] || complain "only one of MPI_ and PMPI_:" $one
unknown=$(comm -23 "$dir/weak" "$dir/table")
[ -z "$unknown" ] || complain "not in the standard ABI:" $unknown

# extensions: the MPIX_ names in mpi-ext.h (weak) and their PMPIX_ names
# (strong)
{ grep -oE '\bMPIX_\w+\(' "$top/include/mpi-ext.h" | sed 's/^/W /'
grep -oE '\bPMPIX_\w+\(' "$top/include/mpi-ext.h" | sed 's/^/T /'; } |
	tr -d '(' | sort -k2 > "$dir/declared"
grep -E ' P?MPIX_' "$dir/all" | diff - "$dir/declared" ||
	complain "the functions of mpi-ext.h differ from the exported ones"

readelf -d "$lib" | grep -q 'SONAME.*\[libmpi_abi.so.1\]' ||
	complain "the soname is not libmpi_abi.so.1"
bash "$top/test/abi/abi_update.sh" --check "$build" || bad=1
exit $bad
