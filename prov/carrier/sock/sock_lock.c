/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lock shared by the caller and the progress thread, and notification of the
 * thread.
 */
#include "prov/carrier/sock/sock.h"
#include "src/os/wait_fd.h"

void sock_progress_thread_notify(struct sock *s)
{
	weft_event_fd_set(s->progress.event);
}

void sock_progress_thread_wake(struct sock *s)
{
	struct sock_progress_thread *d = &s->progress;

	/* F3 pairs with F2 in progress_idle(). */
	weft_fence_full();
	if (weft_load32(&d->idle) && weft_swap32(&d->idle, 0))
		sock_progress_thread_notify(s);
}

void sock_enter(struct sock *s)
{
	if (!s->depth++)
		pthread_mutex_lock(&s->progress.lock);
}

void sock_leave(struct sock *s)
{
	if (!--s->depth)
		pthread_mutex_unlock(&s->progress.lock);
}
