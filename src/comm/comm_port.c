/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, accept and connect (comm_port.h). */
#include "src/comm/comm_port.h"

#include "src/boot/boot_foreign.h"
#include "src/boot/boot_secret.h"
#include "src/boot/boot_wire_up.h"
#include "src/comm/comm_channel.h"
#include "src/comm/comm_context.h"
#include "src/comm/comm_inter.h"
#include "src/core/core_state.h"
#include "src/msg/msg_tag.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PREFIX	    "weft:"
#define KEY_PREFIX  "weft+"
#define PREFIX_ROOM 32 /* size of the beginning of a port's name, bytes */

/*
 * Ranks of the two roots in the communicator that they use for their messages.
 */
enum { ACCEPTING, CONNECTING };

struct request {
	struct weft_identity from;
	uint32_t reply; /* tag for the answer */
	uint32_t pad;
};

struct answer {
	struct weft_identity from;
	uint32_t tag; /* tag for all further messages */
	uint32_t pad;
};

/* ---- names --------------------------------------------------------------- */

struct port {
	struct weft_list link;
	uint32_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list ports = { &ports, &ports };

/* Returns a number that is not used by another port or connection. */
static uint32_t new_number(void)
{
	uint32_t n = 0;

	while (!n)
		if (getrandom(&n, sizeof(n), 0) == sizeof(n))
			n &= WEFT_TAG_MASK;
	return n;
}

/*
 * Returns this process's open port with that number, or NULL. Requires the
 * lock.
 */
static struct port *find(uint32_t number)
{
	struct weft_list *pos, *tmp;

