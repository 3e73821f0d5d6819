/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to windows in device memory (win_device.h). */
#include "src/win/win_device.h"

#include "src/core/core_lock.h"
#include "src/offload/offload_device.h"

#include <errno.h>
#include <stdlib.h>

static struct weft_typed bytes_of(char *at, size_t len)
{
	return (struct weft_typed){ weft_dt_of(MPI_BYTE), at, (MPI_Count)len };
}

/* Returns whether the update depends on the old contents of the memory. */
static bool needs_read(const struct win_elem *e,
		       const struct win_elem_arrays *r)
{
	return e->what != WIN_ELEM_REPLACE || r->old || e->step != e->bytes;
}

/* Returns whether the memory is device memory, and not freed meanwhile. */
static bool is_on_device(const char *at, size_t len)
{
	return weft_device_owns(at) && weft_device_owns(at + len - 1);
}

int win_device_apply(const struct win_elem *e, char *at,
		     const struct win_elem_arrays *r, size_t n)
{
	size_t len = (n - 1) * e->step + e->bytes;
	struct weft_typed device = bytes_of(at, len);
	char *host;
	int rc = 0;

	if (!is_on_device(at, len))
		return -ERANGE;
	host = malloc(len);
	if (!host)
		return -ENOMEM;
	if (needs_read(e, r))
		rc = weft_device_pack(&device, 0, host, len);
	if (!rc)
		win_elem_apply(e, host, r, n, true);
	if (!rc && e->what != WIN_ELEM_KEEP)
		rc = weft_device_unpack(&device, 0, host, len);
	free(host);
	return rc;
}

int win_device_own(const struct win_elem *e, char *at,
		   const struct win_elem_arrays *r, size_t n)
{
	int rc;

	weft_lock();
	rc = win_device_apply(e, at, r, n);
	weft_unlock();
	return rc;
}

int win_device_move(struct weft_win *w, const struct weft_win_xfer *x, bool put)
{
	struct weft_typed o = { x->dt, x->buf, x->count };
	struct weft_typed t = { x->tdt,
				(char *)w->base + (uint64_t)x->disp *
							  w->peer[w->rank].unit,
				x->tcount };

	if (!weft_device_has(&t))
		return -ERANGE;
	return weft_device_copy(put ? &t : &o, put ? &o : &t);
}
