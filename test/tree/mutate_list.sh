#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every line of test/mutate/list applies: its expression changes its file, and
# its tests exist. No fault is listed twice. (test/mutate/run runs them.) Every
# line of test/mutate/equivalent names a line of its file.
cd "${top_srcdir:-.}" || exit 1
bad=0
while IFS=$'\t' read -r file fault tests; do
	case $file in '' | '#'*) continue ;; esac
	if [ ! -e "$file" ]; then
		echo "no file $file"
		bad=1
		continue
	fi
	sed -E "$fault" "$file" | cmp -s - "$file" && {
		echo "$file: nothing matches $fault"
		bad=1
	}
	for t in $tests; do
		case $t in *=*) continue ;; esac
		[ -e "$t.c" ] || { echo "$file: no test $t"; bad=1; }
	done
done < test/mutate/list
twice=$(cut -f1,2 test/mutate/list | grep -v '^#' | grep . | sort | uniq -d)
[ -z "$twice" ] || { echo "twice: $twice"; bad=1; }
while IFS=$'\t' read -r file line faulty why; do
	case $file in '' | '#'*) continue ;; esac
	[ -n "$why" ] || { echo "equivalent: $file: $line: no reason"; bad=1; }
	tr -s ' \t\n' ' ' < "$file" | grep -qF -- "$line" ||
		{ echo "equivalent: $file has no line $line ($faulty)"; bad=1; }
done < test/mutate/equivalent
exit $bad
