#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the layers: which folder may include headers of which other folders,
# and whether a name is used above or below the libfabric interface (fi_*).
# Prints every violation.
cd "${top_srcdir:-.}" || exit 1
bad=0

# border [-1] FOLDER "PATTERN ...": checks that all project headers that FOLDER
# includes match one of the patterns. -1: checks only files of FOLDER itself,
# not those in subfolders.
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

# without FOLDER HEADER-PREFIX: checks that FOLDER does not include <PREFIX...>.
without() {
	if grep -rn --include='*.[ch]' "^#include <$2" "$1"; then
		echo "$1 may not include <$2...>"
		bad=1
	fi
}

# words FILES...: prints the first word after weft_ of every struct, union, enum
# and function in these files.
words() {
	grep -HoP '^(struct|enum|union) weft_[a-z0-9]+(?=\w* \{)' "$@" \
		/dev/null |
		sed 's/:.* /:/'
	grep -HoP '^([A-Za-z][\w *]*)?\bweft_[a-z0-9]+(?=\w*\()' "$@" \
		/dev/null |
		sed 's/:.*\(weft_[a-z0-9]*\)$/:\1/'
}

# A name prefix is used either above or below fi_*; weft_coll_, for example, is
# used only above. src/base is below both; tests may use prefixes of both sides.
sides() {
	local above below word
	mapfile -t above < <(find src coll -name '*.[ch]' ! -name '*_test.c' \
		! -path 'src/base/*' ! -path 'src/os/*' ! -path 'src/job/*' \
		! -path 'src/tree/*')
	mapfile -t below < <(find prov -name '*.[ch]' ! -name '*_test.c')
	while read -r word; do
		echo "$word is a name on both sides of fi_*:"
		words "${above[@]}" "${below[@]}" | grep ":$word\$" | sort -u
		bad=1
	done < <(comm -12 <(words "${above[@]}" | sed 's/.*://' | sort -u) \
		<(words "${below[@]}" | sed 's/.*://' | sort -u))
}

# Folders whose headers every folder may include: src/base needs libc only, the
# others need src/base.
low="src/base/ src/os/ src/job/ src/tree/"
# Headers of the network model for folders above it.
net="prov/net/net.h prov/net/file/net_config.h prov/net/fault/net_fault.h
	prov/net/file/net_file.h prov/net/file/net_map.h
	prov/net/file/net_name.h prov/net/health/net_watch.h"
# Headers, and folders of headers, that collectives may include.
parts="src/boot/boot_hosts.h src/comm/comm.h src/comm/comm_coll_table.h
	src/core/ src/msg/msg_p2p.h src/msg/msg_pause.h src/msg/msg_persist.h
	src/msg/msg_progress.h src/msg/msg_req.h
	src/msg/msg_wait.h src/offload/"
# The folders of the MPI layer below windows and entry points, which include
# each other's headers.
layer="src/core/ src/comm/ src/msg/ src/offload/ src/diag/ src/boot/
	src/recover/"
# Headers of the engine that a machine's unit may include, and headers of units
# that the engine may include.
engine="prov/nic/nic.h prov/machine/machine_response.h
	prov/machine/machine_chain.h prov/machine/machine_transport.h
	prov/machine/machine_inbox.h prov/machine/machine_order.h
	prov/machine/machine_port.h prov/machine/machine_regs.h
	prov/group/cunit/cunit_alu.h"
units="prov/machine/bgq/bgq_transport.h prov/machine/gemini/gemini_transport.h
	prov/machine/qsnet2/qsnet2_transport.h
	prov/machine/sunway/sunway_transport.h
	prov/machine/apenet/apenet_transport.h
	prov/machine/generic/generic_transport.h"
cunit="prov/group/cunit/cunit.h prov/group/cunit/cunit_exact.h
	prov/group/cunit/cunit_fold.h"
# Headers of carriers, and of the table of live mode and virtual time.
below="prov/carrier/carrier.h prov/backend/backend.h"
# Headers that all carriers share.
carrier="prov/carrier/carrier.h prov/carrier/carrier_cma.h
	prov/carrier/carrier_faults.h"

borders_below() {
	border src/base ""
	border src/os "src/base/"
	border src/tree "src/base/"
	border src/blocks ""
	border src/job "src/base/ src/os/"
	border prov/code "src/base/"
	border prov/wire "src/base/"
	border prov/arq "src/base/"
	border prov/match "src/base/"
	border prov/watch "src/base/"
	border prov/mem "src/base/ src/os/program_memory.h"
	border prov/net "$low prov/code/ prov/watch/watch.h"
	border -1 prov/carrier "$low prov/wire/"
	border prov/carrier/shm "$low prov/wire/ $carrier"
	border prov/carrier/loop "$low prov/wire/ prov/arq/ $carrier"
	border prov/carrier/lossy "$low prov/wire/ prov/arq/ prov/code/ $carrier"
	border prov/carrier/stream "$low prov/code/code_ghash.h $carrier"
	border prov/carrier/sock "$low prov/wire/ prov/arq/ prov/code/code_crc.h
		prov/code/code_ghash.h prov/carrier/stream/stream.h $carrier"
	border prov/carrier/hybrid "$low prov/wire/ $carrier
		prov/carrier/shm/shm_reach.h"
	border prov/backend "$low prov/carrier/carrier.h"
	border prov/vt "$low prov/wire/ $carrier prov/backend/backend.h $net"
	border -1 prov/nic "$low prov/wire/ prov/match/match.h prov/mem/mem.h $cunit $below
		prov/group/grp.h prov/group/grp_hook.h prov/group/grp_net.h
		prov/machine/machine_chain.h"
	border -1 prov/group "$low prov/wire/ prov/nic/ $cunit $below
		prov/group/cunit/cunit_alu.h prov/machine/machine_chain.h"
	border prov/group/cunit "$low"
	border -1 prov/machine "$low prov/wire/ $engine $units $below"
	border prov/machine/native "$low prov/wire/ prov/nic/ $engine $below"
	for unit in bgq gemini generic qsnet2; do
		border prov/machine/$unit "$low prov/wire/ $engine $below"
	done
	border prov/machine/sunway "$low prov/wire/ prov/arq/ $engine $below"
	border prov/machine/apenet "$low prov/wire/ $engine $below
		prov/code/code_crc.h prov/mem/mem.h"
	border prov/ofi "$low prov/match/ prov/wire/ prov/nic/nic.h
		prov/mem/mem.h prov/vt/vt_api.h $below"
}

