/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening and closing of files. The members agree on the contexts of two
 * communicators, rank 0 opens (and creates) the file and broadcasts the values
 * that all members share, the others open the file, and all agree on the
 * result.
 */
#include "src/file/file.h"

#include "src/comm/comm_channel.h"
#include "src/comm/comm_local.h"
#include "src/comm/comm_make.h"
#include "src/core/core_state.h"
#include "src/file/file_guard.h"
#include "src/file/file_hint.h"
#include "src/file/file_job.h"
#include "src/file/file_map.h"
#include "src/file/file_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct weft_err_owner weft_file_null = {
	.obj = { .kind = WEFT_KIND_FILE, .refs = 1, .predefined = 0x118 },
};

/* MPI_FILE_NULL has MPI_ERRORS_RETURN until another handler is set. */
struct weft_errh *weft_file_errhandler(const struct weft_err_owner *o)
{
	return o->errh ? o->errh : weft_errh_of(MPI_ERRORS_RETURN);
}

void weft_file_errhandler_set(struct weft_err_owner *o, struct weft_errh *h)
{
	struct weft_errh *old = o->errh;

	o->errh = weft_errh_get(h);
	if (old)
		weft_errh_put(old);
}

/* ---- objects ------------------------------------------------------------- */

static void file_free(struct weft_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	file_map_close(f);
	file_view_close(f);
	file_word_close(&f->word);
	if (f->comm)
		weft_comm_put(f->comm);
	if (f->control)
		weft_comm_put(f->control);
	weft_errh_put(f->head.errh);
	pthread_mutex_destroy(&f->lock);
	pthread_mutex_destroy(&f->range_mutex);
	pthread_mutex_destroy(&f->guard_mutex);
	free(f->aggregator);
	free(f->host_of);
	free(f->buffer);
	free(f->path);
	f->head.obj.kind = WEFT_KIND_FREE;
	free(f);
}

void weft_file_get(struct weft_file *f)
{
	weft_obj_get(&f->head.obj);
}

void weft_file_put(struct weft_file *f)
{
	if (weft_obj_put(&f->head.obj))
		file_free(f);
}

/*
 * Returns the path without a prefix like "ufs:" that names a kind of file
 * system.
 */
static const char *plain_path(const char *path)
{
	static const char *const prefix[] = { "file:", "ufs:", "nfs:" };

	for (size_t i = 0; i < WEFT_COUNT_OF(prefix); i++)
		if (!strncmp(path, prefix[i], strlen(prefix[i])))
			return path + strlen(prefix[i]);
	return path;
}

static struct weft_file *file_new(const char *path, int amode)
{
	struct weft_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	weft_obj_init(&f->head.obj, WEFT_KIND_FILE);
	f->head.errh = weft_errh_get(weft_file_errhandler(&weft_file_null));
	f->fd = -1;
	f->amode = amode;
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->range_mutex, NULL);
	pthread_mutex_init(&f->guard_mutex, NULL);
	f->path = strdup(plain_path(path));
	if (f->path && !file_map_open(f))
		return f;
	file_free(f);
	return NULL;
}

/*
 * Makes failed requests return their errors, so that the error handler of the
 * file is called, not that of the communicator.
 */
static void prepare_comm(struct weft_comm *c, const char *path)
{
	struct weft_errh *old = c->errh;

	c->errh = weft_errh_get(weft_errh_of(MPI_ERRORS_RETURN));
	weft_errh_put(old);
	snprintf(c->name, sizeof(c->name), "the file %.40s", path);
}

static int clone_comms(struct weft_file *f, struct weft_comm *comm)
{
	struct weft_comm *made[2];
	int rc = weft_comm_clone_two(comm, made);

	if (rc)
		return rc;
	f->control = made[0];
	f->comm = made[1];
	prepare_comm(f->control, f->path);
	prepare_comm(f->comm, f->path);
	return 0;
}

/* ---- hosts --------------------------------------------------------------- */

