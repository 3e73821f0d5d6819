#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the compiler wrappers, called directly and by CMake's find_package(MPI),
# and pkg-config, from a tree that was installed and then moved.
set -u
skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}

# With DESTDIR the installed tree is not at the prefix of configure.
make -s -C "$builddir" install DESTDIR="$work/moved" >"$work/log" 2>&1 ||
	{ tail -n 20 "$work/log"; fail "make install"; }
bin=$(dirname "$(find "$work/moved" -name mpicc)")
tree=$(dirname "$bin")
cd "$work" || exit 1

# own FILE: checks that the loader takes Weft's libraries from the moved tree,
# whether or not the prefix of configure exists
own() {
	LD_LIBRARY_PATH='' ldd "$1" | grep -E '^[[:space:]]lib(mpi|weft)' >libs
	grep -v " => $tree/" libs && fail "$1 does not use the moved tree"
	return 0
}
for f in "$bin"/weft-* "$bin"/mpiexec "$tree"/lib/*.so "$tree"/lib/*/*.so; do
	own "$f"
done
own "$bin/weft-info"
[ -s libs ] || fail "weft-info needs no library"

cat >one.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("rank %d of %d\n", rank, size);
	return MPI_Finalize();
}
EOF
cp one.c one.cc

"$bin/mpicc" -o one one.c || fail "mpicc"
[ "$(./one)" = "rank 0 of 1" ] || fail "a program without a launcher"
"$bin/mpicc" -c one.c || fail "mpicc -c"
"$bin/mpicc" -o one2 one.o || fail "mpicc links"
"$bin/mpicxx" -o onexx one.cc || fail "mpicxx"
[ "$(./onexx)" = "rank 0 of 1" ] || fail "a C++ program"
readelf -d one | grep NEEDED | grep -q 'libmpi_abi.so.1' || fail "soname"
[ "$(readelf -d one | grep NEEDED | grep -c mpi)" = 1 ] ||
	fail "more than one MPI library needed"

has() { "$bin/mpicc" "$1" | grep -q -- "$2" || fail "mpicc $1 lacks $2"; }
has -show "-I$tree/include"
has -showme "-lmpi_abi"
has -showme:compile "-I$tree/include"
has -showme:link "-L$tree/lib"
has -showme:incdirs "$tree/include"
has -showme:libdirs "$tree/lib"
has -showme:libs mpi_abi
has -showme:command gcc
has -showme:version Weft
for o in -compile_info -compile-info; do has $o "-I$tree/include"; done
for o in -link_info -link-info; do has $o "-lmpi_abi"; done
"$bin/mpicc" -show -c one.c | grep -q lmpi_abi && fail "-c shows link flags"
"$bin/mpicc" -showme:nonsense 2>/dev/null && fail "unknown -showme accepted"
"$bin/mpicc" -cc=false one.c && fail "-cc= is ignored"
WEFT_CC=false "$bin/mpicc" one.c && fail "WEFT_CC is ignored"
MPICH_CC=false "$bin/mpicc" one.c && fail "MPICH_CC is ignored"
OMPI_CC=false "$bin/mpicc" one.c && fail "OMPI_CC is ignored"
OMPI_CFLAGS=-DX=1 "$bin/mpicc" -showme:compile | grep -q -- -DX=1 ||
	fail "OMPI_CFLAGS is ignored"
"$bin/mpicc" -Werror -no-such-option one.c 2>/dev/null &&
	fail "unknown option swallowed"
for n in mpicxx mpic++ mpiCC mpicc_abi; do
	"$bin/$n" -show >/dev/null || fail "$n"
done

# Fortran: the three interfaces. If there is no Fortran compiler, the wrappers
# report this, but not to CMake, which only requests flags and detects the
# missing compiler itself.
cat >one.f <<'EOF'
      program one
      include 'mpif.h'
      integer ierr, rank, size
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
      print '(a,i0,a,i0)', 'rank ', rank, ' of ', size
      call mpi_finalize(ierr)
      end
