#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs collectives with the algorithms that are chosen if each rank has its own
# core (WEFT_LOCAL_CPUS). The host may have fewer cores than ranks, so ranks
# block immediately instead of spinning (WEFT_SPIN). LONG=1: every number of
# ranks.
[ -n "$LONG" ] || export RANKS_LAST=1 RANKS_MAX=5
WEFT_LOCAL_CPUS=64 WEFT_SPIN=0 ONLY='@(coll_*|device_coll|device_shared)' \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
