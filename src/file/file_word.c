/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of shared file pointers on one host (file_word.h). */
#include "src/file/file_word.h"

#include "src/base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdalign.h>
#include <string.h>
#include <unistd.h>

/*
 * number of words in a region, each in its own cache line; word 0 is the token
 */
#define WORDS 1024

struct line {
	alignas(64) weft_au64 word;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * region that this process offers, and its words in use; both protected by the
 * lock
 */
static struct weft_region words;
static bool taken[WORDS];

static weft_au64 *word_at(const struct weft_region *r, int index)
{
	return &((struct line *)r->base)[index].word;
}

/* Creates the region; requires the lock. */
static int words_open(void)
{
	uint64_t token = weft_now_ns() ^ (uint64_t)getpid() << 32;
	int rc = words.base ? 0
			    : weft_region_open(&words, "weft-file-pointers",
					       WORDS * sizeof(struct line));

	if (!rc && !taken[0]) {
		weft_store64(word_at(&words, 0), token | 1);
		taken[0] = true;
	}
	return rc;
}

void file_word_take(struct file_word *w, uint64_t value)
{
	int i = WORDS;

	pthread_mutex_lock(&lock);
	if (!words_open())
		for (i = 1; i < WORDS && taken[i]; i++)
			;
	if (i < WORDS) {
		taken[i] = w->owned = true;
		w->at = word_at(&words, i);
		weft_store64(w->at, value);
		w->place = (struct file_word_place){
			.pid = getpid(),
			.token = weft_load64(word_at(&words, 0)),
			.fd = words.fd,
			.index = i,
		};
	}
	pthread_mutex_unlock(&lock);
}

int file_word_map(struct file_word *w)
{
	const struct file_word_place *p = &w->place;
	int fd, rc;

	if (w->at)
		return 0;
	if (p->index < 1 || p->index >= WORDS)
		return -EINVAL;
	fd = weft_region_open_remote_fd((pid_t)p->pid, p->fd);
	if (fd < 0)
		return fd;
	rc = weft_region_attach(&w->region, fd, WORDS * sizeof(struct line));
	close(fd);
	w->region.fd = -1;
	if (rc)
		return rc;
	if (weft_load64(word_at(&w->region, 0)) != p->token) {
		weft_region_close(&w->region);
		return -EINVAL;
	}
	w->at = word_at(&w->region, p->index);
	return 0;
}

void file_word_close(struct file_word *w)
{
	if (w->owned) {
		pthread_mutex_lock(&lock);
		taken[w->place.index] = false;
		pthread_mutex_unlock(&lock);
	} else if (w->region.base) {
		weft_region_close(&w->region);
	}
	memset(w, 0, sizeof(*w));
}

void file_words_close(void)
{
	pthread_mutex_lock(&lock);
	if (words.base)
		weft_region_close(&words);
	memset(taken, 0, sizeof(taken));
	pthread_mutex_unlock(&lock);
}
