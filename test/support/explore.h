/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explores all executions of two to four threads that share atomic objects: all
 * interleavings, and all values that the C11 memory model lets a load return.
 * The code under test is the project's own: test/support/explore_atomic.h
 * redirects its atomic operations, fences, futex calls and copies to this file.
 *
 * Threads are coroutines of one process. Every atomic operation is a point at
 * which another thread may run. An execution is a list of choices; the explorer
 * repeats the test with the next list until none is left. A state that was
 * reached before is not explored again.
 *
 * Memory model: each object has the list of its values in modification order,
 * and each thread a view, the oldest value of each object that it may still
 * read. Releases attach the view to the value, acquires join it. Loads may
 * return old values, so store buffering and stale reads occur. New values are
 * appended in the order of execution: a load never returns a value that is
 * stored later (load buffering), and two unordered stores are ordered as they
 * are executed.
 *
 * Every error ends the exploration: a data race on memory that was declared
 * plain, a deadlock (also a lost wake-up: blocked threads have no timeout), and
 * explore_fail().
 */
#ifndef WEFT_TEST_EXPLORE_H
#define WEFT_TEST_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A seeded fault; the exploration of correct code must fail with it. */
enum explore_fault {
	EXPLORE_NO_FAULT,
	EXPLORE_NO_RELEASE,    /* releases are relaxed */
	EXPLORE_NO_ACQUIRE,    /* acquires are relaxed */
	EXPLORE_NO_FENCE,      /* thread fences do nothing */
	EXPLORE_NO_MEMBARRIER, /* membarrier does nothing */
	EXPLORE_NO_WAKE,       /* the first futex wake is lost */
};

struct explore {
	int threads;
	void (*setup)(void);   /* called before each execution */
	void (*thread)(int i); /* body of thread i */
	/* called after each complete execution; may be NULL */
	void (*check)(void);
	enum explore_fault fault;
	/*
	 * 0: all interleavings; n: those in which at most n - 1 times a thread
	 * that could continue is interrupted
	 */
	int interrupts;
	uint64_t states_max; /* more states are an error */
	/* results of the exploration */
	uint64_t states;
	uint64_t executions; /* number of complete executions */
};

/*
 * Returns the value n of `interrupts`, or 0 with LONG=1 in the environment, or
 * less where instrumentation makes tests slow.
 */
int explore_interrupts(int n);

/*
 * Prints the result. Returns NULL, or the error of the first execution that
 * failed.
 */
const char *explore_run(struct explore *x);

/* Called by threads and check(): ends the execution with an error. */
void explore_fail(const char *what);

/*
 * Called by setup(). explore_plain() declares memory that is not atomic: its
 * copies must be ordered. explore_private() declares atomic objects that only
 * one thread uses: accesses to them are not choice points.
 */
void explore_plain(void *at, size_t bytes);
void explore_private(const volatile void *at, size_t bytes);

/* Accesses by a thread to memory that was declared plain, other than copies. */
void explore_plain_read(const void *at, size_t bytes);
void explore_plain_write(void *at, size_t bytes);

/*
 * For a loop without a limit: call explore_poll() before each iteration, and
 * explore_again() after an iteration that changed nothing. The thread continues
 * when one of the objects that it read has a newer value.
 */
void explore_poll(void);
void explore_again(void);

/* The operations that explore_atomic.h redirects here; orders as in C11. */
enum explore_rmw { EXPLORE_ADD, EXPLORE_OR, EXPLORE_AND, EXPLORE_SWAP };

uint64_t explore_load(const volatile void *at, size_t bytes, int order);
void explore_store(volatile void *at, size_t bytes, uint64_t value, int order);
uint64_t explore_modify(volatile void *at, size_t bytes, enum explore_rmw op,
			uint64_t value, int order);
bool explore_cas(volatile void *at, size_t bytes, void *expect, uint64_t value,
		 int order, int failed_order);
void explore_fence(int order);
void explore_spin(void);
void *explore_copy(void *to, const void *from, size_t bytes);
/* Blocks on words that have the given values; returns 0, like futex(2). */
int explore_futex_wait(const volatile void *const word[2],
		       const uint32_t value[2], int words, uint32_t bits);
void explore_futex_wake(const volatile void *word, uint32_t bits);
/* A full fence in all threads. */
void explore_membarrier(void);

#endif
