#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the same hello-world binary under mpiexec, Open MPI's mpirun and Slurm's
# srun --mpi=pmix, and a binary linked with Open MPI under Weft's mpiexec.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

build_hello || exit 1
for file in run/run_spawn_error mpi/session/session; do
	${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" \
		-I"$top_srcdir/test/mpi" "$top_srcdir/test/$file.c" \
		-o "$dir/${file##*[/_]}" -L"$builddir/.libs" -lmpi_abi \
		-Wl,-rpath,"$builddir/.libs" || exit 1
done
mv "$dir/error" "$dir/spawn"

# greets NAME N COMMAND...: checks that the command starts N ranks, which print
# their numbers
greets() {
	local name=$1 n=$2 want
	shift 2
	want=$(for i in $(seq 0 $((n - 1))); do echo "rank $i of $n"; done | sort)
	timeout -k 2 60 "$@" > "$dir/out" 2> "$dir/err" < /dev/null ||
		complain "$name: exit code $?: $(tail -n 5 "$dir/err")"
	[ "$(grep '^rank' "$dir/out" | sort)" = "$want" ] ||
		complain "$name: $(cat "$dir/out")"
	echo "$name: $n ranks"
}

greets mpiexec 4 "$mpiexec" -n 4 "$hello"

if need_part mpirun.openmpi mpicc.openmpi; then
	greets mpirun.openmpi 4 mpirun.openmpi --oversubscribe -n 4 "$hello"
	greets 'mpirun.openmpi, virtual time' 4 env FI_WEFT_MACHINE=bgq \
		FI_WEFT_CLOCK=virtual mpirun.openmpi --oversubscribe -n 4 "$hello"
	mpicc.openmpi "$top_srcdir/test/run/run_hello.c" -o "$dir/foreign" &&
		greets "Open MPI's hello under mpiexec" 4 \
			"$mpiexec" -n 4 "$dir/foreign" ||
		complain "mpicc.openmpi"
fi

# Files: shared file pointers and atomic mode with ranks of other launchers.
files=$dir/files
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" \
	-I"$top_srcdir/test/mpi" "$top_srcdir/test/mpi/file/file_shared.c" \
	-o "$files" -L"$builddir/.libs" -lmpi_abi \
	-Wl,-rpath,"$builddir/.libs" || exit 1

# shares NAME COMMAND...: checks that the program's ranks, started by the
# command, share a file correctly
shares() {
	local name=$1
	shift
	timeout -k 2 60 "$@" "$files" 2 1 "$TMPDIR" > "$dir/out" 2>&1 \
		< /dev/null || complain "$name: files: $(tail -n 5 "$dir/out")"
}
if need_part mpirun.openmpi; then
	shares mpirun.openmpi mpirun.openmpi --oversubscribe -n 4
fi

# Slurm on this host alone: its own daemons, identified by their pid files,
# with their own directories and ports.
port() { # a free port, from a start that differs between runs, where
	# ports that test/ofi/ofi_pingpong.sh does not use
	local p=$((26001 + ($$ * 7 + $1 * 501) % 6000))
	while (exec 3<> "/dev/tcp/127.0.0.1/$p") 2> /dev/null; do p=$((p + 1)); done
	echo $p
}

stop_slurm() {
	local f pid
	for f in slurmd slurmctld munged; do
		pid=$(cat "$dir/$f.pid" 2> /dev/null) || continue
		kill "$pid" 2> /dev/null
		for _ in $(seq 50); do
			kill -0 "$pid" 2> /dev/null || break
			sleep 0.1
		done
		kill -KILL "$pid" 2> /dev/null
	done
	rm -rf "$dir"
}

start_munge() {
	mkdir -p "$dir/munge"
	chmod 755 "$dir"
	dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 2> /dev/null
	chown -R munge: "$dir/munge"
	chmod 700 "$dir/munge"
	chmod 400 "$dir/munge/key"
	mkdir "$dir/run"
	chown munge: "$dir/run"
	setpriv --reuid munge --regid munge --clear-groups munged --force \
		--key-file="$dir/munge/key" --socket="$dir/run/socket" \
		--pid-file="$dir/run/pid" --log-file="$dir/munge/log" \
		--seed-file="$dir/munge/seed" || return 1
	wait_for test -s "$dir/run/pid" && cp "$dir/run/pid" "$dir/munged.pid"
}

start_slurm() {
	local name
	name=$(hostname -s)
	export SLURM_CONF=$dir/slurm.conf
	cat > "$SLURM_CONF" <<END
ClusterName=weft$$
SlurmctldHost=$name(127.0.0.1)
SlurmUser=root
SlurmctldPort=$(port 1)
SlurmdPort=$(port 2)
AuthType=auth/munge
AuthInfo=socket=$dir/run/socket
CryptoType=crypto/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
SelectType=select/cons_tres
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:32
END
	mkdir -p "$dir/state" "$dir/spool"
	slurmctld && slurmd || return 1
	wait_for sh -c 'sinfo -h -o %t 2> /dev/null | grep -q idle'
}

# slurmd starts only where a cgroup file system is mounted.
if [ "$(stat -fc %T /sys/fs/cgroup 2> /dev/null)" = sysfs ]; then
	skip_part "no cgroup file system: srun is not tested"
elif [ "$(id -u)" != 0 ]; then
	skip_part "not root: srun is not tested"
elif need_part slurmctld slurmd srun munged; then
	trap stop_slurm EXIT
	if start_munge && start_slurm; then
		greets 'srun --mpi=pmix' 2 srun --mpi=pmix -n 2 --overcommit "$hello"
		greets 'srun --mpi=pmix' 4 srun --mpi=pmix -n 4 --overcommit "$hello"
		greets 'srun, virtual time' 4 env FI_WEFT_MACHINE=bgq \
			FI_WEFT_CLOCK=virtual srun --mpi=pmix -n 4 \
			--overcommit "$hello"
		# Slurm cannot spawn processes, which is reported; sessions
		# work, since they need only PMIx
		timeout -k 2 60 srun --mpi=pmix -n 2 --overcommit \
			"$dir/spawn" > "$dir/out" 2> "$dir/err" < /dev/null ||
			complain "spawn under srun: exit code $?"
		[ "$(grep -c 'MPI_ERR_SPAWN: .*cannot start processes' \
			"$dir/out")" = 2 ] ||
			complain "spawn under srun: $(cat "$dir/out" "$dir/err")"
		timeout -k 2 60 srun --mpi=pmix -n 3 --overcommit \
			"$dir/session" ifs > "$dir/out" 2>&1 < /dev/null ||
			complain "sessions under srun: $(cat "$dir/out")"
		shares 'srun --mpi=pmix' srun --mpi=pmix -n 4 --overcommit
	else
		complain "Slurm does not start"
		tail -n 5 "$dir"/*.log "$dir/munge/log"
	fi
fi
end
