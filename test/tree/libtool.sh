#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# src/conf/libtool.sh compiles files of libraries, and links programs of the
# tree's own libraries, by the compiler, and leaves everything else to libtool.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
cd "$dir" || exit 1
printf '#!/bin/sh\necho libtool "$@"\n' > libtool
printf '#!/bin/sh\necho compiler "$@"\n' > gcc
chmod +x gcc
PATH=$dir:$PATH
printf "library_names=''\ndependency_libs=' -lhwloc -lm'\n" > libown.la
printf "library_names=''\ndependency_libs=' -L/opt/pmix -lpmix'\n" > libfar.la
printf "library_names='libmpi.so.1'\ndependency_libs=''\n" > libmpi.la

# gives OUTPUT ARGUMENTS...
gives() {
	local want=$1 out
	shift
	out=$(sh "$top_srcdir/src/conf/libtool.sh" /bin/sh ./libtool "$@")
	[ "$out" = "$want" ] || complain "$*: $out"
}
# libtool_gets ARGUMENTS...
libtool_gets() { gives "libtool $*" "$@"; }

gives 'compiler -O2 -o a/b b.o .libs/libown.a -Wl,--as-needed -lc -lhwloc -lm' \
	--silent --tag=CC --mode=link gcc -O2 -o a/b b.o libown.la \
	-Wl,--as-needed -lc
mkdir s
gives 'compiler -MT s/a.lo -MF s/a.Tpo -c -o s/.libs/a.o ../s/a.c -fPIC -DPIC' \
	--tag=CC --mode=compile gcc -MT s/a.lo -MF s/a.Tpo -c -o s/a.lo ../s/a.c
[ -d s/.libs ] && grep -q "^pic_object='.libs/a.o'" s/a.lo || complain "s/a.lo"
link='--tag=CC --mode=link gcc -o'
for args in 'libnew.la a.lo' 'libnew.la libown.la' 'a a.o libmpi.la' 'a a.o libfar.la' 'a a.o none.la' \
	'a a.o other/libown.la' 'a a.o -L/opt/lib -lx' 'a -static a.o' 'a a.lo' \
	'a a.o -Wl,-rpath,/opt' 'a a.o -rpath /opt' 'a a.o -R/opt'; do
	# shellcheck disable=SC2086
	libtool_gets $link $args
done
libtool_gets --tag=CC --mode=compile gcc -c -o a.o a.c
libtool_gets --tag=CC --mode=compile gcc -static -c -o a.lo a.c
libtool_gets --mode=install cp a /opt
libtool_gets --dry-run --mode=link gcc -o a a.o
libtool_gets --tag=CC --mode=link other-cc -o a a.o
# a compiler that fails leaves no object of an earlier run
printf '#!/bin/sh\nexit 3\n' > gcc
sh "$top_srcdir/src/conf/libtool.sh" /bin/sh ./libtool --tag=CC --mode=compile \
	gcc -c -o s/a.lo ../s/a.c
[ $? = 3 ] && [ ! -e s/a.lo ] || complain "a compiler that fails"
end
