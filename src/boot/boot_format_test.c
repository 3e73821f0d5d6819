/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the version record that precedes published values. */
#include "src/boot/boot_format.h"

#include "config.h"
#include "src/base/log.h"
#include "src/diag/diag_call.h"
#include "src/job/job_log.h"
#include "test/t.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char logged[512];
static uint32_t page_version;

void weft_log_once(enum weft_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(logged, sizeof(logged), fmt, ap);
	va_end(ap);
}

uint32_t weft_call_refused_page(void)
{
	return page_version;
}

struct value {
	char bytes[WEFT_FORMAT_RECORD + 8];
};

static struct value make(void)
{
	struct value v;

	weft_format_write(v.bytes);
	memcpy(v.bytes + WEFT_FORMAT_RECORD, "12345678", 8);
	logged[0] = 0;
	return v;
}

static int strip(const struct value *v, size_t len, char *to, size_t room)
{
	size_t n = room;
	int rc = weft_format_strip(3, v->bytes, len, to, &n, logged);

	if (!rc)
		T_IS(n, len - WEFT_FORMAT_RECORD);
	return rc;
}

static void same_format_is_accepted(void **state)
{
	struct value v = make();
	char to[8] = "";

	T_OK(strip(&v, sizeof(v), to, sizeof(to)));
	T_MEM(to, "12345678", 8);
	T_OK(strip(&v, WEFT_FORMAT_RECORD, to, sizeof(to)));
	/* another release with the same format */
	memcpy(v.bytes + 10, "9.9.9\0\0\0", 8);
	T_OK(strip(&v, sizeof(v), to, sizeof(to)));
	T_STR(logged, "");
}

static void other_format_is_refused_with_both_versions(void **state)
{
	struct value v = make();
	char to[8];

	memcpy(v.bytes, "weft 0742 7.1-rc2\0\0\0\0", 22);
	T_IS(strip(&v, sizeof(v), to, sizeof(to)), -EPROTOTYPE);
	T_NOT_NULL(strstr(logged, "rank 3 uses Weft 7.1-rc2 (format 742), "
				  "this rank uses Weft " PACKAGE_VERSION
				  " (format 1)"));
}

static void bad_values_are_refused(void **state)
{
	struct value v = make();
	char to[8];

	/* no room */
	T_IS(strip(&v, sizeof(v), to, 7), -EPROTO);
	T_STR(logged, "");
	/* shorter than a record, as values without a record may be */
	for (size_t len = 0; len < WEFT_FORMAT_RECORD; len++) {
		logged[0] = 0;
		T_IS(strip(&v, len, to, sizeof(to)), -EPROTOTYPE);
		T_NOT_NULL(strstr(logged, "Weft before 0.2.0"));
	}
	memset(v.bytes, 0xff, sizeof(v));
	T_IS(strip(&v, sizeof(v), to, sizeof(to)), -EPROTOTYPE);
	T_NOT_NULL(strstr(logged, "Weft before 0.2.0"));
	/* bytes that cannot be printed */
	memcpy(v.bytes, "weft \xff\xff\xff\xff 1\x1b[2J", 15);
	T_IS(strip(&v, sizeof(v), to, sizeof(to)), -EPROTOTYPE);
	T_NOT_NULL(strstr(logged, "Weft 1 (format"));
}

static void other_launcher_is_refused(void **state)
{
	logged[0] = 0;
	page_version = 0;
	T_OK(weft_format_check_launcher());
	T_STR(logged, "");
	page_version = 99;
	T_IS(weft_format_check_launcher(), -EPROTO);
	T_NOT_NULL(strstr(logged,
			  "this mpiexec has format 99 of the job status "
			  "page"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_format_is_accepted),
		cmocka_unit_test(other_format_is_refused_with_both_versions),
		cmocka_unit_test(bad_values_are_refused),
		cmocka_unit_test(other_launcher_is_refused),
	};

	return T_RUN(tests);
}