	weft_list_each(pos, tmp, &ports) {
		struct port *p = weft_container_of(pos, struct port, link);

		if (p->number == number)
			return p;
	}
	return NULL;
}

/*
 * Writes the text with which the names of this job's ports begin, and returns
 * its length. In virtual time the text contains the id of the world, because
 * addresses have no meaning in another world.
 */
static int write_prefix(char text[PREFIX_ROOM])
{
	uint32_t key = weft_secret_id();

	if (weft_core.backend->world)
		return snprintf(text, PREFIX_ROOM, "weft-vt:%016" PRIx64 ":",
				weft_core.backend->world());
	if (key)
		return snprintf(text, PREFIX_ROOM, KEY_PREFIX "%08x:", key);
	return snprintf(text, PREFIX_ROOM, PREFIX);
}

/*
 * Returns the error for a port name that does not begin with this job's prefix.
 */
static int refuse_prefix(const char *text)
{
	bool plain = !strncmp(text, PREFIX, strlen(PREFIX));
	bool keyed = !strncmp(text, KEY_PREFIX, strlen(KEY_PREFIX));

	if (weft_core.backend->world || (!plain && !keyed))
		return -ENXIO;
	return -EKEYREJECTED;
}

/*
 * Parses the name of a port, and sets *number_p and *id. The name does not
 * contain id->job and id->rank.
 */
static int parse(const char *text, uint32_t *number_p, struct weft_identity *id)
{
	char prefix[PREFIX_ROOM];
	unsigned byte;
	int used = 0;
	size_t skip = (size_t)write_prefix(prefix);

	memset(id, 0, sizeof(*id));
	if (strncmp(text, prefix, skip))
		return refuse_prefix(text);
	text += skip;
	if (sscanf(text, "%8x:%n", number_p, &used) != 1 || !used ||
	    *number_p > WEFT_TAG_MASK)
		return -ENXIO;
	for (text += used; *text; text += 2) {
		if (id->len == sizeof(id->name) || !text[1] ||
		    sscanf(text, "%2x", &byte) != 1)
			return -ENXIO;
		id->name[id->len++] = (uint8_t)byte;
	}
	return 0;
}

int weft_comm_port_open(char text[MPI_MAX_PORT_NAME])
{
	struct port *p = calloc(1, sizeof(*p));
	size_t len, pos;
	const uint8_t *name = weft_wire_name(&len);

	if (!p)
		return -ENOMEM;
	p->number = new_number();
	pos = (size_t)write_prefix(text);
	pos += (size_t)snprintf(text + pos, MPI_MAX_PORT_NAME - pos,
				"%08x:", p->number);
	for (size_t i = 0; i < len && i < WEFT_FOREIGN_NAME; i++)
		pos += (size_t)snprintf(text + pos, MPI_MAX_PORT_NAME - pos,
					"%02x", name[i]);
	pthread_mutex_lock(&lock);
	weft_list_push_back(&ports, &p->link);
	pthread_mutex_unlock(&lock);
	return 0;
}

int weft_comm_port_close(const char *text)
{
	struct weft_identity id;
	uint32_t number;
	struct port *p = NULL;

	if (parse(text, &number, &id))
		return -ENXIO;
	pthread_mutex_lock(&lock);
	p = find(number);
	if (p)
		weft_list_remove(&p->link);
	pthread_mutex_unlock(&lock);
	free(p);
	return p ? 0 : -ENXIO;
}

/* ---- the two roots ------------------------------------------------------- */

/* Communicator of the two roots. */
struct roots {
	struct weft_comm comm;
	struct weft_channel m;
	int proc[2];
};

static void roots_open(struct roots *r, int rank, int other)
{
	r->proc[rank] = weft_core.job.rank;
	r->proc[!rank] = other;
	weft_channel_scratch(&r->comm,
			     (uint64_t)WEFT_CTX_NO_COMM << WEFT_TAG_CTX_SHIFT,
			     r->proc, 2, rank);
	r->m = (struct weft_channel){ &r->comm, 0, 0 };
}

static int message(struct roots *r, uint32_t tag, void *buf, size_t bytes,
		   bool sends)
{
	struct weft_p2p_args a =
		weft_channel_args(&r->m, buf, bytes, !r->comm.rank);

	a.tag = (int)tag;
	return sends ? weft_core_send(&a)
		     : weft_core_recv(&a, MPI_STATUS_IGNORE);
}

/*
 * Accepts one connection. Sets *r to the communicator of the two roots, and the
 * tag for their messages.
 */
static int roots_accept(const char *name, struct roots *r)
{
	struct weft_identity id;
	struct request q = { .reply = 0 };
	struct answer a = { .tag = new_number() };
	uint32_t number;
	int rc = parse(name, &number, &id), other;

	pthread_mutex_lock(&lock);
	if (!rc && !find(number))
		rc = -ENXIO;
	pthread_mutex_unlock(&lock);
	if (rc)
		return rc;
	/* the process of the other root is not known yet */
	roots_open(r, ACCEPTING, weft_core.job.rank);
	rc = message(r, number, &q, sizeof(q), false);
	other = rc ? rc : weft_foreign_find(&q.from);
	if (other < 0)
		return other;
	roots_open(r, ACCEPTING, other);
	rc = weft_foreign_identify(weft_core.job.rank, &a.from);
	if (!rc)
		rc = message(r, q.reply, &a, sizeof(a), true);
	r->m.tag = (int)a.tag;
	return rc;
}

/*
 * Returns the index of the process that opened the port. The rank of that
 * process becomes known only by its answer; until then the process is
 * registered as one of a job without a number.
 */
static int find_by_name(struct weft_identity *id)
{
	size_t len;
	const void *name = weft_wire_name(&len);

	if (id->len == len && !memcmp(id->name, name, len))
		return weft_core.job.rank;
	return weft_foreign_find(id);
}

static int roots_connect(const char *name, struct roots *r)
{
	struct weft_identity id;
	struct request q = { .reply = new_number() };
	struct answer a = { .tag = 0 };
	uint32_t number;
	int rc = parse(name, &number, &id), other;

	other = rc ? rc : find_by_name(&id);
	if (other < 0)
		return other;
	roots_open(r, CONNECTING, other);
	rc = weft_foreign_identify(weft_core.job.rank, &q.from);
	if (!rc)
		rc = message(r, number, &q, sizeof(q), true);
	if (!rc)
		rc = message(r, q.reply, &a, sizeof(a), false);
	other = rc ? rc : weft_foreign_find(&a.from);
	if (other < 0)
		return other;
	roots_open(r, CONNECTING, other);
	r->m.tag = (int)a.tag;
	return 0;
}

/* ---- collective part ----------------------------------------------------- */

int weft_comm_port_agree(struct weft_comm *c, int root, int rc)
{
	struct weft_channel m = weft_channel_of(c);
	int err = weft_channel_bcast(&m, root, &rc, sizeof(rc));

	return err ? err : rc;
}

static int create(struct weft_comm *c, int root, struct roots *r,
		  struct weft_comm **comm_p)
{
	struct weft_channel local = weft_channel_of(c);
	struct weft_make_inter i = { .group = c->group,
				     .leader = root,
				     .peer = &r->comm,
				     .remote = !r->comm.rank,
				     .tag = r->m.tag,
				     .local = &local };
	int tag = i.tag;
	int rc;

	/* the tag is also used in the agreement of all members */
	rc = weft_channel_bcast(&local, root, &tag, sizeof(tag));
	i.tag = tag;
	return rc ? rc : weft_make_inter(&i, c, comm_p);
}

int weft_comm_port_accept(struct weft_comm *c, int root, const char *name,
			  struct weft_comm **comm_p)
{
	struct roots r = { .proc = { 0 } };
	int rc = 0;

	if (c->rank == root)
		rc = roots_accept(name, &r);
	rc = weft_comm_port_agree(c, root, rc);
	return rc ? rc : create(c, root, &r, comm_p);
}

int weft_comm_port_connect(struct weft_comm *c, int root, const char *name,
			   struct weft_comm **comm_p)
{
	struct roots r = { .proc = { 0 } };
	int rc = 0;

	if (c->rank == root)
		rc = roots_connect(name, &r);
	rc = weft_comm_port_agree(c, root, rc);
	return rc ? rc : create(c, root, &r, comm_p);
}

int weft_comm_port_join(struct weft_comm *self, const char *mine,
			const char *theirs, struct weft_comm **comm_p)
{
	return strcmp(mine, theirs) < 0
		       ? weft_comm_port_accept(self, 0, mine, comm_p)
		       : weft_comm_port_connect(self, 0, theirs, comm_p);
}
