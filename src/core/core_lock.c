/* SPDX-License-Identifier: BSD-3-Clause */
/* Lock of the core (core_lock.h). */
#include "src/core/core_lock.h"

WEFT_HOT_DATA bool weft_threads;
pthread_mutex_t weft_big_lock = PTHREAD_MUTEX_INITIALIZER;
