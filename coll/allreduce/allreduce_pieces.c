/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allreduce of long vectors over a few hosts. The vector is divided into
 * pieces, and the ranks of a host take turns as the leader of a piece. The
 * leader combines the contributions of its host's ranks to the piece through
 * shared memory, then the leaders on all hosts combine their sums, and each
 * sends the result to the ranks of its host. So all ranks of a host take part
 * in the exchange between hosts, and the exchange of a piece overlaps with the
 * work of the host on the next pieces.
 *
 * Restrictions: communicators on several hosts; commutative operations. With
 * more than PIECES_HOSTS hosts, or a host with only one rank, the ring is used.
 * Cost for h hosts with r ranks each: on the network n beta in each direction
 * for two hosts, 2 ceil(log2 h) n beta for more; in each host 2 n beta + n
 * gamma for each rank.
 *
 *   a: 0 1   b: 2 3, pieces k l m n   rank  0          1          2 3
 *   combine in the host                     k01 m01    l01 n01    likewise
 *   0 <-> 2, 1 <-> 3                        k0123 ...  l0123 ...
 *   to the ranks of the host                k m to 1   l n to 0
 */
#include "coll/coll_hosts.h"
#include "coll/coll_select.h"

/* largest number of hosts for which trees of hosts are not slower than rings */
#define PIECES_HOSTS 4

/* bytes per piece; minimum and maximum number of pieces that a rank leads */
#define PIECES_BYTES (256 << 10)
#define PIECES_LEAST 2
#define PIECES_MOST  4

struct pieces {
	const struct coll_hosts *h;
	struct weft_dt *dt;
	const char *in; /* vector of this rank */
	char *out;
	char *spare; /* buffer for the pieces that this rank combines */
	char *from;  /* buffer for the operand of another rank of this host */
	MPI_Count n;
	MPI_Count longest; /* elements of the longest piece */
	int count;
	int led; /* number of pieces that this rank leads */
	unsigned sent[PIECES_MOST], received[PIECES_MOST];
};

static MPI_Count piece_first(const struct pieces *x, int k)
{
	return coll_part_first(x->n, x->count, k);
}

static MPI_Count piece_n(const struct pieces *x, int k)
{
	return piece_first(x, k + 1) - piece_first(x, k);
}

static char *piece_at(const struct pieces *x, const char *vec, int k)
{
	return coll_at(vec, piece_first(x, k), x->dt);
}

/*
 * Returns the index, among all pieces, of the i-th piece that this rank leads.
 */
static int piece_led(const struct pieces *x, int i)
{
	return i * x->h->least + x->h->me;
}

static char *piece_spare(const struct pieces *x, int i)
{
	return coll_at(x->spare, x->longest * i, x->dt);
}

/* Returns the leader of piece k on a host. */
static int piece_leader(const struct pieces *x, int host, int k)
{
	return x->h->by_host[x->h->start[host] + k % x->h->least];
}

/*
 * Returns the address of the host's sum of the i-th piece that this rank leads.
 * With two hosts, the first host receives into the result buffer and sends from
 * a temporary buffer, so that both compute (first host op second host) without
 * a copy.
 */
static char *piece_sum(const struct pieces *x, int i)
{
	if (x->h->count == 2 && x->h->my_host == 0)
		return piece_spare(x, i);
	return piece_at(x, x->out, piece_led(x, i));
}

static void pieces_offer(struct coll_prog *p, const struct pieces *x)
{
	for (int k = 0; k < x->count; k++) {
		int to = piece_leader(x, x->h->my_host, k);

		if (to != p->rank)
			coll_send(p, piece_at(x, x->in, k), piece_n(x, k),
				  x->dt, to);
	}
}

/* Combines, within the host, the i-th piece that this rank leads. */
static void piece_combine(struct coll_prog *p, const struct pieces *x, int i)
{
	int k = piece_led(x, i);
	MPI_Count n = piece_n(x, k);
	char *sum = piece_sum(x, i);

	coll_copy(p, piece_at(x, x->in, k), n, x->dt, sum, n, x->dt);
	for (int r = 0; r < x->h->local_size; r++) {
		if (r == x->h->me)
			continue;
		coll_recv_wait(p, x->from, n, x->dt, x->h->local_rank[r]);
		coll_reduce(p, x->from, sum, n);
	}
}

/* ---- between two hosts ---- */

static void piece_exchange_start(struct coll_prog *p, struct pieces *x, int i)
{
	int k = piece_led(x, i);
	int other = piece_leader(x, !x->h->my_host, k);
	char *sum = piece_sum(x, i);
	char *in = x->h->my_host ? piece_spare(x, i) : piece_at(x, x->out, k);

	x->received[i] = coll_recv(p, in, piece_n(x, k), x->dt, other);
	x->sent[i] = coll_send(p, sum, piece_n(x, k), x->dt, other);
}

