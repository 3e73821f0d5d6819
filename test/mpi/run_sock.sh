#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Some of the programs with every rank of this host reached by datagrams, and
# on a network that loses, doubles, swaps and changes them.
export FI_WEFT_CARRIER=sock RANKS_MAX=4
for only in 'p2p_*' coll_rows coll_fuzz; do
	ONLY=$only bash "${top_srcdir:-.}/test/mpi/run.sh" || exit
done
export FI_WEFT_FAULTS=seed=4,drop=0.02,dup=0.02,reorder=0.05,corrupt=0.02
for only in p2p_order p2p_modes; do
	ONLY=$only bash "${top_srcdir:-.}/test/mpi/run.sh" || exit
done
