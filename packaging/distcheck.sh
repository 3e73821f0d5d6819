#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tarball builds in a folder of its own, its tests pass, and "make
# uninstall" leaves no file: make distcheck, with a few of the unit tests.
# LONG=1 only; test/tree/dist_build.sh is a shorter form, which compiles nothing.
#
#   TARGET=distcheck             all unit tests
#   DISTCHECK_CONFIGURE_FLAGS    options of the build
[ -n "$LONG" ] || { echo "SKIPPED: only with LONG=1"; exit 77; }
top=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d "${TMPDIR:-/var/tmp}/weft-distcheck.XXXXXX") || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
export CONFIG_SHELL=/bin/sh
{ "$top/configure" -q && make -s -j "$(nproc)" "${TARGET:-distcheck-short}"; } \
	> log 2>&1 || { tail -n 40 log; exit 1; }
grep -E '^# (PASS|SKIP|FAIL)' log
tail -n 4 log
