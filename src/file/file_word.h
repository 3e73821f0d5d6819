/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words of shared file pointers, for files whose members run on one host. Rank
 * 0 of a file reserves a word in a region of its process, which exists until
 * MPI_Finalize. Another member maps the region when it first uses the pointer,
 * so opening a file needs only a message with the location of the word.
 *
 *   rank 0    file_word_take -> file_word_map -> file_word_close
 *   others    receive the place -> file_word_map -> file_word_close
 */
#ifndef WEFT_FILE_WORD_H
#define WEFT_FILE_WORD_H

#include "src/base/atomic.h"
#include "src/base/region.h"

#include <stdbool.h>

/* Location of a word: the region of a process, and the index in the region. */
struct file_word_place {
	int64_t pid;
	uint64_t token; /* random number that identifies the region */
	int32_t fd;
	int32_t index; /* index of the word in the region; 0: no word */
};

struct file_word {
	struct file_word_place place;
	struct weft_region region; /* mapping of a member other than rank 0 */
	bool owned;		   /* this process reserved the word */
	weft_au64 *at;		   /* the word; NULL: not mapped yet */
	weft_au64 own;		   /* word of a file with one member */
};

/* Reserves a word and sets it to value; place.index is 0 if no word is free. */
void file_word_take(struct file_word *w, uint64_t value);
/*
 * Maps the word and sets w->at. Returns 0 or -errno. The caller serializes the
 * calls for a word.
 */
int file_word_map(struct file_word *w);
void file_word_close(struct file_word *w);

/* Frees the region of this process. */
void file_words_close(void);

#endif
