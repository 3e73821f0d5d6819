#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Slurm on two hosts of test/hosts: mpiexec inside an allocation starts the job
# with srun --mpi=pmix, and its ranks communicate. The daemons end with the
# hosts.
if [ -z "$HOSTS" ]; then
	for p in slurmctld slurmd srun salloc munged; do
		command -v $p > /dev/null || { echo "no $p"; exit 77; }
	done
	# slurmd starts only where a cgroup file system is mounted
	[ "$(stat -fc %T /sys/fs/cgroup 2> /dev/null)" != sysfs ] ||
		{ echo "no cgroup file system"; exit 77; }
	exec bash "$top_srcdir/test/hosts" 2 bash "$0"
fi
export builddir=${builddir:-$PWD}
. "$top_srcdir/test/run/run_lib.sh" || exit 1
# prints Slurm's output before the failure, so that the failure is the last line
complain() {
	[ $failed = 1 ] || tail -n 20 "$dir"/slurm*.log
	echo "FAILED: $*"
	failed=1
}
build_hello || exit 1
chmod 755 "$dir"
dd if=/dev/urandom of="$dir/key" bs=128 count=1 2> /dev/null
export SLURM_CONF=$dir/slurm.conf WEFT_KEY_FILE=$dir/weft_key
# Slurm's files are in /dev/shm, which is private to each host
cat > "$SLURM_CONF" << END
ClusterName=weft
SlurmctldHost=head
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=/dev/shm/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
SelectType=select/cons_tres
StateSaveLocation=/dev/shm/state
SlurmdSpoolDir=/dev/shm/spool
SlurmctldPidFile=/dev/shm/slurmctld.pid
SlurmdPidFile=/dev/shm/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
NodeName=host[1-2] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:32
END
echo "PMIxCliTmpDirBase=/dev/shm" > "$dir/mpi.conf"
cat > "$dir/munge" << END
mkdir -p /dev/shm/munge /dev/shm/state /dev/shm/spool
cp "$dir/key" /dev/shm/munge/key
chmod 400 /dev/shm/munge/key
chown -R munge: /dev/shm/munge
exec setpriv --reuid munge --regid munge --clear-groups munged --force \
	--key-file=/dev/shm/munge/key --socket=/dev/shm/munge/socket \
	--pid-file=/dev/shm/munge/pid --log-file=/dev/shm/munge/log \
	--seed-file=/dev/shm/munge/seed
END
two_idle() { [ "$(sinfo -h -N -o '%N %t' 2> /dev/null | grep -c idle)" = 2 ]; }
sh "$dir/munge" && slurmctld || { echo "no slurmctld"; exit 1; }
for h in $HOSTS; do
	$HOSTS_RSH "$h" "sh $dir/munge && SLURM_CONF=$SLURM_CONF slurmd -N $h" ||
		complain "no slurmd on $h"
done
wait_for two_idle || { tail -n 20 "$dir"/*.log; exit 1; }

# greets NAME N COMMAND...: checks a command that runs N ranks on both hosts, in
# an allocation
greets() {
	local what=$1 n=$2 want
	shift 2
	want=$(for i in $(seq 0 $((n - 1))); do echo "rank $i of $n"; done | sort)
	timeout 90 salloc -Q -N 2 -n "$n" --overcommit "$@" > "$dir/out" \
		2> "$dir/err" < /dev/null ||
		complain "$what: exit code $?: $(tail -n 5 "$dir/err")"
	[ "$(grep '^rank' "$dir/out" | sort)" = "$want" ] ||
		complain "$what: $(cat "$dir/out" "$dir/err")"
	echo "$what: $n ranks"
}

export FI_WEFT_IFACE=eth0
greets mpiexec 2 "$mpiexec" "$hello"
grep -q "Slurm's srun starts the job" "$dir/err" || complain "not srun"
greets mpiexec 4 "$mpiexec" -n 4 "$hello"
greets 'mpiexec, two on a host' 4 "$mpiexec" -ppn 2 "$hello"
greets 'mpiexec with a list' 4 "$mpiexec" -n 4 -host host1,host2 "$hello"
greets 'srun --mpi=pmix' 4 env FI_WEFT_CARRIER=sock srun --mpi=pmix -n 4 \
	--overcommit "$hello"
# a program whose ranks communicate
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" \
	-I"$top_srcdir/test/mpi" "$top_srcdir/test/mpi/coll/coll_mix.c" -o "$dir/mix" \
	-L"$builddir/.libs" -lmpi_abi -lm -Wl,-rpath,"$builddir/.libs" || exit 1
WEFT_LOCAL_CPUS=1 timeout 90 salloc -Q -N 2 -n 4 --overcommit "$mpiexec" \
	-x WEFT_LOCAL_CPUS "$dir/mix" 1 12 \
	> "$dir/out" 2>&1 < /dev/null || complain "coll_mix: $(cat "$dir/out")"
# a program that accesses a file on a file system shared by the hosts, launched
# by srun
${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" \
	-I"$top_srcdir/test/mpi" "$top_srcdir/test/mpi/file/file_shared.c" \
	-o "$dir/shared" -L"$builddir/.libs" -lmpi_abi \
	-Wl,-rpath,"$builddir/.libs" || exit 1
chmod 1777 "$TMPDIR"
timeout 90 salloc -Q -N 2 -n 4 --overcommit env FI_WEFT_CARRIER=sock \
	srun --mpi=pmix -n 4 --overcommit "$dir/shared" 2 1 "$TMPDIR" \
	> "$dir/out" 2>&1 < /dev/null || complain "file_shared: $(cat "$dir/out")"
# checks that the ranks run on the hosts of the allocation, and that they get
# the options
timeout 90 salloc -Q -N 2 -n 2 "$mpiexec" -l -x WORD=a,b -wdir /tmp sh -c \
	'echo $(hostname) $WORD $(pwd)' > "$dir/out" 2> "$dir/err" < /dev/null
[ "$(sort "$dir/out")" = "$(printf '0: host1 a,b /tmp\n1: host2 a,b /tmp')" ] ||
	complain "options: $(cat "$dir/out" "$dir/err")"
end
