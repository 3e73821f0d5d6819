/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments of experiments, which a table row gives as key=value after the name
 * of the experiment.
 */
#include "src/tools/reproduce/repro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *repro_arg(const struct repro_row *row, const char *key,
		      char buf[64], const char *fallback)
{
	const char *s = row->exp;
	size_t n = strlen(key), len;

	while ((s = strchr(s, ' '))) {
		s++;
		if (strncmp(s, key, n) || s[n] != '=')
			continue;
		s += n + 1;
		len = strcspn(s, " ");
		snprintf(buf, 64, "%.*s", (int)len, s);
		return buf;
	}
	return fallback;
}

uint64_t repro_arg_number(const struct repro_row *row, const char *key,
			  uint64_t fallback)
{
	char buf[64];
	const char *s = repro_arg(row, key, buf, NULL);

	return s ? strtoull(s, NULL, 10) : fallback;
}

bool repro_slow(const struct repro_row *row)
{
	return repro_arg_number(row, "slow", 0) != 0;
}
