#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that mpi.h alone compiles as C99, C11 and C++17 without a warning, and
# that the values and types of constants, the sizes of types and the parameters
# of prototypes are those of the standard ABI (tables in share/abi). The
# compatibility header defines the names that the ABI omits, and
# -DWEFT_STRICT_ABI removes them.
top=${top_srcdir:-.}
cc=${CC:-gcc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
flags="-Wall -Wextra -pedantic -Werror -fmax-errors=3 -I$top/include"

# Constants and types: generates a program that counts differences.
{
	echo '#include <mpi.h>'
	echo '#include <stddef.h>'
	echo '#include <stdio.h>'
	awk -F'\t' '/^#/ { next } {
		print "static " $1 " const_" $3 "(void) { return " $3 "; }" }' \
		"$top/share/abi/constants"
	awk -F'\t' '/^#/ { next } {
		print "struct probe_" $3 " { char c; " $3 " x; };" }' \
		"$top/share/abi/types"
	cat <<-'END'
	static int bad;
	static void is(const char *name, intptr_t have, intptr_t want)
	{
		if (have == want)
			return;
		printf("%s is %ld, not %ld\n", name, (long)have, (long)want);
		bad++;
	}
	int main(void)
	{
	END
	awk -F'\t' '/^#/ { next } { print "is(\"" $3 "\", (intptr_t)const_" \
		$3 "(), (intptr_t)" $2 ");" }' "$top/share/abi/constants"
	awk -F'\t' '/^#/ { next } {
		print "is(\"size of " $3 "\", sizeof(" $3 "), " $1 ");"
		print "is(\"alignment of " $3 "\", offsetof(struct probe_" \
			$3 ", x), " $2 ");" }' "$top/share/abi/types"
	cat <<-'END'
	is("MPI_SOURCE", offsetof(MPI_Status, MPI_SOURCE), 0);
	is("MPI_TAG", offsetof(MPI_Status, MPI_TAG), 4);
	is("MPI_ERROR", offsetof(MPI_Status, MPI_ERROR), 8);
	return bad != 0;
	}
	END
} > "$dir/facts.c"
cp "$dir/facts.c" "$dir/facts.cc"

# Prototypes: declares every function again; C accepts this only if both
# declarations are compatible.
{
	echo '#define WEFT_MPI_NOT_YET'
	echo '#include <mpi.h>'
	awk -F'\t' '/^#/ { next } { print $2 " " $3 "(" $4 ");"
		print $2 " P" $3 "(" $4 ");" }' "$top/share/abi/functions"
} > "$dir/protos.c"

cat > "$dir/compat.c" <<'END'
#include <mpi.h>
int main(void)
{
	MPI_Fint f = MPI_Comm_c2f(MPI_COMM_WORLD);
	MPI_Comm c = MPI_Comm_f2c(f);
	MPI_Fint fs[MPI_F_STATUS_SIZE];
	MPI_Status s = { 1, 2, 3, { 0 } };
	MPI_Aint a;
	MPI_Datatype t, types[1] = { MPI_INT };
	MPI_Fint (*to)(MPI_Comm) = PMPI_Comm_c2f;
	MPI_Datatype (*from)(MPI_Fint) = MPI_Type_f2c;
	int len[1] = { 1 };

	MPI_Status_c2f(&s, fs);
	MPI_Status_f2c(fs, &s);
	PMPI_Status_c2f(&s, fs);
	f = to(PMPI_Comm_f2c(f)) + MPI_Win_c2f(MPI_WIN_NULL);
	t = from(PMPI_Type_c2f(MPI_LB)) == MPI_UB ? MPI_INT : MPI_BYTE;
	MPI_Address(&s, &a);
	MPI_Type_struct(1, len, &a, types, &t);
	MPI_Type_hvector(1, 1, 4, MPI_INT, &t);
	MPI_Type_extent(MPI_INT, &a);
	MPI_Type_ub(MPI_INT, &a);
	MPI_Errhandler_set(c, MPI_ERRORS_RETURN);
	return s.MPI_TAG != fs[MPI_F_TAG];
}
END

run() { "$@" || { echo "failed: $*"; bad=1; }; }

for std in c99 c11; do
	# shellcheck disable=SC2086
	run $cc -std=$std $flags "$dir/facts.c" -o "$dir/facts"
	run "$dir/facts"
	run $cc -std=$std $flags -fsyntax-only "$dir/protos.c"
	run $cc -std=$std $flags -fsyntax-only "$dir/compat.c"
done
cxx=${CXX:-g++}
if command -v "$cxx" > /dev/null; then
	# shellcheck disable=SC2086
	run "$cxx" -std=c++17 $flags -x c++ -fsyntax-only "$dir/compat.c"
	# shellcheck disable=SC2086
	run "$cxx" -std=c++17 $flags "$dir/facts.cc" -o "$dir/facts"
	run "$dir/facts"
else
	echo "SKIPPED: no $cxx"
	skipped=77
fi
# shellcheck disable=SC2086
if $cc -DWEFT_STRICT_ABI $flags -fsyntax-only "$dir/compat.c" 2> "$dir/log"
then
	echo "-DWEFT_STRICT_ABI does not remove the compatibility names"
	bad=1
fi
[ $bad = 0 ] || exit 1
exit ${skipped:-0}
