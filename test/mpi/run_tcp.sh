#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The core set over a provider that is not ours: nothing above fi_* may depend
# on which one runs below.
PROVIDER=tcp ONLY='p2p_*' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
PROVIDER=tcp ONLY='comm_*' RANKS_MAX=3 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
PROVIDER=tcp ONLY='win_*' RANKS_MAX=3 \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
