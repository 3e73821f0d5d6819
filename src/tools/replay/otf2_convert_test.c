/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversion of an OTF2 archive with the events that Score-P writes: requests,
 * collectives, two communicators, computation.
 */
#include "test/t.h"

#include "src/tools/replay/otf2_convert.h"
#include "src/tools/replay/replay_call.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <weft/coll_call.h>

enum { SEND, WAIT, COLL, COMPUTE, REGIONS };

static const char *const names[REGIONS] = { "MPI_Isend", "MPI_Waitall",
					    "MPI_Allreduce", "solve" };

static OTF2_FlushType on_full(void *arg, OTF2_FileType type,
			      OTF2_LocationRef location, void *caller,
			      bool final)
{
	(void)arg;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

static void put_first(OTF2_EvtWriter *w)
{
	OTF2_EvtWriter_Enter(w, NULL, 100, SEND);
	OTF2_EvtWriter_MpiIsend(w, NULL, 101, 1, 0, 3, 5000, 7);
	OTF2_EvtWriter_Leave(w, NULL, 110, SEND);
	OTF2_EvtWriter_Enter(w, NULL, 111, COMPUTE);
	OTF2_EvtWriter_Leave(w, NULL, 119, COMPUTE);
	OTF2_EvtWriter_Enter(w, NULL, 120, WAIT);
	OTF2_EvtWriter_MpiIsendComplete(w, NULL, 121, 7);
	OTF2_EvtWriter_Leave(w, NULL, 122, WAIT);
}

static void put_second(OTF2_EvtWriter *w)
{
	OTF2_EvtWriter_MpiIrecvRequest(w, NULL, 100, 9);
	OTF2_EvtWriter_MpiIrecv(w, NULL, 121, 0, 0, 3, 5000, 9);
}

static void put_both(OTF2_EvtWriter *w)
{
	OTF2_EvtWriter_Enter(w, NULL, 122, COLL);
	OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, 130,
					OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
					OTF2_UNDEFINED_UINT32, 16, 16);
	OTF2_EvtWriter_Leave(w, NULL, 131, COLL);
	OTF2_EvtWriter_MpiCollectiveEnd(
		w, NULL, 132, OTF2_COLLECTIVE_OP_ALLTOALL, 1, 0, 200, 200);
}

static void put_defs(OTF2_GlobalDefWriter *d)
{
	const uint64_t all[] = { 0, 1 }, other[] = { 1, 0 };

	OTF2_GlobalDefWriter_WriteString(d, 0, "x");
	/* 1 tick is 1 us */
	OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000, 0, 1000,
						  OTF2_UNDEFINED_TIMESTAMP);
	for (uint32_t i = 0; i < REGIONS; i++) {
		OTF2_GlobalDefWriter_WriteString(d, i + 1, names[i]);
		OTF2_GlobalDefWriter_WriteRegion(
			d, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION,
			i == COMPUTE ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI,
			OTF2_REGION_FLAG_NONE, 0, 0, 0);
	}
	OTF2_GlobalDefWriter_WriteSystemTreeNode(
		d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t r = 0; r < 2; r++) {
		OTF2_GlobalDefWriter_WriteLocationGroup(
			d, r, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
			OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(
			d, r, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 12, r);
	}
	OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
					OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
					2, all);
	OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
					2, all);
	OTF2_GlobalDefWriter_WriteGroup(d, 2, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
					2, other);
	OTF2_GlobalDefWriter_WriteComm(d, 0, 0, 1, OTF2_UNDEFINED_COMM,
				       OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteComm(d, 1, 0, 2, 0, OTF2_COMM_FLAG_NONE);
}

static void write_archive(const char *folder)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = on_full };
	OTF2_Archive *a = OTF2_Archive_Open(
		folder, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
		OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);

	T_NOT_NULL(a);
	OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	OTF2_Archive_OpenEvtFiles(a);
	for (uint32_t r = 0; r < 2; r++) {
		OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, r);

		if (r)
			put_second(w);
		else
			put_first(w);
		put_both(w);
		OTF2_Archive_CloseEvtWriter(a, w);
	}
	OTF2_Archive_CloseEvtFiles(a);
	OTF2_Archive_OpenDefFiles(a);
	for (uint32_t r = 0; r < 2; r++)
		OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, r));
	OTF2_Archive_CloseDefFiles(a);
	put_defs(OTF2_Archive_GetGlobalDefWriter(a));
	T_IS(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

static struct replay_call next_of(struct replay_source *s, uint32_t rank,
				  enum record_kind kind)
{
	struct replay_call c;

	T_TRUE(s->next(s, rank, &c));
	T_IS(c.kind, kind);
	return c;
}

static void check_both(struct replay_source *s, uint32_t rank)
{
	struct replay_call c = next_of(s, rank, RECORD_COLL);

	T_IS(c.coll, WEFT_COLL_ALLREDUCE);
	T_IS(c.type_bytes, 8);
	T_IS(c.recv, 2);
	c = next_of(s, rank, RECORD_COLL);
	T_IS(c.coll, WEFT_COLL_ALLTOALL);
	T_IS(c.comm, 2);
	T_IS(c.send, 100);
	next_of(s, rank, RECORD_END);
}

static void check_calls(struct replay_source *s)
{
	struct replay_call c;

	T_IS(s->ranks, 2);
	for (uint32_t r = 0; r < 2; r++) {
		c = next_of(s, r, RECORD_COMM);
		T_IS(c.made, 2);
		T_IS(c.member[0], 1);
	}
	c = next_of(s, 0, RECORD_ISEND);
	T_IS(c.peer, 1);
	T_IS(c.tag, 3);
	T_IS(c.bytes, 5000);
	/* regions of the program are computation */
	T_IS(next_of(s, 0, RECORD_COMPUTE).ps, 10000000);
	T_IS(next_of(s, 0, RECORD_WAIT).reqs[0], 7);
	check_both(s, 0);
	c = next_of(s, 1, RECORD_IRECV);
	T_IS(c.peer, 0);
	T_IS(c.bytes, 5000);
	T_IS(next_of(s, 1, RECORD_WAIT).reqs[0], 9);
	check_both(s, 1);
}

static void test_archive(void **state)
{
	char dir[] = "/tmp/weft-otf2.XXXXXX", name[96], command[64];
	int fd = memfd_create("calls", MFD_CLOEXEC);
	struct replay_source *s = NULL;
	char why[256] = "";

	(void)state;
	T_NOT_NULL(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/run.otf2", dir);
	write_archive(name);
	/* the folder that mpiexec --trace writes; or the file in it */
	T_OK(replay_otf2_convert(name, fd, why, sizeof(why)));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	T_OK(replay_trace_open(name, &s, why, sizeof(why)));
	check_calls(s);
	s->close(s);
	close(fd);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	T_OK(system(command));
}

static void test_none(void **state)
{
	char why[256] = "";

	(void)state;
	T_TRUE(replay_otf2_convert("/nonexistent.otf2", 1, why, sizeof(why)));
	T_NOT_NULL(strstr(why, "/nonexistent.otf2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(test_archive),
		T_CASE(test_none),
	};

	return T_RUN(tests);
}
