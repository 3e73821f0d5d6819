#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs of the list in virtual time, on every machine that has a model;
# LONG=1: with all numbers of ranks; otherwise with one, two and three ranks on
# one torus, three on one tree, and two on the other machines. MACHINES selects
# machines.
bad=0 last=
for m in ${MACHINES:-bgq qsnet2 gemini sunway apenet}; do
	case $m in bgq* | qsnet2*) few=3 ;; *) few=2 ;; esac
	[ "$m" = bgq ] || [ -n "$LONG" ] || last=1
	MACHINE=$m CLOCK=virtual RANKS_LAST=$last RANKS_MAX=${RANKS_MAX:-${LONG:+100}$few} \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || bad=1
done
# many ranks, whose interfaces reduce along two trees at once
[ -n "$MACHINES" ] || MACHINE=sunway CLOCK=virtual RANKS_MAX=17 \
	ONLY='coll_@(unit|flight)' \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || bad=1
# groups of four or more ranks, for which machine files choose algorithms
[ -n "$MACHINES" ] || MACHINE=bgq CLOCK=virtual RANKS_MAX=5 RANKS_LAST=1 ONLY='coll_inter' \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || bad=1
# a few programs on a user's own machines: a fat tree (generic), and a dragonfly
# described by a machine file
own=$(mktemp)
"${builddir:-.}/weft-sim" --new dragonfly 100Gb > "$own"
for m in generic "$own"; do
	[ -n "$MACHINES" ] || MACHINE=$m CLOCK=virtual RANKS_MAX=5 RANKS_LAST=1 \
		ONLY='@(p2p_@(modes|order|probe|typed)|comm_make|coll_flight|win_paths)' \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || bad=1
done
rm -f "$own"
exit $bad
