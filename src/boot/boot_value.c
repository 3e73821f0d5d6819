/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of values from PMIx (boot_value.h). */
#include "src/boot/boot_value.h"

#include "src/boot/boot_secret.h"
#include "src/job/job_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Reads a rank below `size` at *p, and advances *p behind it. Returns false if
 * there is none.
 */
static bool read_rank(const char **p, int size, int *rank_p)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	n = strtol(*p, &end, 10);
	*p = end;
	*rank_p = (int)n;
	return !errno && n < size;
}

int weft_value_ranks(const char *list, int size, int *out, int room)
{
	int n = 0, first, last;

	while (*list) {
		if (!read_rank(&list, size, &first))
			return -EPROTO;
		last = first;
		if (*list == '-') {
			list++;
			if (!read_rank(&list, size, &last) || last < first)
				return -EPROTO;
		}
		for (; first <= last && n < room; first++)
			out[n++] = first;
		if (*list && *list++ != ',')
			return -EPROTO;
	}
	return n;
}

int weft_value_name(int proc, const char *name, size_t *len_p, size_t least)
{
	size_t len = *len_p;

	if (weft_secret_signs()) {
		if (len <= WEFT_SECRET_TAG ||
		    !weft_secret_verify(proc, name, len - WEFT_SECRET_TAG,
					(const uint8_t *)name + len -
						WEFT_SECRET_TAG)) {
			weft_log_once(WEFT_LOG_ERROR,
				      "the address of rank %d in the "
				      "launcher's PMIx is not signed with this "
				      "job's key: another user has written it, "
				      "and it is refused",
				      proc);
			return -EHOSTUNREACH;
		}
		len -= WEFT_SECRET_TAG;
	}
	if (len < least) {
		weft_log_once(WEFT_LOG_ERROR,
			      "the address of rank %d in the launcher's PMIx "
			      "has %zu bytes, not %zu, and is refused",
			      proc, len, least);
		return -EPROTO;
	}
	*len_p = len;
	return 0;
}
