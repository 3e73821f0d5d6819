/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Count 0 in every function for messages and packing, with every kind of
 * datatype, with a null and with a valid buffer: each rank sends to the next
 * rank, and the two sides use different types.
 */
#include "zero_t.h"

static int to, from;

/* ---- tables of the functions --------------------------------------------- */

#define SEND_ARGS(count) const void *, count, MPI_Datatype, int, int, MPI_Comm
typedef int (*send_fn)(SEND_ARGS(int));
typedef int (*send_c_fn)(SEND_ARGS(MPI_Count));
typedef int (*isend_fn)(SEND_ARGS(int), MPI_Request *);
typedef int (*isend_c_fn)(SEND_ARGS(MPI_Count), MPI_Request *);

static const send_fn send[] = { MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend };
static const send_c_fn send_c[] = { MPI_Send_c, MPI_Bsend_c, MPI_Ssend_c,
				    MPI_Rsend_c };
static const isend_fn isend[] = { MPI_Isend, MPI_Ibsend, MPI_Issend,
				  MPI_Irsend };
static const isend_c_fn isend_c[] = { MPI_Isend_c, MPI_Ibsend_c, MPI_Issend_c,
				      MPI_Irsend_c };
static const isend_fn init[] = { MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init,
				 MPI_Rsend_init };
static const isend_c_fn init_c[] = { MPI_Send_init_c, MPI_Bsend_init_c,
				     MPI_Ssend_init_c, MPI_Rsend_init_c };
enum { MODES = 4, TAG = 5 };

/* ---- sends and receives -------------------------------------------------- */

/*
 * Makes one send call of this form and mode; the receive is already posted on
 * every rank.
 */
static void send_one(int form, int mode, void *buf, MPI_Datatype t)
{
	MPI_Request r = MPI_REQUEST_NULL;

	switch (form) {
	case 0:
		MT_OK(send[mode](buf, zero_n, t, to, TAG, MPI_COMM_WORLD));
		return;
	case 1:
		MT_OK(send_c[mode](buf, zero_n, t, to, TAG, MPI_COMM_WORLD));
		return;
	case 2:
		MT_OK(isend[mode](buf, zero_n, t, to, TAG, MPI_COMM_WORLD, &r));
		break;
	case 3:
		MT_OK(isend_c[mode](buf, zero_n, t, to, TAG, MPI_COMM_WORLD,
				    &r));
		break;
	case 4:
		MT_OK(init[mode](buf, zero_n, t, to, TAG, MPI_COMM_WORLD, &r));
		MT_OK(MPI_Start(&r));
		break;
	default:
		MT_OK(init_c[mode](buf, zero_n, t, to, TAG, MPI_COMM_WORLD,
				   &r));
		MT_OK(MPI_Startall(1, &r));
	}
	MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	if (form >= 4)
		MT_OK(MPI_Request_free(&r));
}

static void recv_begin(int form, void *buf, MPI_Datatype t, MPI_Request *r)
{
	const MPI_Comm comm = MPI_COMM_WORLD;

	switch (form % 4) {
	case 0:
		MT_OK(MPI_Irecv(buf, 0, t, from, TAG, comm, r));
		break;
	case 1:
		MT_OK(MPI_Irecv_c(buf, 0, t, from, TAG, comm, r));
		break;
	case 2:
		MT_OK(MPI_Recv_init(buf, 0, t, from, TAG, comm, r));
		MT_OK(MPI_Start(r));
		break;
	default:
		MT_OK(MPI_Recv_init_c(buf, 0, t, from, TAG, comm, r));
		MT_OK(MPI_Start(r));
	}
}

/*
 * Tests every form and mode of send; the barrier ensures that all receives are
 * posted, as ready sends require.
 */
static void sends(int i, void *buf)
{
	MPI_Status s;
	MPI_Request r;

	for (int form = 0; form < 6; form++) {
		for (int mode = 0; mode < MODES; mode++) {
			recv_begin(form + mode, buf, zero_peer_type(i), &r);
			MT_OK(MPI_Barrier(MPI_COMM_WORLD));
			send_one(form, mode, buf, zero_type[i].type);
			MT_OK(MPI_Wait(&r, &s));
			zero_status(&s, from, TAG);
			if (r != MPI_REQUEST_NULL)
				MT_OK(MPI_Request_free(&r));
		}
	}
}

/* Blocking receives of a message that may have arrived already. */
static void receives(int i, void *buf)
{
	const MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Request r[2];
	MPI_Status s;

	MT_OK(MPI_Isend(buf, zero_n, zero_type[i].type, to, 1, comm, &r[0]));
	MT_OK(MPI_Isend(buf, 0, zero_peer_type(i), to, 2, comm, &r[1]));
	MT_OK(MPI_Recv(buf, 0, zero_peer_type(i), from, 1, comm, &s));
	zero_status(&s, from, 1);
	MT_OK(MPI_Recv_c(buf, zero_n, zero_type[i].type, MPI_ANY_SOURCE, 2,
			 comm, &s));
	zero_status(&s, from, 2);
	MT_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Send(buf, zero_n, zero_type[i].type, MPI_PROC_NULL, 0, comm));
	MT_OK(MPI_Recv(buf, zero_n, zero_type[i].type, MPI_PROC_NULL, 0, comm,
		       &s));
	zero_status(&s, MPI_PROC_NULL, MPI_ANY_TAG);
}

