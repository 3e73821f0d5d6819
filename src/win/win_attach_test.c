/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of attachments: in a page that members share, and in a target's memory
 * that an origin reads by fi_read while the target changes it.
 */
#include "src/win/win_attach.h"

#include "src/core/core_state.h"
#include "src/offload/offload_device.h"
#include "src/win/win_am.h"
#include "src/win/win_fabric.h"
#include "src/win/win_heap.h"
#include "src/win/win_layout.h"
#include "src/win/win_op.h"
#include "test/t.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct weft_core weft_core;
bool weft_threads = true;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;

struct win_heap_place win_heap_find(const void *base, size_t bytes)
{
	return (struct win_heap_place){ .fd = -1 };
}

/* ---- device memory, and the receive of messages -------------------------- */

#define DEVICE_START 50000
#define DEVICE_END   60000

static int receives, receive_result;

bool weft_device_owns_slow(const void *at)
{
	return (uintptr_t)at >= DEVICE_START && (uintptr_t)at < DEVICE_END;
}

int win_am_open(struct weft_win *w)
{
	receives++;
	return receive_result;
}

/* ---- a provider: regions, and reads of the target's page ------------------
 */

static struct {
	int open; /* registered regions */
	int bound, enabled;
	int reg_result, bind_result, enable_result;
	uint64_t last_key;
} provider;

struct region {
	struct fid_mr mr;
};

static int region_close(struct fid *fid)
{
	provider.open--;
	free(fid);
	return 0;
}

static int region_bind(struct fid *fid, struct fid *to, uint64_t flags)
{
	provider.bound++;
	return provider.bind_result;
}

static int region_control(struct fid *fid, int command, void *arg)
{
	provider.enabled += command == FI_ENABLE;
	return provider.enable_result;
}

static struct fi_ops region_ops = { .size = sizeof(region_ops),
				    .close = region_close,
				    .bind = region_bind,
				    .control = region_control };

static int region_reg(struct fid *fid, const void *buf, size_t len,
		      uint64_t access, uint64_t offset, uint64_t key,
		      uint64_t flags, struct fid_mr **mr, void *context)
{
	struct region *r;

	if (provider.reg_result)
		return provider.reg_result;
	r = calloc(1, sizeof(*r));
	T_NOT_NULL(r);
	r->mr.fid.ops = &region_ops;
	r->mr.key = key + 1000; /* a provider may choose another key */
	provider.open++;
	provider.last_key = key;
	*mr = &r->mr;
	return 0;
}

static struct fi_ops_mr mr_ops = { .size = sizeof(mr_ops), .reg = region_reg };
static struct fid_domain domain = { .mr = &mr_ops };
static struct fid_ep ep;

/* reads of the target's page */
static struct {
	struct weft_win *target;
	int count;
	int fail_at;	     /* number of the read that fails; 0: none */
	void (*before)(int); /* called before each read, with its number */
	uint64_t addr;
	uint64_t key;
} reads;

int win_fi_execute(struct weft_win *w, int target, const struct win_fi *f)
{
	const char *page = (const char *)reads.target->remote_page;
	uint64_t from = f->addr - reads.addr;

	reads.count++;
	T_IS(f->kind, WIN_FI_READ);
	T_IS(f->key, reads.key);
	if (reads.before)
		reads.before(reads.count);
	if (reads.count == reads.fail_at)
		return -EIO;
	memcpy(f->local, page + from, f->len);
	return 0;
}

/* ---- windows --------------------------------------------------------------
 */

#define PAGE_SLOTS (2 * WIN_ATTACHED_MAX)

static struct win_fabric fabric;

static struct weft_win *win_new(void)
{
	struct weft_win *w = calloc(1, sizeof(*w));

	T_NOT_NULL(w);
	memset(&provider, 0, sizeof(provider));
	memset(&reads, 0, sizeof(reads));
	receives = receive_result = 0;
	weft_core.device = NULL;
	fabric = (struct win_fabric){ .key_first = 7 };
	weft_core.domain = &domain;
	weft_core.ep = &ep;
	w->fabric = &fabric;
	w->dynamic = true;
	w->rma = true;
	w->size = 2;
	w->peer = calloc(2, sizeof(*w->peer));
	T_NOT_NULL(w->peer);
	weft_list_init(&w->attached);
	return w;
}

