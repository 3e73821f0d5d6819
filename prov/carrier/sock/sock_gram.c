/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of datagrams. Those of an Ethernet's size come by the thousand, so
 * some are kept for the next.
 */
#include "prov/carrier/sock/sock.h"

#include <stdlib.h>
#include <string.h>

#define GRAM_SMALL 512u	 /* the C library has them at hand */
#define GRAM_BYTES 2048u /* room of all that are kept */
#define GRAM_SPARE 1024u

struct sock_gram *sock_gram_new(struct sock *s, uint32_t room)
{
	bool common = room > GRAM_SMALL && room <= GRAM_BYTES;
	struct sock_gram *g = common ? s->spare : NULL;

	if (g) {
		s->spare = g->next;
		s->spares--;
	} else {
		g = malloc(sizeof(*g) + (common ? GRAM_BYTES : room) +
			   SOCK_TAG);
	}
	if (!g)
		return NULL;
	g->bytes = sizeof(struct sock_head);
	g->room = room;
	g->at = 0;
	g->common = common;
	g->loose = true;
	memset(g->data, 0, sizeof(struct sock_head));
	return g;
}

void sock_gram_free(struct sock *s, struct sock_gram *g)
{
	if (g && g->common && s->spares < GRAM_SPARE) {
		g->next = s->spare;
		s->spare = g;
		s->spares++;
		return;
	}
	free(g);
}

void sock_gram_fini(struct sock *s)
{
	struct sock_gram *g;

	while ((g = s->spare)) {
		s->spare = g->next;
		free(g);
	}
	s->spares = 0;
}
