#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the programs of test/mpi/list and prints one line per case; the exit code
# is not 0 if any case fails. Environment: MACHINE (default native), CLOCK (live
# or virtual), PROVIDER (default weft; "tcp" means tcp;ofi_rxm), ONLY (a pattern
# for program names), SECONDS_EACH (30; 1200 with LONG), RANKS_MAX (cases with
# more ranks are skipped), RANKS_LAST=1 (of each line, only the case with most
# ranks below RANKS_MAX), LONG=1 (also long cases), PPN (ranks per node in
# virtual time; default: the machine's). Under test/hosts (HOSTS is set) ranks
# are spread over its hosts. Programs are built with the headers and the library
# of the build tree.
#
# A line of the list: program ranks[,ranks...] [tags] [arguments]. Tags, joined
# by commas or "-": weft (only over Weft's provider), live (uses the host's
# clock), virtual (only in virtual time), long (only with LONG=1), threads
# (starts threads), fortran (needs the Fortran bindings), memory (windows in shared memory: not with
# WEFT_WIN_PATH=fabric or messages, with FI_WEFT_CARRIER=sock, or on several
# hosts), unit (needs the collective unit: not on several hosts, and not on a
# machine that has none).
top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${builddir:-$PWD}
machine=${MACHINE:-native}
clock=${CLOCK:-live}
provider=${PROVIDER:-weft}
each=${SECONDS_EACH:-$([ -n "$LONG" ] && echo 1200 || echo 30)}
lib=$build/.libs
memory=${WEFT_WIN_PATH:-memory}
[ "$FI_WEFT_CARRIER" = sock ] && memory=no
unit=yes
[ "${machine%%[@:]*}" = apenet ] && unit=no
[ -e "$lib/libmpi_abi.so.1" ] || { echo "no library in $lib"; exit 77; }
. "$top/test/timeout.sh" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

shopt -s extglob # for ONLY
case $provider in
weft) unset FI_PROVIDER
	export FI_WEFT_MACHINE=$machine
	flags=
	[ "$clock" = live ] ||
		flags="-q --machine $machine --clock $clock ${PPN:+--ppn $PPN}"
	[ -e "$lib/libweft-fi.so" ] || { echo "no provider in $lib"; exit 77; } ;;
tcp) export FI_PROVIDER='tcp;ofi_rxm' ;;
*) export FI_PROVIDER=$provider ;;
esac

# launcher: the words before RANKS PROGRAM ARGUMENTS...
if [ -n "$HOSTS" ]; then
	. "$top/test/multihost/hosts_lib.sh" || exit 1
	use_key_file "$work"
	launcher=(bash -c 'on_hosts "$@"' -)
elif [ -x "$build/mpiexec" ]; then
	# shellcheck disable=SC2206
	launcher=("$build/mpiexec" $flags -n)
elif command -v mpirun.openmpi > /dev/null; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	launcher=(mpirun.openmpi --oversubscribe --bind-to none -n)
else
	echo "no launcher"
	exit 77
fi

# Programs are compiled once for all scripts that run in this build tree, also
# concurrently.
programs=$build/test/mpi/programs
mkdir -p "$programs" || exit 1
# the newest file that all programs depend on
newest=$top/test/mpi/run.sh
for f in "$top"/test/mpi/{,*/}*.h "$top"/include/*.h "$build"/src/fortran/*.stamp; do
	[ "$f" -nt "$newest" ] && newest=$f
done
compile() {
	local new=$programs/.$1.$$ src
	for src in "$top"/test/mpi/*/"$1".[cf]*; do :; done
	[ -x "$programs/$1" ] && [ ! "$src" -nt "$programs/$1" ] &&
		[ ! "$newest" -nt "$programs/$1" ] && return
	case $src in
	*.c) ;;
	*)
		mkdir -p "$new.mod" && (cd "$new.mod" &&
			${FC:-gfortran} -w -fallow-argument-mismatch -O2 -g \
				-I"$build/src/fortran" -o "$new" "$src" \
				-L"$lib" -lmpifort_abi -lmpi_abi \
				-Wl,-rpath,"$lib") &&
			mv "$new" "$programs/$1" && rm -rf "$new.mod"
		return
		;;
	esac
	${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -g -w -I"$top/include" \
		-I"$top/test/mpi" -o "$new" "$src" -L"$lib" -lmpi_abi -lpthread -lm \
		-Wl,-rpath,"$lib" && mv "$new" "$programs/$1"
}

# counts RANKS,RANKS...: sets $numbers to those numbers of ranks that are run
counts() {
	local n most=0
	numbers=
	for n in ${1//,/ }; do
		[ "$n" -le "${RANKS_MAX:-1000}" ] || continue
		numbers="$numbers $n"
		[ "$n" -lt "$most" ] || most=$n
	done
	[ -z "$RANKS_LAST" ] || [ -z "$numbers" ] || numbers=$most
}

# The list has thousands of cases, so the loop below starts no process other
# than the job.
[ "$clock" = live ] || machine="$machine-$clock"
good=0 bad=0
# a check of the launcher: if it started nothing, or did not return exit codes,
# every case would pass
build=$build timeout -k 5 "$each" "${launcher[@]}" 2 sh -c 'exit 9' \
	> "$work/out" 2>&1 < /dev/null && {
	echo "FAIL the launcher returns 0 for a program that exits with 9"
	bad=1
}
while read -r prog ranks tags args; do
	case $prog in '' | '#'*) continue ;; esac
	case $prog in ${ONLY:-*}) ;; *) continue ;; esac
	case ,$tags, in *,weft,*) [ "$provider" = weft ] || continue ;; esac
	case ,$tags, in *,live,*) [ "$clock" = live ] || continue ;; esac
	case ,$tags, in *,virtual,*) [ "$clock" = virtual ] || continue ;; esac
	case ,$tags, in *,memory,*) [ "$memory" = memory ] || continue ;; esac
	case ,$tags, in *,memory,* | *,unit,*) [ -z "$HOSTS" ] || continue ;; esac
	case ,$tags, in *,unit,*) [ $unit = yes ] || continue ;; esac
	case ,$tags, in *,fortran,*) [ -e "$lib/libmpifort_abi.so" ] || {
		echo "skip $prog: built without Fortran"
		continue
	} ;; esac
	case ,$tags, in *,long,*) [ -n "$LONG" ] || continue ;; esac
	compile "$prog" || { echo "FAIL $prog does not compile"; bad=$((bad + 1)); continue; }
	counts "$ranks"
	for n in $numbers; do
		start=${EPOCHREALTIME//[.,]/}
		# shellcheck disable=SC2086
		build=$build timeout -k 5 "$each" "${launcher[@]}" \
			"$n" "$programs/$prog" $args > "$work/out" 2>&1 < /dev/null
		rc=$?
		ms=$(((${EPOCHREALTIME//[.,]/} - start) / 1000))
		if [ $rc = 0 ]; then
			good=$((good + 1))
			printf 'ok   %-16s n=%-3s %5d ms  %s %s %s\n' "$prog" \
				"$n" "$ms" "$provider" "$machine" "$args"
		else
			bad=$((bad + 1))
			printf 'FAIL %-16s n=%-3s %5d ms  exit %d  %s %s %s\n' \
				"$prog" "$n" "$ms" $rc "$provider" "$machine" "$args"
			head -n 30 "$work/out" | sed 's/^/     | /'
		fi
	done
done < "$top/test/mpi/list"
echo "$good passed, $bad failed ($provider, $machine)"
[ $bad = 0 ] && [ $good -gt 0 ]
