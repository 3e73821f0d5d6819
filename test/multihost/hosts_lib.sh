# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that test/hosts runs (HOSTS is set then).

# the key file of the test, not that in the home of its user
[ -z "${work:-${dir:-}}" ] ||
	export WEFT_KEY_FILE=${WEFT_KEY_FILE:-${work:-$dir}/weft_key}

# spread RANKS: "host1:2,host2:2", equal numbers, on at most the hosts there
# are
spread() {
	local hosts=($HOSTS) slots
	hosts=("${hosts[@]:0:$1}")
	slots=$((($1 + ${#hosts[@]} - 1) / ${#hosts[@]}))
	hosts=("${hosts[@]/%/:$slots}")
	(IFS=,; echo "${hosts[*]}")
}

# on_hosts RANKS PROGRAM ARGUMENTS...: by the mpiexec of $build and the
# launcher that it finds, with MPIEXEC_FLAGS; IFACE is the interface (eth0;
# empty: chosen by Weft).
on_hosts() {
	# each host detects all processors of the machine as its own
	[ "$1" -le "$(nproc)" ] || export WEFT_LOCAL_CPUS=1
	local iface=${IFACE-eth0}
	# shellcheck disable=SC2086
	"$build/mpiexec" -q -launcher mpirun ${iface:+-iface $iface} --bind-to none \
		-x WEFT_LOCAL_CPUS ${MPIEXEC_FLAGS:-} -host "$(spread "$1")" -n "$@"
}
export -f spread on_hosts
