/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent sends and receives. */
#include "src/mpi/mpi_export.h"

#include "src/msg/msg_bsend.h"
#include "src/msg/msg.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_send.h"
#include "src/mpi/mpi_check.h"

#include <errno.h>

/* Operation that each start of a persistent request executes. */
enum what { RECV, SEND, BSEND };

static int init(struct mpi_msg m, MPI_Comm comm, enum what what, unsigned mode,
		MPI_Request *request)
{
	struct weft_comm *c;
	struct weft_p2p_args a;
	struct weft_p2p *p;
	struct weft_req *r = NULL;
	int err = mpi_check_comm(m.func, 6, comm, &c);

	if (!err)
		err = mpi_check_msg(&m, c, what == RECV);
	if (!err)
		err = weft_check_ptr(c, m.func, 7, request, "request");
	if (err)
		return err;
	a = mpi_msg_args(&m, c, mode);
	if (what == BSEND) {
		err = weft_core_bsend_init(&a, &r);
	} else {
		p = weft_p2p_open(what == RECV ? weft_p2p_init_recv
					       : weft_p2p_init_send,
				  &a, WEFT_REQ_PERSISTENT);
		err = p ? 0 : -ENOMEM;
		if (p)
			r = &p->req;
	}
	if (err)
		return weft_err_rc(c, m.func, err);
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

#define MSG(peer)                                                  \
	{                                                          \
		__func__, 1, buf, count, datatype, peer, tag, NULL \
	}

#define MPI_BODY "src/mpi/pt2pt/mpi_persist_body.inc"
#include "src/mpi/mpi_both_counts.h"
