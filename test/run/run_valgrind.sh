#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that mpiexec --valgrind, live and in virtual time, reports neither
# bytes that other processes have written nor memory of libraries that Weft
# uses, but does report a value that the program has not initialised.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
command -v valgrind > /dev/null || { echo "no valgrind"; exit 77; }
[ -e /usr/include/valgrind/memcheck.h ] || { echo "no memcheck.h"; exit 77; }
nm -D "$builddir/.libs/libmpi_abi.so.1" | grep -qE '__[at]san_' && exit 77
${CC:-cc} -g -I"$top_srcdir/include" "$top_srcdir/test/run/run_valgrind.c" \
	-o "$dir/reads" -L"$builddir/.libs" -lmpi_abi \
	-Wl,-rpath,"$builddir/.libs" || exit 1
within=300

# silent ARGUMENTS...: checks that a run has no report of valgrind
silent() {
	run 0 "$@"
	grep -E '^==[0-9]+==|errors$' "$dir/err" | head -n 20 > "$dir/reports"
	[ ! -s "$dir/reports" ] && return
	complain "mpiexec $*: valgrind reports"
	cat "$dir/reports"
}
silent --valgrind -n 2 "$dir/reads"
silent --valgrind --machine bgq -n 2 "$dir/reads"
export VALGRIND_OPTS='--leak-check=full --show-leak-kinds=definite'
silent --valgrind -n 2 "$dir/reads"
unset VALGRIND_OPTS
run 99 --valgrind -n 2 "$dir/reads" unset
grep -q 'uninitialised' "$dir/err" || complain "no report of a real error"
nothing_left
end
