#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# libmpi_abi.so and the provider can be opened by dlopen() in a program that
# does not link them: with lazy or immediate binding, with local or global
# symbols, after 20 other libraries with thread-local data, and when the static
# TLS block is full. Python's ctypes also opens libmpi_abi.so.
build=$(cd "${builddir:-build}" && pwd) || exit 1
top=${top_srcdir:-.}
cc=${CC:-gcc}
. "$top/test/timeout.sh" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

# filler NAME MODEL BYTES: builds a library with this number of bytes of
# thread-local data
filler() {
	printf 'static _Thread_local char a[%d] %s;\nchar *%s(void) %s\n' "$3" \
		"__attribute__((tls_model(\"$2\")))" "$1" '{ return a; }' |
		$cc -shared -fPIC -O1 -x c - -o "$dir/$1.so"
}

# try WHAT BINDING SCOPE [FILLER...]: opens the library WHAT after the fillers
try() {
	local what=$1 bind=$2 scope=$3 out
	shift 3
	out=$(timeout 60 "$dir/dl_open" "$what" "$bind" "$scope" \
		"${lib[$what]}" "$@" 2>&1)
	[[ $out == "ok, "* ]] || complain "$what $bind $scope: $out"
	refused=$(sed -n 's/^ok, \([0-9]*\) refused$/\1/p' <<< "$out")
}

$cc -std=c11 -D_GNU_SOURCE -Wall -I"$top/include" "$top/test/tools/dl_open.c" \
	-o "$dir/dl_open" -ldl -lpthread || exit 1
! readelf -d "$dir/dl_open" | grep -E 'libmpi|libfabric' || exit 1
few=() many=()
for i in {1..20}; do
	filler "few$i" global-dynamic 64 || exit 1
	few+=("$dir/few$i.so")
done
i=0
for bytes in 512 512 512 512 256 256 128 128 64 64 32 32 16 16 8 8; do
	filler "many$((++i))" initial-exec $bytes || exit 1
	many+=("$dir/many$i.so")
done
declare -A lib=([mpi]=$build/.libs/libmpi_abi.so
	[prov]=$build/.libs/libweft-fi.so)
for what in mpi prov; do
	for bind in lazy now; do
		for scope in local global; do
			try $what $bind $scope "${few[@]}"
			[ "${refused:-0}" = 0 ] || complain "a filler was refused"
		done
	done
done
try mpi lazy local "${many[@]}"
[ "$refused" != 0 ] || complain "the static TLS block did not become full"

if [ -x "$build/mpiexec" ]; then
	out=$(timeout 60 "$build/mpiexec" -n 2 "$dir/dl_open" mpi lazy local \
		"${lib[mpi]}" "${few[@]}" 2>&1)
	[ "$out" = $'ok, 0 refused\nok, 0 refused' ] ||
		complain "a job of two: $out"
fi
python=$(command -v python3) || exit $bad
timeout 60 "$python" - "${lib[mpi]}" <<- 'PY' || complain "ctypes failed"
	import ctypes, sys
	mpi = ctypes.CDLL(sys.argv[1])
	flag = ctypes.c_int()
	assert mpi.MPI_Init(None, None) == 0
	assert mpi.MPI_Initialized(ctypes.byref(flag)) == 0 and flag.value == 1
	assert mpi.MPI_Finalize() == 0
PY
exit $bad
