/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DMA between address spaces: process_vm_readv() and process_vm_writev(). The
 * first transfer with each peer shows whether the host allows DMA. It also
 * verifies that the pid is the peer's, by reading the peer's cookie from its
 * memory.
 */
#include "prov/carrier/carrier_cma.h"
#include "prov/carrier/shm/shm.h"
#include "src/base/clock.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>

/* time for which a verified pid is trusted, ns */
#define DMA_TRUST_NS UINT64_C(100000000)

static int dma_probe(struct shm *s, struct shm_peer *p)
{
	uint64_t base = p->view.head->base;
	uint64_t cookie = 0;
	struct iovec iov = { .iov_base = &cookie, .iov_len = sizeof(cookie) };
	int ret = -EPERM;

	if (!s->no_dma && !shm_peer_other_namespace(s, p))
		ret = carrier_cma((pid_t)p->id.pid, false, &iov, 1,
				  base + offsetof(struct shm_head, cookie));
	if (!ret && cookie == p->id.cookie)
		return 1;
	weft_log(WEFT_LOG_INFO, "shm: no dma with pid %u: %s", p->id.pid,
		 s->no_dma ? "switched off"
		 : shm_peer_other_namespace(s, p)
			 ? "the process is in another pid namespace"
		 : ret ? strerror(-ret)
		       : "the pid belongs to another process");
	return -EOPNOTSUPP;
}

/* Returns 0 if DMA with p works and the pid still belongs to p; else -errno. */
static int dma_ready(struct shm *s, struct shm_peer *p)
{
	uint64_t now;
	int ret;

	if (p->state == SHM_PEER_LOST)
		return -ECONNRESET;
	if (!p->mapped) {
		ret = shm_peer_connect(s, p);
		if (ret)
			return ret;
	}
	if (!p->dma)
		p->dma = dma_probe(s, p);
	if (p->dma < 0)
		return p->dma;
	now = weft_now_coarse_ns();
	if (now - p->dma_verified_ns < DMA_TRUST_NS)
		return 0;
	if (!shm_peer_alive(s, p)) {
		shm_peer_fail(s, p, ECONNRESET);
		return -ECONNRESET;
	}
	p->dma_verified_ns = now;
	return 0;
}

static int dma_transfer(struct weft_carrier *c, struct weft_peer *peer,
			bool write, const struct iovec *local, int count,
			uint64_t remote)
{
	struct shm *s = shm_of(c);
	struct shm_peer *p = shm_peer_of(peer);
	int ret = dma_ready(s, p);

	if (ret)
		return ret;
	ret = carrier_cma((pid_t)p->id.pid, write, local, count, remote);
	if (ret != -ESRCH)
		return ret == -EPERM ? -EOPNOTSUPP : ret;
	shm_peer_fail(s, p, ECONNRESET);
	return -ECONNRESET;
}

int shm_read(struct weft_carrier *c, struct weft_peer *peer,
	     const struct iovec *local, int count, uint64_t remote)
{
	return dma_transfer(c, peer, false, local, count, remote);
}

int shm_write(struct weft_carrier *c, struct weft_peer *peer,
	      const struct iovec *local, int count, uint64_t remote)
{
	return dma_transfer(c, peer, true, local, count, remote);
}
