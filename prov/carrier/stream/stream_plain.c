/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams without OpenSSL (configure --without-openssl): connections cannot be
 * authenticated, every handshake fails, and the bytes are sent as datagrams.
 */
#include "prov/carrier/stream/stream_int.h"

#include <errno.h>

int stream_auth_hello(struct stream *st, struct stream_conn *c)
{
	return -ENOSYS;
}

int stream_auth_run(struct stream *st, struct stream_conn *c)
{
	return -ENOSYS;
}

void stream_seal_free(struct stream_seal *s)
{
}

bool stream_seal_sign(struct stream_seal *s, uint64_t count,
		      const struct stream_head *head,
		      const struct stream_iov *payload, uint8_t *to,
		      uint8_t tag[STREAM_TAG])
{
	return false;
}

bool stream_seal_verify(struct stream_seal *s, uint64_t count,
			const struct stream_head *head,
			const struct stream_iov *payload,
			const uint8_t tag[STREAM_TAG])
{
	return false;
}