static struct weft_win *win_new_shared(void)
{
	struct weft_win *w = win_new();
	size_t at = sizeof(struct win_page) + 2 * sizeof(struct win_record);

	w->page = aligned_alloc(64, at + PAGE_SLOTS * 64);
	T_NOT_NULL(w->page);
	memset(w->page, 0, at + PAGE_SLOTS * 64);
	w->page->attached = at;
	return w;
}

/*
 * Returns the window of a target whose page origins read; *origin_p: a separate
 * window of an origin, rank 1.
 */
static struct weft_win *win_new_remote(struct weft_win **origin_p)
{
	struct weft_win *w = win_new(), *origin = win_new();
	size_t bytes = sizeof(struct win_remote) + WIN_ATTACHED_MAX * 64;

	w->remote_page = calloc(1, bytes);
	T_NOT_NULL(w->remote_page);
	origin->rank = 1;
	origin->peer[0].remote_addr = 4096;
	origin->peer[0].remote_key = 33;
	reads.target = w;
	reads.key = 33;
	*origin_p = origin;
	return w;
}

static void win_free(struct weft_win *w)
{
	win_attach_clear(w);
	for (int i = 0; i < 2; i++)
		free(w->peer[i].list);
	free(w->peer);
	free(w->page);
	free(w->remote_page);
	free(w);
}

static void *at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* ---- attachments of this rank -------------------------------------------- */

static void attachments_do_not_overlap(void **state)
{
	struct weft_win *w = win_new_shared();

	T_OK(weft_win_attach(w, at(1000), 100));
	T_IS(weft_win_attach(w, at(1000), 100), -EBUSY);
	T_IS(weft_win_attach(w, at(901), 100), -EBUSY);
	T_IS(weft_win_attach(w, at(1099), 100), -EBUSY);
	T_IS(weft_win_attach(w, at(1040), 2), -EBUSY);
	T_IS(weft_win_attach(w, at(900), 300), -EBUSY);
	T_OK(weft_win_attach(w, at(900), 100));
	T_OK(weft_win_attach(w, at(1100), 100));
	T_IS(provider.open, 3);
	T_IS(weft_win_detach(w, at(1001)), -ENOENT);
	T_OK(weft_win_detach(w, at(1000)));
	T_IS(weft_win_detach(w, at(1000)), -ENOENT);
	T_IS(provider.open, 2);
	win_free(w);
	T_IS(provider.open, 0);
}

static void an_access_may_span_neighbours_only(void **state)
{
	struct weft_win *w = win_new_shared();

	T_OK(weft_win_attach(w, at(1100), 50));
	T_OK(weft_win_attach(w, at(1000), 100));
	T_OK(weft_win_attach(w, at(1151), 9));
	T_TRUE(win_attach_has(w, 1000, 150));
	T_TRUE(win_attach_has(w, 1149, 1));
	T_TRUE(win_attach_has(w, 5, 0));
	T_FALSE(win_attach_has(w, 999, 2));
	T_FALSE(win_attach_has(w, 1000, 151));
	T_FALSE(win_attach_has(w, 1150, 1));
	T_FALSE(win_attach_has(w, 1149, 3));
	T_FALSE(win_attach_has(w, 1155, 6));
	win_free(w);
}

