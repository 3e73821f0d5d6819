/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversion of an OTF2 archive (Score-P, mpiexec --trace) to a trace of calls
 * (src/job/job_record.h): a module that weft-sim loads, since libotf2 may be
 * missing.
 *
 *   MpiSend            MPI_Send inside that region, else a send that is not
 *                      waited for
 *   MpiRecv            MPI_Recv
 *   MpiIsend, MpiIsendComplete, MpiIrecvRequest, MpiIrecv
 *                      MPI_Isend, MPI_Irecv and their waits
 *   MpiCollectiveEnd   a collective; sizes are divided evenly among the ranks,
 *                      reductions are sums of doubles
 *   Enter, Leave       computation between regions of MPI
 *
 * Communicators are created by all ranks at the start, in their order.
 */
#include "src/tools/replay/otf2_convert.h"

#include "src/job/job_record.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/coll_call.h>

/* Longest computation, ps: 100 days. */
#define COMPUTE_PS_MAX 8.64e18

/* A definition: its number in the archive, and the fields that are needed. */
struct region {
	uint64_t id;
	bool is_mpi, sends;
};

struct list {
	uint64_t id;
	uint32_t n;
	uint64_t *member;
};

struct comm {
	uint64_t id, group, number; /* number in the trace; 0: the world */
};

/* A call of a location; fields as in job_record.h. */
struct call {
	uint64_t n[16];
	unsigned count;
};

struct archive {
	uint64_t resolution; /* ticks per second */
	struct region *region;
	struct list *group;
	struct comm *comm;
	uint64_t *location; /* location of each rank */
	char **string;
	uint32_t regions, groups, comms, ranks, strings;
	/* The location being read. */
	uint32_t rank;
	struct call *call;
	size_t calls;
	uint64_t left; /* time at the end of the last MPI region */
	bool sends;    /* inside MPI_Send */
	uint64_t next_req;
	const char *wrong;
};

/* Resizes a block; ends the program if memory is exhausted. */
static void *resized(void *block, size_t bytes)
{
	void *p = realloc(block, bytes);

	if (p)
		return p;
	fprintf(stderr,
		"weft-sim: no memory for %zu bytes while an OTF2 archive is "
		"converted; use a trace of mpiexec --record, or a host with "
		"more memory\n",
		bytes);
	exit(1);
}

/*
 * Makes room for one more element in an array whose size doubles when it is
 * full.
 */
static void *grown(void *array, size_t count, size_t bytes)
{
	if (count & (count - 1))
		return array;
	return resized(array, (count ? 2 * count : 1) * bytes);
}

/* ---- definitions --------------------------------------------------------- */

static OTF2_CallbackCode on_clock(void *arg, uint64_t resolution,
				  uint64_t offset, uint64_t length,
				  uint64_t realtime)
{
	struct archive *a = arg;

	(void)offset;
	(void)length;
	(void)realtime;
	a->resolution = resolution ? resolution : 1;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *arg, OTF2_StringRef self,
				   const char *text)
{
	struct archive *a = arg;

	if (self > 1u << 24)
		return OTF2_CALLBACK_INTERRUPT;
	while (a->strings <= self) {
		a->string = grown(a->string, a->strings, sizeof(char *));
		a->string[a->strings++] = NULL;
	}
	free(a->string[self]);
	a->string[self] = strdup(text);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_region(void *arg, OTF2_RegionRef self, OTF2_StringRef name,
	  OTF2_StringRef canonical, OTF2_StringRef description,
	  OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
	  OTF2_StringRef file, uint32_t begin, uint32_t end)
{
	struct archive *a = arg;
	const char *text =
		name < a->strings && a->string[name] ? a->string[name] : "";

	(void)canonical;
	(void)description;
	(void)role;
	(void)flags;
	(void)file;
	(void)begin;
	(void)end;
	a->region = grown(a->region, a->regions, sizeof(*a->region));
	a->region[a->regions++] = (struct region){
		self,
		paradigm == OTF2_PARADIGM_MPI || !strncmp(text, "MPI_", 4),
		!strcmp(text, "MPI_Send") || !strcmp(text, "MPI_Rsend") ||
			!strcmp(text, "MPI_Ssend")
	};
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *arg, OTF2_GroupRef self,
				  OTF2_StringRef name, OTF2_GroupType type,
				  OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
				  uint32_t n, const uint64_t *members)
{
	struct archive *a = arg;
	uint64_t *copy = resized(NULL, ((size_t)n + 1) * sizeof(*copy));

	(void)name;
	(void)flags;
	memcpy(copy, members, n * sizeof(*copy));
	if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
	    paradigm == OTF2_PARADIGM_MPI) {
		free(a->location);
		a->location = copy;
		a->ranks = n;
		return OTF2_CALLBACK_SUCCESS;
	}
	a->group = grown(a->group, a->groups, sizeof(*a->group));
	a->group[a->groups++] = (struct list){ self, n, copy };
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *arg, OTF2_CommRef self,
				 OTF2_StringRef name, OTF2_GroupRef group,
				 OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct archive *a = arg;

	(void)name;
	(void)parent;
	(void)flags;
	a->comm = grown(a->comm, a->comms, sizeof(*a->comm));
	a->comm[a->comms] = (struct comm){ self, group, a->comms + 1 };
	a->comms++;
	return OTF2_CALLBACK_SUCCESS;
}

