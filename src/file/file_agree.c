/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement of the members of a file on the result of a collective call. */
#include "src/comm/comm_channel.h"
#include "src/file/file.h"

#include <errno.h>
#include <stdlib.h>

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

int weft_file_from_first(struct weft_file *f, int rc, int64_t *value_p)
{
	struct weft_channel m = weft_channel_of(f->control);
	int64_t v[2] = { rc, *value_p };

	if (f->control->size == 1)
		return rc;
	rc = weft_channel_bcast(&m, 0, v, sizeof(v));
	*value_p = v[1];
	return rc ? rc : (int)v[0];
}
