#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every function named in doc/architecture.md is defined, and every file named
# there and in doc/collectives.md exists.
cd "${top_srcdir:-.}" || exit 1
bad=0
map=doc/architecture.md
names=$({ grep -o '`[a-z_A-Z0-9]*`' $map | tr -d '`'
	sed -n '/^    /p' $map | grep -oP '\b(weft|nic|net|vt|bgq|shm|up|engine|grp|cunit)_[a-z_0-9]+\b(?!\.[ch])'
} | grep -vE '^(fi_|weft_nic_up|weft_carrier_up|net_up)' | sort -u)
for n in $names; do
	# macros define entry points with several forms: PMPI(Send)(...),
	# COLL(Bcast, bcast)(...)
	grep -rqE "\b$n\(|\b(PMPI|COLL)\(${n#PMPI_}[,)]" --include='*.[ch]' \
		--include='*.inc' src prov coll || {
		echo "$map: no function $n"
		bad=1
	}
done
for f in $(grep -ohE '\b(src|prov|coll|test|include)/[a-z_/0-9]+\.(c|h|sh)\b' \
	$map doc/collectives.md | sort -u); do
	[ -e "$f" ] || { echo "doc: no file $f"; bad=1; }
done
# Every algorithm file of these folders of coll/ must be listed.
for f in coll/barrier/*.c coll/bcast/*.c coll/reduce/*.c coll/allreduce/*.c; do
	grep -q "$f" doc/collectives.md ||
		{ echo "doc/collectives.md: $f is missing"; bad=1; }
done
exit $bad
