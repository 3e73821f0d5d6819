#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of test/prov without direct copies between processes.
export FI_WEFT_DMA=0
. "${top_srcdir:-.}/test/ofi/ofi_prov_tests.sh"
