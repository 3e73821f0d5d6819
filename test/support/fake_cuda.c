/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library with the functions of NVIDIA's driver that prov/mem/cuda calls, on
 * host memory, for tests on machines without a GPU (FI_WEFT_CUDA=PATH). Device
 * memory has no access rights at the address that programs get. Copies and
 * kernels are executed by a thread, in order, so that a caller that does not
 * wait for them finds the old contents. Kernels are recognized by their names,
 * reductions by their text.
 *
 * FAKE_CUDA_REFUSE names the symbols of functions that fail, separated by
 * commas; a number after a colon is the first call that fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PAGE   ((size_t)65536)

enum { OK = 0, INVALID = 1, NO_MEMORY = 2, NOT_INITIALIZED = 3, FAILED = 719 };

typedef unsigned long long addr;

struct block {
	struct block *next;
	char *at, *bus;
	size_t bytes;
	int fd; /* -1: the memory belongs to another process */
	uint64_t id;
	bool host; /* pinned host memory */
};

struct handle {
	int pid, fd;
	uint64_t bytes, id;
	char rest[40];
};

struct function {
	char name[32];
	char *text;
};

struct work {
	struct work *next;
	void (*run)(struct work *w);
	const struct function *f;
	addr to, from, a, b;
	uint64_t bytes;
	volatile uint32_t *word;
	uint32_t value;
	unsigned grid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct block *blocks;
static struct work *first, **last = &first;
static unsigned queued;
static bool started, working;
static uint64_t ids;

/* ---- refusals ---- */

static bool refused(const char *symbol)
{
	static unsigned calls[64];
	const char *p = getenv("FAKE_CUDA_REFUSE");
	size_t n = strlen(symbol);

	for (unsigned i = 0; p && *p && i < 64; i++) {
		if (!strncmp(p, symbol, n) && strchr(":,", p[n]))
			return ++calls[i] >=
			       (unsigned)(p[n] == ':' ? atoi(p + n + 1) : 1);
		p = strchr(p, ',');
		p = p ? p + 1 : NULL;
	}
	return false;
}

/* ---- memory ---- */

static struct block *find(addr at)
{
	struct block *b = blocks;

	while (b && at - (uintptr_t)b->at >= b->bytes)
		b = b->next;
	return b;
}

/* Returns the address by which this library accesses the memory. */
static char *reach(addr at)
{
	struct block *b;
	char *p = (char *)(uintptr_t)at;

	pthread_mutex_lock(&lock);
	b = find(at);
	if (b)
		p = b->bus + (at - (uintptr_t)b->at);
	pthread_mutex_unlock(&lock);
	return p;
}

static int block_add(int fd, size_t bytes, bool host, uint64_t id,
		     struct block **b_p)
{
	struct block *b = calloc(1, sizeof(*b));

