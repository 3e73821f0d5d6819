# SPDX-License-Identifier: BSD-3-Clause
# timeout [-k SECONDS] SECONDS COMMAND..., for scripts that source this file:
# limits the time of a command. SECONDS are counted as on an idle host
# (test/support/idle_timeout.c), or are wall-clock seconds if the script runs
# without "make check".
timeout() {
	while [ "${1#-}" != "$1" ]; do shift 2; done
	${idle_timeout:-command timeout -k 5} "$@"
}
