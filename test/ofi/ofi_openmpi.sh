#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's Open MPI over the provider: point-to-point by mtl/ofi on every
# machine, one-sided by btl/ofi. libweft-fi.so sends all messages, also those to
# the sender itself and to other processes of this host.
. "${top_srcdir:-.}/test/ofi/ofi_env.sh"
need mpirun.openmpi mpicc.openmpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export FI_PROVIDER=weft

mpicc.openmpi -O1 -o "$work/prog" "$top_srcdir/test/ofi/ofi_openmpi.c" ||
	{ echo "mpicc.openmpi failed"; exit 1; }

# job NAME PROCESSES MODE MCA...: runs the job and requires its last line.
job() {
	local name=$1 n=$2 mode=$3
	shift 3
	timeout -k 5 60 mpirun.openmpi --oversubscribe -n "$n" \
		--mca orte_base_help_aggregate 0 \
		-x FI_PROVIDER_PATH -x FI_PROVIDER \
		-x FI_WEFT_MACHINE="${machine:-native}" \
		"$@" "$work/prog" "$mode" > "$work/out" 2>&1
	local ret=$?
	[ $ret = 0 ] && grep -q "^passed on $n ranks" "$work/out" ||
		{ complain "$name: exit $ret"; tail -n 30 "$work/out"; }
}

# Checks that Open MPI uses no other transport: with a machine that Weft does
# not have, the job must fail.
refused() {
	FI_WEFT_MACHINE=none timeout -k 5 60 mpirun.openmpi -n 1 \
		-x FI_PROVIDER_PATH -x FI_PROVIDER -x FI_WEFT_MACHINE \
		"$@" "$work/prog" p2p > "$work/out" 2>&1 &&
		complain "a job ran without the provider"
}

mtl="--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include weft"
btl="--mca btl self,ofi --mca btl_ofi_provider_include weft --mca osc rdma"
for machine in $machines; do
	# shellcheck disable=SC2086
	job "$machine ring and all-to-all" 4 p2p $mtl
done
# shellcheck disable=SC2086
refused $mtl
machine=native
# shellcheck disable=SC2086
job "one-sided" 3 rma $mtl $btl
exit $bad
