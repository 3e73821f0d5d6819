/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error classes, codes and their texts. Codes below MPI_ERR_LASTCODE are slot *
 * 64 + class; slot 0 is the bare class, the other slots hold the texts of the
 * last 251 errors of the process.
 */
#ifndef WEFT_DIAG_ERRTEXT_H
#define WEFT_DIAG_ERRTEXT_H

#include <stdbool.h>

/* Returns the class of a code; -1 if there is no such code. */
int weft_errtext_class(int code);
/* Returns the text of a code, or NULL; valid until the code is reused. */
const char *weft_errtext_get(int code);
/* Returns the name of a class, such as "MPI_ERR_RANK"; NULL: no such class. */
const char *weft_errtext_name(int class);
/* Stores text under a new code of the class and returns the code. */
int weft_errtext_store(int class, const char *text);

/*
 * Functions for classes and codes that the application adds. They return 0,
 * -ENOMEM, -EINVAL (no such code) or -EBUSY (the code is in use).
 */
int weft_errtext_add_class(int *class_p);
int weft_errtext_add_code(int class, int *code_p);
int weft_errtext_add_string(int code, const char *text);
int weft_errtext_remove(int code, bool is_class);
int weft_errtext_remove_string(int code);

#endif
