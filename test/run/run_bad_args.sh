#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Arguments that mpiexec refuses before a job starts: invalid host lists, files
# that cannot be written or would overwrite a file of the user; and the exit
# code of a job whose report cannot be written at the end.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
build_hello || exit 1

# refused PATTERN ARGUMENTS...: checks for exit code 125 and a message of one
# line that matches, and that no rank has run
refused() {
	local pattern=$1
	shift
	run 125 "$@" "$hello"
	last "$pattern"
	[ "$(wc -l < "$dir/err")" = 1 ] || complain "$*: more than one line"
	[ ! -s "$dir/out" ] || complain "$*: the job ran"
}

# ---- hosts
refused "^mpiexec: -host h:abc: host h: 'abc' is not a number of slots; it must be 1 to" -host h:abc
refused "'-5' is not a number of slots" -host h:-5
refused "'99999999999' is not a number of slots" -host h:99999999999
refused "^mpiexec: -host '': a host without a name" -host ''
refused "-host a,,b: a host without a name" -host a,,b
printf 'localhost\nh slots=many\n' > "$dir/hosts"
refused "-f $dir/hosts, line 2: host h: 'many' is not a number" -f "$dir/hosts"
printf 'localhost slot=2\n' > "$dir/hosts"
refused "line 1: host localhost: 'slot=2' is not one of slots=N" -f "$dir/hosts"
: > "$dir/hosts"
refused 'no host in the list' --hostfile "$dir/hosts"
refused '-stdin 2: the job has ranks 0 to 1' -n 2 -stdin 2
refused '--cpu-set two: a list of processors' --cpu-set two

# a host name of the maximum length that the kernel allows
long=$(printf 'h%063d' 7)
if unshare -Uru true 2> /dev/null; then
	timeout 30 unshare -Uru sh -c 'echo "$1" > /proc/sys/kernel/hostname
		shift; exec "$@"' sh "$long" "$mpiexec" -n 1 -host "$long" sh -c \
		'kill -9 $$' > "$dir/out" 2> "$dir/err"
	[ $? = 137 ] || complain "a host name of 64 characters: no 137"
	last "on node $long exited on signal 9"
else
	skip_part "no user namespaces"
fi

# ---- files
cp "$hello" "$dir/prog"
echo 'int main(void) { return 0; }' > "$dir/prog.c"
mkdir "$dir/full.otf2"
touch "$dir/full.otf2/traces.otf2"
refused "--report-html $dir/prog: .*executable file" --report-html "$dir/prog"
refused '--report-html .*not written by this program' --report-html "$dir/prog.c"
refused '--report-file .*not written by this program' --report-file "$dir/prog.c"
cmp -s "$hello" "$dir/prog" || complain "a program was overwritten"
refused '--report-file .*directory .*/none/: No such file' --report-file "$dir/none/r"
refused '--report-file /dev/full: No space' --report-file /dev/full
refused "--report-file '': the name is empty" --report-file ''
refused '--trace .*: the name of a trace ends in .json .* or .otf2' \
	--trace "$dir/foo.xyz"
refused '--trace .*: directory .*/none/: No such' --trace "$dir/none/t.json"
refused '--trace .*: this is a directory' --trace "$(mkdir "$dir/d.json" && echo "$dir/d.json")"
if [ -e "$builddir/.libs/libweft-otf2.so" ]; then
	refused '--trace .*: the directory is not empty; remove it' \
		--trace "$dir/full.otf2"
fi
# without the OTF2 library: a copy of mpiexec in another folder does not find it
cp "$builddir/.libs/mpiexec" "$dir/mpiexec" 2> /dev/null || cp "$mpiexec" "$dir/mpiexec"
(
	mpiexec=$dir/mpiexec
	refused '--trace .*: this Weft was built without libotf2' --trace "$dir/x.otf2"
	exit $failed
) || failed=1
[ ! -e "$dir/x.otf2" ] || complain "an archive was created"

# Weft can write to streams, and replaces files that it has written itself
run 0 -n 2 --report-file /dev/stdout "$hello"
grep -q '^report: 2 ranks' "$dir/out" || complain "no report on /dev/stdout"
run 0 -n 2 --report-html /dev/null --trace /dev/null --report-file /dev/null "$hello"
mkfifo "$dir/pipe"
cat "$dir/pipe" > "$dir/copy" &
reader=$!
run 0 -n 2 --trace "$dir/pipe" "$hello"
wait $reader
grep -q displayTimeUnit "$dir/copy" || complain "no trace from a pipe"
rm "$dir/pipe"
for i in 1 2; do
	run 0 -n 2 --report-html "$dir/p.html" --trace "$dir/t.json" \
		--report-file "$dir/r" "$hello"
done
[ -s "$dir/p.html" ] && [ -s "$dir/t.json" ] && [ -s "$dir/r" ] ||
	complain "a file is missing"

# ---- a folder that is removed during the job: exit code 123, unless the
# program failed
mkdir "$dir/gone"
run 123 -n 1 --report-file "$dir/gone/r" sh -c "rmdir '$dir/gone'; '$hello'"
grep -q 'cannot write .*/gone/r: No such' "$dir/err" || complain "not reported"
mkdir "$dir/gone"
run 123 -n 1 --trace "$dir/gone/t.json" sh -c "rmdir '$dir/gone'; '$hello'"
mkdir "$dir/gone"
run 7 -n 1 --report-html "$dir/gone/p.html" sh -c \
	"rmdir '$dir/gone'; '$hello'; exit 7"

# ---- the other programs
# refuses CODE PATTERN COMMAND...: checks the exit code and the message
refuses() {
	local code=$1 pattern=$2
	shift 2
	timeout 30 "$@" > "$dir/out" 2> "$dir/err" < /dev/null
	[ $? = "$code" ] || complain "$*: not $code"
	last "$pattern"
	[ ! -s "$dir/out" ] || complain "$*: the program ran"
}
refuses 2 "--html $dir/prog: .*executable" "$builddir/weft-reproduce" bgq --html "$dir/prog"
refuses 2 '--html .*: directory' "$builddir/weft-reproduce" bgq --html "$dir/none/x"
refuses 2 "--html $dir/prog: .*executable" "$builddir/weft-sim" -m bgq:2x2x2x2x2 \
	--html "$dir/prog"
refuses 1 "$dir/prog: .*executable" "$builddir/weft-page" --check "$dir/prog"
cmp -s "$hello" "$dir/prog" || complain "a program was overwritten"
nothing_left
end
