#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A short form of "make distcheck" (packaging/distcheck.sh runs it): the files of
# the tarball, read-only, are configured in another folder with the options of
# this build, and every file that "make all", the tests and "make install" need
# must exist, or be made by a rule. Nothing is compiled.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
tar=$dir/weft
flock "$builddir/config.status" make -s -C "$builddir" distdir \
	distdir="$tar" > "$dir/log" 2>&1 ||
	{ tail "$dir/log"; complain "make distdir"; end; }
chmod -R a-w "$tar"
mkdir "$dir/build"
cd "$dir/build" || exit 1
CONFIG_SHELL=/bin/sh "$tar/configure" -q --prefix="$dir/tree" \
	CC="${CC:-gcc}" > "$dir/log" 2>&1 ||
	{ tail "$dir/log"; complain "configure of the tarball"; }

# planned MAKEFILE: writes the commands for all programs, tests and "make
# install" to $dir/steps
planned() { make -n -k -f "$1" all unit-tests install html > "$dir/steps" 2> "$dir/err"; }
planned Makefile || complain "make -n: $(grep -v '^make' "$dir/err" | head)"
grep 'No rule to make target' "$dir/err" && complain "a file is missing"
[ "$(grep -c 'mode=compile' "$dir/steps")" -gt 500 ] ||
	complain "make -n prints no compilations"
chmod -R u+w "$tar"

# checks that a source file that the tarball lacks is reported
rm "$tar/src/base/clock.c"
planned Makefile && complain "a missing source is not found"
grep -q "No rule to make target.*clock" "$dir/err" || complain "clock.c is not named"
end
