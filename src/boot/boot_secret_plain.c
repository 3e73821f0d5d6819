/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The key of a job in a build without OpenSSL (configure --without-openssl):
 * keys are refused.
 */
#include "src/boot/boot_secret.h"

#include "src/job/job_log.h"

#include <errno.h>
#include <stddef.h>

int weft_secret_open(int rank, bool own, uint8_t key[WEFT_SECRET_KEY])
{
	weft_log_once(
		WEFT_LOG_ERROR,
		"this Weft was configured without OpenSSL: jobs run on "
		"one host, or with FI_WEFT_KEY=none on a trusted network");
	return -ENOSYS;
}

char *weft_secret_for_children(void)
{
	return NULL;
}

uint32_t weft_secret_id(void)
{
	return 0;
}

bool weft_secret_signs(void)
{
	return false;
}

void weft_secret_sign(int rank, const void *bytes, size_t len,
		      uint8_t tag[WEFT_SECRET_TAG])
{
}

bool weft_secret_verify(int rank, const void *bytes, size_t len,
			const uint8_t tag[WEFT_SECRET_TAG])
{
	return false;
}

void weft_secret_close(void)
{
}