	b->fd = fd;
	b->bytes = bytes;
	b->host = host;
	b->bus = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	b->at = host ? b->bus : mmap(NULL, bytes, PROT_NONE, MAP_SHARED, fd, 0);
	if (b->bus == MAP_FAILED || b->at == MAP_FAILED) {
		free(b);
		return NO_MEMORY;
	}
	pthread_mutex_lock(&lock);
	b->id = id ? id : ++ids;
	b->next = blocks;
	blocks = b;
	pthread_mutex_unlock(&lock);
	*b_p = b;
	return OK;
}

static int block_new(size_t bytes, bool host, struct block **b_p)
{
	int fd = memfd_create("fake-cuda", 0);

	bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return NO_MEMORY;
	return block_add(fd, bytes, host, 0, b_p);
}

static int block_drop(addr at)
{
	struct block **p = &blocks, *b;

	pthread_mutex_lock(&lock);
	while (*p && (uintptr_t)(*p)->at != at)
		p = &(*p)->next;
	b = *p;
	if (b)
		*p = b->next;
	pthread_mutex_unlock(&lock);
	if (!b)
		return INVALID;
	munmap(b->bus, b->bytes);
	if (!b->host)
		munmap(b->at, b->bytes);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
	return OK;
}

/* ---- the thread that executes copies and kernels ---- */

static void *worker(void *arg)
{
	struct work *w;

	pthread_mutex_lock(&lock);
	for (;;) {
		while (!first)
			pthread_cond_wait(&changed, &lock);
		w = first;
		first = w->next;
		if (!first)
			last = &first;
		pthread_mutex_unlock(&lock);
		usleep(20); /* a GPU takes time to start */
		w->run(w);
		free(w);
		pthread_mutex_lock(&lock);
		queued--;
		pthread_cond_broadcast(&changed);
	}
	return arg;
}

static int submit(const struct work *what)
{
	struct work *w = malloc(sizeof(*w));
	pthread_t t;

	*w = *what;
	w->next = NULL;
	pthread_mutex_lock(&lock);
	if (!working)
		working = !pthread_create(&t, NULL, worker, NULL);
	*last = w;
	last = &w->next;
	queued++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return working ? OK : FAILED;
}

static void run_copy(struct work *w)
{
	memmove(reach(w->to), reach(w->from), w->bytes);
}

static void signal_word(const struct work *w)
{
	__atomic_store_n(w->word, w->value, __ATOMIC_RELEASE);
}

static void run_short(struct work *w)
{
	run_copy(w);
	signal_word(w);
}

static void run_signal(struct work *w)
{
	signal_word(w);
}

static void run_blocks(struct work *w)
{
	const uint64_t *list = (const uint64_t *)reach(w->from);

	for (unsigned i = 0; i < w->grid; i++, list += 3)
		memmove(reach(list[0]), reach(list[1]), list[2]);
}

#define EACH(type, expr)                                   \
	do {                                               \
		const type *a = (const type *)reach(w->a); \
		const type *b = (const type *)reach(w->b); \
		type *to = (type *)reach(w->to);           \
		for (uint64_t i = 0; i < w->bytes; i++)    \
			to[i] = (type)(expr);              \
	} while (0)
#define ARITHMETIC(type)                                       \
	do {                                                   \
		if (strstr(w->f->text, "setp.lt"))             \
			EACH(type, a[i] < b[i] ? a[i] : b[i]); \
		else if (strstr(w->f->text, "setp.gt"))        \
			EACH(type, a[i] > b[i] ? a[i] : b[i]); \
		else if (strstr(w->f->text, "mul.rn") ||       \
			 strstr(w->f->text, "mul.lo"))         \
			EACH(type, a[i] * b[i]);               \
		else                                           \
			EACH(type, a[i] + b[i]);               \
	} while (0)
#define INTEGER(type)                                  \
	do {                                           \
		if (strstr(w->f->text, " xor.b"))      \
			EACH(type, a[i] ^ b[i]);       \
		else if (strstr(w->f->text, " or.b"))  \
			EACH(type, a[i] | b[i]);       \
		else if (strstr(w->f->text, " and.b")) \
			EACH(type, a[i] & b[i]);       \
		else                                   \
			ARITHMETIC(type);              \
	} while (0)

static void run_apply(struct work *w)
{
	const char *t = strstr(w->f->text, ".reg .");

	/* the type of %v0: the third declaration of registers */
	t = strstr(t + 1, ".reg .");
	t = strstr(t + 1, ".reg .") + 6;
	if (!strncmp(t, "s32", 3))
		INTEGER(int32_t);
	else if (!strncmp(t, "u32", 3))
		INTEGER(uint32_t);
	else if (!strncmp(t, "s64", 3))
		INTEGER(int64_t);
	else if (!strncmp(t, "u64", 3))
		INTEGER(uint64_t);
	else if (!strncmp(t, "f32", 3))
		ARITHMETIC(float);
	else
		ARITHMETIC(double);
}

/* ---- the driver's functions ---- */

EXPORT int cuInit(unsigned flags)
{
	if (refused("cuInit"))
		return FAILED;
	started = true;
	return OK;
}

EXPORT int cuPointerGetAttributes(unsigned n, const int *which, void **values,
				  addr at)
{
	struct block *b;

	if (!started)
		return NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	b = find(at);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < n; i++) {
		switch (which[i]) {
		case 1: /* context */
			*(void **)values[i] = b ? &started : NULL;
			break;
		case 2: /* memory type */
			*(unsigned *)values[i] = !b ? 0 : b->host ? 1 : 2;
			break;
		case 7: /* buffer id */
			*(uint64_t *)values[i] = b ? b->id : 0;
			break;
		case 10: /* IPC possible */
			*(unsigned *)values[i] =
				b && !b->host && !getenv("FAKE_CUDA_NO_IPC");
			break;
		default: /* managed, device */
			*(unsigned *)values[i] = 0;
		}
	}
	return OK;
}

EXPORT int cuCtxPushCurrent_v2(void *c)
{
	return refused("cuCtxPushCurrent_v2") ? FAILED : OK;
}

EXPORT int cuCtxPopCurrent_v2(void **c)
{
	return OK;
}

EXPORT int cuCtxGetCurrent(void **c)
{
	*c = NULL;
	return started ? OK : NOT_INITIALIZED;
}

EXPORT int cuDevicePrimaryCtxRetain(void **c, int device)
{
	*c = &started;
	return started ? OK : NOT_INITIALIZED;
}

EXPORT int cuDeviceGetUuid(unsigned char *uuid, int device)
{
	memset(uuid, 7, 16);
	/* each process has a GPU of its own */
	if (getenv("FAKE_CUDA_OWN"))
		memcpy(uuid, &(int){ getpid() }, sizeof(int));
	return OK;
}

EXPORT int cuMemAlloc_v2(addr *at, size_t bytes)
{
	struct block *b;
	int rc = refused("cuMemAlloc_v2") ? NO_MEMORY
					  : block_new(bytes, false, &b);

	if (!rc)
		*at = (uintptr_t)b->at;
	return rc;
}

