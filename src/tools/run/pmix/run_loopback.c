/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx needs the loopback interface, which is down only in a new network
 * namespace (unshare -n, some containers). In such a namespace mpiexec brings
 * the interface up, or prints what the user must do.
 */
#include "src/tools/run/pmix/run_pmix.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int set_up(int fd, struct ifreq *req)
{
	req->ifr_flags |= IFF_UP | IFF_RUNNING;
	if (ioctl(fd, SIOCSIFFLAGS, req) < 0) {
		run_message("the loopback interface is down and PMIx needs it: "
			    "ip link set lo up (%s)",
			    strerror(errno));
		return -ENETDOWN;
	}
	run_message("the loopback interface was down; mpiexec has set it up");
	return 0;
}

int run_loopback(void)
{
	struct ifreq req = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	/* if this interface is down, PMIx uses another one or fails */
	if (!ioctl(fd, SIOCGIFFLAGS, &req) && !(req.ifr_flags & IFF_UP))
		err = set_up(fd, &req);
	close(fd);
	return err;
}
