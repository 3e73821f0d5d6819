#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs of the list on the network interfaces of every machine, live;
# LONG=1: with up to eight ranks on every machine, otherwise with one, two and
# three ranks on bgq, and with two or three ranks on the others.
last=
for machine in bgq gemini qsnet2 sunway apenet; do
	case $machine in bgq | apenet) few=3 ;; *) few=2 ;; esac
	[ $machine = bgq ] || [ -n "$LONG" ] || last=1
	MACHINE=$machine RANKS_MAX=$([ -n "$LONG" ] && echo 8 || echo $few) \
		RANKS_LAST=$last \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
done
# qsnet2 with matching on the thread processor of its interface
MACHINE=qsnet2 FI_WEFT_MATCH=unit RANKS_MAX=2 ONLY='p2p_@(modes|order|probe)' \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
