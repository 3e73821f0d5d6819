#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks which procedures of the ABI table exist in mpif.h, the module mpi and
# the module mpi_f08: symbols in libmpifort_abi, also in their PMPI_ forms, and
# interfaces in the modules. The table in src/fortran/README must have the same
# numbers of procedures.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${builddir:-build}
lib=$build/.libs/libmpifort_abi.so
written=$build/src/fortran
[ -e "$lib" ] || { echo "SKIPPED: built without Fortran"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
bad=0
complain() { echo "$*"; bad=1; }

# Functions of the C library libmpi_abi, without those that have no Fortran
# form.
nm -D --defined-only "$build/.libs/libmpi_abi.so" |
	awk '$3 ~ /^MPI_/ { print $3 }' | sort > "$dir/library"
grep -v '^#' "$top/share/abi/functions" | cut -f3 | sort |
	comm -12 - "$dir/library" |
	grep -vE '^MPI_T_|_(to|from)int$' > "$dir/have"
grep -v '_c$' "$dir/have" > "$dir/old"
# functions of MPI-1, which mpi_f08 has only under their later names
grep -vE '^MPI_(Attr|Keyval)_' "$dir/have" > "$dir/new"
nm -D --defined-only "$lib" | awk '{ print $3 }' | sort > "$dir/symbols"

has() { grep -qx "$1" "$dir/symbols"; }
interface() { grep -qiE "^(SUBROUTINE|FUNCTION) $1\(" "$2"; }

# A single procedure serves for both forms if all their integers have 8 bytes.
same_types() {
	awk -F'\t' -v one="$1" -v two="${1%_c}" '
	$3 == one || $3 == two {
		gsub(/MPI_(Aint|Count|Offset)/, "K8", $4); args[$3] = $4 }
	END { exit args[one] != args[two] }' "$top/share/abi/functions"
}

n_old=0 n_f08=0
while read -r f; do
	s=${f,,}_
	if has "$s" && has "p$s" && interface "$f" "$written/mpi.f90" &&
		interface "P$f" "$written/mpi.f90"; then
		n_old=$((n_old + 1))
	else
		complain "mpif.h and mpi lack $f"
	fi
done < "$dir/old"
while read -r f; do
	ok=
	for s in f08 f08ts; do
		has "${f,,}_${s}_" && has "p${f,,}_${s}_" &&
			interface "${f}_$s" "$written/mpi_f08.f90" &&
			interface "P${f}_$s" "$written/mpi_f08.f90" && ok=1
	done
	case $f in *_c) [ -n "$ok" ] || ! same_types "$f" || ok=1 ;; esac
	[ -n "$ok" ] || complain "mpi_f08 lacks $f"
	[ -z "$ok" ] || n_f08=$((n_f08 + 1))
done < "$dir/new"
# No procedure may call a function that libmpi_abi does not have.
nm -D --undefined-only "$lib" | grep -oE '\bP?MPI_\w+' | sed 's/^P//' |
	sort -u | comm -23 - "$dir/library" > "$dir/absent"
[ ! -s "$dir/absent" ] || complain "undefined: $(tr '\n' ' ' < "$dir/absent")"

echo "mpif.h and mpi: $n_old of $(wc -l < "$dir/old")," \
	"mpi_f08: $n_f08 of $(wc -l < "$dir/new")"
# The numbers in the README must be those of the whole table.
grep -v '^#' "$top/share/abi/functions" | cut -f3 |
	grep -vE '^MPI_T_|_(to|from)int$' > "$dir/table"
all=$(wc -l < "$dir/table") old=$(grep -vc '_c$' "$dir/table")
new=$(grep -vcE '^MPI_(Attr|Keyval)_' "$dir/table")
tr '\n' ' ' < "$top/src/fortran/README" |
	grep -q "other $all are $old procedures .* mpi_f08 has $new procedures" ||
	complain "src/fortran/README does not say $all, $old, $new"
exit $bad
