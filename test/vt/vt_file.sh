#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Times of file accesses in virtual time (test/vt/vt_file.c). 1 MiB has 2048
# packets, each of which takes 144 cycles of 2 ns on a link: 589,824 ns, plus
# 1,338 ns for the first byte and the response. Ranks 0 and 1 share one link of
# the I/O node; 32 ranks share both links, and the reception rate of the I/O
# node (3.2 GB/s) limits writes.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi vt_file "$top_srcdir/test/vt/vt_file.c" || exit 1

# times MACHINE RANKS TEXT: checks that the program prints this line
times() {
	run 0 -q --machine "$1" --clock virtual -n "$2" "$dir/vt_file" \
		"$dir/data"
	out "$3"
	echo "$1, $2 ranks: $(cat "$dir/out")"
}

times bgq:4x4x2 2 \
	"8 B 20 ns; write 0 read 0 us; all: write 0 read 0 x 10 us"
times bgq@io:4x4x2 2 \
	"8 B 1238 ns; write 591 read 591 us; all: write 118 read 118 x 10 us"
times bgq@io:4x4x2 32 \
	"8 B 1238 ns; write 591 read 591 us; all: write 1049 read 1150 x 10 us"
# an I/O node that takes 100 us and 1 ns per byte for every access
sed 's/^ranks_per_node.*/&\nio = 32\nio_links = 2\nio_time = 100 us\nio_rate = 1 GB\/s/' \
	"$top_srcdir/share/machines/bgq" > "$dir/slow"
times "$dir/slow:4x4x2" 2 \
	"8 B 101246 ns; write 1740 read 1740 us; all: write 289 read 289 x 10 us"
nothing_left
exit $failed
