#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The parallel tests of HDF5 and PnetCDF and the tests of files of MPICH, built
# with Weft's mpicc. Runs only with LONG=1; the sources are not part of Weft.
# Environment: IO_SOURCES (folder with the archives hdf5_*.orig.tar.*,
# pnetcdf_*.orig.tar.*, mpich_*.orig.tar.* of Debian: apt-get source
# --download-only), IO_WORK (folder in which they are unpacked and built, and
# which is kept; default: a temporary one), MPICC (mpicc of an installed Weft),
# RANKS ("2 4 8"), IO_ONLY (hdf5, pnetcdf or mpich), IO_SECONDS (limit of a
# program, 1200).
[ -n "$LONG" ] || { echo "runs only with LONG=1"; exit 77; }
build=${builddir:-$PWD}
mpicc=${MPICC:-$(command -v mpicc)}
[ -n "$IO_SOURCES" ] || { echo "IO_SOURCES names no folder"; exit 77; }
"$mpicc" -show 2> /dev/null | grep -q mpi_abi ||
	{ echo "no mpicc of Weft: set MPICC"; exit 77; }
work=${IO_WORK:-$(mktemp -d)} || exit 1
[ -n "$IO_WORK" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" || exit 1
export PATH=$(dirname "$mpicc"):$PATH
each=${IO_SECONDS:-1200}
ranks=${RANKS:-2 4 8}
jobs=$(nproc)
bad=0 skipped=

# unpacked NAME: unpacks the archive and sets $src to its folder; fails if there
# is no archive
unpacked() {
	local archive
	archive=$(ls "$IO_SOURCES/$1"_*.orig.tar.* 2> /dev/null | head -n 1)
	src=$(ls -d "$work/$1"-* 2> /dev/null | head -n 1)
	[ -n "$src" ] && return
	[ -n "$archive" ] || {
		echo "skip $1: no archive in $IO_SOURCES"
		skipped=1
		return 1
	}
	tar xf "$archive" -C "$work" || exit 1
	src=$(ls -d "$work/$1"-*)
}

# report CODE TEXT: prints the result of a program; CODE 0 is success
report() {
	[ "$1" = 0 ] && echo "ok   $2" && return
	echo "FAIL $2: exit code $1"
	bad=1
}

# built NAME COMMAND...: executes the command once for a folder
built() {
	local log=$work/$1.log
	shift
	[ -e "$log.done" ] || "$@" > "$log" 2>&1 || {
		report 1 "build: $log"
		return 1
	}
	touch "$log.done"
}

# ---- HDF5 --------------------------------------------------------------------

hdf5_programs="t_mpi t_pread t_pflush1 t_pflush2 t_pshutdown t_prestart
	t_init_term t_filters_parallel t_bigio t_shapesame testphdf5 t_cache
	t_cache_image"
build_hdf5() {
	mkdir -p "$src/bld" && cd "$src/bld" || return
	../configure -q CC=mpicc CFLAGS=-w --enable-parallel --disable-hl \
		--disable-fortran --disable-shared &&
		make -s -j"$jobs" -C src &&
		make -s -C test libh5test.la &&
		make -s -j"$jobs" -C testpar $hdf5_programs
}
run_hdf5() {
	local n p rc want
	for n in $ranks; do
		rm -rf "$src/run" && mkdir "$src/run" && cd "$src/run" || exit 1
		ln -s ../bld/testpar/t_cache_image .
		for p in $hdf5_programs; do
			# t_cache needs three ranks; t_pflush1 ends with exit
			# code 1, without MPI_Finalize and H5Fclose
			[ "$p-$n" = t_cache-2 ] && continue
			want=0
			[ $p = t_pflush1 ] && want=1
			srcdir=../testpar timeout "$each" "$build/mpiexec" -q -n "$n" \
				"../bld/testpar/$p" > "$p.log" 2>&1 < /dev/null
			rc=$?
			[ $rc != $want ] || rc=0
			report $rc "hdf5 $p, $n ranks"
		done
	done
}

# ---- PnetCDF -----------------------------------------------------------------

build_pnetcdf() {
	cd "$src" && autoreconf -i && mkdir -p bld && cd bld &&
		../configure -q MPICC=mpicc --disable-fortran --disable-cxx \
			--enable-shared=no &&
		make -s -j"$jobs" && make -s -j"$jobs" tests
}
run_pnetcdf() {
	local n
	for n in $ranks; do
		make -k -C "$src/bld/test" ptest \
			TESTMPIRUN="timeout $each $build/mpiexec -q -n $n" \
			> "$work/pnetcdf-$n.log" 2>&1
		report $? "pnetcdf ptest, $n ranks"
	done
}

# ---- MPICH -------------------------------------------------------------------

build_mpich() {
	mkdir -p "$src/test/mpi/bld" && cd "$src/test/mpi/bld" &&
		../configure -q --with-mpi="$(dirname "$(dirname "$mpicc")")" \
			--disable-fortran --disable-cxx --disable-spawn CFLAGS=-w &&
		make -s -C dtpools && make -s -C util && make -s -j"$jobs" -C io
}
run_mpich() {
	local prog n rest arg memory
	cd "$src/test/mpi/bld/io" || exit 1
	memory=$(awk '/MemAvailable/ { print int($2 / 1000000) }' /proc/meminfo)
	while read -r prog n rest; do
		[ -n "$n" ] && [ "${prog#\#}" = "$prog" ] || continue
		case $rest in *mem=*) [ "$memory" -ge 8 ] || {
			echo "skip mpich $prog: needs 6.5 GB"
			continue
		} ;; esac
		arg=
		case $rest in *arg=*) arg=${rest##*arg=} ;; esac
		timeout "$each" "$build/mpiexec" -q -n "$n" "./$prog" ${arg%% *} \
			> "$prog.log" 2>&1 < /dev/null && grep -q 'No Errors' "$prog.log"
		report $? "mpich io/$prog, $n ranks"
	done < testlist
}

for user in mpich pnetcdf hdf5; do
	[ "${IO_ONLY:-$user}" = $user ] && unpacked $user &&
		built $user build_$user && run_$user
done
[ $bad = 0 ] || exit 1
[ -z "$skipped" ] || exit 77
