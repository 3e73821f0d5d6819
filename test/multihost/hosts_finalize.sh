#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The end of a job on two hosts: no rank returns from MPI_Finalize before all
# have called it, even if the launcher's fence returns early, and every rank
# closes its endpoint, which notifies its peers, also if a communicator was not
# freed.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2
make_work finalize
compile test/multihost/hosts_finalize.c finalize
# makes the last fence, which collects no data, complete before the other ranks
# arrive
cat > "$work/fence.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pmix.h>
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t n,
			    const pmix_info_t info[], size_t ninfo,
			    pmix_op_cbfunc_t over, void *arg)
{
	pmix_status_t (*real)(const pmix_proc_t *, size_t, const pmix_info_t *,
			      size_t, pmix_op_cbfunc_t, void *) =
		dlsym(RTLD_NEXT, "PMIx_Fence_nb");

	return ninfo ? real(procs, n, info, ninfo, over, arg)
		     : PMIX_OPERATION_SUCCEEDED;
}
END
${CC:-cc} -O1 -shared -fPIC $(pkg-config --cflags pmix) "$work/fence.c" \
	-o "$work/fence.so" || exit 1

# finalize NAME RANKS PROGRAM...: runs a job and checks how it ends
finalize() {
	local what=$1 ranks=$2
	shift 2
	rm -f "$work/came"
	timeout -k 5 60 bash -c 'on_hosts "$@"' - "$ranks" "$@" "$work/came" \
		> "$work/out" 2>&1 < /dev/null &&
		[ "$(grep -c ': good$' "$work/out")" = "$ranks" ] &&
		[ "$(grep -c 'sock: .* packets sent' "$work/out")" = "$ranks" ] || {
		echo "FAILED: $what, $ranks ranks"
		cat "$work/out"
		bad=1
		return
	}
	echo "$what, $ranks ranks: good"
}

export build WEFT_LOG=info MPIEXEC_FLAGS="-x WEFT_LOG"
for ranks in 2 4; do
	finalize "a fence" $ranks "$work/finalize"
	finalize "a fence that is none" $ranks \
		env LD_PRELOAD="$work/fence.so" "$work/finalize"
done
exit $bad
