#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of test/prov over datagrams. prov_coll_test and
# prov_coll_death_test are left out: they test the collective unit, which needs
# shared memory.
export FI_WEFT_CARRIER=sock FI_WEFT_DMA=0
tests="msg rma flow wait coll_api"
. "${top_srcdir:-.}/test/ofi/ofi_prov_tests.sh"
