#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# "make uninstall" removes every file and link that "make install" and "make
# install-html" write; modules have no libtool files; pkg-config files are valid
# and have no rpath; libraries have no RUNPATH except to their own folder.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
unset MAKEFLAGS MAKELEVEL
tree=$dir/tree

# made TARGET...: runs make in the build folder
made() {
	make -s -C "$builddir" "$@" DESTDIR="$tree" > "$dir/log" 2>&1 && return
	tail "$dir/log"
	complain "make $*"
}

made install
find "$tree" ! -type d > "$dir/files"
[ "$(wc -l < "$dir/files")" -gt 100 ] || complain "few files: $(cat "$dir/files")"
find "$tree" -path '*/lib/*/*.la' | grep . && complain "libtool files of modules"
libdir=$(dirname "$(find "$tree" -name libmpi_abi.so.1)")
PKG_CONFIG_PATH=$libdir/pkgconfig:$PKG_CONFIG_PATH
export PKG_CONFIG_PATH
for f in "$libdir"/pkgconfig/*.pc; do
	pkg-config --validate "$f" || complain "$f is not valid"
	pkg-config --print-requires-private "$f" > "$dir/out" ||
		complain "$f: private requirements"
	grep -i rpath "$f" && complain "$f has an rpath"
	grep -E '^(libdir|includedir)=' "$f" | grep -v '=\${' &&
		complain "$f: folders are not below its prefix"
done
pkg-config --exists --print-errors weft weft-nic ||
	complain "requirements of pkg-config files"
for f in "$libdir"/*.so "$libdir"/*/*.so; do
	readelf -d "$f" | grep -E 'RPATH|RUNPATH' |
		grep -vF '[$ORIGIN]' && complain "$f has a RUNPATH"
done

made install-html
made uninstall
find "$tree" ! -type d > "$dir/files"
[ ! -s "$dir/files" ] || complain "files are left: $(cat "$dir/files")"
end
