# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that test/hosts runs (HOSTS is set then).

# on_hosts RANKS PROGRAM ARGUMENTS...: as many ranks on each host, by $build's
# mpiexec and whom it finds; MPIEXEC_FLAGS are for it.
on_hosts() {
	local hosts=($HOSTS) slots
	slots=$((($1 + ${#hosts[@]} - 1) / ${#hosts[@]}))
	hosts=("${hosts[@]/%/:$slots}")
	# each of them thinks that it has all processors for itself
	[ "$1" -le "$(nproc)" ] || export WEFT_LOCAL_CPUS=1
	# shellcheck disable=SC2086
	"$build/mpiexec" -q -launcher mpirun -iface eth0 --bind-to none \
		-x WEFT_LOCAL_CPUS $MPIEXEC_FLAGS \
		-host "$(IFS=,; echo "${hosts[*]}")" -n "$@"
}
export -f on_hosts
