/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sock carrier without OpenSSL (configure --without-openssl): datagrams
 * are neither signed nor encrypted. An endpoint that has a key is refused, so
 * the functions for tags are never called.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/log.h"

#include <errno.h>

int sock_keys_open(struct sock *s, const struct weft_carrier_attr *attr)
{
	if (!attr->key_bytes && !attr->encrypt)
		return 0;
	weft_log(WEFT_LOG_ERROR,
		 "sock: this Weft was configured without OpenSSL and cannot "
		 "sign datagrams: jobs run on one host, or with "
		 "FI_WEFT_KEY=none on a trusted network");
	return -ENOSYS;
}

void sock_keys_close(struct sock *s)
{
}

void sock_keys_sign(const struct sock *s, const union weft_name *to,
		    uint8_t *data, uint32_t bytes)
{
}

bool sock_keys_verify(const struct sock *s, const union weft_name *from,
		      const uint8_t *data, uint32_t bytes)
{
	return false;
}

bool sock_keys_agree(struct sock *s, struct sock_peer *p, uint64_t remote_gen,
		     const uint8_t public[SOCK_PUBLIC_BYTES])
{
	return false;
}

void sock_keys_answer_stray(struct sock *s, const union weft_name *to,
			    uint64_t remote_gen)
{
}

struct sock_seal *sock_seal_new(const struct sock *s, const uint8_t key[16],
				bool sends)
{
	return NULL;
}

void sock_seal_close(struct sock_seal *seal)
{
}

void sock_seal_sign(const struct sock *s, struct sock_seal *seal, uint8_t *data,
		    uint32_t bytes)
{
}

bool sock_seal_verify(const struct sock *s, struct sock_seal *seal,
		      uint8_t *data, uint32_t bytes)
{
	return false;
}

bool sock_seal_count_is_new(struct sock_peer *p, uint64_t count)
{
	return false;
}
