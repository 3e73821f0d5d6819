/* SPDX-License-Identifier: BSD-3-Clause */
/* The context in which this process copies device memory (cuda_home.h). */
#include "prov/mem/cuda/cuda_home.h"
#include "prov/mem/cuda/cuda_kernel.h"
#include "src/base/attr.h"
#include "src/base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#define QUERY_POLLS 4096 /* polls between two queries of the driver */

static struct cuda_home home;
static bool failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int cuda_error(const char *what, int rc)
{
	static bool told;

	if (!rc)
		return 0;
	if (!told)
		weft_log(WEFT_LOG_ERROR, "cuda: %s: error %d of the driver",
			 what, rc);
	told = true;
	return rc == CUDA_OUT_OF_MEMORY ? -ENOMEM : -EIO;
}

bool cuda_where(const void *at, struct cuda_where *w)
{
	static const int which[] = {
		CUDA_ATTR_MEMORY_TYPE, CUDA_ATTR_IS_MANAGED,
		CUDA_ATTR_IPC_CAPABLE, CUDA_ATTR_DEVICE,
		CUDA_ATTR_CONTEXT,     CUDA_ATTR_BUFFER_ID
	};
	const struct cuda_driver *d = cuda_driver();
	unsigned type = 0, managed = 0, ipc = 0;
	unsigned long long buffer = 0;
	void *values[] = { &type,	&managed,    &ipc,
			   &w->ordinal, &w->context, &buffer };

	w->ordinal = 0;
	w->context = NULL;
	if (!d || d->pointer_attributes(WEFT_COUNT_OF(which), which, values,
					(uintptr_t)at))
		return false;
	w->device = type == CUDA_MEMORY_DEVICE && !(managed & 1);
	w->ipc = ipc & 1;
	w->buffer = buffer;
	return type != 0;
}

/*
 * Returns the context of the address, otherwise the current context of the
 * calling thread, otherwise the device's primary context.
 */
static cuda_context context_of(const struct cuda_driver *d, const void *at)
{
	struct cuda_where w = { .device = false };
	cuda_context c = NULL;

	if (at && cuda_where(at, &w) && w.context)
		return w.context;
	if (!w.device && !d->context_current(&c) && c)
		return c;
	/*
	 * initialize the driver: MPI_Alloc_mem may be the first use of the GPU
	 */
	if (cuda_error("start", d->init(0)) ||
	    cuda_error("context", d->primary_retain(&c, w.ordinal)))
		return NULL;
	return c;
}

/* Allocates the resources that every copy needs. The context is current. */
static int resources_open(struct cuda_home *h)
{
	const struct cuda_driver *d = h->driver;
	const unsigned flags = CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED;
	const size_t list = CUDA_LIST * sizeof(struct cuda_block);
	void *at;
	int err = cuda_error(
		"pinned memory",
		d->host_alloc(&at, 4096 + list + 2 * CUDA_CHUNK, flags));

	if (err)
		return err;
	h->completed = at;
	atomic_init(h->completed, 0);
	h->list = (char *)at + 4096;
	h->pinned = (char *)h->list + list;
	err = cuda_error("stream", d->stream_create(&h->stream,
						    CUDA_STREAM_NON_BLOCKING));
	if (!err)
		err = cuda_kernels_load(h);
	if (!err)
		return 0;
	d->host_free(at);
	return err;
}

static int home_open(const void *at)
{
	const struct cuda_driver *d = cuda_driver();
	cuda_context c;
	int err;

	if (!d || failed)
		return -EOPNOTSUPP;
	home.driver = d;
	home.context = context_of(d, at);
	if (!home.context || d->context_push(home.context)) {
		failed = true;
		return -EOPNOTSUPP;
	}
	err = resources_open(&home);
	d->context_pop(&c);
	if (err) {
		home.context = NULL;
		failed = true;
	}
	return err;
}

struct cuda_home *cuda_home_enter(const void *at)
{
	pthread_mutex_lock(&lock);
	if ((home.context || !home_open(at)) &&
	    !cuda_error("context", home.driver->context_push(home.context)))
		return &home;
	pthread_mutex_unlock(&lock);
	return NULL;
}

void cuda_home_leave(struct cuda_home *h)
{
	cuda_context c;

	h->driver->context_pop(&c);
	pthread_mutex_unlock(&lock);
}

uint32_t cuda_home_signal(struct cuda_home *h)
{
	cuda_addr word = (uintptr_t)h->completed;
	uint32_t number = h->submitted + 1;
	void *params[] = { &word, &number };

	if (!number)
		number = 1;
	if (cuda_error("signal", h->driver->launch(h->signal, 1, 1, 1, 1, 1, 1,
						   0, h->stream, params, NULL)))
		return 0;
	return h->submitted = number;
}

static bool is_complete(uint32_t number)
{
	uint32_t now =
		atomic_load_explicit(home.completed, memory_order_acquire);

	return (int32_t)(now - number) >= 0;
}

/*
 * Queries the driver for an error; after an error, the GPU never writes the
 * word. If the stream is idle, all of its work is complete.
 */
static int query_driver(struct cuda_home *h)
{
	int rc = h->driver->stream_query(h->stream);

	return rc == CUDA_NOT_READY ? -EAGAIN : cuda_error("copy", rc);
}

int cuda_home_passed(uint32_t number)
{
	static _Thread_local unsigned polls;
	struct cuda_home *h;
	int rc;

	if (is_complete(number))
		return 0;
	if (++polls % QUERY_POLLS)
		return -EAGAIN;
	h = cuda_home_enter(NULL);
	if (!h)
		return -EIO;
	rc = query_driver(h);
	cuda_home_leave(h);
	return rc;
}

int cuda_home_await(struct cuda_home *h, uint32_t number)
{
	int rc = -EAGAIN;

	if (!number)
		return cuda_home_wait(h);
	for (unsigned polls = 1; rc == -EAGAIN; polls++) {
		if (is_complete(number))
			return 0;
		if (polls % QUERY_POLLS == 0)
			rc = query_driver(h);
	}
	return rc;
}

int cuda_home_wait(struct cuda_home *h)
{
	return cuda_error("copy", h->driver->stream_wait(h->stream));
}
