/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks whether an endpoint can be reached through shared memory. The address
 * of a name is no evidence: containers on one host have different addresses,
 * and different hosts may have equal addresses. So the access itself is tried:
 * to the region through /proc/PID/fd, or to the socket.
 */
#include "prov/carrier/shm/shm_reach.h"
#include "prov/carrier/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Opens descriptor fd of process pid if it is a region; never blocks on other
 * files.
 */
int shm_reach_open(uint32_t pid, int fd)
{
	static const char link[] = "/memfd:" SHM_MAP_NAME;
	char path[48];
	char to[64];
	ssize_t n;
	int got;

	snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
	n = readlink(path, to, sizeof(to) - 1);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(link) - 1 || memcmp(to, link, sizeof(link) - 1))
		return -ESTALE;
	got = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return got < 0 ? -errno : got;
}

/* Returns whether fd is the region of that name and belongs to this user. */
static bool reach_matches(int fd, const union weft_name *name)
{
	struct shm_head h;
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() &&
	       pread(fd, &h, sizeof(h), 0) == sizeof(h) &&
	       shm_id_is_own_format(&h) && h.port == name->in.sin_port &&
	       h.hint == weft_name_hint(name);
}

/*
 * Returns whether the region is at the pid and descriptor of the name's hint.
 */
bool shm_reach_by_hint(const union weft_name *name)
{
	uint64_t hint = weft_name_hint(name);
	bool found;
	int fd;

	if (!shm_hint_pid(hint) || !shm_hint_fd(hint))
		return false;
	fd = shm_reach_open(shm_hint_pid(hint), shm_hint_fd(hint));
	/*
	 * no free descriptor: reachability is unknown, and the mapping attempt
	 * will report the error
	 */
	if (fd == -EMFILE || fd == -ENFILE)
		return true;
	found = fd >= 0 && reach_matches(fd, name);
	if (fd >= 0)
		close(fd);
	return found;
}

/*
 * Returns 0 if a process of the same user listens at the name, or if that
 * cannot be determined now (-EAGAIN from connect); otherwise -errno.
 */
static int reach_by_socket(const union weft_name *name)
{
	int fd = shm_name_connect(name);
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int ret = 0;

	if (fd < 0)
		return fd == -EAGAIN ? 0 : fd;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) ||
	    cred.uid != geteuid())
		ret = -EPERM;
	close(fd);
	return ret;
}

static bool reach_is_known(struct shm *s, const union weft_name *name)
{
	return shm_name_equal(name, &s->name) || shm_name_find(s, name);
}

int weft_shm_reach(struct weft_carrier *c, const union weft_name *name,
		   char why[WEFT_SHM_WHY])
{
	struct shm *s = shm_of(c);
	uint64_t hint = weft_name_hint(name);
	bool local;
	int ret;

	*why = '\0';
	if (reach_is_known(s, name) || shm_reach_by_hint(name))
		return 0;
	ret = reach_by_socket(name);
	if (!ret)
		return 0;
	local = shm_name_is_local(s, name);
	snprintf(why, WEFT_SHM_WHY,
		 "%s, and its process %u is not visible here",
		 ret == -EPERM ? "another user has its name"
		 : local       ? "no process listens at its name"
			       : "its address is not in this network namespace",
		 shm_hint_pid(hint));
	if (!local)
		return -EHOSTUNREACH;
	/*
	 * the hint shows that the name existed on this host: poll detects that
	 * its owner died
	 */
	return hint ? 0 : -EAGAIN;
}