static void errors_of_the_provider_leave_nothing(void **state)
{
	struct weft_win *w = win_new_shared();
	struct win_attach_place p;

	fabric.bind_regions = true;
	provider.reg_result = -FI_ENOMEM;
	T_IS(weft_win_attach(w, at(1000), 100), -ENOMEM);
	provider.reg_result = 0;
	provider.bind_result = -FI_EINVAL;
	T_IS(weft_win_attach(w, at(1000), 100), -EINVAL);
	provider.bind_result = 0;
	provider.enable_result = -FI_EINVAL;
	T_IS(weft_win_attach(w, at(1000), 100), -EINVAL);
	T_IS(provider.open, 0);
	T_FALSE(win_attach_has(w, 1000, 1));
	T_IS(win_attach_find(w, 0, 1000, &p), -ERANGE);
	provider.enable_result = 0;
	T_OK(weft_win_attach(w, at(1000), 100));
	T_IS(provider.bound, 3);
	T_IS(provider.enabled, 2);
	win_free(w);
}

/* Attachments of zero bytes, and attachments without RMA, have no region. */
static void regions_are_registered_when_needed(void **state)
{
	struct weft_win *w = win_new_shared();
	uint64_t first;

	T_OK(weft_win_attach(w, at(1000), 0));
	T_IS(provider.open, 0);
	T_OK(weft_win_attach(w, at(1000), 10));
	T_IS(provider.open, 1);
	T_IS(provider.bound, 0);
	first = provider.last_key;
	T_TRUE(first >= 7);
	T_OK(weft_win_attach(w, at(2000), 10));
	T_IS(provider.last_key, first + 1);
	w->rma = false;
	T_OK(weft_win_attach(w, at(3000), 10));
	T_IS(provider.open, 2);
	win_free(w);
}

/* ---- the list in a shared page ------------------------------------------- */

static void a_place_has_key_offset_and_rest(void **state)
{
	struct weft_win *w = win_new_shared();
	struct win_attach_place p;

	T_OK(weft_win_attach(w, at(1000), 100));
	T_OK(weft_win_attach(w, at(5000), 20));
	T_OK(win_attach_find(w, 0, 5003, &p));
	T_IS(p.addr, 3);
	T_IS(p.bytes, 17);
	T_IS(p.key, provider.last_key + 1000);
	T_IS(p.slot, 1);
	T_OK(win_attach_find(w, 0, 1000, &p));
	T_IS(p.bytes, 100);
	T_OK(win_attach_find(w, 0, 1099, &p));
	T_IS(p.bytes, 1);
	T_IS(win_attach_find(w, 0, 1100, &p), -ERANGE);
	T_IS(win_attach_find(w, 0, 999, &p), -ERANGE);
	T_IS(win_attach_find(w, 1, 1000, &p), -ERANGE);
	T_OK(weft_win_detach(w, at(1000)));
	T_IS(win_attach_find(w, 0, 1000, &p), -ERANGE);
	/* the empty slot is used again */
	T_OK(weft_win_attach(w, at(7000), 1));
	T_OK(win_attach_find(w, 0, 7000, &p));
	T_IS(p.slot, 0);
	win_free(w);
}

static void a_full_list_refuses_one_more(void **state)
{
	struct weft_win *w = win_new_shared();
	struct win_attach_place p;
	uint64_t i;

	for (i = 1; i <= WIN_ATTACHED_MAX; i++)
		T_OK(weft_win_attach(w, at(i * 100), 50));
	T_IS(weft_win_attach(w, at(i * 100), 50), -ENOSPC);
	T_IS(provider.open, WIN_ATTACHED_MAX);
	T_FALSE(win_attach_has(w, i * 100, 1));
	T_OK(win_attach_find(w, 0, (i - 1) * 100 + 49, &p));
	T_IS(p.slot, WIN_ATTACHED_MAX - 1);
	/* a number of slots beyond the list is rejected */
	weft_store32(&win_record(w->page, 0)->slots, UINT32_MAX);
	T_IS(win_attach_find(w, 0, 1, &p), -ERANGE);
	T_OK(weft_win_detach(w, at(300)));
	T_OK(weft_win_attach(w, at(i * 100), 50));
	win_free(w);
}

/* ---- the list of a remote target ----------------------------------------- */

static struct weft_win *changed;

