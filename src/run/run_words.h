/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a file into words, as a shell would cut them. */
#ifndef WEFT_RUN_WORDS_H
#define WEFT_RUN_WORDS_H

/*
 * Cuts text at blanks; '...', "..." and \x keep them. The result ends with
 * NULL, words and array are one allocation (free() it). NULL: no memory.
 * *count_p: number of words.
 */
char **run_words(const char *text, int *count_p);

/*
 * All lines of a file, joined by the word ":"; lines that are empty or begin
 * with # are skipped. NULL with errno set when it cannot be read.
 */
char **run_words_of_file(const char *name, int *count_p);

#endif
