/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Liveness of a peer. A peer in the same pid namespace is alive while its pid
 * exists. The pid of any other peer is not valid here. When such a peer
 * receives a request for its region, it locks the region; the kernel releases
 * the lock when the process ends:
 *
 *   owner      opens its region again, locks it (F_OFD_SETLK), replies
 *   requester  keeps the received descriptor, and tests the lock through it
 *
 * A child that continues without exec keeps the lock of its parent.
 */
#include "prov/carrier/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static struct flock life_lock(void)
{
	return (struct flock){ .l_type = F_WRLCK,
			       .l_whence = SEEK_SET,
			       .l_len = 1 };
}

/* Takes the lock. Returns 0, or -errno: then the lock cannot show liveness. */
int shm_life_lock(struct shm *s)
{
	struct flock lock = life_lock();
	char path[32];
	int ret = 0;

	if (s->life >= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d",
		 s->view.map->region.fd);
	s->life = open(path, O_RDWR | O_CLOEXEC);
	if (s->life >= 0 && !fcntl(s->life, F_OFD_SETLK, &lock))
		return 0;
	ret = -errno;
	shm_life_unlock(s);
	return ret;
}

void shm_life_unlock(struct shm *s)
{
	if (s->life >= 0)
		close(s->life);
	s->life = -1;
}

/* Keeps a copy of the descriptor of p's region if p's pid is not valid here. */
void shm_life_watch(struct shm *s, struct shm_peer *p, int fd)
{
	if (!shm_peer_other_namespace(s, p) || p->life >= 0)
		return;
	p->life = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

static bool life_lock_released(const struct shm_peer *p)
{
	struct flock lock = life_lock();

	return p->life >= 0 && !fcntl(p->life, F_OFD_GETLK, &lock) &&
	       lock.l_type == F_UNLCK;
}

bool shm_peer_alive(const struct shm *s, const struct shm_peer *p)
{
	if (shm_peer_other_namespace(s, p))
		return !life_lock_released(p);
	return p->id.pid == s->id.pid || shm_id_alive(&p->id);
}