static void remote_lists_are_read_when_they_change(void **state)
{
	struct weft_win *o, *w = win_new_remote(&o);
	struct win_attach_place p;

	T_OK(weft_win_attach(w, at(1000), 100));
	T_IS(win_attach_find(o, 0, 1000, &p), -ERANGE);
	T_OK(win_attach_update(o, 0));
	T_IS(reads.count, 3);
	T_OK(win_attach_find(o, 0, 1010, &p));
	T_IS(p.addr, 10);
	T_IS(p.bytes, 90);
	T_OK(win_attach_update(o, 0)); /* unchanged: only the version is read */
	T_IS(reads.count, 4);
	T_OK(weft_win_attach(w, at(2000), 100));
	T_OK(win_attach_update(o, 0));
	T_IS(reads.count, 7);
	T_OK(win_attach_find(o, 0, 2000, &p));
	/* a provider with virtual addresses */
	fabric.by_address = true;
	reads.addr = 4096;
	T_OK(weft_win_detach(w, at(1000)));
	T_OK(win_attach_update(o, 0));
	T_IS(win_attach_find(o, 0, 1000, &p), -ERANGE);
	T_OK(win_attach_find(o, 0, 2000, &p));
	T_IS(p.addr, 2000);
	win_free(w);
	win_free(o);
}

static void lists_that_need_no_read(void **state)
{
	struct weft_win *o, *w = win_new_remote(&o);

	T_OK(win_attach_update(o, 1)); /* rank 1 is this rank */
	o->peer[0].remote_addr = 0;
	T_OK(win_attach_update(o, 0));
	o->peer[0].remote_addr = 4096;
	o->dynamic = false;
	T_OK(win_attach_update(o, 0));
	T_IS(reads.count, 0);
	win_free(w);
	win_free(o);
}

static void change_before_second_read(int n)
{
	if (n == 2)
		T_OK(weft_win_attach(changed, at(2000), 100));
}

static void change_before_third_read(int n)
{
	if (n == 3)
		T_OK(weft_win_attach(changed, at(2000), 100));
}

/* The list changes while it is read: the whole list is read again. */
static void a_list_that_changes_is_read_again(void **state)
{
	void (*const when[])(int) = { change_before_second_read,
				      change_before_third_read };

	for (int i = 0; i < 2; i++) {
		struct weft_win *o, *w = win_new_remote(&o);
		struct win_attach_place p;

		T_OK(weft_win_attach(w, at(1000), 100));
		changed = w;
		reads.before = when[i];
		T_OK(win_attach_update(o, 0));
		T_IS(reads.count, 5);
		T_OK(win_attach_find(o, 0, 2000, &p));
		win_free(w);
		win_free(o);
	}
}

static void end_of_change(int n)
{
	if (n == 4)
		weft_add64(&changed->remote_page->version, 1);
}

/* An odd version means that the list is being changed. */
static void a_list_in_change_is_not_used(void **state)
{
	struct weft_win *o, *w = win_new_remote(&o);

	T_OK(weft_win_attach(w, at(1000), 100));
	weft_add64(&w->remote_page->version, 1);
	changed = w;
	reads.before = end_of_change;
	T_OK(win_attach_update(o, 0));
	T_IS(reads.count, 5);
	win_free(w);
	win_free(o);
}

static void bad_lists_and_failed_reads_are_reported(void **state)
{
	struct weft_win *o, *w = win_new_remote(&o);
	struct win_attach_place p;

	T_OK(weft_win_attach(w, at(1000), 100));
	for (int i = 1; i <= 3; i++) {
		reads.count = 0;
		reads.fail_at = i;
		T_IS(win_attach_update(o, 0), -EIO);
		T_IS(win_attach_find(o, 0, 1000, &p), -ERANGE);
	}
	reads.count = reads.fail_at = 0;
	weft_store32(&w->remote_page->slots, WIN_ATTACHED_MAX + 1);
	T_IS(win_attach_update(o, 0), -EIO);
	T_IS(reads.count, 1);
	win_free(w);
	win_free(o);
}

/* ---- device memory ------------------------------------------------------- */

static struct fi_weft_mem mem_ops;

