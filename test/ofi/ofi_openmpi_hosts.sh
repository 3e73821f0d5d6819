#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's Open MPI over the provider on two hosts of test/hosts, two ranks on
# each: with a key, jobs run on every machine, also with one-sided
# communication; without a key a job ends with a message that names the missing
# key.
if [ -z "$HOSTS" ]; then
	command -v mpirun.openmpi > /dev/null || { echo "no mpirun.openmpi"; exit 77; }
	exec bash "$top_srcdir/test/hosts" 2 bash "$0"
fi
. "${top_srcdir:-.}/test/ofi/ofi_env.sh"
FI_PROVIDER_PATH=$(realpath "$FI_PROVIDER_PATH")
export FI_PROVIDER=weft FI_WEFT_IFACE=eth0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpicc.openmpi -O1 -o "$work/prog" "$top_srcdir/test/ofi/ofi_openmpi.c" ||
	{ echo "mpicc.openmpi failed"; exit 1; }

# ompi PROCESSES MODE MCA...: runs the job, with a secret key if $secret is set.
ompi() {
	local n=$1 mode=$2
	shift 2
	timeout -k 5 60 mpirun.openmpi --oversubscribe --host host1:2,host2:2 \
		-n "$n" -x FI_PROVIDER_PATH -x FI_PROVIDER -x FI_WEFT_IFACE \
		-x FI_WEFT_MACHINE="${machine:-native}" ${secret:+-x FI_WEFT_KEY="$secret"} \
		--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include weft \
		"$@" "$work/prog" "$mode" > "$work/out" 2>&1 < /dev/null
}

# job NAME PROCESSES MODE MCA...: checks that the job runs and prints its last
# line.
job() {
	local name=$1
	shift
	ompi "$@" && grep -q "^passed on $1 ranks" "$work/out" ||
		{ complain "$name: failed"; tail -n 30 "$work/out"; }
}

# This job is the first: both hosts have started the same processes, so that
# pids of ranks on one host are also in use on the other.
secret=
ompi 4 p2p
[ $? != 124 ] || complain "without a key the job waits forever"
grep -q 'on another host and was opened without FI_WEFT_KEY' "$work/out" ||
	{ complain "no message about the missing key"; tail -n 30 "$work/out"; }

secret=of-this-test-and-nobody-else
for machine in $machines; do
	job "$machine" 4 p2p
done
machine=native
job "one-sided" 3 rma --mca btl self,ofi --mca btl_ofi_provider_include weft \
	--mca osc rdma
exit $bad
