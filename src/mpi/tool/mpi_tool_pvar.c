/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T performance variables. The handle of a counter counts only while it is
 * started, since its last reset; the handle of a level returns the current
 * value and cannot be stopped or reset. One lock covers sessions and handles.
 */
#include "src/mpi/mpi_export.h"

#include "src/base/list.h"
#include "src/diag/diag_pvar.h"
#include "src/mpi/tool/mpi_tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct session {
	struct weft_list link;
	struct weft_list handles;
};

struct handle {
	struct weft_list link;
	int index;
	bool started;
	uint64_t base; /* value of the counter at the last start */
	uint64_t sum;  /* counts of earlier intervals */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_list sessions = { &sessions, &sessions };

/* ---- queries -------------------------------------------------------------*/

static int class_of(const struct weft_pvar *v)
{
	return v->level ? MPI_T_PVAR_CLASS_LEVEL : MPI_T_PVAR_CLASS_COUNTER;
}

#pragma weak MPI_T_pvar_get_num = PMPI_T_pvar_get_num
int PMPI_T_pvar_get_num(int *num_pvar)
{
	MPI_ENTER;

	*num_pvar = weft_pvar_count;
	return mpi_tool_ready();
}

static void set_int(int *p, int v)
{
	if (p)
		*p = v;
}

#pragma weak MPI_T_pvar_get_info = PMPI_T_pvar_get_info
int PMPI_T_pvar_get_info(int pvar_index, char *name, int *name_len,
			 int *verbosity, int *var_class, MPI_Datatype *datatype,
			 MPI_T_enum *enumtype, char *desc, int *desc_len,
			 int *bind, int *readonly, int *continuous, int *atomic)
{
	MPI_ENTER;
	const struct weft_pvar *v;
	int err = mpi_tool_ready();

	if (err)
		return err;
	if (pvar_index < 0 || pvar_index >= weft_pvar_count)
		return MPI_T_ERR_INVALID_INDEX;
	v = &weft_pvars[pvar_index];
	mpi_tool_text(v->name, name, name_len);
	mpi_tool_text(v->help, desc, desc_len);
	set_int(verbosity, v->from == WEFT_PVAR_PROVIDER
				   ? MPI_T_VERBOSITY_TUNER_BASIC
				   : MPI_T_VERBOSITY_USER_BASIC);
	set_int(var_class, class_of(v));
	if (datatype)
		*datatype = MPI_UNSIGNED_LONG_LONG;
	if (enumtype)
		*enumtype = MPI_T_ENUM_NULL;
	set_int(bind, MPI_T_BIND_NO_OBJECT);
	set_int(readonly, v->level);
	set_int(continuous, v->level);
	set_int(atomic, !v->level);
	return MPI_SUCCESS;
}

#pragma weak MPI_T_pvar_get_index = PMPI_T_pvar_get_index
int PMPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
	MPI_ENTER;
	int err = mpi_tool_ready();

	for (int i = 0; i < weft_pvar_count && !err; i++) {
		if (strcmp(weft_pvars[i].name, name) ||
		    class_of(&weft_pvars[i]) != var_class)
			continue;
		*pvar_index = i;
		return MPI_SUCCESS;
	}
	return err ? err : MPI_T_ERR_INVALID_NAME;
}

/* ---- sessions; the functions require the lock ----------------------------*/

static struct weft_list *tool_pvar_find(struct weft_list *list,
					const void *wanted)
{
	struct weft_list *pos, *next;

	weft_list_each(pos, next, list)
		if (pos == wanted)
			return pos;
	return NULL;
}

/*
 * Returns the session of a handle, or NULL. The link is the first member, so a
 * handle is the address of its link.
 */
static struct session *session_of(MPI_T_pvar_session s)
{
	return (struct session *)tool_pvar_find(&sessions, s);
}

static void link_free(struct weft_list *link)
{
	weft_list_remove(link);
	free(link);
}

#pragma weak MPI_T_pvar_session_create = PMPI_T_pvar_session_create
int PMPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
	MPI_ENTER;
	struct session *s;
	int err = mpi_tool_ready();

	if (err)
		return err;
	s = malloc(sizeof(*s));
	if (!s)
		return MPI_T_ERR_MEMORY;
	weft_list_init(&s->handles);
	pthread_mutex_lock(&lock);
	weft_list_push_back(&sessions, &s->link);
	pthread_mutex_unlock(&lock);
	*session = (MPI_T_pvar_session)s;
	return MPI_SUCCESS;
}

#pragma weak MPI_T_pvar_session_free = PMPI_T_pvar_session_free
int PMPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
	MPI_ENTER;
	struct weft_list *pos, *next;
	struct session *s;
	int err = mpi_tool_ready();

	if (err)
		return err;
	pthread_mutex_lock(&lock);
	s = session_of(*session);
	if (s) {
		weft_list_each(pos, next, &s->handles)
			link_free(pos);
		link_free(&s->link);
	}
	pthread_mutex_unlock(&lock);
	if (!s)
		return MPI_T_ERR_INVALID_SESSION;
	*session = MPI_T_PVAR_SESSION_NULL;
	return MPI_SUCCESS;
}

/* ---- handles -------------------------------------------------------------*/

