#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Fortran suites of MPICH 4.0.2 (test/mpi/f77, f90 and f08), built with
# Weft's mpifort. Runs only with LONG=1; the source is not part of Weft.
# Environment: FORT_SOURCES (folder with mpich_*.orig.tar.* of Debian: apt-get
# source --download-only mpich), FORT_WORK (folder in which it is unpacked and
# built, and which is kept; default: a temporary one), MPIFORT (mpifort of an
# installed Weft), FORT_ONLY (f77, f90 or f08, or a part of one: f08/pt2pt),
# FORT_SECONDS (limit of a program, 120), MACHINE (runs in virtual time on it).
[ -n "$LONG" ] || { echo "runs only with LONG=1"; exit 77; }
build=${builddir:-$PWD}
mpifort=${MPIFORT:-$(command -v mpifort)}
archive=$(ls "$FORT_SOURCES"/mpich_*.orig.tar.* 2> /dev/null | head -n 1)
[ -n "$archive" ] || { echo "no archive of MPICH in FORT_SOURCES"; exit 77; }
"$mpifort" -show 2> /dev/null | grep -q mpi_abi ||
	{ echo "no mpifort of Weft: set MPIFORT"; exit 77; }
work=${FORT_WORK:-$(mktemp -d)} || exit 1
[ -n "$FORT_WORK" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" || exit 1
export PATH=$(dirname "$mpifort"):$PATH
bad=0

# Lists the programs that cannot pass, with the assumption that each makes. A
# line of src/fortran/README has the same names.
assumptions() {
	cat << 'END'
f77/init/baseenvf the version of MPI is at most 4
f90/init/baseenvf90 the version of MPI is at most 4
f08/init/baseenvf90 the version of MPI is at most 4
f77/pt2pt/greqf MPI_Grequest_start keeps the address of extra_state
f90/pt2pt/greqf90 MPI_Grequest_start keeps the address of extra_state
f08/pt2pt/greqf08 MPI_Grequest_start keeps the address of extra_state
f77/spawn/namepubf errors of MPI_Lookup_name go to MPI_COMM_WORLD (MPI 4: MPI_COMM_SELF)
f90/spawn/namepubf90 errors of MPI_Lookup_name go to MPI_COMM_WORLD (MPI 4: MPI_COMM_SELF)
f08/spawn/namepubf90 errors of MPI_Lookup_name go to MPI_COMM_WORLD (MPI 4: MPI_COMM_SELF)
f77/spawn/connaccf errors of MPI_Lookup_name go to MPI_COMM_WORLD (MPI 4: MPI_COMM_SELF)
f90/spawn/connaccf90 errors of MPI_Lookup_name go to MPI_COMM_WORLD (MPI 4: MPI_COMM_SELF)
f08/spawn/connaccf90 errors of MPI_Lookup_name go to MPI_COMM_WORLD (MPI 4: MPI_COMM_SELF)
f77/datatype/typecntsf has combiners that MPI 3 removed
f77/rma/aintf mpif.h does not declare MPI_Aint_add
f90/coll/alltoallvf90 MPI_Alltoallv takes arrays of datatypes
f90/coll/split_typef90 MPI_Alltoallv takes arrays of datatypes
f90/coll/vw_inplacef90 MPI_Alltoallw takes scalars as arrays
f90/coll/nonblocking_inpf90 MPI_Ialltoallw takes scalars as arrays
f90/profile/profile1f90 a unit that is named mpi_send can use the module mpi
f08/datatype/allctypesf08 has MPI_LB and MPI_UB, which MPI 3 removed
f08/io/c2f2ciof90 does not compile: c2f902cio.c has an undeclared variable
END
}

# Sets src to the unpacked test folder. f08 is normally built only by MPICH
# itself; the condition in configure that tests this is removed.
unpack() {
	src=$(ls -d "$work"/mpich-*/test/mpi 2> /dev/null | head -n 1)
	[ -n "$src" ] && return
	tar xf "$archive" -C "$work" || exit 1
	src=$(ls -d "$work"/mpich-*/test/mpi)
	sed -i 's/ -a "$FROM_MPICH" = "yes" ; then/ ; then/' "$src/configure"
}

build_suites() {
	local flags='-w -fallow-argument-mismatch'
	mkdir -p "$src/bld" && cd "$src/bld" || return
	../configure -q --with-mpi="$(dirname "$(dirname "$mpifort")")" \
		--disable-cxx --enable-fortran=all CFLAGS=-w FFLAGS="$flags" \
		FCFLAGS="$flags" && make -s -C dtpools && make -s -C util
}

# Prints the folders that contain programs, in the order of the suites.
folders() {
	local list
	for list in "$src"/bld/f[079][780]/*/testlist \
		"$src"/f[079][780]/*/testlist; do
		list=${list#"$src/"}
		echo "${list#bld/}"
	done | xargs -n 1 dirname | sort -u | grep "^${FORT_ONLY:-}"
}

# run_one FOLDER PROGRAM RANKS: runs a program, which has passed if its exit
# code and its output are right
run_one() {
	local log=$2.log code why
	(cd "$src/bld/$1" && { [ -x "$2" ] || make -s "$2" > "$2.make" 2>&1; } &&
		timeout "${FORT_SECONDS:-120}" "$build/mpiexec" -q \
			${MACHINE:+--machine "$MACHINE"} -n "$3" "./$2" \
			> "$log" 2>&1 < /dev/null && grep -q 'No Errors' "$log")
	code=$?
	why=$(assumptions | sed -n "s|^$1/$2 ||p")
	if [ $code = 0 ]; then
		echo "ok   $1/$2, $3 ranks${why:+ (listed as: $why)}"
	elif [ -n "$why" ]; then
		echo "skip $1/$2: $why"
	else
		echo "FAIL $1/$2, $3 ranks: exit code $code"
		bad=1
	fi
}

unpack
[ -e "$work/built" ] || build_suites > "$work/build.log" 2>&1 ||
	{ echo "FAIL build: $work/build.log"; exit 1; }
touch "$work/built"
for folder in $(folders); do
	list=$src/bld/$folder/testlist
	[ -e "$list" ] || list=$src/$folder/testlist
	while read -r program ranks rest; do
		[ -n "$ranks" ] && [ "${program#\#}" = "$program" ] &&
			run_one "$folder" "$program" "$ranks"
	done < "$list"
done
exit $bad
