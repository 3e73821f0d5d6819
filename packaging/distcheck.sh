#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tarball builds in a folder of its own, its tests pass, and "make
# uninstall" leaves no file: make distcheck, with a few of the unit tests.
# LONG=1 only.
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
env -u MAKEFLAGS -u MAKELEVEL make -s -C "${builddir:-build}" \
	-j "$(nproc)" distcheck-short > "$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
tail -n 4 "$log"
rm -f "${builddir:-build}"/weft-*.tar.xz
