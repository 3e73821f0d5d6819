/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who an endpoint is: its process (src/base/alive.h) and a random number that
 * tells it from all others of that process.
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/alive.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

int shm_id_self(struct shm_id *id)
{
	id->pid = (uint32_t)getpid();
	id->start = weft_alive_start(id->pid);
	do {
		if (getrandom(&id->cookie, sizeof(id->cookie), 0) !=
		    sizeof(id->cookie))
			return -EIO;
	} while (!id->cookie);
	return 0;
}

bool shm_id_alive(const struct shm_id *id)
{
	return weft_alive(id->pid, id->start);
}
