#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests ranks, programs, environment and binding of jobs, and a job of a
# thousand ranks.
. "$top_srcdir/test/run/run_lib.sh" || exit 1

run 0 -n 4 "$client" init hello fence check fini
out 'rank 0 of 4
rank 1 of 4
rank 2 of 4
rank 3 of 4'

# several programs form one job
run 0 -n 1 -env ROLE a "$client" init hello fence check fini : \
	-n 2 "$client" init hello fence check fini
out 'rank 0 of 3
rank 1 of 3
rank 2 of 3'
printf '# two programs\n-n 2 echo "a  b"\n-n 1 echo c\n' > "$dir/conf"
run 0 -configfile "$dir/conf"
out 'a  b
a  b
c'

# environment
run 0 -n 2 -genv A 'x y' -x B=2 sh -c 'echo "$A|$B|$PMI_SIZE|$LOCAL_RANK"'
out 'x y|2|2|0
x y|2|2|1'
SECRET=1 run 0 -n 1 -genvlist PATH sh -c 'echo "<$SECRET>"'
out '<>'
run 0 -n 1 -env V a sh -c 'echo $V' : -n 1 -env V b sh -c 'echo $V'
out 'a
b'
run 0 -n 3 sh -c 'echo $WEFT_LOCAL_RANKS $OMPI_UNIVERSE_SIZE $MPI_LOCALNRANKS'
out '3 3 3
3 3 3
3 3 3'
run 0 -n 1 --machine bgq --clock live sh -c 'echo $FI_WEFT_MACHINE $FI_WEFT_CLOCK'
out 'bgq live'

# options for the working directory, the host, and a wrapper program
mkdir "$dir/w"
run 0 -n 1 -wdir "$dir/w" pwd
out "$dir/w"
run 0 -n 1 -host localhost:2 true
run 0 -n 1 -wrapper 'env WRAPPED=1' sh -c 'echo $WRAPPED'
out 1

# an option without effect is reported only once, and with -q not at all
run 0 -n 1 --mca btl tcp --mca pml ob1 true
[ "$(grep -c 'no effect' "$dir/err")" = 1 ] || complain "note: $(cat "$dir/err")"
run 0 -q -n 1 --mca btl tcp true
[ ! -s "$dir/err" ] || complain "-q is not quiet"
run 0 --oversubscribe -n 1 --allow-run-as-root --map-by :OVERSUBSCRIBE true

# binding: the report matches the kernel's mask
cpus=$(nproc)
run 0 -n "$cpus" --report-bindings sh -c 'sleep 0.2
	echo $PMI_RANK $(sed -n "s/Cpus_allowed_list:.//p" /proc/self/status)'
while read -r rank list; do
	grep -qE "rank $rank with .*: bound .*cpus $list\)" "$dir/err" ||
		complain "rank $rank is on $list, reported: $(cat "$dir/err")"
done < "$dir/out"
[ "$(sort -u -k2 "$dir/out" | wc -l)" = "$cpus" ] || complain "binding: $(cat "$dir/out")"
run 0 -n $((cpus + 1)) --report-bindings true
[ "$(grep -c 'not bound' "$dir/err")" = $((cpus + 1)) ] ||
	complain "ranks are bound although they outnumber the processors"

# no network at all: a fresh namespace, where even loopback is down
if unshare -n true 2> /dev/null; then
	timeout -k 2 20 unshare -n "$mpiexec" -n 2 "$client" init fence check fini \
		2> "$dir/err" || complain "without network: $(cat "$dir/err")"
else
	skip_part "unshare -n is not allowed"
fi

# few descriptors: the output collectors share them if there are enough,
# otherwise a message names the limit
(ulimit -n 128; run 0 -n 90 "$client" init fence fini; exit $failed) || failed=1
(ulimit -n 128; run 125 -n 200 true; last 'hard limit'; exit $failed) || failed=1

# emulates a host so loaded that PMIx stops retrying: no write succeeds when a
# rank exits
cat > "$dir/busy.c" << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>

static int leaving;

