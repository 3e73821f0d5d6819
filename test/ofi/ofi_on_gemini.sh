#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tests of test/prov on Gemini's FMA and BTE.
export FI_WEFT_MACHINE=gemini
. "${top_srcdir:-.}/test/ofi/ofi_prov_tests.sh"
