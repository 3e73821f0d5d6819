/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchange of addresses (comm_exchange.h). */
#include "src/comm/comm_exchange.h"

#include "src/comm/comm_channel.h"
#include "src/core/core_lock.h"
#include "src/boot/boot_pmix.h"
#include "src/core/core_state.h"
#include "src/boot/boot_wire_up.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * minimum number of ranks for an exchange; in smaller communicators each rank
 * queries the launcher by itself
 */
#define EXCHANGE_MIN_RANKS 8

/*
 * Inserts the addresses of all members of c into the table of processes.
 * Requires the lock.
 */
static int insert_names(const struct weft_comm *c, const char *names,
			size_t len)
{
	int i, rc = 0;

	for (i = 0; i < c->size && !rc; i++) {
		struct weft_proc *p = &weft_core.proc[c->proc[i]];

		if (p->real == FI_ADDR_NOTAVAIL)
			rc = weft_wire_insert(c->proc[i],
					      names + (size_t)i * len);
	}
	return rc;
}

int weft_comm_exchange_addresses(struct weft_comm *c)
{
	struct weft_channel m;
	const void *mine;
	char *names;
	size_t len;
	int rc;

	if (weft_likely(c->addresses_exchanged) || c->inter ||
	    c->size < EXCHANGE_MIN_RANKS || weft_core.traits.addresses_known)
		return 0;
	c->addresses_exchanged = true;
	if (weft_pmix_names_are_shared())
		return 0;
	mine = weft_wire_name(&len);
	names = malloc((size_t)c->size * len);
	if (!names)
		return -ENOMEM;
	memcpy(names + (size_t)c->rank * len, mine, len);
	m = weft_channel_of(c);
	rc = weft_channel_allgather(&m, names, len);
	weft_lock();
	if (!rc)
		rc = insert_names(c, names, len);
	weft_unlock();
	free(names);
	return rc;
}
