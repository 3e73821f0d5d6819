/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of a machine file, and copies of the file in which one number is
 * changed. Names, shapes and lists of words are not numbers.
 */
#ifndef WEFT_REPRO_VARY_H
#define WEFT_REPRO_VARY_H

#include "prov/net/file/net_file.h"
#include "src/tools/reproduce/repro.h"

#define REPRO_NUMBERS_MAX 256

struct repro_number {
	char variant[32]; /* variant of the machine, or empty: all variants */
	char name[80];	  /* key; "nios: rx.per_packet" in a variant */
	char value[40];	  /* number and unit, as in the file */
	enum net_source source;
	unsigned line;
	double number;
	/* counts, bytes and cycles, which must be integers */
	bool whole;
};

/* Changes of a number. An integer changes by at least 1. */
enum repro_change {
	REPRO_LESS, /* -10 % */
	REPRO_MORE, /* +10 % */
	REPRO_HALF,
	REPRO_DOUBLE,
	REPRO_CHANGES
};

/* Finds the numbers of a machine file; returns how many, or -errno. */
int repro_numbers(const char *machine,
		  struct repro_number list[REPRO_NUMBERS_MAX]);
/* Returns the changed value of a number. */
double repro_changed(const struct repro_number *n, enum repro_change change);
/*
 * Writes a copy of the machine file with the number changed into memory.
 * Returns a file descriptor, by which net_file_load() reads the copy as
 * /proc/self/fd/NUMBER, or -errno.
 */
int repro_changed_file(const char *machine, const struct repro_number *n,
		       enum repro_change change);

#endif
