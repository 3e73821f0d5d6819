#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that comments, documents, messages and names use the terms of the
# field, and none of the idioms that CONTRIBUTING.md rules out. The check itself
# is tested first.
cd "${top_srcdir:-.}" || exit 1
command -v python3 > /dev/null || { echo "no python3"; exit 77; }
bad=0

t=$(mktemp -d) || exit 1
trap 'rm -rf "$t"' EXIT
python3 test/tree/words.py --samples > "$t/bad.c"
printf '/* No thread waits. */\nint whole, one_way;\nchar *s = "the";\n' > "$t/good.c"
python3 test/tree/words.py "$t/bad.c" > "$t/out" && { echo "words.py finds no idiom"; bad=1; }
for line in $(seq "$(wc -l < "$t/bad.c")"); do
	grep -q "bad.c:$line: " "$t/out" ||
		{ echo "words.py misses: $(sed -n "${line}p" "$t/bad.c")"; bad=1; }
done
python3 test/tree/words.py "$t/good.c" || { echo "words.py reports correct text"; bad=1; }

python3 test/tree/words.py src prov coll include/weft include/rdma bench examples \
	test doc README.md CONTRIBUTING.md CHANGELOG.md quickstart \
	share/machines/* || bad=1
exit $bad