borders_above() {
	border src/fortran "" # above the C ABI
	border src/types "src/base/"
	border src/health "$low prov/watch/watch.h"
	for folder in core comm msg offload diag boot recover; do
		border src/$folder "$low src/types/ src/health/ $layer"
	done
	border coll "$low src/types/ $parts"
	border src/win "$low src/types/ $layer coll/coll.h"
	border src/file "$low src/types/ $layer coll/coll.h src/win/win.h"
	border src/mpi "$low src/types/ $layer src/win/win.h src/win/win_word.h
		src/file/file.h coll/coll.h"
	border -1 src/tools "$low"
	border src/tools/page "$low src/tools/outfile.h"
	border src/tools/report "$low src/tools/args.h src/tools/outfile.h src/tools/page/"
	border src/tools/run "$low src/tools/args.h src/tools/beside.h src/tools/outfile.h $net
		src/tools/report/report.h src/tools/replay/replay_call.h"
	border src/tools/play "$low src/tools/replay/replay_call.h"
	border src/tools/replay "$low src/tools/args.h src/types/ $parts
		coll/coll.h src/comm/ src/msg/ prov/nic/nic.h prov/vt/vt_api.h
		prov/group/grp_net.h"
	border src/tools/sim "$low src/tools/args.h src/tools/outfile.h $net src/tools/page/
		src/tools/replay/replay.h"
	border src/tools/reproduce "$low src/tools/args.h src/tools/beside.h src/tools/outfile.h $net src/tools/sim/ src/tools/page/
		prov/mem/mem.h"
	border src/tools/info "$low src/tools/args.h src/tools/outfile.h src/health/
		$net"
	border src/tools/calibrate "$low src/tools/args.h $net src/tools/sim/sim_plot.h"
	border src/tools/tune "$low src/tools/args.h"
	border bench "$low prov/code/ $net prov/carrier/carrier.h"
	border examples ""
}

borders() {
	borders_below
	borders_above
	for d in $low prov/code prov/wire prov/arq prov/match prov/net prov/carrier prov/backend \
		prov/nic prov/group prov/machine prov/vt src/tools/run \
		src/types examples; do
		without $d rdma/
	done
	for d in $low prov; do
		without $d mpi.h
		without $d pmix
	done
	if grep -rn --include='*.[ch]' 'MPI_ERR_[A-Z]' src/win; then
		echo 'src/win returns 0 or -errno; src/mpi/win has the classes'
		bad=1
	fi
	if grep -rnE --include='*.[ch]' --exclude='*_test.c' \
		'\bweft_(carrier|backend)_vt\b|(->|\.)virt\b' src prov coll |
		grep -vE '^prov/(carrier/carrier|backend/backend)\.h:|^prov/vt/|^src/tools/replay/replay_rank\.c:|^prov/ofi/weft_conf\.c:'; then
		echo 'use a property of the backend (prov/backend/backend.h)'
		bad=1
	fi
	if grep -rn --include='*.[ch]' '^#include "\.\./' src prov coll test \
		bench examples; then
		echo 'no ../ in includes'
		bad=1
	fi
}

# Test of the check itself: each line, inserted into an empty tree, must be
# refused.
# refused FILE LINE: checks that LINE in FILE is refused
refused() {
	mkdir -p "$t/$(dirname "$1")"
	echo "$2" > "$t/$1"
	if (cd "$t" && borders && sides && exit $bad) > /dev/null 2>&1; then
		echo "'$2' in $1 is not refused"
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
refused prov/nic/x.c '#include "prov/vt/vt_api.h"'
refused prov/backend/x.c '#include "prov/vt/vt_api.h"'
refused prov/nic/x.c 'return b == &weft_backend_vt;'
refused src/msg/x.c 'return weft_core.virt;'
refused prov/carrier/loop/x.c '#include "prov/net/net.h"'
refused prov/arq/x.c '#include "prov/wire/wire.h"'
refused prov/machine/bgq/x.c '#include "prov/arq/arq.h"'
refused src/win/x.c 'return MPI_ERR_RMA_RANGE;'
refused src/tools/info/x.c '#include "prov/nic/nic.h"'
refused bench/x.c '#include "src/core/core_state.h"'
refused examples/x.c '#include "src/base/attr.h"'

borders
sides
exit $bad
