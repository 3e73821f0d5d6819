#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The core set over a provider that is not ours: nothing above fi_* may depend
# on which one runs below.
PROVIDER=tcp ONLY='p2p_*' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
PROVIDER=tcp ONLY='comm_*' RANKS_MAX=3 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
PROVIDER=tcp ONLY='win_*' RANKS_MAX=3 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
# its remote memory and atomics for allocated windows, too, and messages alone
WEFT_WIN_PATH=fabric PROVIDER=tcp ONLY='win_@(move|acc|fuzz|paths|large)' \
	RANKS_MAX=2 bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
WEFT_WIN_PATH=messages PROVIDER=tcp ONLY='win_@(fuzz|paths)' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
# another one, whose atomics are not used
PROVIDER='udp;ofi_rxd' ONLY='win_@(fuzz|paths)' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
