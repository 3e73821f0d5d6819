/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-reproduce --sensitivity: which results depend on which numbers of the
 * machine file. Every number is changed, one at a time, by -10 % and +10 %, to
 * its half and to its double; all rows are run on each changed machine.
 *
 * A row moves if its value changes by more than 0.1 %, and leaves its band if
 * it was in the band before. A row that no change takes out of its band could
 * not have failed. A number that moves no row is unchecked: the published
 * results would be the same with another value.
 */
#ifndef WEFT_REPRO_SENSITIVITY_H
#define WEFT_REPRO_SENSITIVITY_H

#include "src/tools/reproduce/repro_vary.h"

struct repro_effect {
	/* false: the change was not run, since a factor of 2 moves no row */
	bool run;
	bool refused;	      /* the machine file does not accept the value */
	unsigned moved, left; /* rows that move, rows that leave their bands */
};

struct repro_sensitivity {
	unsigned count;
	struct repro_number number[REPRO_NUMBERS_MAX];
	struct repro_effect effect[REPRO_NUMBERS_MAX][REPRO_CHANGES];
	/*
	 * by row: count of the machine file's numbers that change its result,
	 * and of those that change it to outside its band
	 */
	unsigned movers[REPRO_ROWS_MAX], breakers[REPRO_ROWS_MAX];
};

/*
 * Runs all changes, after the rows of r have been run. Uses one process per
 * processor. Returns 0 or -errno, and reports errors on stderr.
 */
int repro_sensitivity_run(struct repro_sensitivity *s, const struct repro *r);
/* Returns whether no change of the number moves a row. */
bool repro_unchecked(const struct repro_sensitivity *s, unsigned number);

struct repro_sensitivity_sum {
	unsigned predictions; /* predicted rows that were run */
	unsigned could_fail;  /* predictions that some change breaks */
	/* predictions within their bands that a change takes out of them */
	unsigned held;
	unsigned unchecked; /* numbers that move no row */
};
struct repro_sensitivity_sum
repro_sensitivity_sum(const struct repro_sensitivity *s, const struct repro *r);

/* Print the results as text, and as a JSON object with this key. */
void repro_sensitivity_print(const struct repro_sensitivity *s,
			     const struct repro *r);
void repro_sensitivity_json(const struct repro_sensitivity *s,
			    const struct repro *r, struct json *j,
			    const char *key);

#endif
