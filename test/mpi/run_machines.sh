#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same programs on the network interfaces of every machine, live.
for machine in bgq gemini qsnet2 sunway apenet; do
	MACHINE=$machine RANKS_MAX=3 \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
done
