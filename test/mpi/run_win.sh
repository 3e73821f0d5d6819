#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One-sided communication over the slower paths: libfabric's remote memory
# access and atomics, and messages; run.sh tests shared memory.
for path in fabric messages; do
	WEFT_WIN_PATH=$path ONLY='win_*' RANKS_MAX=5 \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
done
for machine in bgq gemini qsnet2 sunway apenet; do
	WEFT_WIN_PATH=fabric MACHINE=$machine ONLY='win_*' RANKS_MAX=3 \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
done
