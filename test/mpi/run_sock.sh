#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Some of the programs with every rank of this host reached by datagrams.
export FI_WEFT_CARRIER=sock RANKS_MAX=4
for only in 'p2p_*' coll_rows coll_fuzz; do
	ONLY=$only bash "${top_srcdir:-.}/test/mpi/run.sh" || exit
done
