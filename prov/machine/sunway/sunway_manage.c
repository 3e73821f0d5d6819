/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Management. A packet contains a command. Two tables, which software fills,
 * map the command to a group, and the group to an action on a word of the IO
 * space. The packet is routed by node number or, while the routing tables of
 * the network are not set up, by a list of ports.
 */
#include "prov/machine/sunway/sunway_dev.h"

/* ---- tables ---- */

WEFT_EXPORT int weft_sunway_command_map(struct weft_sunway *n, unsigned command,
					unsigned group)
{
	if (command >= SUNWAY_COMMANDS || group >= SUNWAY_GROUPS)
		return -EINVAL;
	n->group[command] = (uint8_t)group;
	return 0;
}

WEFT_EXPORT int weft_sunway_group_map(struct weft_sunway *n, unsigned group,
				      enum weft_sunway_action action)
{
	if (group >= SUNWAY_GROUPS || action > WEFT_SUNWAY_CALL)
		return -EINVAL;
	n->action[group] = (uint8_t)action;
	return 0;
}

static void route_fill(uint8_t *to, const uint8_t *hop, unsigned hops)
{
	memset(to, 0xff, WEFT_SUNWAY_HOPS);
	memcpy(to, hop, hops);
}

WEFT_EXPORT int weft_sunway_route_set(struct weft_sunway *n, const uint8_t *hop,
				      unsigned hops, uint32_t guid)
{
	uint8_t full[WEFT_SUNWAY_HOPS];
	uint32_t old;

	if (!hops || hops > WEFT_SUNWAY_HOPS || guid >= WEFT_SUNWAY_GUIDS)
		return -EINVAL;
	route_fill(full, hop, hops);
	if (sunway_route(n, full, &old))
		return -EEXIST;
	if (n->routes == SUNWAY_ROUTES)
		return -ENOSPC;
	memcpy(n->route[n->routes].hop, full, sizeof(full));
	n->route[n->routes++].guid = guid;
	return 0;
}

bool sunway_route(const struct weft_sunway *n, const uint8_t *hop,
		  uint32_t *guid_p)
{
	for (unsigned i = 0; i < n->routes; i++) {
		if (memcmp(n->route[i].hop, hop, WEFT_SUNWAY_HOPS))
			continue;
		*guid_p = n->route[i].guid;
		return true;
	}
	return false;
}

/* ---- the IO space ---- */

static uint64_t *io_word(struct weft_sunway *n, unsigned engine, uint64_t word)
{
	if (engine >= WEFT_SUNWAY_ENGINES || word >= WEFT_SUNWAY_IO)
		return NULL;
	return &n->me[engine].io[word];
}

WEFT_EXPORT int weft_sunway_io_get(struct weft_sunway *n, unsigned engine,
				   unsigned word, uint64_t *v_p)
{
	uint64_t *w = io_word(n, engine, word);

	if (!w)
		return -EINVAL;
	*v_p = *w;
	return 0;
}

WEFT_EXPORT int weft_sunway_io_set(struct weft_sunway *n, unsigned engine,
				   unsigned word, uint64_t v)
{
	uint64_t *w = io_word(n, engine, word);

	if (!w)
		return -EINVAL;
	*w = v;
	return 0;
}

static uint64_t *in_word(struct weft_sunway *n, const struct sunway_in *in)
{
	return io_word(n, sunway_end_engine(sunway_in_to(in)), in->pkt->tag);
}

void sunway_manage_io(struct weft_sunway *n, const struct sunway_in *in)
{
	uint64_t *w = in_word(n, in);
	bool write = in->pkt->flags == SUNWAY_IO_WRITE;

	if (!w || (write && in->bytes != sizeof(*w))) {
		sunway_done_send(n, in, WEFT_SUNWAY_ADDRESS, 0);
		return;
	}
	if (write)
		memcpy(w, in->data, sizeof(*w));
	sunway_done_send(n, in, WEFT_SUNWAY_OK, *w);
}

/* ---- commands ---- */

static unsigned act(struct weft_sunway *n, const struct sunway_in *in,
		    unsigned command, uint64_t *value_p)
{
	uint64_t *w = in_word(n, in);

	switch (n->action[n->group[command]]) {
	case WEFT_SUNWAY_REG_READ:
		break;
	case WEFT_SUNWAY_REG_WRITE:
		if (w)
			*w = in->pkt->data;
		break;
	case WEFT_SUNWAY_REG_ADD:
		if (w)
			*w += in->pkt->data;
		break;
	case WEFT_SUNWAY_CALL:
		if (n->manage)
			n->manage(n->arg, in->guid, command, in->pkt->data);
		return n->manage ? WEFT_SUNWAY_OK : WEFT_SUNWAY_COMMAND;
	default:
		return WEFT_SUNWAY_COMMAND;
	}
	*value_p = w ? *w : 0;
	return w ? WEFT_SUNWAY_OK : WEFT_SUNWAY_ADDRESS;
}

void sunway_manage_rx(struct weft_sunway *n, const struct sunway_in *in)
{
	uint64_t value = 0;
	unsigned status = WEFT_SUNWAY_COMMAND;

	if (in->slice.job && in->slice.job < WEFT_SUNWAY_SYSTEM_JOBS)
		status = act(n, in, in->pkt->unit >> 24, &value);
	sunway_done_send(n, in, status, value);
}
