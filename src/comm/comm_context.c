/* SPDX-License-Identifier: BSD-3-Clause */
/* The set of context ids that this process uses (comm_context.h). */
#include "src/comm/comm_context.h"

#include "src/core/core_state.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t used[WEFT_CTX_WORDS] = { (1 << WEFT_CTX_FIRST) - 1 };

void weft_ctx_unused(unsigned word, uint64_t ids[WEFT_CTX_WINDOW])
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < WEFT_CTX_WINDOW; i++)
		ids[i] = ~used[word + i];
	pthread_mutex_unlock(&lock);
}

void weft_ctx_use(unsigned id)
{
	pthread_mutex_lock(&lock);
	used[id / 64] |= UINT64_C(1) << id % 64;
	pthread_mutex_unlock(&lock);
}

void weft_ctx_free(unsigned id)
{
	if (id < WEFT_CTX_FIRST)
		return;
	pthread_mutex_lock(&lock);
	used[id / 64] &= ~(UINT64_C(1) << id % 64);
	pthread_mutex_unlock(&lock);
}

unsigned weft_ctx_words(void)
{
	return weft_core.survives ? WEFT_CTX_WORDS - WEFT_CTX_WINDOW
				  : WEFT_CTX_WORDS;
}
