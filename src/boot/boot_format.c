/* SPDX-License-Identifier: BSD-3-Clause */
/* Version of the data that processes of a job exchange. */
#include "src/boot/boot_format.h"

#include "config.h"
#include "src/diag/diag_call.h"
#include "src/job/job_log.h"
#include "src/job/job_page_layout.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "weft "
#define DIGITS (sizeof(WEFT_FORMAT) - 1)
/* number of bytes in front of the release in the record */
#define FRONT  (sizeof(PREFIX) - 1 + DIGITS + 1)

/* volatile: test/run/run_versions.sh changes the text in the library's file */
static const volatile char own[WEFT_FORMAT_RECORD] =
	PREFIX WEFT_FORMAT " " PACKAGE_VERSION;
static_assert(DIGITS == 4 &&
		      FRONT + sizeof(PACKAGE_VERSION) <= WEFT_FORMAT_RECORD,
	      "the release fits the record");

void weft_format_write(char record[WEFT_FORMAT_RECORD])
{
	for (size_t i = 0; i < WEFT_FORMAT_RECORD; i++)
		record[i] = own[i];
}

/* Writes the version of a record in a readable form: "0.2.0 (format 1)". */
static void describe(const char *record, char text[64])
{
	char release[WEFT_FORMAT_RECORD - FRONT + 1] = "";
	unsigned number = 0;

	for (size_t i = 0; i < DIGITS; i++)
		number = number * 10 +
			 (unsigned)(record[sizeof(PREFIX) - 1 + i] - '0') % 10;
	for (size_t i = 0; i < sizeof(release) - 1; i++) {
		if (!isprint((unsigned char)record[FRONT + i]))
			break;
		release[i] = record[FRONT + i];
	}
	snprintf(text, 64, "%s (format %u)", release, number);
}

static void name_both(int rank, const char *value, size_t len,
		      const char *own_record, char why[WEFT_FORMAT_WHY])
{
	char mine[64], other[64] = "before 0.2.0";

	describe(own_record, mine);
	if (len >= WEFT_FORMAT_RECORD &&
	    !memcmp(value, PREFIX, sizeof(PREFIX) - 1))
		describe(value, other);
	snprintf(why, WEFT_FORMAT_WHY,
		 "rank %d uses Weft %s, this rank uses Weft %s: all processes "
		 "of a job need the same format; install one version of Weft "
		 "on all hosts",
		 rank, other, mine);
}

int weft_format_strip(int rank, const char *value, size_t len, void *to,
		      size_t *len_p, char why[WEFT_FORMAT_WHY])
{
	char record[WEFT_FORMAT_RECORD];

	weft_format_write(record);
	if (len < WEFT_FORMAT_RECORD || memcmp(value, record, FRONT)) {
		name_both(rank, value, len, record, why);
		return -EPROTOTYPE;
	}
	len -= WEFT_FORMAT_RECORD;
	if (len > *len_p)
		return -EPROTO;
	memcpy(to, value + WEFT_FORMAT_RECORD, len);
	*len_p = len;
	return 0;
}

int weft_format_check_launcher(void)
{
	uint32_t other = weft_call_refused_page();

	if (!other)
		return 0;
	weft_log_once(WEFT_LOG_ERROR,
		      "this mpiexec has format %u of the job status page, the "
		      "MPI library of Weft %s has format %u: start the program "
		      "with the mpiexec of its own version",
		      other, PACKAGE_VERSION, JOB_PAGE_VERSION);
	return -EPROTO;
}
