/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits lines of a file into words, as a shell does. */
#ifndef WEFT_RUN_WORDS_H
#define WEFT_RUN_WORDS_H

/*
 * Splits text at blanks; '...', "..." and \x quote blanks. The result ends with
 * NULL; words and array are one allocation, which the caller frees. NULL: out
 * of memory. *count_p: number of words.
 */
char **run_words(const char *text, int *count_p);

/*
 * Returns the words of all lines of a file, joined by the word ":"; empty lines
 * and lines that begin with # are skipped. NULL with errno set if the file
 * cannot be read.
 */
char **run_words_of_file(const char *name, int *count_p);

#endif
