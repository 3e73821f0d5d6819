#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the examples in Fortran and Python, live and in virtual time.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
lib=$builddir/.libs
tested=
greetings=$(printf 'hello from rank %d of 3\n' 0 1 2)
if [ -e "$lib/libmpifort_abi.so" ]; then
	tested=1
	(cd "$dir" && ${FC:-gfortran} -I"$builddir/src/fortran" -o hello_f08 \
		"$top_srcdir/examples/hello_f08.f90" -L"$lib" -lmpifort_abi \
		-lmpi_abi -Wl,-rpath,"$lib") || exit 1
	for clock in "" "--machine bgq"; do
		run 0 -q $clock -n 3 "$dir/hello_f08"
		out "$greetings"$'\n''sums: 3 6 3'
	done
fi
# an interpreter without the sanitizer cannot load a library that needs it
if command -v python3 > /dev/null &&
	! nm -D "$lib/libmpi_abi.so.1" | grep -qE '__[at]san_'; then
	tested=1
	for clock in "" "--machine bgq"; do
		run 0 -q $clock -n 3 -x LD_LIBRARY_PATH="$lib" \
			python3 "$top_srcdir/examples/hello.py"
		sed -i 's/took .* us/took a time/' "$dir/out"
		out "an allreduce took a time"$'\n'"$greetings"$'\n''sums: 3.0 3.0'
	done
fi
nothing_left
[ -n "$tested" ] || exit 77
end
