#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Limits call cycles between files. Files that call each other in a cycle can
# only be understood together, so cycles must stay few and small.
cd "${top_srcdir:-.}" || exit 1
command -v python3 > /dev/null || { echo "no python3"; exit 77; }
bad=0
# limit FILES FOLDER...: checks that the largest cycle of each folder has at
# most FILES files
limit() { python3 test/tree/call_cycles.py "$@" || bad=1; }

# Test of the check itself: a calls b, and b has a table that contains a
# function of a.
t=$(mktemp -d) || exit 1
trap 'rm -rf "$t"' EXIT
mkdir "$t/two" "$t/none"
printf 'int a(void)\n{\n\treturn b();\n}\n' |
	tee "$t/two/a.c" > "$t/none/a.c"
printf 'void e(void)\n{\n}\n\nint b(void)\n{\n\treturn 0; /* a(); */\n}\n' \
	> "$t/none/b.c"
{ cat "$t/none/b.c"; printf 'static int (*const f)(void)[] = { a };\n'; } \
	> "$t/two/b.c"
python3 test/tree/call_cycles.py 1 "$t/none" > /dev/null || { echo "call_cycles.py finds a cycle where there is none"; bad=1; }
python3 test/tree/call_cycles.py 1 "$t/two" > /dev/null && { echo "call_cycles.py does not find the cycle of a and b"; bad=1; }

limit 1 src/tools/reproduce src/base src/os src/job src/tree src/health src/recover src/core src/comm src/offload \
	src/diag src/boot src/tools/page src/tools/report src/tools/sim \
	prov/machine prov/net/routing prov/net/tree prov/net/fault \
	prov/carrier/loop prov/carrier/lossy
limit 5 src/msg
limit 4 src/win src/types coll prov/net prov/net/file \
	prov/vt prov/vt/route prov/carrier/hybrid prov/machine/bgq prov/machine/sunway
limit 4 src/mpi src/mpi/pt2pt src/mpi/coll src/mpi/comm src/mpi/type src/mpi/win \
	src/mpi/tool prov/ofi prov/ofi/ep prov/ofi/queue prov/ofi/group \
	src/tools/run src/tools/run/opts src/tools/run/pmix src/tools/run/io \
	src/tools/run/job src/tools/run/delegate src/tools/run/daemon
limit 7 prov/nic # a protocol calls the sender, which starts protocols
limit 6 prov/group prov/group/cunit prov/carrier/shm \
	prov/carrier/sock prov/machine/apenet
limit 3 prov/machine/gemini
limit 8 prov/machine/qsnet2
exit $bad
