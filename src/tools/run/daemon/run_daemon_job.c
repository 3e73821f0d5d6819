/* SPDX-License-Identifier: BSD-3-Clause */
/* The job as a frame (run_daemon_job.h). */
#include "src/tools/run/daemon/run_daemon_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void run_daemon_job_write(const struct run_daemon_job *j, int self,
			  struct run_bytes *b)
{
	run_bytes_list(b, j->words);
	run_bytes_list(b, j->env);
	run_bytes_text(b, j->wdir);
	run_bytes_text(b, j->nspace);
	run_bytes_block(b, j->key, sizeof(j->key));
	run_layout_write(&j->layout, b);
	run_bytes_u32(b, (uint32_t)self);
	run_bytes_u32(b, j->network);
}

int run_daemon_job_read(struct run_scan *s, struct run_daemon_job *j)
{
	const char *key;
	size_t len = 0;
	int err;

	memset(j, 0, sizeof(*j));
	j->words = run_scan_list(s);
	j->env = run_scan_list(s);
	j->wdir = run_scan_text(s);
	j->nspace = run_scan_text(s);
	key = run_scan_block(s, &len);
	if (key && len == sizeof(j->key))
		memcpy(j->key, key, len);
	err = run_layout_read(s, &j->layout);
	j->self = (int)run_scan_u32(s);
	j->network = run_scan_u32(s);
	if (!err &&
	    (s->bad || len != sizeof(j->key) || !j->words || !j->words[0] ||
	     !j->env || strlen(j->nspace) >= RUN_DAEMON_NSPACE || j->self < 0 ||
	     j->self >= j->layout.nhosts))
		err = -EPROTO;
	if (err)
		run_daemon_job_free(j);
	return err;
}

void run_daemon_job_free(struct run_daemon_job *j)
{
	run_list_free(j->words);
	run_list_free(j->env);
	free(j->wdir);
	free(j->nspace);
	run_layout_free(&j->layout);
	memset(j, 0, sizeof(*j));
}
