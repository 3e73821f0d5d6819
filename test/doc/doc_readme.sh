#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every command of README.md works as printed.
. "$top_srcdir/test/doc/doc_lib.sh" || exit 1
set_up
try_page README.md 11
end
