/* SPDX-License-Identifier: BSD-3-Clause */
/* The system and environment of weft-info, for bug reports (--report). */
#ifndef WEFT_INFO_SYSTEM_H
#define WEFT_INFO_SYSTEM_H

struct weft_report;

/*
 * Writes these sections: kernel, distribution, compiler and limits; versions of
 * the formats that processes share; environment variables that affect MPI jobs,
 * without the values of secrets.
 */
void show_system(struct weft_report *r);

/*
 * Returns the value of a variable as it may be printed: "-" if the value is
 * NULL, a note instead of a secret.
 */
const char *printable_value(const char *name, const char *value);

#endif
