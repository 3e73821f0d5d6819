#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that benchmarks print the output shown in doc/virtual.md, which is the
# same on every host: times, counts and the hash of the events.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
page=$top_srcdir/doc/virtual.md
tried=0 hashes=0

# compare COMMAND: checks that the output of the command contains all lines of
# $dir/printed
compare() {
	local line words
	words=${1#mpiexec }
	name=$(grep -oE 'build/bench/mpi/[a-z_]+' <<< "$words")
	name=${name##*/}
	build_bench "$name" || exit 1
	words=${words/build\/bench\/mpi\/$name/$dir\/$name}
	# shellcheck disable=SC2086
	run 0 $words
	while IFS= read -r line; do
		grep -qxF -- "$line" "$dir/err" "$dir/out" && continue
		complain "doc/virtual.md prints for $1: $line"
	done < "$dir/printed"
	tried=$((tried + 1))
	hashes=$((hashes + $(grep -c ' hash [0-9a-f]' "$dir/printed")))
	echo "$1: $(wc -l < "$dir/printed") lines"
}

# reads the commands of the document and the lines below each, up to the next
# empty line
command=
while IFS= read -r line <&9; do
	case $line in
	'    $ mpiexec '*build/bench/mpi/*)
		command=${line#'    $ '}
		: > "$dir/printed" ;;
	'    $ '*) ;;
	'    '*) [ -z "$command" ] || echo "${line#    }" >> "$dir/printed" ;;
	*)
		[ -z "$command" ] || compare "$command"
		command= ;;
	esac
done 9< "$page"
# A shape with unused nodes is reported; a shape without unused nodes is not.
run 0 --machine bgq:2x2x2x1x1 -n 4 "$dir/allreduce" -m 8:8 -i 1 -x 0
err 'mpiexec: machine bgq:2x2x2x1x1, 8 nodes (4 used), 1 rank on a node'
run 0 --machine bgq:2x2x1x1x1 -n 4 "$dir/allreduce" -m 8:8 -i 1 -x 0
[ -s "$dir/err" ] && complain "a shape that fits: $(cat "$dir/err")"

# A message reports a long computation that took no virtual time, unless
# --compute counts it.
cat > "$dir/work.c" << 'END'
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
	double sum = 0, s;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 30; i++) {
		struct timespec a, b;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		do
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		while ((b.tv_sec - a.tv_sec) * 1000 +
			       (b.tv_nsec - a.tv_nsec) / 1000000 <
		       20);
		MPI_Allreduce(&sum, &s, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END
build_mpi work "$dir/work.c" || exit 1
run 0 -q --machine bgq -n 2 "$dir/work"
last 'computing takes no virtual time: rank 0 computed for 0\.6 s of this'
run 0 -q --machine bgq --compute 1 -n 2 "$dir/work"
[ -s "$dir/err" ] && complain "with --compute: $(cat "$dir/err")"

[ $tried -ge 2 ] || complain "$tried commands with their output"
[ $hashes -ge 1 ] || complain "no hash is printed"
exit $failed
