/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of device memory. The GPU reads and writes pinned host memory only, so
 * a copy from or to other host memory uses two pinned chunks: the GPU fills one
 * while the processor empties the other.
 */
#include "prov/mem/cuda/cuda_copy.h"
#include "prov/mem/cuda/cuda_kernel.h"

#include <errno.h>
#include <string.h>

static int submit(struct cuda_home *h, void *to, const void *from, size_t bytes)
{
	return cuda_error("copy",
			  h->driver->copy((uintptr_t)to, (uintptr_t)from, bytes,
					  h->stream));
}

static size_t chunk_at(size_t pos, size_t bytes)
{
	return bytes - pos < CUDA_CHUNK ? bytes - pos : CUDA_CHUNK;
}

static char *chunk_of(struct cuda_home *h, size_t pos)
{
	return h->pinned + (pos / CUDA_CHUNK & 1) * CUDA_CHUNK;
}

int cuda_copy_in(struct cuda_home *h, void *to, const void *from, size_t bytes)
{
	uint32_t number[2] = { 0, 0 };
	int err = 0;

	for (size_t pos = 0; pos < bytes && !err; pos += CUDA_CHUNK) {
		size_t n = chunk_at(pos, bytes);
		uint32_t *mine = &number[pos / CUDA_CHUNK & 1];

		/* the GPU must have read the chunk's previous contents */
		if (pos >= 2 * CUDA_CHUNK)
			err = cuda_home_await(h, *mine);
		memcpy(chunk_of(h, pos), (const char *)from + pos, n);
		if (!err)
			err = submit(h, (char *)to + pos, chunk_of(h, pos), n);
		if (n < bytes - pos)
			*mine = cuda_home_signal(h);
	}
	return cuda_home_wait(h) ? -EIO : err;
}

int cuda_copy_out(struct cuda_home *h, void *to, const void *from, size_t bytes)
{
	int err = submit(h, chunk_of(h, 0), from, chunk_at(0, bytes));

	for (size_t pos = 0; pos < bytes && !err; pos += CUDA_CHUNK) {
		size_t next = pos + CUDA_CHUNK;

		err = cuda_home_wait(h);
		if (!err && next < bytes)
			err = submit(h, chunk_of(h, next),
				     (const char *)from + next,
				     chunk_at(next, bytes));
		memcpy((char *)to + pos, chunk_of(h, pos),
		       chunk_at(pos, bytes));
	}
	return cuda_home_wait(h) ? -EIO : err;
}

/* ---- many blocks ---- */

/*
 * Copies n blocks with a total of `bytes` bytes, at most one pinned chunk, by a
 * GPU kernel that reads the list of blocks.
 */
static int blocks_move(struct cuda_home *h, unsigned n, char *host,
		       size_t bytes, bool in)
{
	int err;

	if (in)
		memcpy(h->pinned, host, bytes);
	err = cuda_copy_blocks(h, n);
	if (cuda_home_wait(h))
		return -EIO;
	if (!in && !err)
		memcpy(host, h->pinned, bytes);
	return err;
}

static void block_set(struct cuda_block *b, const struct iovec *v, char *pinned,
		      bool in)
{
	const cuda_addr device = (uintptr_t)v->iov_base;

	b->to = in ? device : (uintptr_t)pinned;
	b->from = in ? (uintptr_t)pinned : device;
	b->bytes = v->iov_len;
}

int cuda_copy_move(struct cuda_home *h, const struct iovec *iov, size_t count,
		   char *host, bool in)
{
	struct cuda_block *list = h->list;
	unsigned n = 0;
	size_t bytes = 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		bool large = iov[i].iov_len > CUDA_CHUNK / 4;

		if (n && (large || n == CUDA_LIST ||
			  bytes + iov[i].iov_len > CUDA_CHUNK)) {
			err = blocks_move(h, n, host, bytes, in);
			host += bytes;
			bytes = n = 0;
		}
		if (large && !err) {
			err = in ? cuda_copy_in(h, iov[i].iov_base, host,
						iov[i].iov_len)
				 : cuda_copy_out(h, host, iov[i].iov_base,
						 iov[i].iov_len);
			host += iov[i].iov_len;
		} else if (!err) {
			block_set(&list[n++], &iov[i], h->pinned + bytes, in);
			bytes += iov[i].iov_len;
		}
	}
	return n && !err ? blocks_move(h, n, host, bytes, in) : err;
}

/* ---- within device memory ---- */

int cuda_copy_submit(struct cuda_home *h, void *to, cuda_addr from,
		     size_t bytes, uint32_t *ticket_p)
{
	int err;

	if (bytes <= CUDA_SHORT) {
		*ticket_p = cuda_copy_short(h, (uintptr_t)to, from, bytes);
		return *ticket_p ? 0 : -EIO;
	}
	err = cuda_error(
		"copy", h->driver->copy((uintptr_t)to, from, bytes, h->stream));
	if (err)
		return err;
	*ticket_p = cuda_home_signal(h);
	return *ticket_p ? 0 : -EIO;
}
