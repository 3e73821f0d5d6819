#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sweeps machines and message sizes with a halo exchange on the model, and plots
# the time of a step over the message size with gnuplot. Writes sweep.csv and
# sweep.svg into the current folder.
#
#   examples/sweep.sh                    64 ranks on all machines
#   RANKS=512 MACHINES="bgq ./my" SIZES="1k 64k" examples/sweep.sh
sim=${SIM:-weft-sim}
ranks=${RANKS:-64} steps=${STEPS:-4}
machines=${MACHINES:-bgq gemini qsnet2 sunway apenet}
sizes=${SIZES:-64 512 4k 32k 256k}

bytes() {
	case $1 in
	*k) echo $((${1%k} * 1024)) ;;
	*M) echo $((${1%M} * 1024 * 1024)) ;;
	*) echo "$1" ;;
	esac
}

echo "machine,ranks,bytes,us_per_step" > sweep.csv || exit 1
for machine in $machines; do
	for size in $sizes; do
		n=$(bytes "$size")
		us=$("$sim" --machine "$machine" --no-finalize --calls \
			"halo,ranks=$ranks,bytes=$n,steps=$steps" 2> /dev/null |
			sed -n 's/^ranks end at .* to \([0-9.]*\) us/\1/p')
		[ -n "$us" ] || { echo "sweep: $machine failed" >&2; exit 1; }
		echo "$machine,$ranks,$n,$us" |
			awk -F, -v s="$steps" \
				'{ printf "%s,%s,%s,%.3f\n", $1, $2, $3, $4 / s }'
	done
done | tee -a sweep.csv

command -v gnuplot > /dev/null || { echo "no gnuplot: no figure"; exit 0; }
gnuplot << END
set terminal svg size 720,480
set output "sweep.svg"
set datafile separator ","
set logscale xy
set key top left
set xlabel "bytes to each of six neighbours"
set ylabel "time of a step, us"
set title "halo exchange and allreduce, $ranks ranks"
plot for [m in "$machines"] "< grep ^" . m . ", sweep.csv" \
	using 3:4 with linespoints title m
END
echo "sweep.svg"