static void sendrecvs(int i, void *buf)
{
	MPI_Datatype t = zero_type[i].type, u = zero_peer_type(i);
	const MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Request r[4];
	MPI_Status s[4];

	MT_OK(MPI_Sendrecv(buf, zero_n, t, to, 3, buf, 0, u, from, 3, comm, s));
	zero_status(s, from, 3);
	MT_OK(MPI_Sendrecv_c(buf, zero_n, t, to, 3, buf, 0, u, from, 3, comm,
			     s));
	zero_status(s, from, 3);
	MT_OK(MPI_Sendrecv_replace(buf, zero_n, t, to, 4, from, 4, comm, s));
	zero_status(s, from, 4);
	MT_OK(MPI_Sendrecv_replace_c(buf, zero_n, t, to, 4, from, 4, comm, s));
	zero_status(s, from, 4);
	MT_OK(MPI_Isendrecv(buf, zero_n, t, to, 3, buf, 0, u, from, 3, comm,
			    &r[0]));
	MT_OK(MPI_Isendrecv_c(buf, zero_n, t, to, 3, buf, 0, u, from, 3, comm,
			      &r[1]));
	MT_OK(MPI_Isendrecv_replace(buf, zero_n, t, to, 3, from, 3, comm,
				    &r[2]));
	MT_OK(MPI_Isendrecv_replace_c(buf, zero_n, t, to, 3, from, 3, comm,
				      &r[3]));
	MT_OK(MPI_Waitall(4, r, s));
	for (int k = 0; k < 4; k++)
		zero_status(&s[k], from, 3);
}

/* ---- probes -------------------------------------------------------------- */

static void mrecv(int form, void *buf, MPI_Datatype t, MPI_Message *m,
		  MPI_Status *s)
{
	MPI_Request r;

	switch (form) {
	case 0:
		MT_OK(MPI_Mrecv(buf, 0, t, m, s));
		return;
	case 1:
		MT_OK(MPI_Mrecv_c(buf, 0, t, m, s));
		return;
	case 2:
		MT_OK(MPI_Imrecv(buf, 0, t, m, &r));
		break;
	default:
		MT_OK(MPI_Imrecv_c(buf, 0, t, m, &r));
	}
	MT_OK(MPI_Wait(&r, s));
}

static void probes(int i, void *buf)
{
	const MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Message m;
	MPI_Request r;
	MPI_Status s;

	for (int form = 0; form < 4; form++) {
		MT_OK(MPI_Isend(buf, zero_n, zero_type[i].type, to, form, comm,
				&r));
		MT_OK(MPI_Probe(from, form, comm, &s));
		zero_status(&s, from, form);
		MT_OK(MPI_Mprobe(from, form, comm, &m, &s));
		zero_status(&s, from, form);
		mrecv(form, buf, zero_peer_type(i), &m, &s);
		zero_status(&s, from, form);
		MT_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		m = MPI_MESSAGE_NO_PROC;
		mrecv(form, buf, zero_peer_type(i), &m, &s);
		zero_status(&s, MPI_PROC_NULL, MPI_ANY_TAG);
	}
}

/* ---- partitioned communication ------------------------------------------- */

/* Partitions without elements, or no partitions, on one or both sides. */
static void partitioned(int i, void *buf, int mine, int its)
{
	const MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Datatype t = zero_type[i].type;
	MPI_Request r[2];
	MPI_Status s[2];

	MT_OK(MPI_Psend_init(buf, mine, zero_n, t, to, 6, comm, MPI_INFO_NULL,
			     &r[0]));
	MT_OK(MPI_Precv_init(buf, its, 0, zero_peer_type(i), from, 6, comm,
			     MPI_INFO_NULL, &r[1]));
	for (int round = 0; round < 2; round++) {
		MT_OK(MPI_Startall(2, r));
		for (int k = 0; k < mine; k++)
			MT_OK(MPI_Pready(k, r[0]));
		MT_OK(MPI_Waitall(2, r, s));
		zero_status(&s[1], from, 6);
	}
	MT_OK(MPI_Request_free(&r[0]));
	MT_OK(MPI_Request_free(&r[1]));
}

/* ---- packing ------------------------------------------------------------- */

