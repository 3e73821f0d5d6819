#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the provider's collectives, on trees of other widths than the
# default.
failed=0
for arity in 2 63; do
	FI_WEFT_ARITY=$arity "${builddir:-build}/test/prov/prov_coll_test" \
		> "trees.$$" 2>&1 || {
		echo "prov_coll_test with FI_WEFT_ARITY=$arity failed"
		cat "trees.$$"
		failed=1
	}
	rm -f "trees.$$"
done
exit $failed