/* Numbers the hosts from 0 in the order of their first ranks. */
static void number_hosts(struct weft_file *f, const int *first)
{
	for (int i = 0; i < f->comm->size; i++) {
		int k = 0;

		while (first[k] != first[i])
			k++;
		f->host_of[i] = k < i ? f->host_of[k] : f->hosts++;
	}
}

/* Gathers, for each member, the first rank of its host in the job. */
static int gather_hosts(struct weft_file *f)
{
	struct weft_channel m = weft_channel_of(f->control);
	const struct weft_job *job = &weft_core.job;
	int *first = calloc((size_t)f->comm->size, sizeof(*first));
	int rc;

	if (!first)
		return -ENOMEM;
	first[f->comm->rank] = job->local ? job->local[0] : job->rank;
	rc = weft_channel_allgather(&m, first, sizeof(*first));
	if (!rc)
		number_hosts(f, first);
	free(first);
	return rc;
}

/*
 * Finds the host of each member; sends messages only if the members are on
 * several hosts.
 */
static int find_hosts(struct weft_file *f)
{
	size_t n = (size_t)f->comm->size;

	f->host_of = calloc(n, sizeof(*f->host_of));
	f->aggregator = calloc(n, sizeof(*f->aggregator));
	if (!f->host_of || !f->aggregator)
		return -ENOMEM;
	f->hosts = 1;
	if (weft_comm_is_local(f->comm))
		return 0;
	f->hosts = 0;
	return gather_hosts(f);
}

/* ---- opening ------------------------------------------------------------- */

static int open_flags(int amode)
{
	int flags = amode & MPI_MODE_RDONLY   ? O_RDONLY
		    : amode & MPI_MODE_WRONLY ? O_WRONLY
					      : O_RDWR;

	return flags | O_CLOEXEC;
}

