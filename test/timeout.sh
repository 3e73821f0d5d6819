# SPDX-License-Identifier: BSD-3-Clause
# timeout [-k SECONDS] SECONDS COMMAND..., for scripts that source this file:
# seconds of an idle host, as test/support/idle_timeout.c counts them; wall-clock seconds
# where a script runs without "make check".
timeout() {
	while [ "${1#-}" != "$1" ]; do shift 2; done
	${idle_timeout:-command timeout -k 5} "$@"
}
