/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of mpiexec on stderr, one write per line: "mpiexec: text". */
#ifndef WEFT_RUN_MESSAGE_H
#define WEFT_RUN_MESSAGE_H

#include "src/base/attr.h"

#include <stddef.h>
#include <sys/types.h>

/* Names the host in all later messages: "mpiexec on HOST: text". */
void run_message_on(const char *name);

void run_message(const char *fmt, ...) WEFT_PRINTF(1, 2) WEFT_COLD;

/* Writes all data, also after short writes and EAGAIN. Returns 0 or -errno. */
int run_write_all(int fd, const char *data, size_t len);

#endif
