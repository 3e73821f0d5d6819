#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A job whose processes have different versions of Weft ends with a line that
# names both. The other version is a copy of the MPI library in which the text
# of the version is changed (src/boot/boot_format.c).
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi halo "$top_srcdir/examples/halo.c" || exit 1
libs=$builddir/.libs
mkdir "$dir/other"
ln -s "$libs"/libweft-direct.so "$dir/other"
LC_ALL=C sed 's/weft 0001 [0-9.]*/weft 0007 9.9.9/' \
	"$libs/libmpi_abi.so.1" > "$dir/other/libmpi_abi.so.1"
cmp -s "$libs/libmpi_abi.so.1" "$dir/other/libmpi_abi.so.1" &&
	complain "the library has no text of its version"
other="env LD_LIBRARY_PATH=$dir/other $dir/halo 2"

# a job in which all ranks use the changed copy works
# shellcheck disable=SC2086
run 0 -n 2 $other
for how in '' '--machine bgq'; do
	# shellcheck disable=SC2086
	run 1 $how -n 1 "$dir/halo" 2 : -n 1 $other
	grep -qE 'rank [01] uses Weft .* \(format [17]\), this rank uses Weft' \
		"$dir/err" || complain "no versions: $(cat "$dir/err")"
	grep -q 'Weft 9.9.9 (format 7)' "$dir/err" ||
		complain "not named: $(cat "$dir/err")"
done
end
