/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads from MPI_T counters how many packets this rank has sent as datagrams.
 */
#ifndef WEFT_HOSTS_DATAGRAMS_H
#define WEFT_HOSTS_DATAGRAMS_H

#include <mpi.h>
#include <stddef.h>

static MPI_T_pvar_session session;
static MPI_T_pvar_handle datagram_pvar;

static void datagrams_open(void)
{
	int provided, index, count;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_pvar_session_create(&session);
	if (MPI_T_pvar_get_index("packets_remote", MPI_T_PVAR_CLASS_COUNTER,
				 &index))
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_T_pvar_handle_alloc(session, index, NULL, &datagram_pvar, &count);
	MPI_T_pvar_start(session, datagram_pvar);
}

static unsigned long long datagrams_sent(void)
{
	unsigned long long n;

	MPI_T_pvar_read(session, datagram_pvar, &n);
	return n;
}

#endif
