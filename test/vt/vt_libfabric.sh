#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program that uses libfabric without MPI runs in virtual time, with the same
# results in every run; MPI programs also run in virtual time under other
# launchers.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export FI_PROVIDER_PATH=$builddir/.libs FI_WEFT_CLOCK=virtual
${CC:-cc} -std=c11 -D_GNU_SOURCE -w -I"$top_srcdir/include" -o "$dir/vt_libfabric" \
	"$top_srcdir/test/vt/vt_libfabric.c" $(pkg-config --cflags --libs libfabric) ||
	exit 1
build_mpi vt_prog "$top_srcdir/test/vt/vt_prog.c" || exit 1

# pair NAME MACHINE [relaxed|lines]: runs the two processes of job NAME
pair() {
	export FI_WEFT_MACHINE=$2
	FI_WEFT_JOB=$mark$1:1:2 timeout 20 "$dir/vt_libfabric" 1 $3 &
	FI_WEFT_JOB=$mark$1:0:2 timeout 20 "$dir/vt_libfabric" 0 $3 \
		> "$dir/$1" || complain "rank 0 of pair $1: exit code $?"
	wait $! || complain "rank 1 of pair $1: exit code $?"
}
pair a bgq
pair b bgq
cat "$dir/a"
grep -q '^10 round trips of 8 bytes: [1-9][0-9]* ps$' "$dir/a" ||
	complain "no time is printed"
cmp "$dir/a" "$dir/b" || complain "two runs differ"

# If accesses need not be ordered, short writes use all links between two chips.
export FI_WEFT_MAP=TABC
pair c gemini@slow:1x2
pair d gemini@slow:1x2 relaxed
pair e gemini@slow:1x2 lines
unset FI_WEFT_MAP
writes() {
	sed -n 's/^48 writes of 1024 bytes: \([0-9]*\) ps$/\1/p' "$dir/$1"
}
echo "writes in order: $(writes c) ps, without order: $(writes d) ps"
[ "$(writes d)" -gt 0 ] && [ "$(writes c)" -gt $((2 * $(writes d))) ] ||
	complain "writes without order are not faster than in order"
# With order only within cache lines, links are chosen by address.
echo "writes in order within lines: $(writes e) ps"
[ "$(writes c)" -gt $((2 * $(writes e))) ] &&
	[ "$(writes e)" -gt "$(writes d)" ] ||
	complain "order within lines takes as long as full order or no order"
# Remote memory access: rank 1 computes for 5 ms, but accesses to its memory do
# not wait for that.
${CC:-cc} -std=c11 -D_GNU_SOURCE -w -I"$top_srcdir/include" \
	-o "$dir/vt_rma" "$top_srcdir/test/vt/vt_rma.c" \
	$(pkg-config --cflags --libs libfabric) || exit 1
# reach MACHINE NAME: stores the times of rank 0's accesses, in ns, in $dir/NAME
reach() {
	FI_WEFT_MACHINE=$1 FI_WEFT_JOB=$mark$2:1:2 timeout 20 \
		"$dir/vt_rma" 1 &
	FI_WEFT_MACHINE=$1 FI_WEFT_JOB=$mark$2:0:2 timeout 20 \
		"$dir/vt_rma" 0 > "$dir/$2" ||
		complain "rank 0 of $2: exit code $?"
	wait $! || complain "rank 1 of $2: exit code $?"
}
for m in bgq:2 qsnet2:4 gemini; do
	reach $m c${m%:*}
	reach $m d${m%:*}
	echo "$m: $(tr '\n' ',' < "$dir/c${m%:*}")"
	awk '$1 != "refused" && $1 > 4000 { bad = 1 } END { exit bad || NR != 4 }
		$1 == "refused" && $2 != 1 { bad = 1 }' "$dir/c${m%:*}" ||
		complain "$m: an access waits for a processor"
	cmp "$dir/c${m%:*}" "$dir/d${m%:*}" || complain "$m: two runs differ"
done

if need_part mpirun.openmpi; then
	export FI_WEFT_MACHINE=bgq:1x1x1x2x2
	run 0 -n 4 "$dir/vt_prog" good
	cp "$dir/out" "$dir/ours"
	timeout 60 mpirun.openmpi --oversubscribe -n 4 "$dir/vt_prog" good \
		> "$dir/out" 2> "$dir/err" < /dev/null ||
		complain "mpirun.openmpi: exit code $?: $(cat "$dir/err")"
	cat "$dir/out"
	cmp "$dir/ours" "$dir/out" || complain "the times under mpirun differ"
	timeout 60 mpirun.openmpi --oversubscribe -n 4 "$dir/vt_prog" ring \
		> "$dir/out" 2> "$dir/err" < /dev/null &&
		complain "mpirun.openmpi: a deadlock exits with 0"
	err '  cycle: rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0'
fi
end
