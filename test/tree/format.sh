#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every file is formatted according to .clang-format (clang-format 14 of Debian
# 12), and begins with a description of its content.
cd "${top_srcdir:-.}" || exit 1
bad=0
mapfile -t files < <(find src prov coll bench examples test include/weft \
	include/rdma '(' -name '*.[ch]' -o -name '*.inc' ')' | sort)

# The SPDX line must be followed by a comment that contains a sentence.
awk 'FNR == 2 { if (!/^\/\*/) {
		print FILENAME ": no comment behind the SPDX line describes the file"
		bad = 1
	}
	nextfile
}
END { exit bad }' "${files[@]}" || bad=1

case $(clang-format --version 2> /dev/null) in
*"version 14."*)
	out=$(clang-format --dry-run "${files[@]}" 2>&1 |
		sed -n 's/: warning: code should be .*//p' | sort -u)
	if [ -n "$out" ]; then
		echo "clang-format -i would change:"
		cut -d: -f1 <<< "$out" | sort | uniq -c
		bad=1
	fi ;;
*)
	echo "no clang-format 14"
	[ $bad = 1 ] || exit 77 ;;
esac
exit $bad
