/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory in the MPI layer (offload_device.h). */
#include "src/offload/offload_device.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/diag/diag_trace.h"
#include "src/types/types_info.h"

#include <errno.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 1024 /* largest number of blocks per copy */

static struct fi_weft_mem *get_mem_ops(void)
{
	void *ops;

	if (!weft_core.domain ||
	    fi_open_ops(&weft_core.domain->fid, FI_WEFT_MEM, 0, &ops, NULL))
		return NULL;
	return ops;
}

const char *weft_device_kinds(void)
{
	struct fi_weft_mem *ops = get_mem_ops();

	if (!ops)
		return "system,mpi";
	return ops->cuda(&weft_core.domain->fid)
		       ? "system,mpi,weft:device,cuda,cuda:host,cuda:device,"
			 "cuda:managed"
		       : "system,mpi,weft:device";
}

int weft_device_info(struct weft_info *info)
{
	return weft_info_set(info, "mpi_memory_alloc_kinds",
			     weft_device_kinds());
}

/*
 * Enables device memory: the endpoint then accepts it in calls with several
 * segments. Returns 0 or -errno.
 */
static int device_open(void)
{
	struct fi_weft_mem *ops;
	int rc;

	if (weft_core.device)
		return 0;
	ops = get_mem_ops();
	if (!ops || !ops->use_segments)
		return -EOPNOTSUPP;
	weft_program_memory_open();
	rc = ops->use_segments(weft_core.ep);
	if (!rc)
		weft_core.device = ops;
	return rc ? weft_fi_errno(rc) : 0;
}

/*
 * Accepts device memory from now on if the process has loaded a GPU driver;
 * otherwise sets weft_core.device_gate, the word that shows when to test this
 * again.
 */
static void driver_detect(void)
{
	struct fi_weft_mem *ops = get_mem_ops();

	if (!ops)
		return;
	weft_core.device_gate = ops->cuda_gate(&weft_core.domain->fid);
	if (!weft_core.device_gate)
		device_open();
}

void weft_device_init(void)
{
	struct fi_weft_mem *ops = get_mem_ops();

	if (!ops || !ops->cuda(&weft_core.domain->fid))
		return;
	weft_core.device_shared = !weft_core.traits.reports_waits;
	driver_detect();
}

int weft_device_alloc(size_t bytes, bool cuda, void **addr_p)
{
	struct fid *domain = &weft_core.domain->fid;
	int rc;

	weft_lock();
	rc = device_open();
	if (!bytes)
		bytes = 1;
	if (!rc)
		rc = weft_fi_errno(
			cuda ? weft_core.device->cuda_alloc(domain, bytes,
							    addr_p)
			     : weft_core.device->alloc(domain, bytes, addr_p));
	weft_unlock();
	return rc;
}

bool weft_device_free(void *addr)
{
	return weft_device_owns(addr) &&
	       !weft_core.device->free(&weft_core.domain->fid, addr);
}

bool weft_device_owns_slow(const void *addr)
{
	enum fi_hmem_iface iface;

	if (!weft_core.device)
		driver_detect();
	return weft_core.device && !weft_program_memory_has(addr) &&
	       !weft_core.device->iface(&weft_core.domain->fid, addr, 1,
					&iface) &&
	       iface != FI_HMEM_SYSTEM;
}

/* ---- typed data ---------------------------------------------------------- */

/*
 * Fills iov (PIECES entries) with the next blocks of the packed range [pos,
 * end). Returns the number of bytes in these blocks.
 */
static size_t next_pieces(const struct weft_typed *t, size_t pos, size_t end,
			  struct iovec *iov, int *n_p)
{
	size_t next = pos, bytes = 0;
	int n = weft_pack_iov(t, &next, iov, PIECES), i;

	for (i = 0; i < n && bytes < end - pos; i++) {
		if (iov[i].iov_len > end - pos - bytes)
			iov[i].iov_len = end - pos - bytes;
		bytes += iov[i].iov_len;
	}
	*n_p = i;
	return bytes;
}

/* Moves the bytes [pos, pos + len) of the packed data, or up to its end. */
static int device_move(const struct weft_typed *t, size_t pos, char *host,
		       size_t len, bool in)
{
	struct iovec *iov = malloc(PIECES * sizeof(*iov));
	size_t done = 0, n = 1;
	int pieces, err = 0;

	if (!iov)
		return -ENOMEM;
	while (n && done < len && !err) {
		n = next_pieces(t, pos + done, pos + len, iov, &pieces);
		if (n &&
		    weft_core.device->move(&weft_core.domain->fid, iov,
					   (size_t)pieces, host + done, in))
			err = -EIO;
		done += n;
	}
	free(iov);
	return err;
}

int weft_device_pack(const struct weft_typed *t, size_t pos, void *dst,
		     size_t len)
{
	return device_move(t, pos, dst, len, false);
}

int weft_device_unpack(const struct weft_typed *t, size_t pos, const void *src,
		       size_t len)
{
	return device_move(t, pos, (char *)(uintptr_t)src, len, true);
}

/* Copies through host memory, whichever side is on the device. */
int weft_device_copy(const struct weft_typed *dst, const struct weft_typed *src)
{
	size_t n = weft_typed_bytes(src), room = weft_typed_bytes(dst);
	void *host;
	int err;

	if (!weft_device_has(dst) && !weft_device_has(src)) {
		weft_pack_copy(dst, src);
		return 0;
	}
	if (n > room)
		n = room;
	host = malloc(n + 1);
	if (!host)
		return -ENOMEM;
	err = device_move(src, 0, host, n, false);
	if (!err)
		err = device_move(dst, 0, host, n, true);
	free(host);
	return err;
}

/* ---- reduction operations on device memory ------------------------------- */

void *weft_device_host_alloc(const struct weft_typed *device,
			     struct weft_typed *host)
{
	const struct weft_dt *dt = device->dt;
	MPI_Count n = device->count;
	char *block = calloc(1, (size_t)weft_dt_span(dt, n) + 1);

	if (!block)
		return NULL;
	*host = *device;
	host->buf = block - dt->true_lb;
	if (dt->extent < 0 && n > 0)
		host->buf = (char *)host->buf - (n - 1) * dt->extent;
	return block;
}

int weft_device_to_host(const struct weft_typed *device,
			struct weft_typed *host, void **block_p)
{
	struct weft_typed from = *device;

	*block_p = weft_device_host_alloc(&from, host);
	return *block_p ? weft_device_copy(host, &from) : -ENOMEM;
}

int weft_device_apply(const struct weft_op *op, const void *in, void *inout,
		      MPI_Count n, struct weft_dt *dt)
{
	struct weft_typed a = { dt, (void *)(uintptr_t)in, n };
	struct weft_typed b, to = { dt, inout, n };
	void *in_block, *out_block = NULL;
	int rc = weft_device_to_host(&a, &a, &in_block);

	if (!rc)
		rc = weft_device_to_host(&to, &b, &out_block);
	if (!rc) {
		weft_op_apply(op, a.buf, b.buf, n, dt);
		rc = weft_device_copy(&to, &b);
	}
	free(in_block);
	free(out_block);
	return rc;
}
