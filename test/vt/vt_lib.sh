# SPDX-License-Identifier: BSD-3-Clause
# Functions for the tests of virtual time; sourced by test/vt/vt_*.sh after
# run_lib.sh.
[ -e "$builddir/.libs/libweft-fi.so" ] || { echo "no provider"; exit 77; }

# build_mpi PROGRAM SOURCE...: builds an MPI program in $dir, with the library
# of this tree.
build_mpi() {
	local name=$1
	shift
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" \
		-I"$top_srcdir/bench" -o "$dir/$name" "$@" \
		-L"$builddir/.libs" -lmpi_abi -lpthread -lm \
		-Wl,-rpath,"$builddir/.libs"
}

# build_bench NAME...: builds these benchmarks of bench/bench.c in $dir.
build_bench() {
	local name
	[ -e "$dir/bench" ] || build_mpi bench "$top_srcdir/bench/bench.c" || return
	for name; do
		ln -f "$dir/bench" "$dir/$name" || return
	done
}

# err TEXT: checks that stderr contains this line.
err() {
	grep -qF -- "$1" "$dir/err" && return
	complain "stderr does not have \"$1\":"
	cat "$dir/err"
}
