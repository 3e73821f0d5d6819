#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Limits of the source, tests included: 80 columns, files under 800 lines,
# functions of at most 60, unique base names, an SPDX line in every file.
cd "${top_srcdir:-.}" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

files=$(find src prov coll include bench examples test '(' -name '*.[ch]' -o -name '*.inc' ')' | sort)
# shellcheck disable=SC2086
awk '
# Columns of a line, with a tab stop every eight.
function columns(line,	n, i, part, w)
{
	n = split(line, part, "\t")
	for (i = 1; i < n; i++)
		w += 8 * (int(length(part[i]) / 8) + 1)
	return w + length(part[n])
}
FNR == 1 { start = 0 }
FNR == 1 && !/SPDX-License-Identifier/ {
	print FILENAME ": no SPDX line"; bad = 1 }
FNR == 801 && FILENAME != "include/mpi.h" {
	print FILENAME ": more than 800 lines"; bad = 1 }
length($0) > 40 && columns($0) > 80 && FILENAME != "include/mpi.h" {
	print FILENAME ":" FNR ": longer than 80 columns"; bad = 1 }
/^\{/ { start = FNR }
/^\}/ && start {
	if (FNR - start > 60) {
		print FILENAME ":" start ": function of " FNR - start " lines"
		bad = 1
	}
	start = 0
}
END { exit bad }' $files || bad=1
dup=$(find src prov coll -name '*.[ch]' -printf '%f\n' | sort | uniq -d)
[ -z "$dup" ] || complain "base names used twice: $dup"
if grep -rnE '\b(TODO|FIXME|XXX)\b' $files; then
	complain "no TODO in committed code"
fi
# tests that start threads are run with ThreadSanitizer
for f in $(grep -lE 'pthread_create|\b(t_threads|mock_each)' $(find src prov coll test \
	-name '*_test.c')); do
	grep -qw "${f%.c}" test/threads.mk ||
		complain "$f: starts threads, and is not in test/threads.mk"
done
exit $bad
