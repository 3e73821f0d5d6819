/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx talks over the loopback interface. It is up everywhere but in a fresh
 * network namespace (unshare -n, some containers); there we turn it on, which
 * needs no other interface, or say what to do.
 */
#include "src/run/run_pmix.h"
#include "src/run/run_say.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int turn_on(int fd, struct ifreq *req)
{
	req->ifr_flags |= IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, req) < 0) {
		run_say("the loopback interface is down and PMIx needs it: "
			"ip link set lo up (%s)",
			strerror(errno));
		return -ENETDOWN;
	}
	run_say("the loopback interface was down; it is on now");
	return 0;
}

int run_loopback(void)
{
	struct ifreq req = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	/* Where there is no such name, PMIx will find another way or fail. */
	if (!ioctl(fd, SIOCGIFFLAGS, &req) && !(req.ifr_flags & IFF_UP))
		err = turn_on(fd, &req);
	close(fd);
	return err;
}
