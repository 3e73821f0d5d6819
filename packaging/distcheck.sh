#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs "make distcheck" with a few of the unit tests: the tarball must build in
# a separate folder, its tests must pass, and "make uninstall" must leave no
# file. LONG=1 only; test/tree/dist_build.sh is a shorter form, which compiles
# nothing.
#
#   TARGET=distcheck             all unit tests
#   DISTCHECK_CONFIGURE_FLAGS    options of the build
. "$(dirname "$0")/lib.sh" || exit 1
need_configure
mkdir "$work/build" && cd "$work/build" || exit 1
logged configure "$top/configure" -q
logged "make ${TARGET:-distcheck-short}" \
	make -s -j "$(nproc)" "${TARGET:-distcheck-short}"
grep -E '^# (PASS|SKIP|FAIL)' "$work/log"
tail -n 4 "$work/log"