static const struct list *members_of(const struct archive *a,
				     const struct comm *c)
{
	for (uint32_t i = 0; i < a->groups; i++)
		if (a->group[i].id == c->group)
			return &a->group[i];
	return NULL;
}

/* Finds the world: the first communicator with all ranks in ascending order. */
static void find_world(struct archive *a)
{
	for (uint32_t i = 0; i < a->comms; i++) {
		const struct list *l = members_of(a, &a->comm[i]);
		uint32_t k = 0;

		while (l && l->n == a->ranks && k < l->n && l->member[k] == k)
			k++;
		if (l && k == a->ranks) {
			a->comm[i].number = 0;
			return;
		}
	}
}

/* ---- events -------------------------------------------------------------- */

static const struct comm *comm_of(struct archive *a, uint64_t id, uint64_t *n)
{
	for (uint32_t i = 0; i < a->comms; i++)
		if (a->comm[i].id == id) {
			const struct list *l = members_of(a, &a->comm[i]);

			*n = l ? l->n : 0;
			if (*n)
				return &a->comm[i];
		}
	a->wrong = "an event has an unknown communicator";
	return NULL;
}

#define ADD(a, ...)                               \
	add(a, (const uint64_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static struct call *add(struct archive *a, const uint64_t *n, unsigned count)
{
	struct call *c;

	a->call = grown(a->call, a->calls, sizeof(*a->call));
	c = &a->call[a->calls++];
	memcpy(c->n, n, count * sizeof(*n));
	c->count = count;
	return c;
}

static OTF2_CallbackCode done(const struct archive *a)
{
	return a->wrong ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* Returns the region with this id if it is an MPI function, otherwise NULL. */
static const struct region *mpi_region(const struct archive *a, uint64_t id)
{
	for (uint32_t i = 0; i < a->regions; i++)
		if (a->region[i].id == id)
			return a->region[i].is_mpi ? &a->region[i] : NULL;
	return NULL;
}

static void add_compute(struct archive *a, uint64_t ticks)
{
	double ps = (double)ticks * 1e12 / (double)a->resolution;

	if (ps < COMPUTE_PS_MAX)
		ADD(a, RECORD_COMPUTE, (uint64_t)ps);
	else
		a->wrong = "more than 100 days between two regions of MPI";
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp t,
				  uint64_t position, void *arg,
				  OTF2_AttributeList *list,
				  OTF2_RegionRef region)
{
	struct archive *a = arg;
	const struct region *r = mpi_region(a, region);

	(void)location;
	(void)position;
	(void)list;
	if (!r)
		return OTF2_CALLBACK_SUCCESS;
	a->sends = r->sends;
	if (a->left && t > a->left)
		add_compute(a, t - a->left);
	return done(a);
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp t,
				  uint64_t position, void *arg,
				  OTF2_AttributeList *list,
				  OTF2_RegionRef region)
{
	struct archive *a = arg;

	(void)location;
	(void)position;
	(void)list;
	if (mpi_region(a, region)) {
		a->left = t;
		a->sends = false;
	}
	return OTF2_CALLBACK_SUCCESS;
}

#define EVENT                                                           \
	OTF2_LocationRef location, OTF2_TimeStamp t, uint64_t position, \
		void *arg, OTF2_AttributeList *list
#define UNUSED ((void)location, (void)t, (void)position, (void)list)

static OTF2_CallbackCode on_send(EVENT, uint32_t to, OTF2_CommRef comm,
				 uint32_t tag, uint64_t bytes)
{
	struct archive *a = arg;
	uint64_t n;
	const struct comm *c = comm_of(a, comm, &n);

	UNUSED;
	if (!c)
		return done(a);
	if (a->sends) {
		ADD(a, RECORD_SEND, 0, c->number, record_signed(to),
		    record_signed(tag & 0x7fffffff), bytes);
		return done(a);
	}
	ADD(a, RECORD_ISEND, 0, c->number, record_signed(to),
	    record_signed(tag & 0x7fffffff), bytes, a->next_req);
	ADD(a, RECORD_REQ_FREE, a->next_req++);
	return done(a);
}

static OTF2_CallbackCode on_isend(EVENT, uint32_t to, OTF2_CommRef comm,
				  uint32_t tag, uint64_t bytes, uint64_t req)
{
	struct archive *a = arg;
	uint64_t n;
	const struct comm *c = comm_of(a, comm, &n);

	UNUSED;
	if (c)
		ADD(a, RECORD_ISEND, 0, c->number, record_signed(to),
		    record_signed(tag & 0x7fffffff), bytes, req);
	return done(a);
}

static OTF2_CallbackCode on_isend_complete(EVENT, uint64_t req)
{
	UNUSED;
	ADD((struct archive *)arg, RECORD_WAIT, 1, req);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(EVENT, uint64_t req)
{
	UNUSED;
	/* the other fields are set when the message has arrived */
	ADD((struct archive *)arg, RECORD_IRECV, 0, 0, 0, 0, 0, req);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(EVENT, uint32_t from, OTF2_CommRef comm,
				 uint32_t tag, uint64_t bytes)
{
	struct archive *a = arg;
	uint64_t n;
	const struct comm *c = comm_of(a, comm, &n);

	UNUSED;
	if (c)
		ADD(a, RECORD_RECV, 0, c->number, record_signed(from),
		    record_signed(tag & 0x7fffffff), bytes);
	return done(a);
}

static OTF2_CallbackCode on_irecv(EVENT, uint32_t from, OTF2_CommRef comm,
				  uint32_t tag, uint64_t bytes, uint64_t req)
{
	struct archive *a = arg;
	uint64_t n;
	const struct comm *c = comm_of(a, comm, &n);
	size_t i = a->calls;

	UNUSED;
	if (!c)
		return done(a);
	while (i > 0 && !(a->call[i - 1].n[0] == RECORD_IRECV &&
			  a->call[i - 1].n[6] == req))
		i--;
	if (!i) {
		a->wrong = "a receive was completed that was not posted";
		return done(a);
	}
	a->call[i - 1].n[2] = c->number;
	a->call[i - 1].n[3] = record_signed(from);
	a->call[i - 1].n[4] = record_signed(tag & 0x7fffffff);
	a->call[i - 1].n[5] = bytes;
	ADD(a, RECORD_WAIT, 1, req);
	return done(a);
}

/*
 * Gets the kind of a collective, and the bytes of a rank's vector or block.
 * Returns false if the operation is unknown.
 */
static bool coll_of(OTF2_CollectiveOp op, uint64_t n, uint64_t sent,
		    uint64_t got, unsigned *kind, uint64_t *bytes)
{
	static const struct {
		OTF2_CollectiveOp op;
		unsigned kind;
		/* size from: s: sent, r: received, b: received / n */
		char size;
	} all[] = {
		{ OTF2_COLLECTIVE_OP_BARRIER, WEFT_COLL_BARRIER, 's' },
		{ OTF2_COLLECTIVE_OP_BCAST, WEFT_COLL_BCAST, 'r' },
		{ OTF2_COLLECTIVE_OP_GATHER, WEFT_COLL_GATHER, 's' },
		{ OTF2_COLLECTIVE_OP_GATHERV, WEFT_COLL_GATHER, 's' },
		{ OTF2_COLLECTIVE_OP_SCATTER, WEFT_COLL_SCATTER, 'r' },
		{ OTF2_COLLECTIVE_OP_SCATTERV, WEFT_COLL_SCATTER, 'r' },
		{ OTF2_COLLECTIVE_OP_ALLGATHER, WEFT_COLL_ALLGATHER, 'b' },
		{ OTF2_COLLECTIVE_OP_ALLGATHERV, WEFT_COLL_ALLGATHER, 'b' },
		{ OTF2_COLLECTIVE_OP_ALLTOALL, WEFT_COLL_ALLTOALL, 'b' },
		{ OTF2_COLLECTIVE_OP_ALLTOALLV, WEFT_COLL_ALLTOALL, 'b' },
		{ OTF2_COLLECTIVE_OP_ALLTOALLW, WEFT_COLL_ALLTOALL, 'b' },
		{ OTF2_COLLECTIVE_OP_ALLREDUCE, WEFT_COLL_ALLREDUCE, 's' },
		{ OTF2_COLLECTIVE_OP_REDUCE, WEFT_COLL_REDUCE, 's' },
		{ OTF2_COLLECTIVE_OP_REDUCE_SCATTER, WEFT_COLL_REDUCE_SCATTER,
		  'r' },
		{ OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
		  WEFT_COLL_REDUCE_SCATTER, 'r' },
		{ OTF2_COLLECTIVE_OP_SCAN, WEFT_COLL_SCAN, 's' },
		{ OTF2_COLLECTIVE_OP_EXSCAN, WEFT_COLL_EXSCAN, 's' },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].op == op) {
			*kind = all[i].kind;
			*bytes = all[i].size == 's'   ? sent
				 : all[i].size == 'r' ? got
						      : got / n;
			return true;
		}
	return false;
}

static bool reduces(unsigned kind)
{
	return kind == WEFT_COLL_REDUCE || kind == WEFT_COLL_ALLREDUCE ||
	       kind == WEFT_COLL_REDUCE_SCATTER || kind == WEFT_COLL_SCAN ||
	       kind == WEFT_COLL_EXSCAN;
}

static OTF2_CallbackCode on_coll(EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
				 uint32_t root, uint64_t sent, uint64_t got)
{
	struct archive *a = arg;
	uint64_t n, bytes;
	const struct comm *c = comm_of(a, comm, &n);
	unsigned kind;
	bool sum;

	UNUSED;
	if (!c || !coll_of(op, n, sent, got, &kind, &bytes))
		return done(a);
	sum = reduces(kind) && bytes % 8 == 0;
	ADD(a, RECORD_COLL, RECORD_COMMUTES, c->number, kind,
	    record_signed(root < n ? root : 0),
	    reduces(kind) ? (uintptr_t)(sum ? MPI_SUM : MPI_BOR) : 0,
	    sum ? (uintptr_t)MPI_DOUBLE : (uintptr_t)MPI_BYTE, sum ? 8 : 1,
	    sum ? bytes / 8 : bytes, sum ? bytes / 8 : bytes);
	return done(a);
}

/* ---- writing ------------------------------------------------------------- */

struct out {
	unsigned char *bytes;
	size_t n, room;
};

static void put(struct out *o, uint64_t n)
{
	if (o->n + RECORD_NUMBER_BYTES > o->room) {
		o->room = o->room ? 2 * o->room : 4096;
		o->bytes = resized(o->bytes, o->room);
	}
	o->n = (size_t)(record_put(o->bytes + o->n, n) - o->bytes);
}

/*
 * Writes the communicators other than the world, and whether the rank is a
 * member.
 */
static void put_comms(struct out *o, const struct archive *a)
{
	for (uint32_t i = 0; i < a->comms; i++) {
		const struct comm *c = &a->comm[i];
		const struct list *l = members_of(a, c);
		bool member = false;

		if (!c->number || !l)
			continue;
		for (uint32_t k = 0; k < l->n; k++)
			member = member || l->member[k] == a->rank;
		put(o, RECORD_COMM);
		put(o, 0);
		put(o, member ? c->number : 0);
		put(o, RECORD_COMM_AGREE);
		put(o, member ? l->n : 0);
		for (uint32_t k = 0; member && k < l->n; k++)
			put(o, l->member[k]);
	}
}

static int put_rank(struct archive *a, int fd)
{
	struct record_chunk h = { RECORD_CHUNK_MAGIC, a->rank, 0, 0, 0 };
	struct out o = { NULL, 0, 0 };
	size_t i = 0;
	int err = 0;

	put_comms(&o, a);
	do {
		for (; i < a->calls && o.n < RECORD_CHUNK_MAX / 2; i++)
			for (unsigned k = 0; k < a->call[i].count; k++)
				put(&o, a->call[i].n[k]);
		if (i == a->calls)
			put(&o, RECORD_END);
		h.bytes = (uint32_t)o.n;
		h.check = record_check(o.bytes, o.n);
		if (write(fd, &h, sizeof(h)) != (ssize_t)sizeof(h) ||
		    write(fd, o.bytes, o.n) != (ssize_t)o.n)
			err = -EIO;
		h.number++;
		o.n = 0;
	} while (i < a->calls && !err);
	free(o.bytes);
	return err;
}

/* ---- reading ------------------------------------------------------------- */

static void read_definitions(OTF2_Reader *r, struct archive *a)
{
	OTF2_GlobalDefReaderCallbacks *cb = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReader *d = OTF2_Reader_GetGlobalDefReader(r);
	uint64_t n;

	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(cb, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(cb, on_string);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(cb, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(cb, on_group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(cb, on_comm);
	OTF2_Reader_RegisterGlobalDefCallbacks(r, d, cb, a);
	OTF2_GlobalDefReaderCallbacks_Delete(cb);
	OTF2_Reader_ReadAllGlobalDefinitions(r, d, &n);
	OTF2_Reader_CloseGlobalDefReader(r, d);
	find_world(a);
}

static OTF2_EvtReaderCallbacks *callbacks(void)
{
	OTF2_EvtReaderCallbacks *cb = OTF2_EvtReaderCallbacks_New();

	OTF2_EvtReaderCallbacks_SetEnterCallback(cb, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(cb, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(cb, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(cb, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(cb,
							    on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(cb,
							   on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(cb, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(cb, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(cb, on_coll);
	return cb;
}

static int read_rank(OTF2_Reader *r, struct archive *a, int fd, bool local)
{
	uint64_t id = a->location[a->rank], n;
	OTF2_DefReader *d = local ? OTF2_Reader_GetDefReader(r, id) : NULL;
	OTF2_EvtReader *e;
	OTF2_EvtReaderCallbacks *cb;

	if (d) {
		OTF2_Reader_ReadAllLocalDefinitions(r, d, &n);
		OTF2_Reader_CloseDefReader(r, d);
	}
	a->calls = 0;
	a->left = 0;
	a->next_req = UINT64_C(1) << 62;
	e = OTF2_Reader_GetEvtReader(r, id);
	if (!e)
		return -EIO;
	cb = callbacks();
	OTF2_Reader_RegisterEvtCallbacks(r, e, cb, a);
	OTF2_EvtReaderCallbacks_Delete(cb);
	if (OTF2_Reader_ReadAllLocalEvents(r, e, &n) != OTF2_SUCCESS &&
	    !a->wrong)
		a->wrong = "the events of a rank cannot be read";
	OTF2_Reader_CloseEvtReader(r, e);
	return a->wrong ? -EINVAL : put_rank(a, fd);
}

static int convert(OTF2_Reader *r, struct archive *a, int fd)
{
	struct record_head h = { .version = RECORD_VERSION };
	bool local;
	int err = 0;

	OTF2_Reader_SetSerialCollectiveCallbacks(r);
	read_definitions(r, a);
	if (!a->ranks || a->ranks > RECORD_RANKS_MAX) {
		a->wrong = "there are no ranks of MPI";
		return -EINVAL;
	}
	memcpy(h.magic, RECORD_MAGIC, sizeof(h.magic));
	h.ranks = a->ranks;
	if (write(fd, &h, sizeof(h)) != (ssize_t)sizeof(h))
		return -EIO;
	for (uint32_t i = 0; i < a->ranks; i++)
		OTF2_Reader_SelectLocation(r, a->location[i]);
	local = OTF2_Reader_OpenDefFiles(r) == OTF2_SUCCESS;
	OTF2_Reader_OpenEvtFiles(r);
	for (uint32_t i = 0; i < a->ranks && !err; i++) {
		a->rank = i;
		err = read_rank(r, a, fd, local);
	}
	if (local)
		OTF2_Reader_CloseDefFiles(r);
	OTF2_Reader_CloseEvtFiles(r);
	return err;
}

/*
 * Returns the path of the anchor file; `file` may be the folder that mpiexec
 * --trace FILE.otf2 writes.
 */
static const char *anchor(const char *file, char *path, size_t room)
{
	struct stat st;

	snprintf(path, room, "%s/traces.otf2", file);
	return !stat(file, &st) && S_ISDIR(st.st_mode) ? path : file;
}

int replay_otf2_convert(const char *file, int fd, char *why, size_t len)
{
	struct archive a = { .resolution = 1 };
	char path[PATH_MAX];
	const char *name = anchor(file, path, sizeof(path));
	/*
	 * checked before OTF2_Reader_Open(), which leaks memory if the file
	 * does not exist
	 */
	OTF2_Reader *r = access(name, R_OK) ? NULL : OTF2_Reader_Open(name);
	int err;

	if (!r) {
		snprintf(why, len, "%s: not an OTF2 archive", file);
		return -EINVAL;
	}
	err = convert(r, &a, fd);
	if (err)
		snprintf(why, len, "%s: rank %u: %s", file, a.rank,
			 a.wrong ? a.wrong : strerror(-err));
	OTF2_Reader_Close(r);
	for (uint32_t i = 0; i < a.groups; i++)
		free(a.group[i].member);
	for (uint32_t i = 0; i < a.strings; i++)
		free(a.string[i]);
	free(a.region);
	free(a.group);
	free(a.comm);
	free(a.location);
	free(a.string);
	free(a.call);
	return err;
}
