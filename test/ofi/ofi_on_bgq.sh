#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of test/prov on Blue Gene/Q's Message Unit.
export FI_WEFT_MACHINE=bgq
. "${top_srcdir:-.}/test/ofi/ofi_prov_tests.sh"
