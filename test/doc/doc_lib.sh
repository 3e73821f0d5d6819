# SPDX-License-Identifier: BSD-3-Clause
# Sourced by test/doc/doc_*.sh: extracts the commands of a page (README.md,
# doc/*.md, man pages) and runs them as a reader would after ./quickstart, in
# the folder of the sources.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
# The variables of the outer make must not reach a make that a page runs.
unset MAKEFLAGS MAKELEVEL MFLAGS
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Names of programs that begin a command, possibly after variable assignments.
programs='mpi(exec|cc|cxx|run)(\.openmpi)?|weft-[a-z]+|fi_(info|pingpong)|srun'
programs="$programs|(build|bench|examples|\./quickstart)[^ ]*|make|export|cp|sed"
is_command="^([A-Z_]+=(\"[^\"]*\"|[^ ]*) )*($programs)( |\$)"

# Prints the commands of a Markdown text: the lines of code blocks (only those
# with "$ ", if the block has any), and code spans that are whole commands. A
# line with a placeholder in capital letters is not a command.
commands_of_text() {
	awk '
	/^```/ { fence = !fence; next }
	fence { next }
	/^    / {
		line = substr($0, 5)
		if (line ~ /^\$ /) print "block\t" substr(line, 3)
		else print "plain\t" line
		next
	}
	{ text = text " " $0 }
	END {
		n = split(text, part, "`")
		for (i = 2; i <= n; i += 2) print "span\t" part[i]
	}' "$1" | while IFS=$'\t' read -r kind line; do
		[[ $line =~ $is_command ]] || continue
		[ $kind != span ] || is_whole "$line" || continue
		echo "$line"
	done
}

