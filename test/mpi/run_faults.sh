#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The same programs in virtual time on links that all err: the same results,
# later. The rates are such that a message of 64 KiB meets some.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
export CLOCK=virtual RANKS_MAX=${RANKS_MAX:-4}
only=${ONLY:-'@(p2p_*|coll_all|coll_unit|coll_mix|comm_make|win_move|win_acc)'}
bad=0
for m in ${MACHINES:-bgq gemini qsnet2 sunway}; do
	case $m in
	bgq) rate=1e-5 ;;
	gemini) rate=1e-5 ;;
	sunway) rate=1e-4 ;;
	*) rate=2e-7 ;;
	esac
	MACHINE=$m ONLY=$only FI_WEFT_FAULTS="seed = 7; errors * = $rate" \
		bash -O extglob "$top/test/mpi/run.sh" || bad=1
done
exit $bad
