/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversion of an OTF2 archive with the events that Score-P writes: requests,
 * collectives, two communicators, computation.
 */
#include "test/support/fuzz.h"
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

/*
 * Random changes of the archive: on average one of every `changes` numbers is
 * replaced; 0: none.
 */
static struct fuzz fuzz;
static unsigned changes;
/* computation before the last call, ticks of 1 us */
static uint64_t last_ticks = 1;
static uint64_t posted = 9; /* request of the receive of rank 1 */

static uint64_t number(uint64_t valid, unsigned bytes)
{
	return changes && fuzz_chance(&fuzz, changes)
		       ? fuzz_number(&fuzz, valid, bytes)
		       : valid;
}

static uint32_t n32(uint32_t valid)
{
	return (uint32_t)number(valid, 4);
}

static uint64_t n64(uint64_t valid)
{
	return number(valid, 8);
}

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
	OTF2_EvtWriter_Enter(w, NULL, 100, n32(SEND));
	OTF2_EvtWriter_MpiIsend(w, NULL, 101, n32(1), n32(0), n32(3), n64(5000),
				n64(7));
	OTF2_EvtWriter_Leave(w, NULL, 110, n32(SEND));
	OTF2_EvtWriter_Enter(w, NULL, 111, n32(COMPUTE));
	OTF2_EvtWriter_Leave(w, NULL, 119, n32(COMPUTE));
	OTF2_EvtWriter_Enter(w, NULL, 120, n32(WAIT));
	OTF2_EvtWriter_MpiIsendComplete(w, NULL, 121, n64(7));
	OTF2_EvtWriter_Leave(w, NULL, 122, n32(WAIT));
}

static void put_second(OTF2_EvtWriter *w)
{
	OTF2_EvtWriter_MpiIrecvRequest(w, NULL, 100, n64(posted));
	OTF2_EvtWriter_MpiIrecv(w, NULL, 121, n32(0), n32(0), n32(3), n64(5000),
				n64(9));
}

static void put_both(OTF2_EvtWriter *w)
{
	uint64_t t = 131 + n64(last_ticks);

	OTF2_EvtWriter_Enter(w, NULL, 122, n32(COLL));
	OTF2_EvtWriter_MpiCollectiveEnd(
		w, NULL, 130,
		(OTF2_CollectiveOp)number(OTF2_COLLECTIVE_OP_ALLREDUCE, 1),
		n32(0), n32(OTF2_UNDEFINED_UINT32), n64(16), n64(16));
	OTF2_EvtWriter_Leave(w, NULL, 131, n32(COLL));
	OTF2_EvtWriter_Enter(w, NULL, t, n32(COLL));
	OTF2_EvtWriter_MpiCollectiveEnd(
		w, NULL, t,
		(OTF2_CollectiveOp)number(OTF2_COLLECTIVE_OP_ALLTOALL, 1),
		n32(1), n32(0), n64(200), n64(200));
}

static void put_group(OTF2_GlobalDefWriter *d, uint32_t id, OTF2_GroupType type,
		      uint64_t first, uint64_t second)
{
	const uint64_t member[] = { n64(first), n64(second) };

	OTF2_GlobalDefWriter_WriteGroup(
		d, n32(id), 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
		changes && fuzz_chance(&fuzz, changes) ? 1 : 2, member);
}

