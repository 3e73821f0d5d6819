#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs programs of the list over the hybrid carrier, over datagrams between the
# ranks of this host, and over datagrams on a lossy network (LONG=1: all
# point-to-point programs, and more collectives).
export FI_WEFT_CARRIER=hybrid RANKS_MAX=4
for only in coll_order coll_offload coll_routes win_passive win_sync p2p_modes; do
	ONLY=$only bash "${top_srcdir:-.}/test/mpi/run.sh" || exit
done
FI_WEFT_CARRIER=sock
for only in 'p2p_*' coll_algorithms coll_fuzz coll_join coll_routes coll_zero \
	'win_@(move|acc|sync|large|zero|own)'; do
	ONLY=$only bash "${top_srcdir:-.}/test/mpi/run.sh" || exit
done
export FI_WEFT_FAULTS RANKS_MAX=3
some='p2p_modes p2p_trunc coll_fuzz'
partition=1
[ -z "$LONG" ] || some='p2p_* coll_algorithms coll_fuzz coll_join coll_routes' partition=3
set -f # names are patterns
for FI_WEFT_FAULTS in 'seed=1; loss=0.01' 'seed=1; loss=0.05' \
	'seed=2; loss=0.2' 'seed=3; duplicate=0.05; reorder=0.2; corrupt=0.05' \
	"seed=4; partition 127.0.0.1|127.0.0.1 at 50 ms for $partition s"; do
	echo "$FI_WEFT_FAULTS"
	for only in $some; do
		ONLY=$only SECONDS_EACH=90 \
			bash "${top_srcdir:-.}/test/mpi/run.sh" || exit
	done
done
