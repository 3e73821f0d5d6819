#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of test/prov over datagrams, and some on a bad network. prov_coll
# is left out: it tests a unit in common memory.
export FI_WEFT_CARRIER=sock FI_WEFT_DMA=0
(
	export FI_WEFT_FAULTS=seed=3,drop=0.02,dup=0.02,reorder=0.05,corrupt=0.02
	tests="msg rma"
	. "${top_srcdir:-.}/test/ofi_grid.sh"
) || exit
tests="msg rma flow wait coll_man"
. "${top_srcdir:-.}/test/ofi_grid.sh"
