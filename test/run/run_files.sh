#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests accesses to files that fail (run_files.c): a full file system, a quota,
# a read-only file system, a folder without write permission, a file that is
# truncated meanwhile, and a rank that ends in a collective write. File systems
# are mounted in a namespace of this script.
if [ -z "$RUN_FILES_MOUNTS" ]; then
	[ "$(id -u)" = 0 ] && flags=-m || flags=-rm
	export RUN_FILES_MOUNTS=no
	unshare $flags true 2> /dev/null && {
		RUN_FILES_MOUNTS=yes
		exec unshare $flags bash "$0"
	}
fi
. "$top_srcdir/test/run/run_lib.sh" || exit 1

prog=$dir/run_files
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir" \
	-I"$top_srcdir/include" -I"$top_srcdir/test/mpi" \
	"$top_srcdir/test/run/run_files.c" -o "$prog" -L"$builddir/.libs" \
	-lmpi_abi -Wl,-rpath,"$builddir/.libs" || exit 1
class() { # NAME: the number of an error class
	sed -n "s/.*$1 = \([0-9]*\),.*/\1/p" "$top_srcdir/include/mpi.h"
}
place=$dir/place
mkdir "$place"

# mounted OPTIONS: mounts a tmpfs with these options
mounted() {
	[ "$RUN_FILES_MOUNTS" = yes ] &&
		mount -t tmpfs -o "$1" weft "$place" 2> /dev/null
}

if mounted size=2m; then
	for n in 1 2 5; do
		run 0 -n $n "$prog" space "$place" "$(class MPI_ERR_NO_SPACE)"
		rm -f "$place"/*
	done
	umount "$place"
else
	skip_part "no small file system: unshare -m and mount do not work"
fi

# a quota of 1 MiB, emulated: run_refuse makes the kernel refuse the calls that
# extend the file beyond it
refuse=$dir/run_refuse
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w "$top_srcdir/test/run/run_refuse.c" \
	-o "$refuse" || exit 1
if "$refuse" quota true 2> /dev/null; then
	for n in 1 3; do
		run 0 -n $n "$refuse" quota "$prog" space "$place" \
			"$(class MPI_ERR_QUOTA)"
		rm -f "$place"/*
	done
else
	skip_part "no seccomp"
fi

# a file system that is mounted read-only, also for root
echo bytes > "$place/file"
truncate -s 5 "$place/file"
if [ "$RUN_FILES_MOUNTS" = yes ] && mount --bind "$place" "$place" &&
	mount -o remount,bind,ro "$place"; then
	run 0 -n 3 "$prog" open "$place" "$(class MPI_ERR_READ_ONLY)"
	umount "$place"
else
	skip_part "no read-only mount"
fi
# a folder and a file that belong to another user
chmod 755 "$dir" "$place"
chmod 644 "$place/file"
other_user="setpriv --reuid 65534 --regid 65534 --clear-groups"
if [ "$(id -u)" = 0 ] && ! $other_user test -x "$mpiexec"; then
	skip_part "other users cannot execute $mpiexec"
elif [ "$(id -u)" = 0 ]; then
	chmod 1777 "$TMPDIR"
	cat > "$dir/as_other" << END
#!/bin/sh
exec $other_user $mpiexec "\$@"
END
	chmod 755 "$dir/as_other"
	mpiexec="$dir/as_other" run 0 -n 3 \
		"$prog" open "$place" "$(class MPI_ERR_ACCESS)"
else
	chmod 555 "$place"
	chmod 444 "$place/file"
	run 0 -n 3 "$prog" open "$place" "$(class MPI_ERR_ACCESS)"
	chmod 755 "$place"
fi
rm -f "$place/file"

# a file that another process truncates during accesses
for n in 1 3; do
	run 0 -n $n "$prog" shrink "$place"
	rm -f "$place/file"
done
if mounted size=64m; then
	run 0 -n 3 "$prog" shrink "$place"
	umount "$place"
fi

# a rank that ends before its part of a collective write, or during it
for way in write alternate during during-alternate ordered; do
	run 0 --survive -n 4 "$prog" die "$place" $way
	[ "$(grep -c 'class [0-9]* failed' "$dir/out")" = 3 ] &&
		[ "$(grep -c ': good$' "$dir/out")" = 3 ] ||
		complain "$way: $(cat "$dir/out" "$dir/err")"
	run 137 -n 4 "$prog" die "$place" $way
	last 'rank 3 .* exited on signal 9'
	rm -f "$place/file"
done
nothing_left
end
