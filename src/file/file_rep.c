/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data representations: native and internal (the bytes of memory), external32,
 * and representations that the application registers, which exist until the
 * process ends.
 */
#include "src/file/file_rep.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum rep_kind { REP_NATIVE, REP_EXTERNAL, REP_USER };

struct weft_file_rep {
	enum rep_kind kind;
	struct weft_file_rep_args a;
	struct weft_file_rep *next;
};

static struct weft_file_rep external32 = { REP_EXTERNAL,
					   { .name = "external32" },
					   NULL };
static struct weft_file_rep internal = { REP_NATIVE,
					 { .name = "internal" },
					 &external32 };
static struct weft_file_rep native = { REP_NATIVE,
				       { .name = "native" },
				       &internal };
/*
 * serializes additions to the end of the list of representations, which begins
 * with `native`
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- names --------------------------------------------------------------- */

static struct weft_file_rep *find(const char *name)
{
	struct weft_file_rep *r = &native;

	while (r && strcmp(r->a.name, name) != 0)
		r = r->next;
	return r;
}

const struct weft_file_rep *weft_file_rep_find(const char *name)
{
	const struct weft_file_rep *r;

	pthread_mutex_lock(&lock);
	r = find(name);
	pthread_mutex_unlock(&lock);
	return r;
}

const char *weft_file_rep_name(const struct weft_file_rep *rep)
{
	return rep->a.name;
}

int weft_file_rep_register(const struct weft_file_rep_args *a)
{
	struct weft_file_rep *r = calloc(1, sizeof(*r));
	char *name = strdup(a->name);
	bool exists;

	pthread_mutex_lock(&lock);
	exists = find(a->name) != NULL;
	if (r && name && !exists) {
		r->kind = REP_USER;
		r->a = *a;
		r->a.name = name;
		r->next = external32.next;
		external32.next = r;
	}
	pthread_mutex_unlock(&lock);
	if (r && name && !exists)
		return 0;
	free(name);
	free(r);
	return exists ? -EEXIST : -ENOMEM;
}

/* ---- sizes --------------------------------------------------------------- */

bool file_rep_converts(const struct weft_file_rep *rep)
{
	return rep->kind != REP_NATIVE;
}

int file_rep_basic(const struct weft_file_rep *rep, const struct weft_dt *dt,
		   MPI_Count *bytes_p)
{
	MPI_Aint extent = 0;

	if (rep->kind == REP_EXTERNAL) {
		*bytes_p = weft_pack_ext_size(dt);
		return 0;
	}
	if (rep->a.extent(weft_dt_handle(dt), &extent, rep->a.extra) !=
		    MPI_SUCCESS ||
	    extent < 0)
		return -WEFT_FILE_CONVERSION;
	*bytes_p = extent;
	return 0;
}

/* ---- conversion ---------------------------------------------------------- */

/*
 * Converts all elements by a function with an int count, in several calls if
 * there are more than INT_MAX elements.
 */
static int call_int(MPI_Datarep_conversion_function *fn,
		    const struct weft_file_rep *rep, const struct weft_typed *t,
		    char *file)
{
	struct weft_dt *dt = NULL;
	MPI_Count done = 0;
	int rc = weft_file_rep_type(rep, (struct weft_dt *)t->dt, &dt);

	while (!rc && done < t->count) {
		MPI_Count left = t->count - done;
		int n = left < INT_MAX ? (int)left : INT_MAX;

		if (fn(t->buf, weft_dt_handle(t->dt), n, file + done * dt->size,
		       done, rep->a.extra) != MPI_SUCCESS)
			rc = -WEFT_FILE_CONVERSION;
		done += n;
	}
	if (dt)
		weft_dt_put(dt);
	return rc;
}

static int call_count(MPI_Datarep_conversion_function_c *fn,
		      const struct weft_file_rep *rep,
		      const struct weft_typed *t, char *file)
{
	if (t->count && fn(t->buf, weft_dt_handle(t->dt), t->count, file, 0,
			   rep->a.extra) != MPI_SUCCESS)
		return -WEFT_FILE_CONVERSION;
	return 0;
}

int file_rep_write(const struct weft_file_rep *rep, const struct weft_typed *t,
		   void *file)
{
	if (rep->kind == REP_EXTERNAL)
		weft_pack_ext(t, file);
	else if (rep->a.write_c)
		return call_count(rep->a.write_c, rep, t, file);
	else if (rep->a.write)
		return call_int(rep->a.write, rep, t, file);
	else
		weft_pack(t, 0, file, weft_typed_bytes(t));
	return 0;
}

int file_rep_read(const struct weft_file_rep *rep, const struct weft_typed *t,
		  void *file)
{
	if (rep->kind == REP_EXTERNAL)
		weft_unpack_ext(t, file);
	else if (rep->a.read_c)
		return call_count(rep->a.read_c, rep, t, file);
	else if (rep->a.read)
		return call_int(rep->a.read, rep, t, file);
	else
		weft_unpack(t, 0, file, weft_typed_bytes(t));
	return 0;
}
