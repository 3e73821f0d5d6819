/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening and closing of files. Rank 0 opens (and creates) the file first, then
 * the others open it; all members agree on the result.
 */
#include "src/file/file.h"

#include "src/comm/comm_channel.h"
#include "src/comm/comm_make.h"
#include "src/core/core_state.h"
#include "src/file/file_guard.h"
#include "src/file/file_hint.h"
#include "src/file/file_job.h"
#include "src/file/file_view.h"
#include "src/types/types_info.h"

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

/* ---- agreement ----------------------------------------------------------- */

/* Contribution of a member to an agreement. */
struct vote {
	int64_t rc;
	int64_t value;
};

int weft_file_agree_same(struct weft_file *f, int rc, int64_t value)
{
	struct weft_channel m = weft_channel_of(f->control);
	int n = f->control->size, err;
	struct vote *all;

	if (n == 1)
		return rc;
	all = calloc((size_t)n, sizeof(*all));
	if (!all)
		return -ENOMEM;
	all[f->control->rank] = (struct vote){ rc, value };
	err = weft_channel_allgather(&m, all, sizeof(*all));
	for (int i = 0; i < n && !err; i++)
		err = (int)all[i].rc;
	for (int i = 0; i < n && !err; i++)
		if (all[i].value != all[0].value)
			err = -WEFT_FILE_NOT_SAME;
	free(all);
	return err;
}

int weft_file_agree(struct weft_file *f, int rc)
{
	return weft_file_agree_same(f, rc, 0);
}

/* ---- objects ------------------------------------------------------------- */

static void file_free(struct weft_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	file_view_close(f);
	if (f->comm)
		weft_comm_put(f->comm);
	if (f->control)
		weft_comm_put(f->control);
	if (f->info)
		weft_info_close(f->info);
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

/* Removes a prefix like "ufs:" that names a kind of file system. */
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
	f->info = weft_info_open();
	if (f->path && f->info)
		return f;
	file_free(f);
	return NULL;
}

static int clone_comm(struct weft_comm *c, const char *path,
		      struct weft_comm **comm_p)
{
	struct weft_errh *old;
	int rc = weft_comm_clone(c, comm_p);

	if (rc)
		return rc;
	/* the requests of a file call the error handler of the file */
	old = (*comm_p)->errh;
	(*comm_p)->errh = weft_errh_get(weft_errh_of(MPI_ERRORS_RETURN));
	weft_errh_put(old);
	snprintf((*comm_p)->name, sizeof((*comm_p)->name), "the file %.40s",
		 path);
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

/*
 * Gathers the host of each member, identified by the host's first rank in the
 * job.
 */
static int find_hosts(struct weft_file *f)
{
	struct weft_channel m = weft_channel_of(f->control);
	const struct weft_job *job = &weft_core.job;
	size_t n = (size_t)f->comm->size;
	int *first = calloc(n, sizeof(*first));
	int rc;

	f->host_of = calloc(n, sizeof(*f->host_of));
	f->aggregator = calloc(n, sizeof(*f->aggregator));
	if (!first || !f->host_of || !f->aggregator) {
		free(first);
		return -ENOMEM;
	}
	first[f->comm->rank] = job->local ? job->local[0] : job->rank;
	rc = weft_channel_allgather(&m, first, sizeof(*first));
	if (!rc)
		number_hosts(f, first);
	free(first);
	return rc;
}

/* ---- opening ------------------------------------------------------------- */

static int open_flags(int amode)
{
	int flags = amode & MPI_MODE_RDONLY   ? O_RDONLY
		    : amode & MPI_MODE_WRONLY ? O_WRONLY
					      : O_RDWR;

	return flags | O_CLOEXEC;
}

static int open_fd(struct weft_file *f, int flags, unsigned perm)
{
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
	f->seekable = lseek(f->fd, 0, SEEK_CUR) >= 0;
	return 0;
}

/* Rank 0 creates the file before the others open it. */
static int open_all(struct weft_file *f, struct weft_info *info)
{
	int flags = open_flags(f->amode), extra = 0, rc = 0;

	if (f->amode & MPI_MODE_CREATE)
		extra |= O_CREAT;
	if (f->amode & MPI_MODE_EXCL)
		extra |= O_EXCL;
	if (f->comm->rank == 0)
		rc = open_fd(f, flags | extra, file_hint_perm(info));
	rc = weft_file_agree_same(f, rc, f->amode);
	if (rc)
		return rc;
	if (f->comm->rank)
		rc = open_fd(f, flags, 0);
	return weft_file_agree(f, rc);
}

static void find_limit(struct weft_file *f)
{
	struct rlimit limit;

	f->max_size = UINT64_MAX;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		f->max_size = limit.rlim_cur;
}

/* Sets the view of bytes, and the file pointers for MPI_MODE_APPEND. */
static int first_view(struct weft_file *f)
{
	struct weft_dt *byte = weft_dt_of(MPI_BYTE);
	const struct weft_file_view_args a = { 0, byte, byte,
					       weft_file_rep_find("native") };
	MPI_Offset end = 0;
	int rc = weft_file_view_set(f, &a);

	if (rc || !(f->amode & MPI_MODE_APPEND))
		return rc;
	/* rank 0 decides: another process may write to the file */
	if (f->comm->rank == 0)
		rc = weft_file_end(f, &end);
	rc = weft_file_agree(f, rc);
	if (!rc) {
		struct weft_channel m = weft_channel_of(f->control);

		rc = weft_channel_bcast(&m, 0, &end, sizeof(end));
	}
	f->pointer = end;
	return rc ? rc : weft_file_shared_set(f, end);
}

static int set_up(struct weft_file *f, struct weft_comm *comm,
		  struct weft_info *info)
{
	int rc = clone_comm(comm, f->path, &f->control);

	if (!rc)
		rc = clone_comm(comm, f->path, &f->comm);
	if (!rc)
		rc = weft_file_agree(f, find_hosts(f));
	if (!rc)
		rc = open_all(f, info);
	if (!rc)
		rc = file_hint_open(f, info);
	find_limit(f);
	if (!rc)
		rc = file_shared_open(f);
	return rc ? rc : first_view(f);
}

/* Removes a file that MPI_MODE_DELETE_ON_CLOSE has deleted, at rank 0. */
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

	/* accesses of all members are complete before the file is deleted */
	rc = weft_file_agree(f, rc ? rc : rc2);
	if (f->fd >= 0 && close(f->fd) && !rc)
		rc = -errno;
	f->fd = -1;
	if (f->amode & MPI_MODE_DELETE_ON_CLOSE) {
		rc2 = f->comm->rank == 0 ? remove_path(f) : 0;
		rc = rc ? rc : rc2;
	}
	rc = weft_file_agree(f, rc);
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
	/* beyond the limit ftruncate() would send SIGXFSZ */
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
	int rc = fsync(f->fd) ? -errno : 0;

	/* devices and pipes cannot be synchronized and need not be */
	if (rc == -EINVAL || rc == -EROFS)
		rc = 0;
	return weft_file_agree(f, rc);
}
