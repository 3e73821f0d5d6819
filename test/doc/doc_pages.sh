#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every command of doc/*.md and SECURITY.md works as printed.
. "$top_srcdir/test/doc/doc_lib.sh" || exit 1
set_up
for page in "$top_srcdir"/doc/*.md; do
	case $page in
	*/tutorial.md) compared=yes try_page doc/tutorial.md 17 ;;
	*/virtual.md) try_page doc/virtual.md 5 ;;
	*/your-machine.md) compared=yes try_page doc/your-machine.md 16 ;;
	*/model.md) try_page doc/model.md 8 ;;
	*) try_page "doc/${page##*/}" 0 ;;
	esac
done
try_page SECURITY.md 1
end