static void device_memory_is_listed_without_a_region(void **state)
{
	struct weft_win *w = win_new_shared();
	weft_au32 *devices = &win_record(w->page, 0)->devices;
	struct win_attach_place p;

	weft_core.device = &mem_ops;
	T_OK(weft_win_attach(w, at(1000), 100));
	T_IS(receives, 0);
	T_FALSE(win_attach_on_device(w, 0, 0, UINT32_MAX));
	T_OK(weft_win_attach(w, at(DEVICE_START), 100));
	T_IS(receives, 1);
	T_IS(provider.open, 1);
	T_IS(weft_load32(devices), 1);
	T_OK(win_attach_find(w, 0, DEVICE_START + 99, &p));
	T_TRUE(p.device);
	T_OK(win_attach_find(w, 0, 1000, &p));
	T_FALSE(p.device);
	w->rank = 1; /* another member looks up an address in the list */
	T_TRUE(win_attach_on_device(w, 0, DEVICE_START - 1, 2));
	T_TRUE(win_attach_on_device(w, 0, DEVICE_START + 99, 1));
	T_FALSE(win_attach_on_device(w, 0, DEVICE_START + 100, 1));
	T_FALSE(win_attach_on_device(w, 0, DEVICE_START - 1, 1));
	T_FALSE(win_attach_on_device(w, 0, 1000, 100));
	w->rank = 0;
	T_TRUE(win_attach_on_device(w, 0, DEVICE_START - 1, 2));
	T_FALSE(win_attach_on_device(w, 0, 1000, 100));
	T_OK(weft_win_detach(w, at(DEVICE_START)));
	T_IS(weft_load32(devices), 0);
	T_IS(weft_load32(&w->devices), 0);
	T_FALSE(win_attach_on_device(w, 0, DEVICE_START, 100));
	T_OK(weft_win_attach(w, at(1100), 100)); /* in the empty slot */
	T_OK(win_attach_find(w, 0, 1100, &p));
	T_FALSE(p.device);
	win_free(w);
}

static void device_memory_that_cannot_be_attached(void **state)
{
	struct weft_win *w = win_new_shared();

	weft_core.device = &mem_ops;
	T_IS(weft_win_attach(w, at(DEVICE_START - 10), 20), -EXDEV);
	T_IS(weft_win_attach(w, at(DEVICE_END - 10), 20), -EXDEV);
	receive_result = -ENOMEM;
	T_IS(weft_win_attach(w, at(DEVICE_START), 100), -ENOMEM);
	T_IS(weft_load32(&win_record(w->page, 0)->devices), 0);
	T_FALSE(win_attach_has(w, DEVICE_START, 1));
	receive_result = 0;
	T_OK(weft_win_attach(w, at(DEVICE_START), 0));
	T_IS(weft_load32(&w->devices), 0);
	win_free(w);
}

/* Host attachments are one part, each attachment of device memory another. */
static void parts_are_of_one_kind(void **state)
{
	struct weft_win *w = win_new_shared();
	bool device;

	weft_core.device = &mem_ops;
	T_OK(weft_win_attach(w, at(DEVICE_START - 200), 100));
	T_OK(weft_win_attach(w, at(DEVICE_START - 100), 100));
	T_OK(weft_win_attach(w, at(DEVICE_START), 100));
	T_OK(weft_win_attach(w, at(DEVICE_START + 100), 100));
	T_IS(win_attach_part(w, DEVICE_START - 150, 1000, &device), 150);
	T_FALSE(device);
	T_IS(win_attach_part(w, DEVICE_START - 150, 140, &device), 140);
	T_IS(win_attach_part(w, DEVICE_START + 30, 1000, &device), 70);
	T_TRUE(device);
	T_IS(win_attach_part(w, DEVICE_START + 30, 7, &device), 7);
	T_IS(win_attach_part(w, DEVICE_START + 200, 1, &device), 0);
	T_TRUE(win_attach_has(w, DEVICE_START - 200, 400));
	win_free(w);
}

