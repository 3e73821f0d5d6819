#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The provider's tests on every machine, with DMA and with it refused. The
# suite runs them on native with DMA already.
builddir=${builddir:-build}
bad=0
for machine in native bgq gemini qsnet2; do
	for dma in 1 0; do
		[ "$machine$dma" = native1 ] && continue
		for t in msg rma flow; do
			FI_WEFT_MACHINE=$machine FI_WEFT_DMA=$dma \
				timeout -k 5 100 \
				"$builddir/test/prov/prov_${t}_test" \
				> "prov_grid.$$" 2>&1 && continue
			echo "$t on $machine, FI_WEFT_DMA=$dma: failed"
			grep -vE '^\[ (RUN| *OK)' "prov_grid.$$" | head -n 20
			bad=1
		done
	done
done
rm -f "prov_grid.$$"
exit $bad
