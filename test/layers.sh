#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Borders between folders: who may include whom. Fails on the first crossing.
cd "${top_srcdir:-.}" || exit 1
bad=0

# border FOLDER "PATTERN ...": project includes of FOLDER must match one.
border() {
	local dir=$1 allowed=$2 file line inc ok p
	while IFS=: read -r file line inc; do
		ok=
		for p in $allowed "$dir/" config.h test/; do
			case $inc in $p*) ok=1 ;; esac
		done
		[ -n "$ok" ] && continue
		echo "$file:$line: $dir may not include $inc"
		bad=1
	done < <(grep -rnoP --include='*.[ch]' \
		'^#include "\K(src|prov|coll|include|test|config)[^"]*' "$dir")
}

# system FOLDER HEADER-PREFIX: FOLDER must not include <PREFIX...>.
without() {
	if grep -rn --include='*.[ch]' "^#include <$2" "$1"; then
		echo "$1 may not include <$2...>"
		bad=1
	fi
}

# What the folders above the network model may see of it.
net="prov/net/net.h prov/net/net_config.h prov/net/net_file.h
	prov/net/net_map.h"

border src/base ""
border prov/code "src/base/"
border prov/wire "src/base/"
border prov/match "src/base/"
border prov/net "src/base/"
border prov/carrier "src/base/ prov/wire/ $net"
border prov/nic "src/base/ prov/wire/ prov/carrier/carrier.h prov/carrier/carrier_vt.h prov/match/match.h"
border prov/ofi "src/base/ prov/match/ prov/wire/ prov/nic/nic.h prov/carrier/carrier.h prov/carrier/carrier_vt.h"
border src/types "src/base/"
border src/core "src/base/ src/types/"
border coll "src/base/ src/types/ src/core/"
border src/win "src/base/ src/types/ src/core/ coll/coll.h"
border src/mpi "src/base/ src/types/ src/core/ src/win/win.h src/win/win_word.h coll/coll.h"
border src/run "src/base/ $net"
border src/sim "src/base/ $net"
border src/reproduce "src/base/ $net src/sim/"

for d in src/base prov/code prov/wire prov/match prov/net prov/carrier \
	prov/nic src/run src/types; do
	without $d rdma/
done
for d in src/base prov; do
	without $d mpi.h
	without $d pmix
done
if grep -rn --include='*.[ch]' '^#include "\.\./' src prov coll test bench; then
	echo 'no ../ in includes'
	bad=1
fi
exit $bad
