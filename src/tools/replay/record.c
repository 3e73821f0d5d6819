/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording of MPI calls (src/job/job_record.h): buffers, clock, requests and
 * communicators. mpiexec --record preloads this library, whose functions MPI_*
 * (record_p2p.c, record_coll.c, record_comm.c) record a call and call PMPI_*.
 */
#include "src/tools/replay/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)
#define FIRST 64 /* initial length of tables */

static int file = -1; /* file of the recording; -1: calls are not recorded */
static uint32_t rank, number;
static unsigned char *buf, *at;
static bool big_failed;

/* Open requests; several completed sends may have the same handle. */
static struct open_req {
	MPI_Request handle;
	uint64_t id;
} * open_reqs;
static size_t opens, open_room;
static uint64_t next_req = 1;

static struct {
	MPI_Comm handle;
	uint64_t id;
} * comms;
static size_t comm_count, comm_room;
static uint64_t next_comm = 1;

/* ---- file ---------------------------------------------------------------- */

static void stop(const char *why)
{
	fprintf(stderr, "weft[%u]: the recording of calls ends: %s\n", rank,
		why);
	close(file);
	file = -1;
}

static void flush(void)
{
	struct record_chunk *h = (void *)buf;
	size_t n = (size_t)(at - buf);

	if (file < 0 || n == sizeof(*h))
		return;
	*h = (struct record_chunk){ RECORD_CHUNK_MAGIC, rank, number++,
				    (uint32_t)(n - sizeof(*h)), 0 };
	h->check = record_check(h + 1, h->bytes);
	if (write(file, buf, n) != (ssize_t)n)
		stop(strerror(errno));
	at = buf + sizeof(*h);
}

bool record_begin(enum record_kind kind, size_t numbers)
{
	size_t need = (numbers + 1) * RECORD_NUMBER_BYTES;

	if (file < 0)
		return false;
	if (need > CHUNK / 2) {
		if (!big_failed)
			stop("a call has too many arguments");
		big_failed = true;
		return false;
	}
	if ((size_t)(at - buf) + need > CHUNK)
		flush();
	if (file < 0)
		return false;
	at = record_put(at, (uint64_t)kind);
	return true;
}

void record_number(uint64_t n)
{
	at = record_put(at, n);
}

void record_text(const char *text)
{
	size_t n = strlen(text);

	record_number(n);
	memcpy(at, text, n);
	at += n;
}

/* ---- clock --------------------------------------------------------------- */

static MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
static MPI_T_pvar_handle clock_pvar;
static uint64_t left_ps; /* time at the end of the last call */

static uint64_t now_ps(void)
{
	unsigned long long ps = 0;

	if (session != MPI_T_PVAR_SESSION_NULL)
		MPI_T_pvar_read(session, clock_pvar, &ps);
	return ps;
}

static void clock_open(void)
{
	int index, count, level;

	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) ||
	    MPI_T_pvar_get_index("clock_ps", MPI_T_PVAR_CLASS_LEVEL, &index) ||
	    MPI_T_pvar_session_create(&session) ||
	    MPI_T_pvar_handle_alloc(session, index, NULL, &clock_pvar, &count))
		session = MPI_T_PVAR_SESSION_NULL;
}

void record_enter(void)
{
	uint64_t now;

	if (file < 0)
		return;
	now = now_ps();
	if (now > left_ps && left_ps && record_begin(RECORD_COMPUTE, 1))
		record_number(now - left_ps);
}

void record_leave(void)
{
	if (file >= 0)
		left_ps = now_ps();
}

/* ---- start and end ------------------------------------------------------- */

void record_start(void)
{
	const char *name = getenv("WEFT_RECORD");
	int level, r;

	if (!name || !*name)
		return;
	file = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
	buf = malloc(CHUNK);
	PMPI_Comm_rank(MPI_COMM_WORLD, &r);
	rank = (uint32_t)r;
	if (file < 0 || !buf) {
		fprintf(stderr, "weft[%u]: calls are not recorded: %s: %s\n",
			rank, name, strerror(errno));
		return;
	}
	at = buf + sizeof(struct record_chunk);
	clock_open();
	PMPI_Query_thread(&level);
	if (level == MPI_THREAD_MULTIPLE)
		record_other("MPI_THREAD_MULTIPLE");
	record_leave();
}

void record_end(void)
{
	if (record_begin(RECORD_END, 0))
		flush();
	if (file >= 0)
		close(file);
	file = -1;
}

void record_other(const char *name)
{
	if (record_begin(RECORD_OTHER, 8))
		record_text(name);
}

void *record_realloc(void *block, size_t bytes)
{
	void *p = realloc(block, bytes);

	if (p)
		return p;
	fprintf(stderr,
		"weft[%u]: no memory for %zu bytes while calls are recorded; "
		"record fewer ranks on this host, or run without --record\n",
		rank, bytes);
	PMPI_Abort(MPI_COMM_WORLD, 1);
	_exit(1);
}

/* ---- requests ------------------------------------------------------------ */

uint64_t record_req_add(MPI_Request handle)
{
	if (opens == open_room) {
		open_room = open_room ? 2 * open_room : FIRST;
		open_reqs = record_realloc(open_reqs,
					   open_room * sizeof(*open_reqs));
	}
	open_reqs[opens++] = (struct open_req){ handle, next_req };
	return next_req++;
}

uint64_t record_req_find(MPI_Request handle, bool take)
{
	for (size_t i = 0; i < opens; i++)
		if (open_reqs[i].handle == handle) {
			uint64_t id = open_reqs[i].id;

			if (take) {
				opens--;
				memmove(&open_reqs[i], &open_reqs[i + 1],
					(opens - i) * sizeof(*open_reqs));
			}
			return id;
		}
	return 0;
}

/* ---- communicators ------------------------------------------------------- */

uint64_t record_comm(MPI_Comm comm)
{
	if (comm == MPI_COMM_WORLD)
		return 0;
	for (size_t i = 0; i < comm_count; i++)
		if (comms[i].handle == comm)
			return comms[i].id;
	return UINT32_MAX; /* unknown: the reader refuses the call */
}

uint64_t record_comm_add(MPI_Comm comm)
{
	if (comm_count == comm_room) {
		comm_room = comm_room ? 2 * comm_room : FIRST;
		comms = record_realloc(comms, comm_room * sizeof(*comms));
	}
	comms[comm_count].handle = comm;
	comms[comm_count++].id = next_comm;
	return next_comm++;
}

void record_comm_drop(MPI_Comm comm)
{
	for (size_t i = 0; i < comm_count; i++)
		if (comms[i].handle == comm)
			comms[i--] = comms[--comm_count];
}

/* ---- types --------------------------------------------------------------- */

uint64_t record_bytes(MPI_Count count, MPI_Datatype type)
{
	MPI_Count size = 0;

	if (type == MPI_DATATYPE_NULL)
		return 0;
	PMPI_Type_size_c(type, &size);
	return (uint64_t)(count * size);
}

bool record_has_gaps(MPI_Count count, MPI_Datatype type)
{
	MPI_Count size, lb, extent, true_lb, true_extent;

	if ((uintptr_t)type <= 0x3ff)
		return false;
	PMPI_Type_size_c(type, &size);
	PMPI_Type_get_extent_c(type, &lb, &extent);
	PMPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
	return true_extent != size || (count > 1 && extent != size);
}