EOF
sed "/include/d; s/program one/program one\n      use mpi/" one.f >onem.f90
sed 's/use mpi/use mpi_f08/; s/, ierr)/)/; s/(ierr)/()/' onem.f90 >onef.f90
if [ -e "$tree/include/mpif.h" ]; then
	for n in mpifort mpif90 mpif77; do
		for f in one.f onem.f90 onef.f90; do
			"$bin/$n" -o onefort $f || fail "$n $f"
			own onefort
			[ "$(./onefort)" = "rank 0 of 1" ] || fail "$n $f runs"
		done
		"$bin/$n" -showme:link | grep -q -- "-lmpifort_abi -lmpi_abi" ||
			fail "$n -showme:link"
		"$bin/$n" -showme:compile | grep -q -- "-I$tree/include" ||
			fail "$n -showme:compile"
		WEFT_FC=false "$bin/$n" one.f && fail "WEFT_FC is ignored"
	done
	sed 's/mpi_comm_size/mpi_comm_missing/' one.f >missing.f
	"$bin/mpifort" -o missing missing.f 2>/dev/null && fail "missing links"
	sed 's/call mpi_init(ierr)/call mpi_init(1.0)/' onem.f90 >wrong.f90
	"$bin/mpifort" -c wrong.f90 2>/dev/null && fail "a wrong type compiles"
else
	for n in mpifort mpif90 mpif77; do
		for o in -show -showme --version "-c x.f90"; do
			# shellcheck disable=SC2086
			"$bin/$n" $o >out 2>err
			[ $? = 1 ] && [ ! -s out ] || fail "$n $o"
			grep -q "^$n: this Weft was built without Fortran" err ||
				fail "$n $o: $(cat err)"
		done
	done
fi

# A missing MPI function: the linker's error must be followed by a hint. There
# is no hint for a function of the user, or if no function is missing.
cat >missing.c <<'EOF'
#include <mpi.h>
int @FUNCTION@();
int main(void) { return @FUNCTION@(); }
EOF
absent=$(sed -n 's/^\(MPI_[A-Za-z_]*\).*/\1/p' "$top_srcdir/doc/not-yet.md" |
	head -n 1)
: >hints
for f in $absent my_function; do
	sed "s/@FUNCTION@/$f/g" missing.c >one_missing.c
	"$bin/mpicc" -w -o missing one_missing.c >out 2>err && fail "$f links"
	grep -q "undefined reference to .$f'" err || fail "$f: $(cat err)"
	grep -q "^mpicc: not in Weft yet: $f " err && echo "hint: $f" >>hints
done
[ "$(cat hints)" = "${absent:+hint: $absent}" ] ||
	fail "hints: $(cat hints err)"
[ -z "$absent" ] || [ -r "$(sed -n 's/^mpicc: .*(all: \(.*\))/\1/p' err)" ] ||
	[ -r "$tree/share/doc/weft/not-yet.md" ] || fail "the list is not there"
"$bin/mpicc" -w -o missing one.c 2>err && [ ! -s err ] || fail "a hint too many"

# Linking a shared library with an undefined function succeeds: a warning names
# the function if it is an MPI function that no library of the command line
# defines.
cat >shared.c <<'EOF'
#include <mpi.h>
int @FUNCTION@();
int call(void) { return MPI_Barrier(MPI_COMM_WORLD) + @FUNCTION@(); }
EOF
echo 'int MPI_Mine(void) { return 0; }' >mine.c
gcc -shared -fPIC -o libmine.so mine.c || fail "libmine.so"
rm -f hints
for f in $absent MPI_Mine my_function; do
	sed "s/@FUNCTION@/$f/g" shared.c >one_shared.c
	for out in "-o shared.so" -oshared.so; do
		# shellcheck disable=SC2086
		"$bin/mpicc" -w -shared -fPIC $out one_shared.c >out 2>err ||
			fail "$f: $(cat err)"
		grep -q "^mpicc: warning: shared.so .* not have: $f (" err &&
			echo "$f" >>hints
		[ -s err ] && [ $f = my_function ] && fail "$f: $(cat err)"
	done
done
[ "$(tr '\n' ' ' <hints)" = \
	"${absent:+$absent $absent }MPI_Mine MPI_Mine " ] ||
	fail "warnings: $(cat hints err)"
sed "s/@FUNCTION@/MPI_Mine/g" shared.c >one_shared.c
"$bin/mpicc" -w -shared -fPIC -o shared.so one_shared.c -L. -lmine 2>err &&
	[ ! -s err ] || fail "a warning too many: $(cat err)"
"$bin/mpicc" -w -shared -fPIC -Wl,-z,defs -o shared.so one_shared.c 2>err &&
	fail "-z defs is ignored"