ssize_t writev(int fd, const struct iovec *iov, int n)
{
	ssize_t (*next)(int, const struct iovec *, int) =
		dlsym(RTLD_NEXT, "writev");

	errno = EAGAIN;
	return leaving ? -1 : next(fd, iov, n);
}

int PMIx_Finalize(const void *info, size_t n)
{
	int (*next)(const void *, size_t) = dlsym(RTLD_NEXT, "PMIx_Finalize");

	leaving = 1;
	return next(info, n);
}
END
build_hello && ${CC:-cc} -shared -fPIC "$dir/busy.c" -o "$dir/busy.so" || exit 1
run 0 -n 2 -x LD_PRELOAD="$dir/busy.so" "$hello"
[ ! -s "$dir/err" ] || complain "a busy host: $(head -n 3 "$dir/err")"

# mpiexec must not send a signal to a process group whose leader is reaped,
# since its number may be reused
cat > "$dir/kill.c" << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int kill(pid_t pid, int sig)
{
	int (*next)(pid_t, int) = dlsym(RTLD_NEXT, "kill");
	siginfo_t si;
	FILE *f;

	f = fopen(getenv("KILL_LOG"), "a");
	if (pid < -1)
		fprintf(f, "%s\n",
			waitid(P_PID, -pid, &si, WEXITED | WNOHANG | WNOWAIT) &&
			errno == ECHILD ? "unrelated" : "child");
	fclose(f);
	return next(pid, sig);
}
END
${CC:-cc} -shared -fPIC "$dir/kill.c" -o "$dir/kill.so" || exit 1
export KILL_LOG=$dir/kill.log
LD_PRELOAD=$dir/kill.so run 0 -n 4 sh -c 'exit 0'
LD_PRELOAD=$dir/kill.so run 3 -n 4 sh -c 'sleep 60 & [ $PMI_RANK = 2 ] && exit 3; wait'
grep -q child "$dir/kill.log" || complain "no group was ended"
grep -q unrelated "$dir/kill.log" && complain "a group was signalled too late"
# checks that "time mpiexec" counts the CPU time of ranks, of their children,
# and of killed ranks
cat > "$dir/burn.c" << 'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	while (clock() < CLOCKS_PER_SEC / 4)
		;
	if (argc > 2) {
		fclose(fopen(argv[2], "w"));
		pause();
	}
	while (argc > 1 && access(argv[1], F_OK))
		usleep(1000);
	return argc > 1 ? 3 : 0;
}
END
${CC:-cc} "$dir/burn.c" -o "$dir/burn" || exit 1
# used_cpu CODE ARGUMENTS...: checks that the CPU time of two ranks is counted,
# each of which uses 0.25 s
used_cpu() {
	local TIMEFORMAT='%U %S' all
	{ time run "$@"; } > "$dir/messages" 2> "$dir/time"
	cat "$dir/messages"
	awk '{ exit $1 + $2 < 0.49 }' "$dir/time" ||
		complain "CPU time: $(cat "$dir/time") of $*"
}
used_cpu 0 -n 2 "$dir/burn"
used_cpu 0 -n 2 sh -c "$dir/burn & wait"
used_cpu 3 -n 1 "$dir/burn" "$dir/ready" : -n 1 "$dir/burn" - "$dir/ready"

# a thousand ranks: correct output, no errors, fewer than 1024 descriptors
"$mpiexec" -n 1000 "$hello" > "$dir/out" 2> "$dir/err" < /dev/null &
pid=$!
most=0
while kill -0 $pid 2> /dev/null; do
	n=$(ls "/proc/$pid/fd" 2> /dev/null | wc -l)
	[ "$n" -gt "$most" ] && most=$n
	sleep 0.1
done
wait $pid || complain "1000 ranks: exit code $?"
[ "$(sort -u "$dir/out" | grep -c ' of 1000$')" = 1000 ] ||
	complain "1000 ranks: $(sort -u "$dir/out" | wc -l) lines"
[ ! -s "$dir/err" ] || complain "1000 ranks: $(head -n 3 "$dir/err")"
[ "$most" -lt 1024 ] && [ "$most" -gt 500 ] || complain "$most descriptors"
echo "1000 ranks: at most $most descriptors in mpiexec"
end
