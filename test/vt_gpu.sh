#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Device memory on apenet in virtual time: peer to peer costs what the paper
# says over host memory, copies by the hosts cost more, up to 128 KB at least,
# and two runs are alike.
. "$top_srcdir/test/run_lib.sh" || exit 1
. "$top_srcdir/test/vt_lib.sh" || exit 1
export FI_PROVIDER_PATH=$builddir/.libs FI_WEFT_CLOCK=virtual
export FI_WEFT_MACHINE=apenet:2x1x1
${CC:-cc} -std=c11 -D_GNU_SOURCE -w -I"$top_srcdir/include" -o "$dir/vt_gpu" \
	"$top_srcdir/test/vt_gpu.c" $(pkg-config --cflags --libs libfabric) ||
	exit 1

# pair NAME: two processes that know the name
pair() {
	FI_WEFT_JOB=$mark$1:1:2 timeout 60 "$dir/vt_gpu" 1 &
	FI_WEFT_JOB=$mark$1:0:2 timeout 60 "$dir/vt_gpu" 0 > "$dir/$1" ||
		complain "rank 0 of pair $1: exit code $?"
	wait $! || complain "rank 1 of pair $1: exit code $?"
}
pair a
pair b
cat "$dir/a"
cmp "$dir/a" "$dir/b" || complain "two runs differ"
awk '{ t[$1, $2] = $3 }
function bad(what) { print what; wrong = 1 }
END {
	more = t["peer", 8] / t["host", 8]
	if (NR != 15) bad("lines: " NR)
	if (more < 1.25 || more > 1.35) bad("a GPU costs " more " times a host")
	if (t["peer", 8] < 8e6 || t["peer", 8] > 8.4e6) bad("not 8.2 us")
	if (t["staged", 8] < 16.4e6 || t["staged", 8] > 17.2e6) bad("not 16.8 us")
	for (n = 2048; n <= 131072; n *= n < 32768 ? 16 : 4) {
		if (t["host", n] >= t["peer", n]) bad("GPU read is no slower")
		if (t["peer", n] >= t["staged", n]) bad("copies cost nothing")
	}
	exit wrong
}' "$dir/a" || complain "not what the paper says"
end
