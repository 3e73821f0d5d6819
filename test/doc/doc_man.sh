#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every example of the man pages works as printed.
. "$top_srcdir/test/doc/doc_lib.sh" || exit 1
set_up
for page in "$top_srcdir"/doc/*.[1-9]; do
	case $page in
	*/fi_weft.7) ;;
	*/mpiexec.1) try_page doc/mpiexec.1 8 ;;
	*/weft-sim.1) try_page doc/weft-sim.1 5 ;;
	*) try_page "doc/${page##*/}" 0 ;;
	esac
done
# in these examples a.out is a program compiled with Open MPI
need_part mpicc.openmpi && {
	mpicc.openmpi hello.c -o a.out || exit 1
}
try_page doc/fi_weft.7 4
end
