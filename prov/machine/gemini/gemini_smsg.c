/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short-message mailboxes: each side owns memory with slots. The other side
 * fills a slot by puts; the last word marks the slot as full. A slot is one
 * credit. Credits are returned by a put into the sender's mailbox, half a
 * mailbox at a time.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct weft_gemini_smsg {
	struct weft_gemini *f;
	unsigned char *mem; /* mailbox of this side (gemini_layout.h) */
	unsigned mdh;
	unsigned w;
	/* parameters of window w: the mailbox of the other side */
	struct weft_gemini_window target;
	uint16_t slots;
	uint32_t slot_bytes;
	bool connected;
	uint32_t sent;	   /* messages sent, total */
	uint32_t taken;	   /* messages released here, total */
	uint32_t returned; /* credits returned, total */
};

static unsigned char *smsg_slot(const struct weft_gemini_smsg *s, uint32_t i)
{
	return s->mem + GEMINI_BOX_CONTROL +
	       (size_t)(i & (s->slots - 1u)) * s->slot_bytes;
}

WEFT_EXPORT int weft_gemini_smsg_open(struct weft_gemini *f, uint16_t slots,
				      uint32_t bytes,
				      struct weft_gemini_smsg **s_p)
{
	struct weft_gemini_smsg *s;
	size_t mem;
	int err = -ENOMEM;

	if (!slots || (slots & (slots - 1)) || !bytes || bytes > 65535)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->f = f;
	s->slots = slots;
	s->slot_bytes = (bytes + GEMINI_SLOT_HEAD + 63) & ~63u;
	mem = GEMINI_BOX_CONTROL + (size_t)slots * s->slot_bytes;
	s->mem = aligned_alloc(64, mem);
	if (!s->mem)
		goto err_free;
	memset(s->mem, 0, mem);
	err = weft_gemini_mem_open(f, s->mem, mem, WEFT_GEMINI_WRITABLE,
				   WEFT_GEMINI_NO_CQ, &s->mdh);
	if (err)
		goto err_free;
	*s_p = s;
	return 0;
err_free:
	free(s->mem);
	free(s);
	return err;
}

WEFT_EXPORT void weft_gemini_smsg_close(struct weft_gemini_smsg *s)
{
	if (!s)
		return;
	weft_gemini_mem_close(s->f, s->mdh);
	free(s->mem);
	free(s);
}

WEFT_EXPORT void weft_gemini_smsg_name(const struct weft_gemini_smsg *s,
				       struct weft_gemini_smsg_name *name)
{
	name->mdh = (uint16_t)s->mdh;
	name->slots = s->slots;
	name->slot_bytes = s->slot_bytes;
}

WEFT_EXPORT int
weft_gemini_smsg_connect(struct weft_gemini_smsg *s, unsigned w,
			 const struct weft_gemini_smsg_name *remote)
{
	struct weft_gemini_window win = {
		.pe = remote->pe,
		.mdh = remote->mdh,
		.delivery = WEFT_GEMINI_IN_ORDER,
		.cq = WEFT_GEMINI_NO_CQ,
	};
	int err;

	if (remote->slots != s->slots || remote->slot_bytes != s->slot_bytes)
		return -EINVAL;
	err = weft_gemini_window_set(s->f, w, &win);
	if (err)
		return err;
	s->w = w;
	s->target = win;
	s->connected = true;
	return 0;
}

/* Selects the mailbox of s in the window, which several mailboxes may share. */
static void smsg_window_set(struct weft_gemini_smsg *s)
{
	weft_gemini_window_set(s->f, s->w, &s->target);
}

/* Stores a long message except its last burst. */
static int smsg_head(struct weft_gemini_smsg *s, uint64_t to, const void *buf,
		     uint32_t bytes)
{
	uint32_t n;
	int err;

	if (s->f->orb_used + gemini_packets(bytes) + GEMINI_BURST / 64 + 1 >
	    WEFT_GEMINI_ORB)
		return -EAGAIN;
	for (uint32_t at = 0; at < bytes; at += n) {
		n = bytes - at < GEMINI_BURST ? bytes - at : GEMINI_BURST;
		err = weft_gemini_put(s->f, s->w, to + at,
				      (const char *)buf + at, n);
		if (err)
			return err;
	}
	return 0;
}

/*
 * If a message could be stored only in part, the caller retries, and the same
 * bytes are stored again.
 */
WEFT_EXPORT int weft_gemini_smsg_send(struct weft_gemini_smsg *s,
				      const void *buf, uint32_t bytes)
{
	weft_au64 *credit = (weft_au64 *)(void *)s->mem;
	uint64_t slot = (uint64_t)(smsg_slot(s, s->sent) - s->mem);
	uint32_t head = bytes > GEMINI_BURST ? bytes - GEMINI_BURST : 0;
	int err;

	if (!s->connected)
		return -ENOTCONN;
	if (bytes > s->slot_bytes - GEMINI_SLOT_HEAD)
		return -EMSGSIZE;
	if (s->sent - (uint32_t)nic_event_read(credit) >= s->slots)
		return -EAGAIN;
	smsg_window_set(s);
	err = head ? smsg_head(s, slot + GEMINI_SLOT_HEAD, buf, head) : 0;
	if (err)
		return err;
	err = weft_gemini_put_flag(s->f, s->w, slot + GEMINI_SLOT_HEAD + head,
				   (const char *)buf + head, bytes - head, slot,
				   gemini_slot_word(s->sent + 1, bytes));
	if (!err)
		s->sent++;
	return err;
}

/* Returns credits when half a mailbox has been taken. */
static int smsg_credit(struct weft_gemini_smsg *s)
{
	uint64_t credit = s->taken;
	int err;

	if (s->taken - s->returned < (s->slots + 1u) / 2)
		return 0;
	smsg_window_set(s);
	err = weft_gemini_store(s->f, s->w, 0, &credit, sizeof(credit));
	if (!err)
		s->returned = s->taken;
	return err;
}

WEFT_EXPORT int weft_gemini_smsg_next(struct weft_gemini_smsg *s,
				      const void **buf_p, uint32_t *bytes_p)
{
	unsigned char *slot = smsg_slot(s, s->taken);
	uint64_t word = nic_event_read((weft_au64 *)(void *)slot);

	if (s->connected)
		smsg_credit(s);
	if (word >> 32 != s->taken + 1)
		return -EAGAIN;
	if ((uint32_t)word > s->slot_bytes - GEMINI_SLOT_HEAD)
		return -EPROTO;
	*buf_p = slot + GEMINI_SLOT_HEAD;
	*bytes_p = (uint32_t)word;
	return 0;
}

/* If credits cannot be returned now, weft_gemini_smsg_next() retries. */
WEFT_EXPORT void weft_gemini_smsg_release(struct weft_gemini_smsg *s)
{
	s->taken++;
	if (s->connected)
		smsg_credit(s);
}
