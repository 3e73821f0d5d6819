#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the README of each machine has one row for each numbered feature
# of its specification, and that the tests named there exist. The check itself
# is tested first.
cd "${top_srcdir:-.}" || exit 1
command -v python3 > /dev/null || { echo "no python3"; exit 77; }
bad=0

t=$(mktemp -d) || exit 1
trap 'rm -rf "$t"' EXIT
for m in bgq qsnet2 gemini apenet sunway; do
	mkdir "$t/$m" && cp prov/machine/$m/README "$t/$m/" || exit 1
done
# finds MACHINE EXPRESSION TEXT: checks that TEXT is printed after this change
# of the machine's README
finds() {
	local readme=$t/$1/README

	cp "$readme" "$t/kept"
	sed -i -E "$2" "$readme"
	cmp -s "$readme" "$t/kept" && { echo "$2 changes nothing"; bad=1; }
	python3 test/tree/features.py "$t" > "$t/out" &&
		{ echo "features.py accepts $1: $2"; bad=1; }
	grep -qF -- "$3" "$t/out" || { echo "no '$3':"; cat "$t/out"; bad=1; }
	cp "$t/kept" "$readme"
}
finds bgq '/^\| BGQ-07/d' 'BGQ-07: no row'
finds sunway 's/^\| SWE-12/| SWE-13/' 'SWE-13: a row twice'
finds gemini 's/a_store_puts_up_to_64_bytes/a_store_puts/' 'GEM-01: no case a_store_puts '
finds apenet 's/M damaged_packets_are/M damaged_packets_were/' 'APE-22: no case'
finds qsnet2 's/QSN-X-BARR/QSN-X-BARX/' 'QSN-38: no row QSN-X-BARX'
finds sunway 's/; net_guid_test packets/; net_gude_test packets/' 'SWE-07: no test net_gude_test'
finds qsnet2 's/(QSN-44 ECC of memory) \| no/\1/' 'QSN-44: 4 columns, not 5'
finds apenet 's/T events_at_both_ends.*/| |/' 'APE-10: no test'

python3 test/tree/features.py || bad=1
exit $bad
