/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading of recorded calls (src/job/job_record.h). The file is mapped; its
 * chunks are checked and sorted by rank when it is opened, its numbers when
 * they are read. A message names the file and the position.
 */
#include "src/tools/replay/replay_call.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/coll_call.h>

struct chunk {
	uint32_t rank, number;
	const unsigned char *at;
	uint32_t bytes;
};

/* Position of a rank, and the arrays of its current call. */
struct cursor {
	/* chunks of the rank: [first, last), of which [chunk, last) are left */
	size_t first, chunk, last;
	const unsigned char *at, *end;
	uint64_t *numbers;
	size_t room;
	char name[64];
};

struct trace {
	struct replay_source base;
	char *file;
	const unsigned char *map;
	size_t bytes;
	struct chunk *chunk;
	size_t chunks;
	struct cursor *rank;
	const char *wrong; /* reason why the last call was refused */
};

static struct trace *of(struct replay_source *s)
{
	return (struct trace *)s;
}

/* ---- opening ------------------------------------------------------------- */

static int refuse(const struct trace *t, size_t at, const char *what, char *why,
		  size_t len)
{
	snprintf(why, len, "%s: byte %zu: %s", t->file, at, what);
	return -EINVAL;
}

static int by_rank(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int add_chunk(struct trace *t, const struct chunk *c)
{
	size_t room = t->chunks ? t->chunks : 64;
	struct chunk *all = t->chunk;

	if (!(t->chunks & (t->chunks - 1)) && (t->chunks >= 64 || !t->chunks)) {
		all = realloc(t->chunk, 2 * room * sizeof(*all));
		if (!all)
			return -ENOMEM;
		t->chunk = all;
	}
	all[t->chunks++] = *c;
	return 0;
}

static int read_chunks(struct trace *t, char *why, size_t len)
{
	size_t at = sizeof(struct record_head);
	struct record_chunk h;
	int rc = 0;

	while (at < t->bytes && !rc) {
		struct chunk c;

		if (t->bytes - at < sizeof(h))
			return refuse(t, at, "truncated", why, len);
		memcpy(&h, t->map + at, sizeof(h));
		if (h.magic != RECORD_CHUNK_MAGIC || h.bytes > RECORD_CHUNK_MAX)
			return refuse(t, at, "no chunk of calls", why, len);
		if (h.rank >= t->base.ranks)
			return refuse(t, at,
				      "chunk of a rank that is not in "
				      "the job",
				      why, len);
		if (h.bytes > t->bytes - at - sizeof(h))
			return refuse(t, at, "truncated", why, len);
		c = (struct chunk){ h.rank, h.number, t->map + at + sizeof(h),
				    h.bytes };
		if (record_check(c.at, c.bytes) != h.check)
			return refuse(t, at, "checksum of a chunk is wrong",
				      why, len);
		rc = add_chunk(t, &c);
		at += sizeof(h) + h.bytes;
	}
	return rc;
}

static int sort_chunks(struct trace *t, char *why, size_t len)
{
	size_t k = 0;

	if (t->chunks)
		qsort(t->chunk, t->chunks, sizeof(*t->chunk), by_rank);
	for (uint32_t r = 0; r < t->base.ranks; r++) {
		struct cursor *c = &t->rank[r];

		c->first = c->chunk = k;
		for (uint32_t n = 0; k < t->chunks && t->chunk[k].rank == r;
		     n++, k++)
			if (t->chunk[k].number != n)
				return refuse(
					t, (size_t)(t->chunk[k].at - t->map),
					"a chunk of this rank is missing or "
					"double",
					why, len);
		c->last = k;
		if (c->chunk == c->last) {
			snprintf(why, len, "%s: rank %u has no calls", t->file,
				 r);
			return -EINVAL;
		}
	}
	return 0;
}

static int map_file(struct trace *t, char *why, size_t len)
{
	int fd = open(t->file, O_RDONLY | O_CLOEXEC);
	struct record_head h;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, len, "%s: %s", t->file, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	t->bytes = (size_t)st.st_size;
	map = t->bytes < sizeof(h)
		      ? MAP_FAILED
		      : mmap(NULL, t->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return refuse(t, 0, "not a trace of calls", why, len);
	t->map = map;
	memcpy(&h, map, sizeof(h));
	if (memcmp(h.magic, RECORD_MAGIC, sizeof(h.magic)))
		return refuse(t, 0, "not a trace of calls", why, len);
	if (h.version != RECORD_VERSION)
		return refuse(t, 8, "another version of the format", why, len);
	if (!h.ranks || h.ranks > RECORD_RANKS_MAX)
		return refuse(t, 12, "invalid number of ranks", why, len);
	t->base.ranks = h.ranks;
	return 0;
}

/* ---- numbers ------------------------------------------------------------- */

static bool wrong(struct trace *t, const char *what)
{
	t->wrong = what;
	return false;
}

static bool get(struct trace *t, struct cursor *c, uint64_t *n_p)
{
	const unsigned char *p = record_get(c->at, c->end, n_p);

	if (!p)
		return wrong(t, "the call is incomplete");
	c->at = p;
	return true;
}

static bool get_signed(struct trace *t, struct cursor *c, int64_t *n_p)
{
	uint64_t n;

	if (!get(t, c, &n))
		return false;
	*n_p = record_unsigned(n);
	return true;
}

static bool get_bytes(struct trace *t, struct cursor *c, uint64_t *n_p)
{
	if (!get(t, c, n_p))
		return false;
	return *n_p <= REPLAY_BYTES_MAX || wrong(t, "a size is too large");
}

static bool get_flags(struct trace *t, struct cursor *c, unsigned *flags)
{
	uint64_t n;

	if (!get(t, c, &n))
		return false;
	*flags = (unsigned)n;
	return n <= RECORD_FLAGS || wrong(t, "unknown flags");
}

/* Reads n numbers, which follow `used` other numbers of the call. */
static bool get_array(struct trace *t, struct cursor *c, size_t used,
		      uint64_t n)
{
	/*
	 * each number takes at least one byte, so the array is not longer than
	 * that
	 */
	if (n > (uint64_t)(c->end - c->at))
		return wrong(t, "an array is longer than its chunk");
	if (used + n > c->room) {
		uint64_t *more =
			realloc(c->numbers, (used + n) * 2 * sizeof(*more));

		if (!more)
			return wrong(t, "out of memory");
		c->numbers = more;
		c->room = (used + n) * 2;
	}
	for (uint64_t i = 0; i < n; i++)
		if (!get(t, c, &c->numbers[used + i]))
			return false;
	return true;
}

/* ---- calls --------------------------------------------------------------- */

static bool get_peer(struct trace *t, struct cursor *k, struct replay_call *c)
{
	return get_flags(t, k, &c->flags) && get(t, k, &c->comm) &&
	       get_signed(t, k, &c->peer) && get_signed(t, k, &c->tag);
}

static bool get_message(struct trace *t, struct cursor *k,
			struct replay_call *c)
{
	if (!get_peer(t, k, c))
		return false;
	if (c->kind == RECORD_PROBE)
		return true;
	if (!get_bytes(t, k, &c->bytes))
		return false;
	if (c->kind == RECORD_ISEND || c->kind == RECORD_IRECV)
		return get(t, k, &c->req);
	if (c->kind != RECORD_SENDRECV)
		return true;
	return get_signed(t, k, &c->peer_in) && get_signed(t, k, &c->tag_in) &&
	       get_bytes(t, k, &c->bytes_in);
}

static bool get_wait(struct trace *t, struct cursor *k, struct replay_call *c)
{
	if (!get(t, k, &c->count) || !get_array(t, k, 0, c->count))
		return false;
	c->reqs = k->numbers;
	if (c->kind != RECORD_WAIT_ONE)
		return true;
	return get(t, k, &c->which) &&
	       (c->which < c->count || wrong(t, "no such request"));
}

static bool get_uneven(struct trace *t, struct cursor *k, struct replay_call *c)
{
	uint64_t n, m;

	if (!get(t, k, &n) || !get_array(t, k, 0, n) || !get(t, k, &m) ||
	    !get_array(t, k, n, m))
		return false;
	c->sends = n ? k->numbers : NULL;
	c->recvs = m ? k->numbers + n : NULL;
	c->send_count = n;
	c->recv_count = m;
	for (uint64_t i = 0; i < n + m; i++)
		if (k->numbers[i] > REPLAY_BYTES_MAX)
			return wrong(t, "a size is too large");
	return true;
}

static bool get_coll(struct trace *t, struct cursor *k, struct replay_call *c)
{
	uint64_t kind;

	if (!get_flags(t, k, &c->flags) || !get(t, k, &c->comm) ||
	    !get(t, k, &kind) || !get_signed(t, k, &c->root) ||
	    !get(t, k, &c->op) || !get(t, k, &c->type) ||
	    !get_bytes(t, k, &c->type_bytes) || !get_bytes(t, k, &c->send) ||
	    !get_bytes(t, k, &c->recv))
		return false;
	if (kind >= WEFT_COLL_KINDS)
		return wrong(t, "no such collective");
	c->coll = (unsigned)kind;
	if (c->flags & RECORD_UNEVEN && !get_uneven(t, k, c))
		return false;
	return !(c->flags & RECORD_LATER) || get(t, k, &c->req);
}

static bool get_comm(struct trace *t, struct cursor *k, struct replay_call *c)
{
	uint64_t how;

	if (!get(t, k, &c->comm) || !get(t, k, &c->made) || !get(t, k, &how) ||
	    !get(t, k, &c->members) || !get_array(t, k, 0, c->members))
		return false;
	if (how >= RECORD_COMM_HOWS)
		return wrong(t, "no such way to create a communicator");
	c->how = (unsigned)how;
	c->member = k->numbers;
	for (uint64_t i = 0; i < c->members; i++)
		if (c->member[i] >= t->base.ranks)
			return wrong(t, "a member is not in the job");
	return true;
}

static bool get_name(struct trace *t, struct cursor *k, struct replay_call *c)
{
	uint64_t n;

	if (!get(t, k, &n))
		return false;
	if (n >= sizeof(k->name) || n > (uint64_t)(k->end - k->at))
		return wrong(t, "a name is too long");
	memcpy(k->name, k->at, n);
	k->name[n] = 0;
	for (uint64_t i = 0; i < n; i++)
		if (k->name[i] < ' ' || k->name[i] > '~')
			return wrong(t, "a name is not text");
	k->at += n;
	c->name = k->name;
	return true;
}

static bool get_call(struct trace *t, struct cursor *k, struct replay_call *c)
{
	switch (c->kind) {
	case RECORD_END:
		return true;
	case RECORD_COMPUTE:
		return get(t, k, &c->ps);
	case RECORD_WAIT:
	case RECORD_WAIT_ONE:
		return get_wait(t, k, c);
	case RECORD_POLL:
	case RECORD_WTIME:
		return get_bytes(t, k, &c->count);
	case RECORD_COLL:
		return get_coll(t, k, c);
	case RECORD_COMM:
		return get_comm(t, k, c);
	case RECORD_COMM_FREE:
		return get(t, k, &c->comm);
	case RECORD_REQ_FREE:
		return get(t, k, &c->req);
	case RECORD_OTHER:
		return get_name(t, k, c);
	default:
		return get_message(t, k, c);
	}
}

static bool next(struct replay_source *s, uint32_t rank, struct replay_call *c)
{
	struct trace *t = of(s);
	struct cursor *k = &t->rank[rank];
	uint64_t kind;

	while (k->at == k->end) {
		if (k->chunk == k->last)
			return wrong(t, "the calls of this rank end without "
					"MPI_Finalize");
		k->at = t->chunk[k->chunk].at;
		k->end = k->at + t->chunk[k->chunk++].bytes;
	}
	memset(c, 0, sizeof(*c));
	if (!get(t, k, &kind))
		return false;
	if (kind >= RECORD_KINDS)
		return wrong(t, "no such call");
	c->kind = (enum record_kind)kind;
	return get_call(t, k, c);
}

static void where(struct replay_source *s, uint32_t rank, char *text,
		  size_t len)
{
	const struct trace *t = of(s);
	const struct cursor *k = &t->rank[rank];
	size_t at = k->at ? (size_t)(k->at - t->map) : 0;

	snprintf(text, len, "%s: byte %zu, rank %u: %s", t->file, at, rank,
		 t->wrong ? t->wrong : "invalid call");
}

static void rewind_trace(struct replay_source *s, uint32_t rank)
{
	struct cursor *k = &of(s)->rank[rank];

	k->chunk = k->first;
	k->at = k->end = NULL;
}

static void close_trace(struct replay_source *s)
{
	struct trace *t = of(s);

	for (uint32_t i = 0; t->rank && i < t->base.ranks; i++)
		free(t->rank[i].numbers);
	if (t->map)
		munmap((void *)(uintptr_t)t->map, t->bytes);
	free(t->rank);
	free(t->chunk);
	free(t->file);
	free(t);
}

int replay_trace_open(const char *file, struct replay_source **s_p, char *why,
		      size_t len)
{
	struct trace *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return -ENOMEM;
	t->base = (struct replay_source){ 0, next, where, close_trace,
					  rewind_trace };
	t->file = strdup(file);
	rc = t->file ? map_file(t, why, len) : -ENOMEM;
	if (!rc) {
		t->rank = calloc(t->base.ranks, sizeof(*t->rank));
		rc = t->rank ? read_chunks(t, why, len) : -ENOMEM;
	}
	if (!rc)
		rc = sort_chunks(t, why, len);
	if (rc)
		close_trace(&t->base);
	else
		*s_p = &t->base;
	return rc;
}
