/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sock carrier of a build without OpenSSL. This test defines the functions
 * of sock_keys.c and sock_seal.c, so the linker does not take these files from
 * the carrier.
 */
#include "prov/carrier/sock/sock_plain.c"
#include "test/support/carrier_fixture.h"
#include "test/support/log_text.h"
#include "test/t.h"

#include <stdlib.h>

static void key_is_refused(void **state)
{
	struct weft_carrier_attr attr = { .key = "a key", .key_bytes = 5 };
	struct end e;

	log_text_begin();
	T_IS(end_open(&e, &weft_carrier_sock, 1, &attr), -ENOSYS);
	T_TRUE(log_text_contains("configured without OpenSSL"));
}

static void encryption_is_refused(void **state)
{
	struct weft_carrier_attr attr = { .encrypt = true };
	struct end e;

	log_text_begin();
	T_IS(end_open(&e, &weft_carrier_sock, 1, &attr), -ENOSYS);
	T_TRUE(log_text_contains("configured without OpenSSL"));
}

static void packets_without_key(void **state)
{
	struct end *a = calloc(2, sizeof(*a)), *b = a + 1;
	struct end_group group = { { a, b }, 2 };
	struct weft_peer *ab;

	T_NOT_NULL(a);
	T_OK(end_open(a, &weft_carrier_sock, 1, NULL));
	T_OK(end_open(b, &weft_carrier_sock, 2, NULL));
	a->group = &group;
	b->group = &group;
	ab = end_peer(a, b);
	end_peer(b, a);
	for (uint64_t n = 0; n < 50; n++)
		T_OK(end_send_all(a, ab, n, 100, 20));
	T_TRUE(end_wait_got(b, 50, 20));
	T_IS(a->bad + b->bad + a->lost + b->lost, 0);
	end_close(a);
	end_close(b);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(key_is_refused),
		T_CASE(encryption_is_refused),
		T_CASE(packets_without_key),
	};

	return T_RUN(tests);
}