export PKG_CONFIG_PATH=$tree/lib/pkgconfig
fort_pc=
[ ! -e "$tree/include/mpif.h" ] || fort_pc=mpi-fort
for pc in weft mpi mpi-abi mpi-c $fort_pc mpi-cxx; do
	pkg-config --exists $pc || fail "pkg-config $pc"
	pkg-config --libs $pc | grep -q lmpi_abi || fail "pkg-config $pc: libs"
	# the tree was moved, so pkg-config needs the new prefix, and nothing
	# else
	pkg-config --define-variable=prefix="$tree" --cflags --libs $pc >flags
	grep -q -- "-I$tree/include .*-L$tree/lib " flags ||
		fail "pkg-config $pc: $(cat flags)"
	grep -q rpath flags && fail "pkg-config $pc: a rpath"
done
grep -h "^Name: " "$tree"/lib/pkgconfig/*.pc | sort | uniq -d | grep . &&
	fail "two pkg-config files have one name"
find "$tree" -name '*.la' | grep -E '/(libfabric|weft)/' &&
	fail "libtool files of modules are installed"
cc one.c -o by_pc $(cat flags) || fail "pkg-config mpi-cxx does not link"

command -v cmake >/dev/null || { echo "no cmake: that part skipped"; exit 77; }
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.10)
project(one C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
add_executable(cone one.c)
target_link_libraries(cone MPI::MPI_C)
add_executable(cxxone one.cc)
target_link_libraries(cxxone MPI::MPI_CXX)
message(STATUS "runs: ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG}")
EOF
PATH=$bin:$PATH cmake -S . -B cm >cmake.log 2>&1 ||
	{ tail -n 30 cmake.log; fail "cmake"; }
grep -q "Found MPI_C: $tree/lib/libmpi_abi.so (found version \"5.0\")" \
	cmake.log || { grep -i mpi cmake.log; fail "cmake found another MPI"; }
grep -q "runs: $bin/mpiexec -n" cmake.log || fail "cmake found no mpiexec"
# A project with Fortran must get Weft's Fortran bindings, never those of
# another MPI.
if command -v gfortran >/dev/null; then
	mkdir fortran
	cp one.c one.f onem.f90 onef.f90 fortran
	cat >fortran/CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.10)
project(two C CXX Fortran)
find_package(MPI COMPONENTS C CXX Fortran)
message(STATUS "fortran: ${MPI_Fortran_FOUND} ${MPI_Fortran_COMPILER}")
message(STATUS "library: ${MPI_Fortran_LIBRARIES}")
message(STATUS "modules: ${MPI_Fortran_HAVE_F77_HEADER} "
	"${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
if(MPI_Fortran_FOUND)
	foreach(p one.f onem.f90 onef.f90)
		add_executable(${p}.exe ${p})
		target_link_libraries(${p}.exe MPI::MPI_Fortran)
	endforeach()
endif()
EOF
	PATH=$bin:$PATH cmake -S fortran -B cf >cmake.log 2>&1 ||
		{ tail -n 30 cmake.log; fail "cmake"; }
	if [ -n "$fort_pc" ]; then
		grep -q "fortran: TRUE $bin/mpif" cmake.log &&
			grep -q "library: $tree/lib/libmpifort_abi.so" cmake.log &&
			grep -q "modules: TRUE *TRUE *TRUE" cmake.log ||
			{ grep -i fortran cmake.log; fail "CMake and Fortran"; }
		make -s -C cf >cmake.log 2>&1 ||
			{ tail -n 30 cmake.log; fail "make of Fortran"; }
		for p in one.f onem.f90 onef.f90; do
			[ "$(cf/$p.exe)" = "rank 0 of 1" ] || fail "$p by CMake"
		done
	else
		grep -q "fortran: FALSE $bin/mpif" cmake.log ||
			{ grep -i fortran cmake.log; fail "another MPI's Fortran"; }
	fi
else
	echo "SKIPPED: no gfortran"
	skipped=77
fi
make -s -C cm >cmake.log 2>&1 || { tail -n 30 cmake.log; fail "make"; }
[ "$(cm/cone)" = "rank 0 of 1" ] && [ "$(cm/cxxone)" = "rank 0 of 1" ] ||
	fail "the programs that cmake built"
exit $skipped
