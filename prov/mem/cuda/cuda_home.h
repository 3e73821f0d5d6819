/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context in which this process copies device memory, with its own stream,
 * and a word in host memory that the GPU writes when work is complete.
 */
#ifndef WEFT_MEM_CUDA_HOME_H
#define WEFT_MEM_CUDA_HOME_H

#include "prov/mem/cuda/cuda_driver.h"

struct cuda_home {
	const struct cuda_driver *driver;
	cuda_context context;
	cuda_stream stream;
	/* number of the last submission that is complete */
	_Atomic uint32_t *completed;
	uint32_t submitted;
	char *pinned; /* two chunks of CUDA_CHUNK bytes, for staged copies */
	void *list;   /* CUDA_LIST entries, which GPU kernels read */
	cuda_function signal, copy_short, copy_blocks;
};

#define CUDA_CHUNK ((size_t)512 << 10)

/* One block of memory that a GPU kernel copies. */
struct cuda_block {
	cuda_addr to;
	cuda_addr from;
	uint64_t bytes;
};
#define CUDA_LIST 4096

/* Attributes of an address. */
struct cuda_where {
	bool device; /* memory that only the GPU can access */
	bool ipc;    /* can be shared by an IPC handle */
	int ordinal;
	cuda_context context; /* context; NULL: the device's primary context */
	uint64_t buffer;      /* number of the allocation in this process */
};
/* Returns false if the driver is not in use, or does not know the address. */
bool cuda_where(const void *at, struct cuda_where *w);

/*
 * Returns this process's state for copies (the home), which is opened for the
 * first device address. The caller holds its lock, and its context is current,
 * until cuda_home_leave(). NULL: cannot be opened.
 */
struct cuda_home *cuda_home_enter(const void *at);
void cuda_home_leave(struct cuda_home *h);

/*
 * Returns 0, or -errno for an error of the driver; only the first error is
 * logged.
 */
int cuda_error(const char *what, int rc);

/*
 * Submits a write of the next number to `completed`. Returns the number, or 0
 * if the driver refuses the write.
 */
uint32_t cuda_home_signal(struct cuda_home *h);
/*
 * Returns 0 if the work with this number is complete; -EAGAIN: not yet; -EIO:
 * the GPU reported an error. The caller is not between cuda_home_enter() and
 * cuda_home_leave().
 */
int cuda_home_passed(uint32_t number);
/* Waits for the work with this number; 0: for all work. Returns 0 or -errno. */
int cuda_home_await(struct cuda_home *h, uint32_t number);
/* Blocks until all submitted work is complete. Returns 0 or -errno. */
int cuda_home_wait(struct cuda_home *h);

#endif
