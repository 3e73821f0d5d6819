#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Jobs for other hosts: which launcher starts them, and how it gets mpiexec's
# options. The launchers are scripts that print their arguments, one on each
# line.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES SLURM_NTASKS
bin=$dir/bin
mkdir "$bin" "$dir/none"
for tool in true sh env timeout sleep; do
	ln -s "$(type -P $tool)" "$dir/none/"
done

# engine NAME VERSION: creates a launcher script that prints its arguments and,
# if they are set, the variables E and FI_WEFT_CARRIER, and stores its
# environment in $dir/env. If the variable RUN_SH is set, it also runs the
# command in its arguments that begins with "sh".
engine() {
	cat > "$bin/$1" << END
#!/bin/sh
[ "\$1" = --version ] && { echo "$2"; exit 0; }
echo "\${0##*/}"
env > "$dir/env"
for w; do printf '%s\n' "\$w"; done
[ -z "\$E" ] || echo "E is \$E"
[ -z "\$FI_WEFT_CARRIER" ] || echo "carrier \$FI_WEFT_CARRIER"
[ -z "\$RUN_SH" ] || while [ \$# -gt 0 ]; do
	[ "\$1" = sh ] && { "\$@"; break; }
	shift
done
exit 9
END
	chmod +x "$bin/$1"
}

# gives "WORDS" ARGUMENTS...: checks that mpiexec with these ARGUMENTS calls the
# launcher with these WORDS. The environment has three variables besides PATH,
# of which a login sets HOME.
gives() {
	local want=$1 got
	shift
	got=$(env -i PATH="$bin:$dir/none" HOME=/nowhere COLOR=red TEST_MARK="$mark" \
		$slurm "$mpiexec" "$@" 2> "$dir/err" < /dev/null)
	[ $? = 9 ] || complain "mpiexec $*: the exit code of the launcher is lost"
	got=$(echo $got)
	# Open MPI requires this option if the user is root
	got=${got/ --allow-run-as-root/}
	got=${got// -x TEST_MARK/}
	# this option is present if there are several hosts, and is checked
	# below
	got=${got// -x WEFT_JOB_NETWORK/}
	[ "$got" = "$want" ] && return
	complain "mpiexec $*: the launcher got"
	echo "$got"
	echo "and not"
	echo "$want"
	cat "$dir/err"
}

# has K=V...: checks that the environment of the launcher has these variables
has() {
	local pair
	for pair; do
		grep -qxF -- "$pair" "$dir/env" || complain "the launcher's environment has no $pair"
	done
}

# refuses PATTERN ARGUMENTS...: checks for exit code 125 and a message that
# matches
refuses() {
	local pattern=$1
	shift
	env -i PATH="${path:-$bin:$dir/none}" TEST_MARK="$mark" $slurm \
		"$mpiexec" "$@" > "$dir/out" 2> "$dir/err" < /dev/null
	[ $? = 125 ] || complain "mpiexec $*: not refused with 125"
	last "$pattern"
}

# stderr_has PATTERN: checks that a line of stderr matches
stderr_has() {
	[ "$(grep -cE -- "$1" "$dir/err")" = 1 ] && return
	complain "not one line \"$1\":"
	cat "$dir/err"
}

slurm=
true=$dir/none/true
vars="-x PATH -x COLOR"

# no launcher is installed, or mpirun is only another name of this program
needs="host a: 'ssh a' ended .*a login by ssh .*and Weft, installed as /"
path=$dir/none refuses "$needs" -host a true
stderr_has '^mpiexec: cannot execute ssh: No such file'
# tests remote shells whose output ends before or after their exit, and one
# whose daemon answers after the job has ended
remote_shell() {
	mkdir -p "$dir/shell"
	printf '#!/bin/sh\n%s\n' "$1" > "$dir/shell/ssh"
	chmod +x "$dir/shell/ssh"
}
remote_shell 'exec >&-; sleep 0.3; exit 7'
path=$dir/shell:$dir/none refuses "$needs" -host a true
remote_shell 'sleep 0.5 & exit 7'
path=$dir/shell:$dir/none refuses "$needs" -host a true
remote_shell "[ \$1 = a ] || exit 7
trap '' TERM
sleep 0.5
shift
sh -c \"\$*\""
path=$dir/shell:$dir/none refuses "host b: .ssh b. ended with exit code 7 before" -host a,b sleep 20
ln -s "$mpiexec" "$bin/mpirun"
refuses "$needs" -host a true
rm "$bin/mpirun"
engine mpirun "HYDRA build details: Version: 4.0.2"
refuses "$needs" -host a true
slurm="SLURM_JOB_ID=1 SLURM_JOB_NODELIST=a"
path=$dir/none refuses "the job's hosts are not known: .*use -host" true
slurm=
refuses 'Slurm.s srun is not in PATH; install Slurm.*-launcher ssh' \
	-launcher srun true

# a job on this host needs no launcher
run 0 -n 2 -host localhost true
run 0 -n 2 -host "$(hostname)",localhost:3 true
SLURM_JOB_ID=1 SLURM_JOB_NODELIST=$(hostname) run 0 -n 2 true
SLURM_JOB_ID=1 SLURM_JOB_NODELIST=a,b run 0 -n 2 -host localhost true
SLURM_JOB_ID=1 SLURM_JOB_NODELIST=a,b run 0 -launcher fork -n 2 true

# options that do not work on several hosts
refuses 'virtual time needs all ranks on one host' -host a --machine bgq true
refuses 'virtual time needs all ranks on one host' -host a \
	-x FI_WEFT_CLOCK=virtual true
refuses 'host a is not this host' -host a -launcher fork true
refuses 'not possible in a live job on one host' --faults reorder=0.1 true

# mpirun of Open MPI 4
engine mpirun "mpirun (Open MPI) 4.1.4"
orte="mpirun --host a:2,b:1 --oversubscribe"
gives "$orte -n 3 $vars $true" -host a:2,b true
stderr_has "^mpiexec: Open MPI's mpirun starts the job \($bin/mpirun\)$"
[ "$(wc -l < "$dir/err")" = 1 ] || complain "more than one line"
gives "$orte -n 3 $vars $true" -q -host a:2,b true
[ -s "$dir/err" ] && complain "output on stderr with -q"
printf 'a slots=2 # first\n\nb:1\n' > "$dir/file"
gives "$orte -n 5 $vars $true -n 1" --hostfile "$dir/file" -n 5 true -n 1
gives "$orte -n 3 $vars -x A -x B -x C ./prog x" -host a:2,b \
	-x A=1 -genv B=0 -genv B=2 -env C "3;4" ./prog x
has A=1 B=2 'C=3;4' WEFT_JOB_NETWORK=1
gives "mpirun --host a:2 --oversubscribe -n 2 $vars ./prog" -host a:2 ./prog
grep -q WEFT_JOB_NETWORK "$dir/env" && complain "one host is not a network"
gives "$orte -n 3 -x COLOR -x A ./prog" -host a:2,b -genvlist COLOR \
	-x A=1 ./prog
has A=1
gives "$orte -n 3 -x HOME ./prog" -host a:2,b -genvlist HOME ./prog
gives "$orte -n 3 $vars -x FI_WEFT_CARRIER ./prog carrier loop" -host a:2,b \
	-x FI_WEFT_CARRIER=loop ./prog
gives "$orte -n 3 --wdir /tmp $vars -x FI_WEFT_MACHINE -x \
FI_WEFT_CLOCK -x FI_WEFT_FAULTS -x FI_WEFT_IFACE \
./prog" -host a:2,b -wdir /tmp --machine gemini --clock live \
	--faults "seed=1;loss=0.1" --iface eth1 ./prog
has FI_WEFT_MACHINE=gemini FI_WEFT_CLOCK=live 'FI_WEFT_FAULTS=seed=1;loss=0.1' \
	FI_WEFT_IFACE=eth1
# a shell in front of the program sets variables of a single program, and
# variables that would affect the launcher itself
shell='sh -c R=$WEFT_SET_0_R; export R; unset WEFT_SET_0_R; exec "$0" "$@"'
gives "$orte -n 1 $vars ./m : -n 4 $vars -x WEFT_SET_0_R $shell ./w" -host a:2,b \
	-n 1 ./m : -n 4 -env R w ./w
has WEFT_SET_0_R=w
grep -q '^R=' "$dir/env" && complain "a variable of one context is set in all contexts"

# the values of variables must not be in the command line, which every user can
# read
printf '%s\n' '-n 1 -env FI_WEFT_KEY hidden1 -env LD_HIDDEN hidden2 sh -c "echo of rank: $FI_WEFT_KEY $LD_HIDDEN"' \
	'-n 1 -env FI_WEFT_KEY hidden3 ./w' > "$dir/config"
for engine in "mpirun (Open MPI) 4.1.4" "prterun (PRRTE) 3.0.8"; do
	rm -f "$bin/mpirun"
	engine "${engine%% *}" "$engine"
	for words in "-configfile $dir/config" \
		'-x A=hidden4 -genv B hidden5 -x PATH=hidden6 ./prog'; do
		env -i PATH="$bin:$dir/none" TEST_MARK="$mark" RUN_SH=1 "$mpiexec" \
			-v -host a,b $words > "$dir/out" 2> "$dir/err"
		grep -v '^of rank:' "$dir/out" "$dir/err" | grep hidden &&
			complain "$engine $words: a value is visible"
		grep -q hidden "$dir/env" || complain "$words: a value is lost"
		case $words in
		*config*) grep -qx 'of rank: hidden1 hidden2' "$dir/out" ||
			complain "the rank has other values: $(cat "$dir/out")" ;;
		esac
	done
	rm -f "$bin/prterun"
done
# the same with the real Open MPI: the rank reads the command lines of all
# processes
if need_part mpirun.openmpi; then
	cat > "$dir/look" << 'END'
for f in /proc/[0-9]*/cmdline; do
	case $(tr '\0' ' ' < "$f") in
	*"$FI_WEFT_KEY"* | *"$LD_HIDDEN"*) tr '\0' ' ' < "$f" ;;
	esac
done 2> /dev/null
echo "rank $FI_WEFT_KEY $LD_HIDDEN"
END
	echo "-n 1 -env FI_WEFT_KEY hidden$$ -env LD_HIDDEN also$$ bash $dir/look" \
		> "$dir/config"
	echo "-n 1 true" >> "$dir/config"
	run 0 -launcher mpirun -configfile "$dir/config"
	out "rank hidden$$ also$$"
fi
engine mpirun "mpirun (Open MPI) 4.1.4"
gives "$orte --tag-output --stdin all -n 3 $vars ./prog" -host a:2,b -l \
	-stdin all ./prog
gives "$orte --tag-output --timestamp-output --merge-stderr-to-stdout \
--output-filename d --stdin none -n 3 $vars ./prog" -host a:2,b \
	--output tag,timestamp,merge,dir=d -stdin none ./prog
gives "mpirun --mca plm_rsh_agent my rsh --mca x y --prefix /p --host a:1,b:1 \
--map-by ppr:2:node --nooversubscribe --bind-to core --report-bindings -n 4 $vars \
valgrind -q ./prog" -host a,b -ppn 2 --nooversubscribe -bind-to core \
	--report-bindings -launcher-exec "my rsh" --mca x y --prefix /p \
	-wrapper "valgrind -q" ./prog
[ "$(wc -l < "$dir/err")" = 1 ] || complain "options that are passed on are reported as without effect"
gives "$orte -n 3 $vars ./prog" -host a:2,b -prepend-pattern x --report ./prog
stderr_has '^mpiexec: -prepend-pattern has no effect: Open MPI.s mpirun has no such option'
stderr_has '^mpiexec: --report has no effect'
refuses "--trace: Open MPI's mpirun cannot write the file" -host a --trace t.json true
refuses '--report-file: .*jobs on one host' -host a --report-file r true
gives "$orte -n 3 $vars ./prog" -v -host a:2,b ./prog
stderr_has "^mpiexec: the command is $bin/mpirun .* ./prog$"
gives "$orte -n 3 $vars ./prog" -timeout 40 -host a:2,b ./prog
refuses 'has no file patterns for ranks' -host a -outfile-pattern o.%r true
gives "mpirun --oversubscribe -n 1 $vars ./prog" -launcher mpirun ./prog

# a job that exceeds its time limit ends with mpiexec's own exit code
printf '#!/bin/sh\n[ "$1" = --version ] && { echo "(Open MPI) 4"; exit; }
exec sleep 1000\n' > "$bin/mpirun"
env -i PATH="$bin:$dir/none" TEST_MARK="$mark" "$mpiexec" -host a -timeout 0.2 \
	true 2> "$dir/err"
[ $? = 124 ] || complain "a time-out does not give 124"

# after ranks have ended with an error, mpirun waits for a host that does not
# answer: mpiexec ends mpirun, even if it ignores SIGTERM; messages of mpirun
# itself are not checked
cat > "$bin/mpirun" << 'END'
#!/bin/sh
[ "$1" = --version ] && { echo "(Open MPI) 4"; exit; }
echo "[1,0]<stderr>:weft: rank 0 on a (pid 15): MPI_Recv: a peer process has ended" >&2
trap 'echo crash >&2' TERM
sleep 1000 &
while :; do wait; done
END
SECONDS=0
env -i PATH="$bin:$dir/none" TEST_MARK="$mark" "$mpiexec" -q -host a true \
	2> "$dir/err"
[ $? = 1 ] || complain "a launcher that waits: not 1"
[ $SECONDS -ge 5 ] && [ $SECONDS -lt 60 ] || complain "ended after $SECONDS s"
last "^mpiexec: rank 0 on a has ended the job, but Open MPI's mpirun still waits after 5 s"
grep -q 'weft: rank 0 on a' "$dir/err" || complain "the rank's line is lost"
kill $(leftovers) 2> /dev/null # its sleep

# mpiexec forwards signals to the launcher; if a signal kills the launcher, it
# determines mpiexec's exit code
printf '#!/bin/sh\n[ "$1" = --version ] && { echo "(Open MPI) 4"; exit; }
echo up; exec sleep 1000\n' > "$bin/mpirun"
env -i PATH="$bin:$dir/none" TEST_MARK="$mark" "$mpiexec" -q -host a true \
	> "$dir/up" 2> "$dir/err" &
pid=$!
wait_for test -s "$dir/up"
kill -TERM $pid
ended $pid
[ "$got" = 143 ] || complain "SIGTERM: exit code $got"

# prterun, and mpirun of Open MPI 5
engine mpirun "mpirun (Open MPI) 5.0.7"
prte="--host a:2,b:1 --map-by :OVERSUBSCRIBE"
gives "mpirun $prte -n 3 $vars ./prog" -host a:2,b ./prog
rm "$bin/mpirun"
engine prterun "prterun (PRRTE) 3.0.8"
gives "prterun $prte --output rank,merge -n 3 $vars ./prog" -host a:2,b -l \
	--merge-stderr-to-stdout ./prog
stderr_has "^mpiexec: PRRTE's prterun starts the job"
gives "prterun --prtemca plm_ssh_agent r --host a:1,b:1 --map-by \
ppr:2:node:NOOVERSUBSCRIBE --display=bindings --output dir=d -n 4 $vars \
./prog" -launcher-exec r -host a,b -ppn 2 --nooversubscribe --report-bindings \
	--output-filename d ./prog
refuses 'install Open MPI' -launcher mpirun -host a true
engine mpirun.openmpi "mpirun.openmpi (OpenRTE) 4.1.4"
gives "mpirun.openmpi --host a:1 --oversubscribe -n 1 $vars ./prog" \
	-host a ./prog
gives "prterun --host a:1 --map-by :OVERSUBSCRIBE -n 1 $vars ./prog" \
	-launcher prterun -host a ./prog

# srun inside an allocation, with and without a list of hosts
engine srun
gives "mpirun.openmpi --host a:1 --oversubscribe -n 1 $vars ./prog" \
	-host a ./prog
slurm="SLURM_JOB_ID=1 SLURM_JOB_NODELIST=a[1-2] SLURM_JOB_NUM_NODES=2"
srun="srun --mpi=pmix --ntasks=2 --overcommit"
gives "$srun --input=0 ./prog" ./prog
stderr_has "^mpiexec: Slurm's srun starts the job \($bin/srun\)$"
gives "$srun --nodes=2 --nodelist=a1,a2 --input=0 ./prog E is 5,6" \
	-host a1,a2 -x E=5,6 ./prog
gives "srun --mpi=pmix --ntasks=6 --overcommit --ntasks-per-node=3 \
--cpu-bind=verbose,cores --label --output=o.%t --error=e.%N --input=all \
--chdir=/tmp ./prog" -ppn 3 --bind-to core --report-bindings -l \
	-outfile-pattern o.%r -errfile-pattern e.%h -stdin all -wdir /tmp ./prog
gives "srun --mpi=pmix --ntasks=2 --input=none \
--export=COLOR,E ./prog E is 1" -stdin none \
	-genvlist COLOR --nooversubscribe -x E=1 ./prog
gives "$srun --input=0 ./prog" --mca a b --timestamp-output ./prog
stderr_has '^mpiexec: --mca has no effect'
stderr_has "^mpiexec: --timestamp-output has no effect: Slurm's srun has no such option"
refuses 'srun --mpi=pmix --multi-prog FILE' -n 1 ./a : -n 1 ./b
refuses "host a1: 'ssh a1' ended" -launcher ssh -host a1 ./prog
rm "$bin/srun"
gives "mpirun.openmpi --oversubscribe -n 2 $vars ./prog" ./prog
nothing_left
end
