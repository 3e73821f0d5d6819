/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Management. A packet names a command; two tables that software fills map the
 * command to a group and the group to an action on a word of the IO space. The
 * packet is routed by the node number, or by a list of ports, for networks
 * whose routing tables are not set up yet.
 */
#include "prov/nic/swhni/swhni_dev.h"

/* ---- tables ---- */

WEFT_EXPORT int weft_swhni_command_map(struct weft_swhni *n, unsigned command,
				       unsigned group)
{
	if (command >= SWHNI_COMMANDS || group >= SWHNI_GROUPS)
		return -EINVAL;
	n->group[command] = (uint8_t)group;
	return 0;
}

WEFT_EXPORT int weft_swhni_group_map(struct weft_swhni *n, unsigned group,
				     enum weft_swhni_action action)
{
	if (group >= SWHNI_GROUPS || action > WEFT_SWHNI_CALL)
		return -EINVAL;
	n->action[group] = (uint8_t)action;
	return 0;
}

static void route_fill(uint8_t *to, const uint8_t *hop, unsigned hops)
{
	memset(to, 0xff, WEFT_SWHNI_HOPS);
	memcpy(to, hop, hops);
}

WEFT_EXPORT int weft_swhni_route_set(struct weft_swhni *n, const uint8_t *hop,
				     unsigned hops, uint32_t guid)
{
	uint8_t full[WEFT_SWHNI_HOPS];
	uint32_t old;

	if (!hops || hops > WEFT_SWHNI_HOPS || guid >= WEFT_SWHNI_GUIDS)
		return -EINVAL;
	route_fill(full, hop, hops);
	if (swhni_route(n, full, &old))
		return -EEXIST;
	if (n->routes == SWHNI_ROUTES)
		return -ENOSPC;
	memcpy(n->route[n->routes].hop, full, sizeof(full));
	n->route[n->routes++].guid = guid;
	return 0;
}

bool swhni_route(const struct weft_swhni *n, const uint8_t *hop,
		 uint32_t *guid_p)
{
	for (unsigned i = 0; i < n->routes; i++) {
		if (memcmp(n->route[i].hop, hop, WEFT_SWHNI_HOPS))
			continue;
		*guid_p = n->route[i].guid;
		return true;
	}
	return false;
}

/* ---- the IO space ---- */

static uint64_t *io_word(struct weft_swhni *n, unsigned engine, uint64_t word)
{
	if (engine >= WEFT_SWHNI_ENGINES || word >= WEFT_SWHNI_IO)
		return NULL;
	return &n->me[engine].io[word];
}

WEFT_EXPORT int weft_swhni_io_get(struct weft_swhni *n, unsigned engine,
				  unsigned word, uint64_t *v_p)
{
	uint64_t *w = io_word(n, engine, word);

	if (!w)
		return -EINVAL;
	*v_p = *w;
	return 0;
}

WEFT_EXPORT int weft_swhni_io_set(struct weft_swhni *n, unsigned engine,
				  unsigned word, uint64_t v)
{
	uint64_t *w = io_word(n, engine, word);

	if (!w)
		return -EINVAL;
	*w = v;
	return 0;
}

static uint64_t *in_word(struct weft_swhni *n, const struct swhni_in *in)
{
	return io_word(n, swhni_end_engine(swhni_in_to(in)), in->pkt->tag);
}

void swhni_manage_io(struct weft_swhni *n, const struct swhni_in *in)
{
	uint64_t *w = in_word(n, in);
	bool write = in->pkt->flags == SWHNI_IO_WRITE;

	if (!w || (write && in->bytes != sizeof(*w))) {
		swhni_done_send(n, in, WEFT_SWHNI_ADDRESS, 0);
		return;
	}
	if (write)
		memcpy(w, in->data, sizeof(*w));
	swhni_done_send(n, in, WEFT_SWHNI_OK, *w);
}

/* ---- commands ---- */

static unsigned act(struct weft_swhni *n, const struct swhni_in *in,
		    unsigned command, uint64_t *value_p)
{
	uint64_t *w = in_word(n, in);

	switch (n->action[n->group[command]]) {
	case WEFT_SWHNI_REG_READ:
		break;
	case WEFT_SWHNI_REG_WRITE:
		if (w)
			*w = in->pkt->data;
		break;
	case WEFT_SWHNI_REG_ADD:
		if (w)
			*w += in->pkt->data;
		break;
	case WEFT_SWHNI_CALL:
		if (n->manage)
			n->manage(n->arg, in->guid, command, in->pkt->data);
		return n->manage ? WEFT_SWHNI_OK : WEFT_SWHNI_COMMAND;
	default:
		return WEFT_SWHNI_COMMAND;
	}
	*value_p = w ? *w : 0;
	return w ? WEFT_SWHNI_OK : WEFT_SWHNI_ADDRESS;
}

void swhni_manage_rx(struct weft_swhni *n, const struct swhni_in *in)
{
	uint64_t value = 0;
	unsigned status = WEFT_SWHNI_COMMAND;

	if (in->slice.job && in->slice.job < WEFT_SWHNI_SYSTEM_JOBS)
		status = act(n, in, in->pkt->unit >> 24, &value);
	swhni_done_send(n, in, status, value);
}
