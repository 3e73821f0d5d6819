#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that resources of a rank grow only logarithmically with the number of
# ranks: memory mappings and page tables after collectives with 150 and with 450
# ranks (with up to 128 ranks every rank may send to every other). The test is
# skipped if the host does not have enough memory and processes for 450 ranks.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
build_mpi "$mark" "$top_srcdir/test/run/run_scale.c" || exit 1

# world RANKS: runs a job, and sets $maps and $pte to the largest number of
# mappings and size of page tables of its ranks.
world() {
	timeout -s KILL 600 "$mpiexec" -n "$1" "$dir/$mark" > "$dir/out" \
		2> "$dir/err" < /dev/null || {
		complain "$1 ranks: exit code $?"
		tail -n 5 "$dir/err"
	}
	read -r _ maps _ pte < "$dir/out"
	echo "$1 ranks: $maps regions, $pte KiB of page tables"
}

# A rank needs ten MiB, and two processes or threads.
room=$(awk '/MemAvailable/ { print int($2 / 10240) }' /proc/meminfo)
tasks=$(ulimit -u)
[ "$tasks" = unlimited ] || [ $((tasks / 3)) -gt "$room" ] || room=$((tasks / 3))
[ "$room" -ge 450 ] || { echo "memory and processes for only $room ranks"; exit 77; }

world 150
small_maps=$maps small_pte=$pte
world 450
# log2(450) is about 9, log2(150) about 8: in the larger job each of the two
# algorithms has one more round, which adds two partners, and the path to the
# root has one more level
[ "$maps" -le $((small_maps + 8)) ] ||
	complain "$maps regions are mapped, $small_maps in a small job"
[ "$maps" -le 60 ] || complain "$maps regions are mapped"
# each additional region or level may need a page table or two (4 KiB each)
[ "$pte" -le $((small_pte + 128)) ] ||
	complain "$pte KiB of page tables, $small_pte in a small job"
nothing_left
exit $failed
