#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Device memory on apenet in virtual time: peer-to-peer access takes longer than
# host memory by the paper's figures; staging takes longer still for short
# messages, but less time for long ones, because it copies chunks while others
# are in flight, and peer-to-peer reads of the device are slow. Two runs give
# the same times.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
export FI_PROVIDER_PATH=$builddir/.libs FI_WEFT_CLOCK=virtual
export FI_WEFT_MACHINE=apenet:2x1x1
${CC:-cc} -std=c11 -D_GNU_SOURCE -w -I"$top_srcdir/include" -o "$dir/vt_gpu" \
	"$top_srcdir/test/vt/vt_gpu.c" $(pkg-config --cflags --libs libfabric) ||
	exit 1

# pair NAME: runs the two processes of job NAME
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
	if (NR != 27) bad("lines: " NR)
	if (more < 1.25 || more > 1.35) bad("a GPU costs " more " times a host")
	if (t["peer", 8] < 8e6 || t["peer", 8] > 8.4e6) bad("not 8.2 us")
	if (t["staged", 8] < 16.4e6 || t["staged", 8] > 17.2e6) bad("not 16.8 us")
	for (n = 2048; n <= 1048576; n *= 2)
		if ((("host", n) in t) && t["host", n] >= t["peer", n])
			bad("reads of the GPU are not slower")
	# the two curves cross once, within a factor of ten of 128 KB
	for (n = 8; n <= 4194304; n *= 2) {
		if (!(("peer", n) in t)) continue
		if (t["peer", n] < t["staged", n]) { low = n; if (high) bad("more than one crossover") }
		else if (!high) high = n
	}
	print "staging is faster between " low " and " high
	if (low < 13107 || high > 1310720) bad("crossover")
	# copies overlap with transfers: only the time of copying one chunk at
	# each end, and software time, are added
	if (t["staged", 1048576] - t["host", 1048576] > 60e6) bad("copies do not overlap")
	exit wrong
}' "$dir/a" || complain "the times do not match the paper"
end
