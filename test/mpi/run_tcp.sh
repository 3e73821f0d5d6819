#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main programs over providers other than Weft's: the MPI layer must not
# depend on Weft's provider.
PROVIDER=tcp ONLY='p2p_*' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
PROVIDER=tcp ONLY='comm_*' RANKS_MAX=3 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
PROVIDER=tcp ONLY='win_*' RANKS_MAX=3 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
# windows that MPI allocates: over the provider's remote memory access and
# atomics, and over messages only
WEFT_WIN_PATH=fabric PROVIDER=tcp ONLY='win_@(move|acc|fuzz|paths|large)' \
	RANKS_MAX=2 bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
WEFT_WIN_PATH=messages PROVIDER=tcp ONLY='win_@(fuzz|paths)' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh" || exit $?
# a version of a provider that loses messages is refused, with the reason
if fi_info -p shm 2> /dev/null | grep -q 'version: 117\.'; then
	FI_PROVIDER=shm timeout -k 5 60 "${builddir:-$PWD}/mpiexec" -n 1 \
		"${builddir:-$PWD}/test/mpi/programs/p2p_modes" > "tcp.$$" 2>&1 &&
		{ echo "shm of libfabric 1.17 was accepted"; rm "tcp.$$"; exit 1; }
	grep -q 'loses messages' "tcp.$$" || { cat "tcp.$$"; rm "tcp.$$"; exit 1; }
	rm "tcp.$$"
fi
# another provider, whose atomics Weft does not use
PROVIDER='udp;ofi_rxd' ONLY='win_@(fuzz|paths)' RANKS_MAX=2 \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