static void put_defs(OTF2_GlobalDefWriter *d)
{
	OTF2_GlobalDefWriter_WriteString(d, 0, "x");
	/* 1 tick is 1 us */
	OTF2_GlobalDefWriter_WriteClockProperties(d, n64(1000000), 0, 1000,
						  OTF2_UNDEFINED_TIMESTAMP);
	for (uint32_t i = 0; i < REGIONS; i++) {
		/*
		 * limited, since a string with a huge number makes the reader
		 * slow
		 */
		OTF2_GlobalDefWriter_WriteString(d, n32(i + 1) % (1u << 20),
						 names[i]);
		OTF2_GlobalDefWriter_WriteRegion(
			d, n32(i), n32(i + 1), i + 1, 0,
			OTF2_REGION_ROLE_FUNCTION,
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
	put_group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, 0, 1);
	put_group(d, 1, OTF2_GROUP_TYPE_COMM_GROUP, 0, 1);
	put_group(d, 2, OTF2_GROUP_TYPE_COMM_GROUP, 1, 0);
	/* replaces the first group of locations */
	if (changes && fuzz_chance(&fuzz, changes))
		put_group(d, 3, OTF2_GROUP_TYPE_COMM_LOCATIONS, 0, 1);
	OTF2_GlobalDefWriter_WriteComm(
		d, n32(0), 0, n32(1), OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteComm(d, n32(1), 0, n32(2), 0,
				       OTF2_COMM_FLAG_NONE);
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
	T_IS(next_of(s, rank, RECORD_COMPUTE).ps, 1000000);
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
	/* the folder that mpiexec --trace writes, or the file in it */
	T_OK(replay_otf2_convert(name, fd, why, sizeof(why)));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	T_OK(replay_trace_open(name, &s, why, sizeof(why)));
	check_calls(s);
	s->close(s);
	close(fd);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	T_OK(system(command));
}

/* Reads all calls of a converted archive. Returns whether all are valid. */
static bool read_all(int fd)
{
	struct replay_source *s;
	char name[64], why[256] = "";
	bool good = true;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	T_OK(replay_trace_open(name, &s, why, sizeof(why)));
	for (uint32_t r = 0; r < s->ranks; r++) {
		struct replay_call c = { .kind = RECORD_KINDS };

		while (c.kind != RECORD_END && s->next(s, r, &c))
			T_TRUE(c.kind < RECORD_KINDS);
		if (c.kind != RECORD_END)
			s->where(s, r, why, sizeof(why));
		good = good && c.kind == RECORD_END;
	}
	T_TRUE(good || *why);
	s->close(s);
	return good;
}

/* Archives with changed numbers are converted, or refused with a message. */
static void test_changed(void **state)
{
	int rounds = fuzz_rounds(200), good = 0, refused = 0;
	char dir[] = "/tmp/weft-otf2.XXXXXX", name[96], command[128];

	(void)state;
	T_NOT_NULL(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/run.otf2", dir);
	snprintf(command, sizeof(command), "rm -r %s", name);
	fuzz_init(&fuzz, 43);
	changes = 30;
	for (int i = 0; i < rounds; i++) {
		int fd = memfd_create("calls", MFD_CLOEXEC), rc;
		char why[256] = "";

		write_archive(name);
		rc = replay_otf2_convert(name, fd, why, sizeof(why));
		if (rc)
			T_NOT_NULL(strstr(why, name));
		else
			good += read_all(fd);
		refused += rc != 0;
		close(fd);
		T_OK(system(command));
	}
	changes = 0;
	T_OK(rmdir(dir));
	T_TRUE(good > rounds / 10 && refused > rounds / 10);
}

/* Writes an archive that must be refused with this text. */
static void refused(const char *text)
{
	char dir[] = "/tmp/weft-otf2.XXXXXX", name[96], command[128];
	int fd = memfd_create("calls", MFD_CLOEXEC);
	char why[256] = "";

	T_NOT_NULL(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/run.otf2", dir);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	write_archive(name);
	T_IS(replay_otf2_convert(name, fd, why, sizeof(why)), -EINVAL);
	T_NOT_NULL(strstr(why, text));
	close(fd);
	T_OK(system(command));
}

/* A time that does not fit into picoseconds is refused. */
static void test_long(void **state)
{
	(void)state;
	last_ticks = UINT64_C(8640000000000); /* 1 tick is 1 us */
	refused("rank 0: more than 100 days");
	last_ticks = 1;
}

static void test_unposted(void **state)
{
	(void)state;
	posted = 10;
	refused("rank 1: a receive was completed that was not posted");
	posted = 9;
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
		T_CASE(test_archive),  T_CASE(test_changed), T_CASE(test_long),
		T_CASE(test_unposted), T_CASE(test_none),
	};

	return T_RUN(tests);
}