static void packs(int i, void *buf, void *packed)
{
	const MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Datatype t = zero_type[i].type;
	MPI_Count at_c = 0, size_c;
	int at = 0, size;

	MT_OK(MPI_Pack(buf, zero_n, t, packed, 0, &at, comm));
	MT_OK(MPI_Unpack(packed, 0, &at, buf, zero_n, t, comm));
	MT_OK(MPI_Pack_c(buf, zero_n, t, packed, 0, &at_c, comm));
	MT_OK(MPI_Unpack_c(packed, 0, &at_c, buf, zero_n, t, comm));
	MT_TRUE(!at && !at_c);
	MT_OK(MPI_Pack_size(zero_n, t, comm, &size));
	MT_OK(MPI_Pack_size_c(zero_n, t, comm, &size_c));
	MT_TRUE(size >= 0 && size_c >= 0);
}

static void packs_external(int i, void *buf, void *packed)
{
	MPI_Datatype t = zero_type[i].type;
	MPI_Aint at = 0, size;
	MPI_Count at_c = 0, size_c;

	MT_OK(MPI_Pack_external("external32", buf, zero_n, t, packed, 0, &at));
	MT_OK(MPI_Unpack_external("external32", packed, 0, &at, buf, 0, t));
	MT_OK(MPI_Pack_external_c("external32", buf, zero_n, t, packed, 0,
				  &at_c));
	MT_OK(MPI_Unpack_external_c("external32", packed, 0, &at_c, buf, zero_n,
				    t));
	MT_TRUE(!at && !at_c);
	MT_OK(MPI_Pack_external_size("external32", zero_n, t, &size));
	MT_OK(MPI_Pack_external_size_c("external32", zero_n, t, &size_c));
	MT_TRUE(!size && !size_c);
}

/* ---- lists of requests, statuses ----------------------------------------- */

static void lists_tested(void)
{
	int flag = 0, index = 0, n = 0;
	MPI_Status s;

	MT_OK(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
	MT_IS(flag, 1);
	flag = 0;
	MT_OK(MPI_Testany(0, NULL, &index, &flag, &s));
	MT_TRUE(flag == 1 && index == MPI_UNDEFINED);
	MT_OK(MPI_Testsome(0, NULL, &n, NULL, MPI_STATUSES_IGNORE));
	MT_IS(n, MPI_UNDEFINED);
	flag = 0;
	MT_OK(MPI_Request_get_status_all(0, NULL, &flag, MPI_STATUSES_IGNORE));
	MT_IS(flag, 1);
	flag = index = n = 0;
	MT_OK(MPI_Request_get_status_any(0, NULL, &index, &flag, &s));
	MT_TRUE(flag == 1 && index == MPI_UNDEFINED);
	MT_OK(MPI_Request_get_status_some(0, NULL, &n, NULL,
					  MPI_STATUSES_IGNORE));
	MT_IS(n, MPI_UNDEFINED);
}

static void lists(void)
{
	int index = 0, n = 0;
	MPI_Status s;

	MT_OK(MPI_Startall(0, NULL));
	MT_OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
	MT_OK(MPI_Waitany(0, NULL, &index, &s));
	MT_IS(index, MPI_UNDEFINED);
	MT_OK(MPI_Waitsome(0, NULL, &n, NULL, MPI_STATUSES_IGNORE));
	MT_IS(n, MPI_UNDEFINED);
	lists_tested();
}

static void set_elements(int i)
{
	MPI_Status s = { .MPI_SOURCE = 0, .MPI_TAG = 0 };

	MT_OK(MPI_Status_set_elements(&s, zero_type[i].type, 0));
	zero_status(&s, 0, 0);
	MT_OK(MPI_Status_set_elements_x(&s, zero_type[i].type, 0));
	zero_status(&s, 0, 0);
	MT_OK(MPI_Status_set_elements_c(&s, zero_type[i].type, 0));
	zero_status(&s, 0, 0);
}

static void each(int i, void *buf, void *packed)
{
	sends(i, buf);
	receives(i, buf);
	sendrecvs(i, buf);
	probes(i, buf);
	partitioned(i, buf, 2, 2);
	partitioned(i, buf, 0, 0);
	partitioned(i, buf, 0, 3);
	partitioned(i, buf, 3, 0);
	packs(i, buf, packed);
	packs_external(i, buf, packed);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	void *p;
	int n;

	mt_begin(&argc, &argv);
	to = (mt_rank + 1) % mt_size;
	from = (mt_rank + mt_size - 1) % mt_size;
	zero_begin();
	MT_OK(MPI_Buffer_attach(buffer, sizeof(buffer)));
	lists();
	for (int i = 0; i < zero_types; i++) {
		set_elements(i);
		for (zero_n = 0; zero_n <= zero_max_count(i); zero_n += 3) {
			each(i, zero_buf[0], zero_buf[1]);
			each(i, zero_buf[1], zero_buf[0]);
		}
	}
	MT_OK(MPI_Buffer_detach(&p, &n));
	zero_end();
	return mt_end();
}
