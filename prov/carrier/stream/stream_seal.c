/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tags of records: AES-128-GMAC over head and payload, or AES-128-GCM with an
 * encrypted payload. Each connection has its own key, and the nonce is the
 * number of the record on the connection, so that a record is valid only once
 * and only in its place.
 */
#include "prov/carrier/stream/stream_int.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SEAL_NONCE 12u

struct stream_seal {
	EVP_CIPHER_CTX *gcm;
	bool encrypt;
};

struct stream_seal *stream_seal_new(const uint8_t key[16], bool encrypt,
				    bool sends)
{
	struct stream_seal *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->encrypt = encrypt;
	s->gcm = EVP_CIPHER_CTX_new();
	if (s->gcm && EVP_CipherInit_ex(s->gcm, EVP_aes_128_gcm(), NULL, key,
					NULL, sends))
		return s;
	stream_seal_free(s);
	return NULL;
}

void stream_seal_free(struct stream_seal *s)
{
	if (!s)
		return;
	EVP_CIPHER_CTX_free(s->gcm);
	free(s);
}

/* Passes the head and the payload; `to` NULL: in place, if encrypted. */
static bool seal_update(struct stream_seal *s, uint64_t count,
			const struct stream_head *head,
			const struct stream_iov *payload, uint8_t *to)
{
	uint8_t nonce[SEAL_NONCE] = { 0 };
	int n;

	memcpy(nonce, &count, sizeof(count));
	if (!EVP_CipherInit_ex(s->gcm, NULL, NULL, NULL, nonce, -1) ||
	    !EVP_CipherUpdate(s->gcm, NULL, &n, (const uint8_t *)head,
			      sizeof(*head)))
		return false;
	for (int i = 0; i < payload->count; i++) {
		uint8_t *in = payload->v[i].iov_base;
		int bytes = (int)payload->v[i].iov_len;
		uint8_t *out = !s->encrypt ? NULL : to ? to : in;

		if (!EVP_CipherUpdate(s->gcm, out, &n, in, bytes))
			return false;
		if (to)
			to += bytes;
	}
	return true;
}

bool stream_seal_sign(struct stream_seal *s, uint64_t count,
		      const struct stream_head *head,
		      const struct stream_iov *payload, uint8_t *to,
		      uint8_t tag[STREAM_TAG])
{
	uint8_t end[EVP_MAX_BLOCK_LENGTH];
	int n;

	return seal_update(s, count, head, payload, to) &&
	       EVP_CipherFinal_ex(s->gcm, end, &n) &&
	       EVP_CIPHER_CTX_ctrl(s->gcm, EVP_CTRL_GCM_GET_TAG, STREAM_TAG,
				   tag);
}

bool stream_seal_verify(struct stream_seal *s, uint64_t count,
			const struct stream_head *head,
			const struct stream_iov *payload,
			const uint8_t tag[STREAM_TAG])
{
	uint8_t end[EVP_MAX_BLOCK_LENGTH];
	uint8_t copy[STREAM_TAG];
	int n;

	memcpy(copy, tag, sizeof(copy));
	return seal_update(s, count, head, payload, NULL) &&
	       EVP_CIPHER_CTX_ctrl(s->gcm, EVP_CTRL_GCM_SET_TAG, STREAM_TAG,
				   copy) &&
	       EVP_CipherFinal_ex(s->gcm, end, &n) > 0;
}
