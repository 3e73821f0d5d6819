/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures what a test writes to stderr (log_text.h). */
#include "test/support/log_text.h"
#include "test/t.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int saved, file;

void log_text_begin(void)
{
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	file = memfd_create("log", MFD_CLOEXEC);
	T_TRUE(saved >= 0 && file >= 0);
	T_TRUE(dup2(file, STDERR_FILENO) >= 0);
}

bool log_text_contains(const char *words)
{
	char text[4096];
	ssize_t n;

	fflush(stderr);
	T_TRUE(dup2(saved, STDERR_FILENO) >= 0);
	n = pread(file, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(saved);
	close(file);
	return strstr(text, words);
}
