/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identity of an endpoint: its process (src/os/alive.h) and a random number
 * that distinguishes the endpoint from others of the same process.
 *
 * A pid is valid in its pid namespace only, so the identity includes the number
 * of the namespace. The number is 0, and no pid is trusted, if /proc belongs to
 * another namespace, whose pids differ from those that the kernel reports.
 * Without /proc the number is 1 for all processes.
 */
#include "prov/carrier/shm/shm.h"
#include "src/job/job_log.h"
#include "src/os/alive.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_NOT_OURS 0u
#define ID_UNKNOWN  1u

static uint32_t id_namespace(uint32_t pid)
{
	char self[16] = "";
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) ||
	    readlink("/proc/self", self, sizeof(self) - 1) < 0)
		return ID_UNKNOWN;
	return strtoul(self, NULL, 10) == pid ? (uint32_t)st.st_ino
					      : ID_NOT_OURS;
}

int shm_id_self(struct shm_id *id)
{
	id->pid = (uint32_t)getpid();
	id->ns = id_namespace(id->pid);
	id->start = weft_proc_start(id->pid);
	do {
		if (getrandom(&id->cookie, sizeof(id->cookie), 0) !=
		    sizeof(id->cookie))
			return -EIO;
	} while (!id->cookie);
	return 0;
}

bool shm_id_alive(const struct shm_id *id)
{
	return weft_proc_alive(id->pid, id->start);
}

bool shm_id_is_own_format(const struct shm_head *h)
{
	if (h->magic != SHM_MAGIC)
		return false;
	if (h->version == SHM_VERSION)
		return true;
	weft_log_other_version("shm: the memory of a peer", h->version,
			       SHM_VERSION);
	return false;
}
