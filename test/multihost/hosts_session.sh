#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests sessions that begin after MPI_Finalize, at different times on the ranks,
# in jobs on two hosts; also if the PMIx server does not distribute the values
# that a process publishes after its PMIx_Finalize.
. "$top_srcdir/test/multihost/hosts_lib.sh" || exit 1
needs mpirun.openmpi
run_on_hosts 2
make_work session
compile test/multihost/hosts_session.c hosts_session
compile test/mpi/session/session.c session
# a preloaded library that discards the values that a process publishes after
# PMIx_Finalize
cat > "$work/lose.c" << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pmix.h>
static int finalized;
pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t n)
{
	pmix_status_t (*real)(const pmix_info_t *, size_t) =
		dlsym(RTLD_NEXT, "PMIx_Finalize");

	finalized = 1;
	return real(info, n);
}
pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *v)
{
	pmix_status_t (*real)(pmix_scope_t, const char *, pmix_value_t *) =
		dlsym(RTLD_NEXT, "PMIx_Put");

	return finalized ? PMIX_SUCCESS : real(scope, key, v);
}
END
${CC:-cc} -O1 -shared -fPIC $(pkg-config --cflags pmix) "$work/lose.c" \
	-o "$work/lose.so" || exit 1

# good WHAT RANKS COMMAND...: checks that the command succeeds and that RANKS
# ranks print "good"
good() {
	local what=$1 ranks=$2
	shift 2
	timeout -k 5 30 "$@" > "$work/out" 2>&1 < /dev/null &&
		[ "$(grep -c ': good$' "$work/out")" = "$ranks" ] || {
		echo "FAILED: $what"
		cat "$work/out"
		bad=1
		return
	}
	echo "$what: good"
}

export build
good "mpirun" 4 bash -c 'on_hosts "$@"' - 4 "$work/hosts_session" 3
good "mpirun, lost values" 4 bash -c 'on_hosts "$@"' - 4 \
	env LD_PRELOAD="$work/lose.so" "$work/hosts_session" 2
good "ssh" 4 "$build/mpiexec" -q --bind-to none -launcher ssh -launcher-exec \
	"$HOSTS_RSH" -host host1:2,host2:2 -n 4 "$work/hosts_session" 3
for order in ifs iosfsc; do
	good "order $order" 0 bash -c 'on_hosts "$@"' - 3 "$work/session" $order
done
exit $bad
