/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance counters of the machine's interface, read through MPI_T: on bgq
 * they count MPI messages; on other machines they are 0.
 */
#include "mpi_t.h"

#define MESSAGES 10
#define LONG	 (1 << 20)

enum counter {
	PACKETS_SENT,
	MESSAGES_SENT,
	PACKETS_RECEIVED,
	MESSAGES_RECEIVED,
	READS,
	READ_BYTES,
	WRITES,
	WRITE_BYTES,
	REG_READS,
	REG_WRITES,
	COUNTERS,
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle[COUNTERS];

static void counters_open(void)
{
	static const char *const names[COUNTERS] = {
		[PACKETS_SENT] = "mu_packets_sent",
		[MESSAGES_SENT] = "mu_messages_sent",
		[PACKETS_RECEIVED] = "mu_packets_received",
		[MESSAGES_RECEIVED] = "mu_messages_received",
		[READS] = "mu_memory_reads",
		[READ_BYTES] = "mu_memory_read_bytes",
		[WRITES] = "mu_memory_writes",
		[WRITE_BYTES] = "mu_memory_write_bytes",
		[REG_READS] = "mu_register_reads",
		[REG_WRITES] = "mu_register_writes",
	};
	int index, n;

	MT_OK(MPI_T_pvar_session_create(&session));
	for (int i = 0; i < COUNTERS; i++) {
		MT_OK(MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER,
					   &index));
		MT_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle[i],
					      &n));
		MT_OK(MPI_T_pvar_start(session, handle[i]));
	}
}

static void counters_read(unsigned long long *v)
{
	for (int i = 0; i < COUNTERS; i++)
		MT_OK(MPI_T_pvar_read(session, handle[i], &v[i]));
}

/* Each rank sends messages to the next one; d: increments of its counters. */
static void exchange(int count, int bytes, unsigned long long *d)
{
	int to = (mt_rank + 1) % mt_size;
	int from = (mt_rank + mt_size - 1) % mt_size;
	unsigned long long before[COUNTERS];
	char *out = calloc(1, (size_t)bytes), *in = calloc(1, (size_t)bytes);

	MT_TRUE(out && in);
	counters_read(before);
	/* no message arrives before its receiver has read the counters */
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < count; i++)
		MT_OK(MPI_Sendrecv(out, bytes, MPI_CHAR, to, 0, in, bytes,
				   MPI_CHAR, from, 0, MPI_COMM_WORLD,
				   MPI_STATUS_IGNORE));
	MT_OK(MPI_Barrier(MPI_COMM_WORLD));
	counters_read(d);
	for (int i = 0; i < COUNTERS; i++)
		d[i] -= before[i];
	free(out);
	free(in);
}

int main(int argc, char **argv)
{
	const char *machine = getenv("FI_WEFT_MACHINE");
	unsigned long long d[COUNTERS];
	int have;

	MT_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &have));
	mt_begin(&argc, &argv);
	counters_open();
	exchange(MESSAGES, 8, d);
	if (!machine || strncmp(machine, "bgq", 3) != 0) {
		for (int i = 0; i < COUNTERS; i++)
			MT_IS(d[i], 0);
	} else {
		MT_TRUE(d[MESSAGES_SENT] >= MESSAGES);
		MT_TRUE(d[MESSAGES_RECEIVED] >= MESSAGES);
		MT_TRUE(d[PACKETS_SENT] >= d[MESSAGES_SENT]);
		MT_TRUE(d[PACKETS_RECEIVED] >= d[MESSAGES_RECEIVED]);
		/* a descriptor and its payload; at least 32 bytes each */
		MT_TRUE(d[READS] >= 2 * MESSAGES);
		MT_TRUE(d[WRITES] >= MESSAGES);
		MT_TRUE(d[REG_WRITES] >= 2 * MESSAGES);
		MT_TRUE(d[REG_READS] >= MESSAGES);
		exchange(1, LONG, d);
		MT_TRUE(d[READ_BYTES] + d[WRITE_BYTES] >= LONG);
		MT_TRUE(d[READ_BYTES] + d[WRITE_BYTES] < 3 * LONG);
		MT_TRUE(d[PACKETS_SENT] + d[PACKETS_RECEIVED] >= LONG / 512);
	}
	MT_OK(MPI_T_pvar_session_free(&session));
	MT_OK(MPI_T_finalize());
	return mt_end();
}
