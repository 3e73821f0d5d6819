#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that collectives in virtual time send packets of the machine's size: a
# broadcast of 2 KiB takes one packet on qsnet2 and four on bgq.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
. "$top_srcdir/test/vt/vt_lib.sh" || exit 1
cat > "$dir/bcast.c" << 'END'
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static char data[4096];
	int bytes = atoi(argv[1]);

	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 10; i++)
		MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
build_mpi bcast "$dir/bcast.c" || exit 1

# packets MACHINE BYTES: prints the number of packets on the busiest link that
# leaves a node
packets() {
	local ppn=1
	[ "$1" != sunway ] || ppn=2
	run 0 --machine "$1" --ppn $ppn -n 8 --report "$dir/bcast" "$2"
	cat "$dir/out" "$dir/err" | grep -oP '(node [0-9]+ port|\(0,0,0,0,0\)).*: \K[0-9]+(?= packets)' |
		head -1
}

for machine in qsnet2:16 sunway bgq:2x2x2x2x2; do
	short=$(packets "$machine" 512)
	long=$(packets "$machine" 2048)
	echo "$machine: $short packets for 512 bytes, $long for 2048"
	[ -n "$short" ] && [ -n "$long" ] || complain "$machine: no busiest link"
	case $machine in
	bgq*) [ "$long" -ge $((short + 30)) ] ||
		complain "a packet of bgq has more than 512 bytes" ;;
	*) [ "$long" = "$short" ] ||
		complain "$machine cuts 2048 bytes into packets" ;;
	esac
done
nothing_left
end
