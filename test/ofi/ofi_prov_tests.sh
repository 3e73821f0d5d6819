# SPDX-License-Identifier: BSD-3-Clause
# Sourced by test/ofi/ofi_on_*.sh and ofi_no_dma.sh: runs all tests of
# test/prov, or only those in $tests, again with the options that the caller has
# set.
failed=0
for t in ${tests:-msg rma flow wait coll coll_chain coll_death coll_api}; do
	"${builddir:-build}/test/prov/prov_${t}_test" > "grid.$$" 2>&1 || {
		echo "prov_${t}_test failed"
		cat "grid.$$"
		failed=1
	}
	rm -f "grid.$$"
done
exit $failed
