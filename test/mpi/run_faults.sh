#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs of the list in virtual time with errors on all links: the results
# are the same as without errors, at a later time. With these error rates a
# message of 64 KiB has some errors. LONG=1: all programs, with all numbers of
# ranks up to four; otherwise only with the highest number.
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# one rank per node, so that all messages use links of the network
export CLOCK=virtual RANKS_MAX=${RANKS_MAX:-4} PPN=1
[ -n "$LONG" ] || export RANKS_LAST=1
some='@(p2p_*|coll_all|coll_unit|coll_mix|comm_make|win_move|win_acc)'
[ -z "$LONG" ] || some='*' SECONDS_EACH=${SECONDS_EACH:-120}
bad=0
for m in ${MACHINES:-bgq gemini qsnet2 sunway apenet}; do
	case $m in
	bgq) rate=1e-5 ;;
	gemini) rate=1e-5 ;;
	sunway) rate=1e-4 ;;
	*) rate=2e-7 ;;
	esac
	MACHINE=$m ONLY=${ONLY:-$some} LONG= SECONDS_EACH=$SECONDS_EACH \
		FI_WEFT_FAULTS="seed = 7; errors * = $rate" \
		bash -O extglob "$top/test/mpi/run.sh" || bad=1
done
exit $bad
