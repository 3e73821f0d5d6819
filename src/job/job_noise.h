/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operating-system noise in virtual time, as text (mpiexec --noise,
 * FI_WEFT_NOISE): RATE,LENGTH[,fixed][,SEED]. A processor is interrupted RATE
 * times per second of computation on average, for LENGTH microseconds each.
 */
#ifndef WEFT_JOB_NOISE_H
#define WEFT_JOB_NOISE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct weft_noise {
	double gap_ps;	  /* mean computation between interruptions; 0: none */
	double length_ps; /* mean duration of an interruption */
	bool fixed;	  /* all interruptions have the mean duration */
	uint64_t seed;
};

/*
 * Parses the text. Returns 0; -EINVAL: the text is invalid. An empty text means
 * no noise.
 */
static inline int weft_noise_parse(const char *text, struct weft_noise *n)
{
	char *end;
	double rate, us;

	memset(n, 0, sizeof(*n));
	if (!*text)
		return 0;
	rate = strtod(text, &end);
	if (end == text || *end != ',' || !(rate > 0 && rate <= 1e9))
		return -EINVAL;
	text = end + 1;
	us = strtod(text, &end);
	if (end == text || !(us > 0 && us <= 1e9))
		return -EINVAL;
	n->gap_ps = 1e12 / rate;
	n->length_ps = us * 1e6;
	if (!strncmp(end, ",fixed", 6)) {
		n->fixed = true;
		end += 6;
	}
	if (*end == ',') {
		text = end + 1;
		n->seed = strtoull(text, &end, 10);
		if (end == text || *text == '-')
			return -EINVAL;
	}
	return *end ? -EINVAL : 0;
}

#endif
