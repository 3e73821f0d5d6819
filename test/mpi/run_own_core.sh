#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs collectives with the algorithms for ranks that have a core each
# (WEFT_LOCAL_CPUS). The host may have fewer cores, so ranks do not spin but
# block at once (WEFT_SPIN). LONG=1: every number of ranks.
[ -n "$LONG" ] || export RANKS_LAST=1 RANKS_MAX=5
WEFT_LOCAL_CPUS=64 WEFT_SPIN=0 ONLY='@(coll_*|device_coll|device_shared)' \
	bash "${top_srcdir:-.}/test/mpi/run.sh"
