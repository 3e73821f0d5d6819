/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Context ids, 14 bits that separate the messages of communicators, and the set
 * of ids that this process uses. comm_agree.h finds an id that is free in all
 * members.
 */
#ifndef WEFT_COMM_CONTEXT_H
#define WEFT_COMM_CONTEXT_H

#include "src/msg/msg_tag.h"

enum {
	WEFT_CTX_LIBRARY = 0, /* control messages of the library */
	WEFT_CTX_WORLD = 1,
	WEFT_CTX_SELF = 2,
	WEFT_CTX_NO_COMM = 3, /* agreements without a communicator */
	WEFT_CTX_FIRST = 4,
	WEFT_CTX_WINDOW = 16, /* number of words, of 64 ids each, per try */
	WEFT_CTX_WORDS = WEFT_TAG_CTX_IDS / 64,
};

/*
 * Sets ids[] to the unused ids of the window that starts at `word`, one bit for
 * each id.
 */
void weft_ctx_unused(unsigned word, uint64_t ids[WEFT_CTX_WINDOW]);
void weft_ctx_use(unsigned id);
void weft_ctx_free(unsigned id);
/*
 * Returns the number of words of ids for agreements. The last window of ids is
 * reserved for communicators that survive failures, if the job allows them
 * (src/recover).
 */
unsigned weft_ctx_words(void);

#endif
