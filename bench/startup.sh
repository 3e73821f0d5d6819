#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the run time of a job that only prints a greeting (bench/hello.c),
# which is mainly start-up and MPI_Finalize, for Weft and the other MPIs of this
# machine. Prints medians of interleaved rounds, and the ratio to the fastest
# other MPI. The goal is 0.50 or less at 64 ranks.
#   bench/startup.sh [-r REPEATS] [RANKS...]
top=$(cd "$(dirname "$0")/.." && pwd)
: "${builddir:=$top/build}"
repeats=5
[ "$1" = -r ] && { repeats=$2; shift 2; }
ranks=${*:-2 16 64}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpis=weft
${CC:-cc} -O2 -I"$top/include" "$top/bench/hello.c" -o "$dir/weft" \
	-L"$builddir/.libs" -lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
for m in mpich openmpi; do
	command -v "mpicc.$m" > /dev/null && command -v "mpiexec.$m" > /dev/null &&
		"mpicc.$m" -O2 "$top/bench/hello.c" -o "$dir/$m" && mpis="$mpis $m"
done

launch() {
	case $1 in
	weft) "$builddir/mpiexec" -n "$2" "$dir/weft" ;;
	mpich) mpiexec.mpich -n "$2" "$dir/mpich" ;;
	openmpi) mpiexec.openmpi --oversubscribe -n "$2" "$dir/openmpi" ;;
	esac
}

# Prints the milliseconds of one launch; wrong output ends the script.
once() {
	local t0 t1
	t0=$(date +%s%N)
	launch "$1" "$2" < /dev/null 2> "$dir/err" | grep -q "from $2 ranks" ||
		{ echo "$1 failed at $2 ranks:" >&2; cat "$dir/err" >&2; exit 1; }
	t1=$(date +%s%N)
	echo $(((t1 - t0) / 10000)) | sed 's/..$/.&/'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

printf '# start-up and finalize, ms, median of %s\n%-8s' "$repeats" '# ranks'
printf '%12s' $mpis
echo '  weft/best'
for n in $ranks; do
	for m in $mpis; do : > "$dir/$m.$n"; done
	for _ in $(seq "$repeats"); do
		for m in $mpis; do once "$m" "$n" >> "$dir/$m.$n"; done
	done
	printf '%-8s' "$n"
	for m in $mpis; do median < "$dir/$m.$n"; done | awk '
		{ v[NR] = $1; printf "%12.1f", $1 }
		NR > 1 && (!best || $1 < best) { best = $1 }
		END { if (best) printf "%11.2f", v[1] / best; print "" }'
done