static void remote_lists_show_device_memory(void **state)
{
	struct weft_win *o, *w = win_new_remote(&o);
	struct win_attach_place p;

	weft_core.device = &mem_ops;
	T_OK(weft_win_attach(w, at(1000), 100));
	T_FALSE(win_attach_on_device(o, 0, 0, UINT32_MAX)); /* no list yet */
	T_OK(win_attach_update(o, 0));
	T_FALSE(win_attach_on_device(o, 0, 0, UINT32_MAX));
	T_OK(weft_win_attach(w, at(DEVICE_START), 100));
	T_OK(win_attach_update(o, 0));
	T_TRUE(win_attach_on_device(o, 0, DEVICE_START, 1));
	T_FALSE(win_attach_on_device(o, 0, 1000, 100));
	T_OK(win_attach_find(o, 0, DEVICE_START + 1, &p));
	T_TRUE(p.device);
	T_OK(weft_win_detach(w, at(DEVICE_START)));
	T_OK(win_attach_update(o, 0));
	T_FALSE(win_attach_on_device(o, 0, DEVICE_START, 1));
	win_free(w);
	win_free(o);
}

/* ---- threads --------------------------------------------------------------
 */

static struct weft_win *shared;
static weft_au32 stop;

#define ROUNDS 20000

/*
 * Two attachments use one slot in turn: one is large, the other starts shortly
 * before an address that neither contains.
 */
static void *slot_changes(void *arg)
{
	for (int i = 0; i < t_scale(ROUNDS); i++) {
		T_OK(weft_win_attach(shared, at(1000000), 100000));
		T_OK(weft_win_detach(shared, at(1000000)));
		T_OK(weft_win_attach(shared, at(49000), 10));
		T_OK(weft_win_detach(shared, at(49000)));
	}
	weft_store32(&stop, 1);
	return NULL;
}

static void *slot_reads(void *arg)
{
	struct win_attach_place p;
	int *wrong = arg;

	while (!weft_load32(&stop)) {
		if (win_attach_find(shared, 0, 50000, &p) || p.slot != 1 ||
		    p.addr || p.bytes != 10)
			++*wrong;
	}
	return NULL;
}

static void *either(void *arg)
{
	int *n = arg;

	return *n < 0 ? slot_changes(NULL) : slot_reads(n);
}

static void a_slot_in_change_matches_nothing(void **state)
{
	int wrong[2] = { -1, 0 };

	shared = win_new_shared();
	shared->rma = false;
	weft_store32(&stop, 0);
	T_OK(weft_win_attach(shared, at(1), 1));
	T_OK(weft_win_attach(shared, at(50000), 10));
	T_OK(weft_win_detach(shared, at(1))); /* slot 0 is empty */
	t_threads(2, either, wrong, sizeof(wrong[0]));
	T_IS(wrong[1], 0);
	win_free(shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE_ONE_THREAD(attachments_do_not_overlap),
		T_CASE_ONE_THREAD(an_access_may_span_neighbours_only),
		T_CASE_ONE_THREAD(errors_of_the_provider_leave_nothing),
		T_CASE_ONE_THREAD(regions_are_registered_when_needed),
		T_CASE_ONE_THREAD(a_place_has_key_offset_and_rest),
		T_CASE_ONE_THREAD(a_full_list_refuses_one_more),
		T_CASE_ONE_THREAD(remote_lists_are_read_when_they_change),
		T_CASE_ONE_THREAD(lists_that_need_no_read),
		T_CASE_ONE_THREAD(a_list_that_changes_is_read_again),
		T_CASE_ONE_THREAD(a_list_in_change_is_not_used),
		T_CASE_ONE_THREAD(bad_lists_and_failed_reads_are_reported),
		T_CASE_ONE_THREAD(device_memory_is_listed_without_a_region),
		T_CASE_ONE_THREAD(device_memory_that_cannot_be_attached),
		T_CASE_ONE_THREAD(parts_are_of_one_kind),
		T_CASE_ONE_THREAD(remote_lists_show_device_memory),
		T_CASE(a_slot_in_change_matches_nothing),
	};

	return T_RUN(tests);
}