static int open_fd(struct weft_file *f, int extra, unsigned perm)
{
	int flags = open_flags(f->amode) | extra;
	struct stat st;

	do
		f->fd = open(f->path, flags, perm);
	while (f->fd < 0 && errno == EINTR);
	if (f->fd < 0)
		return -errno;
	if (fstat(f->fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	f->seekable = S_ISREG(st.st_mode) || lseek(f->fd, 0, SEEK_CUR) >= 0;
	if (f->amode & MPI_MODE_APPEND)
		f->pointer = st.st_size;
	return 0;
}

static void find_limit(struct weft_file *f)
{
	struct rlimit limit;

	f->max_size = UINT64_MAX;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		f->max_size = limit.rlim_cur;
}

/* Data that rank 0 sends to the other members. */
struct opening {
	int64_t rc;
	int64_t amode;
	int64_t pointer; /* initial file pointer of all members */
	struct file_hints hints;
	struct file_word_place word;
};

/*
 * Opens the file at rank 0 if this may create the file, or decides the file
 * pointers: another process may write to the file. Otherwise all members open
 * the file at the same time.
 */
static void open_first(struct weft_file *f, struct weft_info *info,
		       struct opening *o)
{
	int extra = f->amode & MPI_MODE_EXCL ? O_EXCL : 0;

	if (f->amode & MPI_MODE_CREATE)
		extra |= O_CREAT;
	if (!o->rc && f->amode & (MPI_MODE_CREATE | MPI_MODE_APPEND))
		o->rc = open_fd(f, extra, file_hint_perm(info));
	if (!o->rc)
		file_shared_first(f);
	o->amode = f->amode;
	o->pointer = f->pointer;
	o->hints = f->hints;
	o->word = f->word.place;
}

static int open_rest(struct weft_file *f, const struct opening *o)
{
	int rc = f->fd < 0 ? open_fd(f, 0, 0) : 0;

	find_limit(f);
	f->word.place = o->word;
	if (!rc && o->amode != f->amode)
		rc = -WEFT_FILE_NOT_SAME;
	if (!rc)
		rc = file_view_open(f);
	f->pointer = o->pointer;
	return rc;
}

static int open_all(struct weft_file *f, struct weft_info *info)
{
	struct weft_channel m = weft_channel_of(f->control);
	struct opening o = { .rc = find_hosts(f) };
	int rc = (int)o.rc, err;

	if (!rc)
		file_hint_open(f, info);
	if (f->comm->rank == 0)
		open_first(f, info, &o);
	err = weft_channel_bcast(&m, 0, &o, sizeof(o));
	if (err || o.rc)
		return err ? err : (int)o.rc;
	if (!rc) {
		file_hint_join(f, &o.hints);
		rc = open_rest(f, &o);
	}
	return weft_file_agree(f, rc);
}

static int set_up(struct weft_file *f, struct weft_comm *comm,
		  struct weft_info *info)
{
	int rc = clone_comms(f, comm);

	if (!rc)
		rc = open_all(f, info);
	return rc ? rc : file_shared_open(f);
}

/* Deletes the file, for MPI_MODE_DELETE_ON_CLOSE; called at rank 0. */
static int remove_path(const struct weft_file *f)
{
	return unlink(f->path) ? -errno : 0;
}

int weft_file_open(struct weft_comm *comm, const char *path, int amode,
		   struct weft_info *info, struct weft_file **file_p)
{
	struct weft_file *f = file_new(path, amode);
	int rc;

	if (!f)
		return -ENOMEM;
	rc = set_up(f, comm, info);
	if (rc) {
		file_shared_close(f);
		weft_file_put(f);
		return rc;
	}
	*file_p = f;
	return 0;
}

/* ---- closing ------------------------------------------------------------- */

int weft_file_close(struct weft_file *f)
{
	int rc = file_guard_close(f), rc2 = file_shared_close(f);
	int64_t none = 0;

	rc = rc ? rc : rc2;
	file_map_stamp(f);
	if (f->fd >= 0 && close(f->fd) && !rc)
		rc = -errno;
	f->fd = -1;
	/* accesses of all members are complete before the file is deleted */
	rc = weft_file_agree(f, rc);
	if (f->amode & MPI_MODE_DELETE_ON_CLOSE) {
		rc2 = f->comm->rank == 0 ? remove_path(f) : 0;
		rc2 = weft_file_from_first(f, rc2, &none);
		rc = rc ? rc : rc2;
	}
	weft_file_put(f);
	return rc;
}

int weft_file_delete(const char *path)
{
	return unlink(plain_path(path)) ? -errno : 0;
}

void weft_file_fini(void)
{
	file_jobs_close();
	file_words_close();
}

/* ---- sizes and sync ------------------------------------------------------ */

int weft_file_size(struct weft_file *f, MPI_Offset *size_p)
{
	struct stat st;

	*size_p = 0;
	if (fstat(f->fd, &st))
		return -errno;
	*size_p = st.st_size;
	return 0;
}

int weft_file_size_set(struct weft_file *f, MPI_Offset size)
{
	int rc = weft_file_agree_same(f, 0, size);

	if (rc)
		return rc;
	/* beyond this limit ftruncate() would raise SIGXFSZ */
	if (f->comm->rank == 0 && (uint64_t)size > f->max_size)
		rc = -EFBIG;
	else if (f->comm->rank == 0 && ftruncate(f->fd, size))
		rc = -errno;
	return weft_file_agree(f, rc);
}

int weft_file_preallocate(struct weft_file *f, MPI_Offset size)
{
	int rc = weft_file_agree_same(f, 0, size);

	if (rc)
		return rc;
	if (f->comm->rank == 0 && (uint64_t)size > f->max_size)
		rc = -EFBIG;
	else if (f->comm->rank == 0 && size)
		rc = -posix_fallocate(f->fd, 0, size);
	return weft_file_agree(f, rc);
}

int weft_file_sync(struct weft_file *f)
{
	int rc;

	file_map_stamp(f);
	rc = fsync(f->fd) ? -errno : 0;

	/* devices and pipes cannot be synchronized and need not be */
	if (rc == -EINVAL || rc == -EROFS)
		rc = 0;
	return weft_file_agree(f, rc);
}
