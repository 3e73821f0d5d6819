#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One-sided communication by its other paths: libfabric's remote memory and
# atomics, and only messages; run.sh uses shared memory.
for path in fabric messages; do
	WEFT_WIN_PATH=$path ONLY='win_*' RANKS_MAX=5 \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
done
for machine in bgq gemini qsnet2 sunway apenet; do
	WEFT_WIN_PATH=fabric MACHINE=$machine ONLY='win_*' RANKS_MAX=3 \
		bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
done