EXPORT int cuMemFree_v2(addr at)
{
	return block_drop(at);
}

EXPORT int cuMemsetD8_v2(addr at, unsigned char value, size_t bytes)
{
	memset(reach(at), value, bytes);
	return OK;
}

EXPORT int cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
	struct block *b;
	int rc = refused("cuMemHostAlloc") ? NO_MEMORY
					   : block_new(bytes, true, &b);

	if (!rc)
		*at = b->at;
	return rc;
}

EXPORT int cuMemFreeHost(void *at)
{
	return block_drop((uintptr_t)at);
}

EXPORT int cuMemGetAddressRange_v2(addr *base, size_t *bytes, addr at)
{
	struct block *b;

	pthread_mutex_lock(&lock);
	b = find(at);
	pthread_mutex_unlock(&lock);
	if (!b)
		return INVALID;
	*base = (uintptr_t)b->at;
	*bytes = b->bytes;
	return OK;
}

EXPORT int cuMemcpyAsync(addr to, addr from, size_t bytes, void *stream)
{
	const struct work w = {
		.run = run_copy, .to = to, .from = from, .bytes = bytes
	};

	return refused("cuMemcpyAsync") ? FAILED : submit(&w);
}

EXPORT int cuStreamCreate(void **s, unsigned flags)
{
	*s = &blocks;
	return OK;
}

EXPORT int cuStreamDestroy_v2(void *s)
{
	return OK;
}

EXPORT int cuStreamSynchronize(void *s)
{
	pthread_mutex_lock(&lock);
	while (queued)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return refused("cuStreamSynchronize") ? FAILED : OK;
}

EXPORT int cuStreamQuery(void *s)
{
	bool busy;

	pthread_mutex_lock(&lock);
	busy = queued;
	pthread_mutex_unlock(&lock);
	return refused("cuStreamQuery") ? FAILED : busy ? 600 : OK;
}

EXPORT int cuIpcGetMemHandle(struct handle *h, addr at)
{
	struct block *b;

	pthread_mutex_lock(&lock);
	b = find(at);
	pthread_mutex_unlock(&lock);
	if (!b || b->host || b->fd < 0 || refused("cuIpcGetMemHandle"))
		return INVALID;
	memset(h, 0, sizeof(*h));
	h->pid = getpid();
	h->fd = b->fd;
	h->bytes = b->bytes;
	h->id = b->id;
	return OK;
}

EXPORT int cuIpcOpenMemHandle_v2(addr *at, struct handle h, unsigned flags)
{
	struct block *b;
	char path[64];
	int fd, rc;

	if (refused("cuIpcOpenMemHandle_v2"))
		return INVALID;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", h.pid, h.fd);
	fd = h.pid == getpid() ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return INVALID;
	rc = block_add(fd, h.bytes, false, 0, &b);
	close(fd);
	if (rc)
		return rc;
	b->fd = -1;
	*at = (uintptr_t)b->at;
	return OK;
}

EXPORT int cuIpcCloseMemHandle(addr at)
{
	return block_drop(at);
}

EXPORT int cuModuleLoadData(void **m, const void *image)
{
	if (refused("cuModuleLoadData"))
		return FAILED;
	*m = strdup(image);
	return OK;
}

EXPORT int cuModuleGetFunction(struct function **f, void *m, const char *name)
{
	if (!strstr(m, name))
		return INVALID;
	*f = calloc(1, sizeof(**f));
	snprintf((*f)->name, sizeof((*f)->name), "%s", name);
	(*f)->text = m;
	return OK;
}

EXPORT int cuLaunchKernel(const struct function *f, unsigned gx, unsigned gy,
			  unsigned gz, unsigned bx, unsigned by, unsigned bz,
			  unsigned shared, void *stream, void **p, void **extra)
{
	struct work w = { .f = f, .grid = gx };

	if (refused("cuLaunchKernel") || !gx || !bx || bx > 1024)
		return FAILED;
	if (!strcmp(f->name, "weft_signal")) {
		w.run = run_signal;
		w.word = *(uint32_t **)p[0];
		w.value = *(uint32_t *)p[1];
	} else if (!strcmp(f->name, "weft_copy_short")) {
		w.run = run_short;
		w.to = *(addr *)p[0];
		w.from = *(addr *)p[1];
		w.bytes = *(uint64_t *)p[2];
		w.word = *(uint32_t **)p[3];
		w.value = *(uint32_t *)p[4];
	} else if (!strcmp(f->name, "weft_copy_blocks")) {
		w.run = run_blocks;
		w.from = *(addr *)p[0];
	} else {
		w.run = run_apply;
		w.to = *(addr *)p[0];
		w.a = *(addr *)p[1];
		w.b = *(addr *)p[2];
		w.bytes = *(uint64_t *)p[3];
	}
	return submit(&w);
}
