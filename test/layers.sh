#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Borders between folders: allowed includes, and the owner of each name. Prints
# every violation.
cd "${top_srcdir:-.}" || exit 1
bad=0

# border [-1] FOLDER "PATTERN ...": project includes of FOLDER must match one.
# -1: only files of FOLDER itself, not of its subfolders.
border() {
	local deep=() dir allowed file line inc ok p
	[ "$1" != -1 ] || { deep=(-maxdepth 1); shift; }
	dir=$1 allowed=$2
	while IFS=: read -r file line inc; do
		ok=
		for p in $allowed test/; do
			case $inc in $p*) ok=1 ;; esac
		done
		case $inc in
		"$dir"/*/*) [ ${#deep[@]} != 0 ] || ok=1 ;;
		"$dir"/*) ok=1 ;;
		esac
		[ -n "$ok" ] && continue
		echo "$file:$line: $dir may not include $inc"
		bad=1
	done < <(find "$dir" "${deep[@]}" -name '*.[ch]' -exec grep -HnoP \
		'^#include "\K(src|prov|coll|bench|examples|include|test)/[^"]*' \
		{} +)
}

# system FOLDER HEADER-PREFIX: FOLDER must not include <PREFIX...>.
without() {
	if grep -rn --include='*.[ch]' "^#include <$2" "$1"; then
		echo "$1 may not include <$2...>"
		bad=1
	fi
}

# words FILES...: the first word after weft_ of every tag and function there.
words() {
	grep -HoP '^(struct|enum|union) weft_[a-z0-9]+(?=\w* \{)' "$@" \
		/dev/null |
		sed 's/:.* /:/'
	grep -HoP '^([A-Za-z][\w *]*)?\bweft_[a-z0-9]+(?=\w*\()' "$@" \
		/dev/null |
		sed 's/:.*\(weft_[a-z0-9]*\)$/:\1/'
}

# A word belongs to one side of fi_*: weft_coll_ tells the reader on which side
# the code is. src/base is below both, and tests may use names of both sides.
sides() {
	local above below word
	mapfile -t above < <(find src coll -name '*.[ch]' ! -name '*_test.c' \
		! -path 'src/base/*')
	mapfile -t below < <(find prov -name '*.[ch]' ! -name '*_test.c')
	while read -r word; do
		echo "$word is a name on both sides of fi_*:"
		words "${above[@]}" "${below[@]}" | grep ":$word\$" | sort -u
		bad=1
	done < <(comm -12 <(words "${above[@]}" | sed 's/.*://' | sort -u) \
		<(words "${below[@]}" | sed 's/.*://' | sort -u))
}

# Headers of the network model that the folders above it may include.
net="prov/net/net.h prov/net/file/net_config.h prov/net/fault/net_fault.h
	prov/net/file/net_file.h prov/net/tree/net_fold.h prov/net/file/net_map.h
	prov/net/file/net_name.h prov/net/health/net_watch.h"
# Headers that collectives may use.
core="src/comm/comm_coll_table.h src/comm/comm.h src/offload/offload_device.h
	src/boot/boot_hosts.h
	src/core/core_lock.h src/core/core_opts.h src/msg/msg_p2p.h
	src/msg/msg_persist.h src/msg/msg_progress.h src/msg/msg_req.h
	src/offload/offload_route_call.h src/core/core_state.h src/msg/msg_wait.h"
# Headers of the engine that a machine's unit may include, and the reverse.
engine="prov/nic/nic.h prov/machine/machine_response.h prov/machine/machine_chain.h
	prov/machine/machine_transport.h prov/machine/machine_inbox.h prov/machine/machine_order.h
	prov/machine/machine_port.h prov/group/cunit/cunit_alu.h"
units="prov/machine/bgq/bgq_transport.h prov/machine/gemini/gemini_transport.h
	prov/machine/qsnet2/qsnet2_transport.h prov/machine/sunway/sunway_transport.h
	prov/machine/apenet/apenet_transport.h
	prov/group/cunit/cunit.h prov/group/cunit/cunit_exact.h
	prov/group/cunit/cunit_fold.h prov/group/cunit/cunit_tree.h"
# Headers that all carriers share.
carrier="prov/carrier/carrier.h prov/carrier/carrier_cma.h
	test/support/carrier_fixture.h prov/carrier/carrier_faults.h"

borders() {
	border src/base ""
	border prov/code "src/base/"
	border prov/wire "src/base/"
	border prov/match "src/base/"
	border prov/watch "src/base/"
	border prov/mem "src/base/"
	border prov/net "src/base/ prov/code/ prov/watch/watch.h"
	border -1 prov/carrier "src/base/ prov/wire/"
	border prov/carrier/shm "src/base/ prov/wire/ $carrier"
	border prov/carrier/loop "src/base/ prov/wire/ $carrier"
	border prov/carrier/lossy "src/base/ prov/wire/ prov/code/ $carrier"
	border prov/carrier/sock "src/base/ prov/wire/ prov/code/code_crc.h prov/code/code_ghash.h prov/code/code_ghash.h
		$carrier"
	border prov/vt "src/base/ prov/wire/ $carrier
		prov/vt/vt_api.h $net"
	border -1 prov/nic "src/base/ prov/wire/ prov/match/match.h $units
		prov/carrier/carrier.h prov/vt/vt_api.h"
	for unit in bgq gemini qsnet2 sunway; do
		border prov/machine/$unit "src/base/ prov/wire/ $engine
			prov/carrier/carrier.h prov/vt/vt_api.h"
	done
	border prov/machine/apenet "src/base/ prov/wire/ $engine
		prov/code/code_crc.h prov/mem/mem.h
		prov/carrier/carrier.h prov/vt/vt_api.h"
	border prov/group/cunit "src/base/"
	border prov/ofi "src/base/ prov/match/ prov/wire/ prov/nic/nic.h
		prov/mem/mem.h
		prov/carrier/carrier.h prov/vt/vt_api.h"
	border src/types "src/base/"
	border src/health "src/base/ prov/watch/watch.h"
	border src/core "src/base/ src/types/ src/health/"
	border coll "src/base/ src/types/ $core"
	border src/win "src/base/ src/types/ src/core/ coll/coll.h"
	border src/mpi "src/base/ src/types/ src/core/ src/win/win.h
		src/win/win_word.h coll/coll.h"
	border src/tools/page "src/base/"
	border src/tools/report "src/base/ src/tools/page/"
	border src/tools/run "src/base/ $net src/tools/report/report.h"
	border src/tools/sim "src/base/ $net src/tools/page/"
	border src/tools/reproduce "src/base/ $net src/tools/sim/ src/tools/page/ prov/mem/mem.h"
	border src/tools/info "src/base/ src/health/ prov/group/cunit/cunit_tree.h $net"
	border bench "src/base/ prov/code/ $net
		prov/carrier/carrier.h"
	border examples ""

	for d in src/base prov/code prov/wire prov/match prov/net \
		prov/carrier prov/nic src/tools/run src/types examples; do
		without $d rdma/
	done
	for d in src/base prov; do
		without $d mpi.h
		without $d pmix
	done
	if grep -rn --include='*.[ch]' '^#include "\.\./' src prov coll test \
		bench examples; then
		echo 'no ../ in includes'
		bad=1
	fi
}

# Test of the check itself: each line, added to a tree of its own, must be
# refused. refused FILE LINE
refused() {
	mkdir -p "$t/$(dirname "$1")"
	echo "$2" > "$t/$1"
	if (cd "$t" && borders && sides && exit $bad) > /dev/null 2>&1; then
		echo "layers.sh accepts '$2' in $1"
		bad=1
	fi
	rm "$t/$1"
}
t=$(mktemp -d) || exit 1
trap 'rm -rf "$t"' EXIT
find src prov coll bench examples test -type d -exec mkdir -p "$t/{}" \;
mkdir -p "$t/src/core" && echo 'struct weft_here {' > "$t/src/core/core_x.h"
(cd "$t" && borders && sides && exit $bad) || exit 1
refused prov/ofi/x.h 'struct weft_here {'
refused prov/nic/x.h 'enum weft_here_kind {'
refused prov/match/x.c 'WEFT_HOT int *weft_here_open(void)'
refused coll/x.c '#include "src/msg/msg_retry.h"'
refused prov/machine/bgq/x.c '#include "prov/group/cunit/cunit.h"'
refused prov/group/cunit/x.c '#include "prov/nic/nic.h"'
refused prov/nic/x.c '#include "prov/machine/bgq/bgq_layout.h"'
refused prov/carrier/shm/x.c '#include "prov/vt/vt.h"'
refused prov/carrier/x.c '#include "prov/carrier/loop/loop.h"'
refused prov/carrier/loop/x.c '#include "prov/net/net.h"'
refused src/tools/info/x.c '#include "prov/nic/nic.h"'
refused bench/x.c '#include "src/core/core_state.h"'
refused examples/x.c '#include "src/base/attr.h"'

borders
sides
exit $bad
