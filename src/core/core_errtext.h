/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classes, codes and their texts. Codes below MPI_ERR_LASTCODE are slot * 64 +
 * class; slot 0 is the bare class, others remember the text of the last 255
 * errors of the process.
 */
#ifndef WEFT_CORE_ERRTEXT_H
#define WEFT_CORE_ERRTEXT_H

#include <stdbool.h>

/* Class of a code; -1 when there is no such code. */
int weft_errtext_class(int code);
/* Text of a code, or NULL; valid until the code is reused. */
const char *weft_errtext_get(int code);
const char *weft_errtext_name(int class); /* "MPI_ERR_RANK", or NULL */
/* Remembers text under a fresh code of class. */
int weft_errtext_keep(int class, const char *text);

/* User's own; 0, -ENOMEM, -EINVAL: no such code, -EBUSY: in use. */
int weft_errtext_add_class(int *class_p);
int weft_errtext_add_code(int class, int *code_p);
int weft_errtext_add_string(int code, const char *text);
int weft_errtext_remove(int code, bool is_class);
int weft_errtext_remove_string(int code);

#endif
