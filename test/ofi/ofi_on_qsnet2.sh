#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of test/prov on QsNetII's STEN.
export FI_WEFT_MACHINE=qsnet2
. "${top_srcdir:-.}/test/ofi/ofi_prov_tests.sh"
