/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of windows: sending and receiving; see win_am.h. */
#include "src/win/win_am.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/core/core_progress.h"
#include "src/core/core_tag.h"
#include "src/core/core_wire_up.h"

#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* ---- sending ------------------------------------------------------------- */

struct letter {
	struct weft_io io;
	struct weft_pend pend;
	struct win_op *op;
	uint64_t word;
	size_t bytes;
	bool gone; /* injected: no completion will follow */
	alignas(16) char data[];
};

static void letter_over(struct letter *l, int err)
{
	struct win_op *op = l->op;

	free(l);
	if (op)
		win_op_drop(op, err);
}

static void letter_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			int err)
{
	(void)e;
	letter_over(weft_container_of(io, struct letter, io), err);
}

static int letter_post(struct weft_pend *e)
{
	struct letter *l = weft_container_of(e, struct letter, pend);
	fi_addr_t to = e->lane->real;
	ssize_t rc;

	l->gone = l->bytes <= weft_core.inject_bytes;
	if (l->gone)
		rc = fi_tinject(weft_core.ep, l->data, l->bytes, to, l->word);
	else
		rc = fi_tsend(weft_core.ep, l->data, l->bytes, NULL, to,
			      l->word, &l->io.fi);
	return weft_fi_errno((int)rc);
}

static void letter_left(struct weft_pend *e, int rc)
{
	struct letter *l = weft_container_of(e, struct letter, pend);

	if (rc || l->gone)
		letter_over(l, rc);
}

static struct letter *letter_new(struct weft_win *w, const struct win_am *head,
				 const struct iovec *part, int n)
{
	size_t bytes = sizeof(*head);
	struct letter *l;

	for (int i = 0; i < n; i++)
		bytes += part[i].iov_len;
	l = malloc(sizeof(*l) + bytes);
	if (!l)
		return NULL;
	l->io.done = letter_done;
	l->pend.post = letter_post;
	l->pend.left = letter_left;
	l->word = weft_tag_word(w->comm->ctx, WEFT_CTX_CTRL, w->rank, 0);
	l->bytes = bytes;
	memcpy(l->data, head, sizeof(*head));
	bytes = sizeof(*head);
	for (int i = 0; i < n; i++) {
		memcpy(l->data + bytes, part[i].iov_base, part[i].iov_len);
		bytes += part[i].iov_len;
	}
	return l;
}

int win_am_send(struct weft_win *w, int rank, const struct win_am *head,
		const struct iovec *part, int n, struct win_op *op)
{
	int proc = w->comm->proc[rank];
	struct letter *l = letter_new(w, head, part, n);
	int rc = l ? weft_wire_reach(proc) : -ENOMEM;

	if (rc) {
		free(l);
		return rc;
	}
	l->pend.lane = &weft_core.proc[proc];
	l->op = op;
	if (op)
		op->left++;
	rc = weft_pend_post(&l->pend);
	if (rc) {
		if (op)
			op->left--;
		free(l);
	} else if (!weft_pend_waits(&l->pend) && l->gone) {
		letter_over(l, 0);
	}
	return rc;
}

int win_am_say(struct weft_win *w, int rank, enum win_am_type type,
	       uint32_t flags)
{
	struct win_am head = { .type = type, .flags = flags };
	int rc;

	weft_lock();
	rc = win_am_send(w, rank, &head, NULL, 0, NULL);
	weft_unlock();
	return rc;
}

/* ---- receiving ----------------------------------------------------------- */

struct win_ear {
	struct weft_io io;
	struct weft_pend pend;
	struct weft_win *w;
	win_am_fn got;
	bool deaf; /* the receive is not posted any more */
	alignas(16) char data[WIN_AM_BYTES];
};

static int ear_post(struct weft_pend *e)
{
	struct win_ear *ear = weft_container_of(e, struct win_ear, pend);
	uint64_t word = weft_tag_word(ear->w->comm->ctx, WEFT_CTX_CTRL, 0, 0);

	return weft_fi_errno(
		(int)fi_trecv(weft_core.ep, ear->data, sizeof(ear->data), NULL,
			      FI_ADDR_UNSPEC, word,
			      WEFT_TAG_SRC | WEFT_TAG_MASK, &ear->io.fi));
}

static void ear_left(struct weft_pend *e, int rc)
{
	if (rc)
		weft_container_of(e, struct win_ear, pend)->deaf = true;
}

static void ear_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		     int err)
{
	struct win_ear *ear = weft_container_of(io, struct win_ear, io);
	struct win_am head;
	int source = weft_tag_source(e->tag);

	if (err == -ECANCELED) {
		ear->deaf = true;
		weft_progress_note();
		return;
	}
	if (!err && e->len >= sizeof(head) && source < ear->w->size) {
		memcpy(&head, ear->data, sizeof(head));
		ear->got(ear->w, source, &head, ear->data + sizeof(head),
			 e->len - sizeof(head));
	}
	if (weft_pend_post(&ear->pend))
		ear->deaf = true;
}

int win_am_open(struct weft_win *w, win_am_fn got)
{
	struct win_ear *ear = calloc(1, sizeof(*ear));
	int rc;

	if (!ear)
		return -ENOMEM;
	ear->io.done = ear_done;
	ear->pend.post = ear_post;
	ear->pend.left = ear_left;
	ear->pend.lane = &weft_pend_receives;
	ear->w = w;
	ear->got = got;
	w->ear = ear;
	weft_lock();
	rc = weft_pend_post(&ear->pend);
	weft_unlock();
	return rc;
}

void win_am_close(struct weft_win *w)
{
	struct win_ear *ear = w->ear;
	struct weft_idle idle;

	if (!ear)
		return;
	weft_lock();
	if (weft_pend_remove(&ear->pend))
		ear->deaf = true;
	else if (!ear->deaf)
		fi_cancel(&weft_core.ep->fid, &ear->io.fi);
	weft_unlock();
	idle = weft_idle_begin(NULL, 0, false);
	while (!ear->deaf)
		weft_idle_turn(&idle);
	free(ear);
	w->ear = NULL;
}
