/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures what a test writes to stderr, as text. */
#ifndef WEFT_TEST_LOG_TEXT_H
#define WEFT_TEST_LOG_TEXT_H

#include <stdbool.h>

/* Redirects stderr to a file until log_text_contains() is called. */
void log_text_begin(void);
/* Restores stderr; returns whether the text contains the words. */
bool log_text_contains(const char *words);

#endif