#pragma weak MPI_T_pvar_handle_alloc = PMPI_T_pvar_handle_alloc
int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index,
			     void *obj_handle, MPI_T_pvar_handle *handle,
			     int *count)
{
	MPI_ENTER;
	struct session *s;
	struct handle *h;
	int err = mpi_tool_ready();

	if (err)
		return err;
	if (pvar_index < 0 || pvar_index >= weft_pvar_count)
		return MPI_T_ERR_INVALID_INDEX;
	h = calloc(1, sizeof(*h));
	if (!h)
		return MPI_T_ERR_MEMORY;
	h->index = pvar_index;
	h->started = weft_pvars[pvar_index].level;
	pthread_mutex_lock(&lock);
	s = session_of(session);
	if (s)
		weft_list_push_back(&s->handles, &h->link);
	pthread_mutex_unlock(&lock);
	if (!s) {
		free(h);
		return MPI_T_ERR_INVALID_SESSION;
	}
	*handle = (MPI_T_pvar_handle)h;
	*count = 1;
	return MPI_SUCCESS;
}

/* An operation on a handle; requires the lock. */
typedef int (*handle_fn)(struct handle *h, void *arg);

/*
 * Calls a function for a handle. all: MPI_T_PVAR_ALL_HANDLES is allowed, and
 * selects all handles except levels.
 */
static int with_handles(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
			bool all, handle_fn fn, void *arg)
{
	struct weft_list *pos, *next;
	struct session *s;
	int err = mpi_tool_ready();

	if (err)
		return err;
	pthread_mutex_lock(&lock);
	s = session_of(session);
	if (!s) {
		err = MPI_T_ERR_INVALID_SESSION;
	} else if (handle == MPI_T_PVAR_ALL_HANDLES && all) {
		weft_list_each(pos, next, &s->handles)
			if (!weft_pvars[((struct handle *)pos)->index].level)
				fn((struct handle *)pos, arg);
	} else {
		pos = tool_pvar_find(&s->handles, handle);
		err = pos ? fn((struct handle *)pos, arg)
			  : MPI_T_ERR_INVALID_HANDLE;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

static int do_free(struct handle *h, void *arg)
{
	link_free(&h->link);
	return MPI_SUCCESS;
}

#pragma weak MPI_T_pvar_handle_free = PMPI_T_pvar_handle_free
int PMPI_T_pvar_handle_free(MPI_T_pvar_session session,
			    MPI_T_pvar_handle *handle)
{
	MPI_ENTER;
	int err = with_handles(session, *handle, false, do_free, NULL);

	if (!err)
		*handle = MPI_T_PVAR_HANDLE_NULL;
	return err;
}

/* ---- start, stop, read, write --------------------------------------------*/

static uint64_t now(const struct handle *h)
{
	uint64_t v = 0;

	weft_pvar_read(h->index, &v);
	return v;
}

static uint64_t value(const struct handle *h, uint64_t at)
{
	return h->sum + (h->started ? at - h->base : 0);
}

static int do_start(struct handle *h, void *arg)
{
	if (weft_pvars[h->index].level)
		return MPI_T_ERR_PVAR_NO_STARTSTOP;
	if (!h->started)
		h->base = now(h);
	h->started = true;
	return MPI_SUCCESS;
}

static int do_stop(struct handle *h, void *arg)
{
	if (weft_pvars[h->index].level)
		return MPI_T_ERR_PVAR_NO_STARTSTOP;
	h->sum = value(h, now(h));
	h->started = false;
	return MPI_SUCCESS;
}

static int do_read(struct handle *h, void *buf)
{
	uint64_t at;

	if (weft_pvar_read(h->index, &at))
		return MPI_T_ERR_NOT_ACCESSIBLE;
	*(unsigned long long *)buf = value(h, at);
	return MPI_SUCCESS;
}

/* Sets the value to *arg; arg NULL: to 0. */
static int do_write(struct handle *h, void *arg)
{
	const unsigned long long *v = arg;

	if (weft_pvars[h->index].level)
		return MPI_T_ERR_PVAR_NO_WRITE;
	h->base = now(h);
	h->sum = v ? *v : 0;
	return MPI_SUCCESS;
}

/* Reads the counter once, so that no increment is lost. */
static int do_readreset(struct handle *h, void *buf)
{
	uint64_t at;

	if (weft_pvars[h->index].level)
		return MPI_T_ERR_PVAR_NO_ATOMIC;
	if (weft_pvar_read(h->index, &at))
		return MPI_T_ERR_NOT_ACCESSIBLE;
	*(unsigned long long *)buf = value(h, at);
	h->base = at;
	h->sum = 0;
	return MPI_SUCCESS;
}

#pragma weak MPI_T_pvar_start = PMPI_T_pvar_start
int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	MPI_ENTER;

	return with_handles(session, handle, true, do_start, NULL);
}

#pragma weak MPI_T_pvar_stop = PMPI_T_pvar_stop
int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	MPI_ENTER;

	return with_handles(session, handle, true, do_stop, NULL);
}

#pragma weak MPI_T_pvar_read = PMPI_T_pvar_read
int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
		     void *buf)
{
	MPI_ENTER;

	return with_handles(session, handle, false, do_read, buf);
}

#pragma weak MPI_T_pvar_write = PMPI_T_pvar_write
int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
		      const void *buf)
{
	MPI_ENTER;
	unsigned long long v;

	memcpy(&v, buf, sizeof(v));
	return with_handles(session, handle, false, do_write, &v);
}

#pragma weak MPI_T_pvar_reset = PMPI_T_pvar_reset
int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	MPI_ENTER;

	return with_handles(session, handle, true, do_write, NULL);
}

#pragma weak MPI_T_pvar_readreset = PMPI_T_pvar_readreset
int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
			  void *buf)
{
	MPI_ENTER;

	return with_handles(session, handle, false, do_readreset, buf);
}
