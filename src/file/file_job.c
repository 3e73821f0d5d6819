/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worker threads: at most WORKERS, started when a job finds no idle worker.
 * Signals of the application are blocked in them.
 */
#include "src/file/file_job.h"

#include "src/base/futex.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/msg/msg_progress.h"

#include <signal.h>

#define WORKERS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
/* the variables below are protected by the lock: */
static struct weft_list queue = { &queue, &queue };
static int queued;
static pthread_t worker[WORKERS];
static int workers;
static int idle_workers;
static bool closing;

bool file_jobs_are_threaded(void)
{
	/*
	 * in virtual time, threads that the clock does not control would change
	 * the order of events
	 */
	return !weft_core.traits.waits_end;
}

static void run_job(struct file_job *job)
{
	job->run(job);
	/*
	 * The waiting thread may free the job after this store; the wake-up
	 * then concerns an address on which no thread waits.
	 */
	weft_store32(&job->done, 1);
	weft_futex_wake(&job->done, WEFT_FUTEX_ALL, WEFT_FUTEX_THREADS);
}

static void *worker_main(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		struct weft_list *n = weft_list_pop_front(&queue);

		if (n) {
			queued--;
			pthread_mutex_unlock(&lock);
			run_job(weft_container_of(n, struct file_job, link));
			weft_progress_outside_event();
			pthread_mutex_lock(&lock);
			continue;
		}
		if (closing)
			break;
		idle_workers++;
		pthread_cond_wait(&work, &lock);
		idle_workers--;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Starts a worker; requires the lock. */
static void add_worker(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&worker[workers], NULL, worker_main, NULL))
		workers++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Queues a job. Returns false if there is no worker. */
static bool enqueue(struct file_job *job)
{
	bool ok;

	pthread_mutex_lock(&lock);
	if (queued >= idle_workers && workers < WORKERS)
		add_worker();
	ok = workers > 0;
	if (ok) {
		weft_list_push_back(&queue, &job->link);
		queued++;
		pthread_cond_signal(&work);
	}
	pthread_mutex_unlock(&lock);
	return ok;
}

void file_job_start(struct file_job *job)
{
	weft_store32_relaxed(&job->done, 0); /* relaxed: not shared yet */
	if (!file_jobs_are_threaded() || !enqueue(job))
		run_job(job);
}

void file_job_wait(struct file_job *job, uint64_t ns)
{
	if (!file_job_is_done(job))
		weft_futex_wait(&job->done, 0, ns, WEFT_FUTEX_THREADS);
}

void file_jobs_close(void)
{
	pthread_mutex_lock(&lock);
	closing = true;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < workers; i++)
		pthread_join(worker[i], NULL);
	workers = 0;
	closing = false;
}