# is_whole COMMAND: returns whether this is a whole command, not only the name
# of a program or option.
is_whole() {
	case $1 in
	*...* | *' 'NAME* | *' 'FILE* | *' 'FACTOR | *' 'S | *'['*) return 1 ;;
	# only names of options
	weft-sim\ --new | weft-sim\ --replay) return 1 ;;
	mpi*) [[ $1 == *' -n '* ]] ;;
	*' '* | build/* | weft-info) ;;
	*) return 1 ;;
	esac
}

# Prints the commands of a man page: the lines between .nf or .EX and the end of
# that example, and titles in bold.
commands_of_man() {
	sed -n '/^\.SH EXAMPLE/,/^\.SH [^E]/p' "$1" | sed 's/\\-/-/g' |
		sed 's/^\.B \(weft-[a-z]* \)/\1/' |
		grep -E "$is_command"
}

# Makes a folder like a reader's: the sources with ./install and ./build.
set_up() {
	local f
	mkdir "$dir/top"
	cd "$dir/top" || exit 1
	ln -s "$builddir" build
	for f in bench examples share; do ln -s "$top_srcdir/$f" $f; done
	make -s -C "$builddir" install DESTDIR="$dir/moved" > "$dir/log" 2>&1 ||
		{ tail "$dir/log"; exit 1; }
	f=$(dirname "$(find "$dir/moved" -name mpicc)")
	ln -s "${f%/bin}" install
	PATH=$PWD/install/bin:$PATH
	export FI_PROVIDER_PATH=$PWD/install/lib/libfabric
	awk '/^```c/ { on = 1; next } /^```/ { on = 0 } on' \
		"$top_srcdir/README.md" > hello.c
	mpicc -o program hello.c || exit 1
	for f in hello manager worker a.out app other; do cp program $f; done
	osu_tables > tables.txt
}

# Writes tables in the form that OSU's benchmarks print, for weft-calibrate.
osu_tables() {
	echo "# OSU MPI Latency Test v7.3"
	echo "# Size          Latency (us)"
	printf '%s %s\n' 0 1.20 8 1.22 64 1.25 1024 1.60 8192 3.10 65536 9.80 \
		1048576 98.5
	echo "# OSU MPI Bandwidth Test v7.3"
	echo "# Size      Bandwidth (MB/s)"
	printf '%s %s\n' 8 25.1 1024 2450 65536 10400 1048576 11600
}

# Prints a command with smaller arguments, since some commands take minutes.
shorter() {
	case $1 in
	LONG=*) echo "${1#LONG=* }" ;;
	*weft-sim*--replay* | weft-sim*--calls*)
		sed 's/ranks=[0-9]\{3,\}/ranks=64/' <<< "$1" ;;
	weft-sim*--new*) echo "$1" ;;
	weft-sim*) echo "$1 --warm 1us --time 2us" ;;
	weft-reproduce*bgq*) echo "$1 --only BGQ-T1-HW" ;;
	# test/tools/sim_tools.sh runs all experiments of these machines
	weft-reproduce*qsnet2*) echo "$1 --only QSN-T2" ;;
	weft-reproduce*sunway*) echo "$1 --only SWE-X" ;;
	weft-reproduce*gemini*) echo "$1 --only GEM-X-HOP" ;;
	weft-reproduce*apenet*) echo "$1 --only APE-X-HOST" ;;
	*) echo "$1" ;;
	esac
}

# Returns whether a command with hosts can run; pages call the other hosts host1
# and host2.
have_hosts() {
	need_part mpirun.openmpi || return
	bash "$top_srcdir/test/hosts" 1 true && return
	skip_part "test/hosts cannot create virtual hosts here"
	return 1
}

# try COMMAND: runs a command for at most 100 s, and checks that the exit code
# is 0, or the code that the page states.
try() {
	local cmd want=0 got on=
	case $1 in
	./quickstart*) echo "not run, CI runs it: $1"; return ;;
	bench/*) echo "not run, it takes minutes: $1"; return ;;
	*osu_*) echo "not run, it needs OSU's programs: $1"; return ;;
	# a file that must be refused, as the page shows
	weft-sim*./ring) echo "not run, the page prints its error: $1"; return ;;
	weft-calibrate*--plot*) need_part gnuplot || return ;;
	srun*) echo "test/run/run_launchers.sh runs it: $1"; return ;;
	weft-reproduce\ all*)
		echo "test/tools/sim_tools.sh runs it with --quick: $1"
		return
		;;
	fi_pingpong*) pingpong "$1"; return ;;
	mpiexec*--survive*' -host '*)
		echo "test/multihost/hosts_survive.sh runs such jobs: $1"
		return
		;;
	mpiexec*'-launcher ssh'*)
		echo "test/multihost/hosts_spawn.sh runs such jobs: $1"
		return
		;;
	*/weft-doc/examples/* | *./hello2)
		echo "packaging/debian.sh runs it: $1"
		return
		;;
	export*) eval "$1"; return ;;
	mpiexec*' -host host1'* | mpiexec*HOSTS_FILE*)
		have_hosts || return
		on="bash $top_srcdir/test/hosts 2" ;;
	mpirun.openmpi*) need_part mpirun.openmpi mpicc.openmpi || return ;;
	weft-sim*--plot* | weft-sim*--heat*) need_part gnuplot || return ;;
	# the file has faster links than the paper: the page states that the
	# results change
	weft-reproduce*./fast*) want=1 ;;
	*'# exit code '*) want=${1##*# exit code } ;;
	esac
	cmd=$(shorter "$1")
	timeout -k 5 100 $on bash -c "$cmd" > "$dir/out" 2> "$dir/err" \
		< /dev/null 9<&-
	got=$?
	[ $got = $want ] || {
		complain "exit code $got: $cmd"
		tail -n 10 "$dir/err"
		return
	}
	tried=$((tried + 1))
	echo "ok: $cmd"
}

# compare PAGE COMMAND: checks that the output contains every line that the page
# prints below the command; in virtual time the output is the same in every run.
compare() {
	local line
	[[ $2 == *' --machine '* && $2 != *./ring ]] || return
	while IFS= read -r line; do
		grep -qxF -- "$line" "$dir/out" "$dir/err" ||
			complain "$1 prints for $2: $line"
	done < <(awk -v start="    \$ $2" '
		on && /^    [^$]/ { print substr($0, 5); next }
		{ on = $0 == start }' "$top_srcdir/$1")
}

# fi_pingpong: server and client are two commands of the page; both use a free
# port.
server=
port=$((26100 + $$ % 5000))
listens() { grep -q "$(printf ':%04X 00000000:0000 0A' $port)" /proc/net/tcp; }
pingpong() {
	if [ -z "$server" ]; then
		while listens; do port=$((port + 1)); done
		timeout -k 5 60 $1 -B $port > "$dir/server" 2>&1 &
		server=$!
		wait_for listens
		return
	fi
	timeout -k 5 60 ${1% *} -P $port ${1##* } > "$dir/out" 2>&1 ||
		complain "exit code $?: $1: $(tail -n 5 "$dir/out")"
	wait $server || complain "exit code $? of the server of $1"
	server=
	tried=$((tried + 2))
	echo "ok: both ends of $1"
}

# try_page PAGE LEAST: runs all commands of the page, which must have at least
# LEAST commands. With compared=yes the output must contain what the page
# prints.
try_page() {
	local list
	tried=0
	case $1 in
	*.md) list=$(commands_of_text "$top_srcdir/$1") ;;
	*) list=$(commands_of_man "$top_srcdir/$1") ;;
	esac
	echo "== $1"
	# a lock, since two pages must not build the same programs at the same
	# time
	exec 9< "$builddir/bench"
	[[ $list != *'make -C build'* ]] || flock 9
	while IFS= read -r cmd; do
		[ -z "$cmd" ] || try "$cmd"
		[ -z "$compared" ] || compare "$1" "$cmd"
	done <<< "$list"
	[ "$tried" -ge "$2" ] || [ -n "$skipped" ] ||
		complain "$1: $tried commands, $2 were expected at least"
	exec 9<&-
}
