/* SPDX-License-Identifier: BSD-3-Clause */
/* Context ids that are in use. */
#include "src/core/core_ctx.h"

#include "src/core/core_tag.h"

#include <pthread.h>

#define WORDS (WEFT_TAG_CTX_IDS / 64)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t used[WORDS] = { (1 << WEFT_CTX_FIRST) - 1 };

void weft_ctx_free(unsigned id)
{
	if (id < WEFT_CTX_FIRST)
		return;
	pthread_mutex_lock(&lock);
	used[id / 64] &= ~(UINT64_C(1) << id % 64);
	pthread_mutex_unlock(&lock);
}