static void piece_exchange_end(struct coll_prog *p, const struct pieces *x,
			       int i)
{
	int k = piece_led(x, i);

	coll_wait(p, x->received[i]);
	/*
	 * the second host reduces into the vector that it sent: wait for that
	 * send
	 */
	if (x->h->my_host)
		coll_wait(p, x->sent[i]);
	coll_reduce(p, piece_spare(x, i), piece_at(x, x->out, k),
		    piece_n(x, k));
}

/* ---- between more hosts ---- */

/* Combines a piece up the tree of hosts, and sends the result down. */
static void piece_tree(struct coll_prog *p, const struct weft_coll_args *a,
		       const struct pieces *x, int i)
{
	int k = piece_led(x, i);
	struct weft_coll_args b = *a;
	struct coll_tree t;

	b.r.buf = piece_at(x, x->out, k);
	b.r.count = piece_n(x, k);
	coll_tree_binomial(x->h->count, 0, x->h->my_host, &t);
	if (t.parent >= 0)
		t.parent = piece_leader(x, t.parent, k);
	for (int c = 0; c < t.nchild; c++)
		t.child[c] = piece_leader(x, t.child[c], k);
	coll_reduce_tree(p, &b, &t, b.r.buf, b.r.buf);
	/*
	 * the result may overwrite this host's sum: the parent has read the sum
	 * before it sends the result
	 */
	if (t.parent >= 0)
		coll_recv_wait(p, b.r.buf, b.r.count, x->dt, t.parent);
	for (int c = t.nchild - 1; c >= 0; c--)
		coll_send(p, b.r.buf, b.r.count, x->dt, t.child[c]);
}

/* ---- results ---- */

static void pieces_expect(struct coll_prog *p, const struct pieces *x)
{
	for (int k = 0; k < x->count; k++) {
		int from = piece_leader(x, x->h->my_host, k);

		if (from != p->rank)
			coll_recv(p, piece_at(x, x->out, k), piece_n(x, k),
				  x->dt, from);
	}
}

static void piece_deliver(struct coll_prog *p, const struct pieces *x, int i)
{
	int k = piece_led(x, i);

	for (int r = 0; r < x->h->local_size; r++)
		if (r != x->h->me)
			coll_send(p, piece_at(x, x->out, k), piece_n(x, k),
				  x->dt, x->h->local_rank[r]);
}

/* Divides the vector, and allocates the temporary buffers of a leader. */
static void pieces_init(struct coll_prog *p, const struct weft_coll_args *a,
			struct pieces *x)
{
	MPI_Count bytes = (MPI_Count)PIECES_BYTES * x->h->least;
	MPI_Count each = a->r.count * a->r.dt->size / bytes;

	if (each < PIECES_LEAST)
		each = PIECES_LEAST;
	if (each > PIECES_MOST)
		each = PIECES_MOST;
	x->count = (int)each * x->h->least;
	x->longest = (x->n + x->count - 1) / x->count;
	if (x->h->me >= x->h->least)
		return;
	x->led = (int)each;
	x->from = coll_elems(p, x->longest, x->dt);
	x->spare = coll_elems(p, x->longest * each, x->dt);
}

/*
 * A rank sends all its contributions to the leaders before it sends results,
 * and posts its receives in the same order (contributions, then results), since
 * messages match in the order of posting.
 */
static void pieces_run(struct coll_prog *p, const struct weft_coll_args *a,
		       struct pieces *x)
{
	bool pair = x->h->count == 2;

	pieces_offer(p, x);
	for (int i = 0; i < x->led; i++) {
		piece_combine(p, x, i);
		if (pair)
			piece_exchange_start(p, x, i);
		else
			piece_tree(p, a, x, i);
	}
	pieces_expect(p, x);
	for (int i = 0; i < x->led; i++) {
		if (pair)
			piece_exchange_end(p, x, i);
		piece_deliver(p, x, i);
	}
}

void coll_allreduce_pieces(struct coll_prog *p, const struct weft_coll_args *a)
{
	struct pieces x = {
		.h = coll_hosts(a->comm),
		.dt = a->r.dt,
		.in = coll_input(a),
		.out = a->r.buf,
		.n = a->r.count,
	};

	if (x.h->count > PIECES_HOSTS || x.h->least == 1) {
		coll_allreduce_ring(p, a);
		return;
	}
	pieces_init(p, a, &x);
	if (!p->err)
		pieces_run(p, a, &x);
}
