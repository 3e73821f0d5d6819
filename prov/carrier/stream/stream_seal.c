/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tags of records: AES-128-GMAC of the payload, or AES-128-GCM of the encrypted
 * payload. Each connection has its own key. The nonce is the number of the
 * record on the connection and the ticket of the transfer, so that a record is
 * valid only once, only at its position and only for its transfer. The other
 * fields of the head need no tag: the offset must be the next of the transfer,
 * and the length is that of the payload.
 *
 * A payload without gaps is hashed by code_ghash.h if the processor supports
 * it, otherwise by OpenSSL; the tag is identical.
 */
#include "prov/carrier/stream/stream_int.h"
#include "prov/code/code_ghash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SEAL_NONCE 12u

struct stream_seal {
	EVP_CIPHER_CTX *gcm;
	EVP_CIPHER_CTX *aes; /* encrypts single blocks */
	bool encrypt;
	bool own_ghash;
	struct weft_code_ghash ghash;
};

static bool seal_block(struct stream_seal *s, uint8_t block[16])
{
	int n;

	return EVP_EncryptUpdate(s->aes, block, &n, block, 16);
}

static bool seal_init(struct stream_seal *s, const uint8_t key[16], bool sends)
{
	uint8_t h[16] = { 0 };

	s->gcm = EVP_CIPHER_CTX_new();
	s->aes = EVP_CIPHER_CTX_new();
	if (!s->gcm || !s->aes ||
	    !EVP_CipherInit_ex(s->gcm, EVP_aes_128_gcm(), NULL, key, NULL,
			       sends) ||
	    !EVP_EncryptInit_ex(s->aes, EVP_aes_128_ecb(), NULL, key, NULL) ||
	    !EVP_CIPHER_CTX_set_padding(s->aes, 0) || !seal_block(s, h))
		return false;
	s->own_ghash = !s->encrypt && weft_code_ghash_init(&s->ghash, h);
	return true;
}

struct stream_seal *stream_seal_new(const uint8_t key[16], bool encrypt,
				    bool sends)
{
	struct stream_seal *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->encrypt = encrypt;
	if (seal_init(s, key, sends))
		return s;
	stream_seal_free(s);
	return NULL;
}

void stream_seal_free(struct stream_seal *s)
{
	if (!s)
		return;
	EVP_CIPHER_CTX_free(s->gcm);
	EVP_CIPHER_CTX_free(s->aes);
	OPENSSL_cleanse(s, sizeof(*s));
	free(s);
}

static void seal_nonce(uint8_t nonce[SEAL_NONCE], uint64_t count,
		       const struct stream_head *head)
{
	uint32_t low = (uint32_t)count;

	memcpy(nonce, &low, sizeof(low));
	memcpy(nonce + sizeof(low), &head->ticket, sizeof(head->ticket));
}

/* Computes the GMAC of a contiguous payload. */
static bool seal_ghash(struct stream_seal *s, uint64_t count,
		       const struct stream_head *head,
		       const struct iovec *payload, uint8_t tag[STREAM_TAG])
{
	uint8_t mask[STREAM_TAG] = { 0 };

	seal_nonce(mask, count, head);
	mask[STREAM_TAG - 1] = 1;
	weft_code_ghash(&s->ghash, payload->iov_base, payload->iov_len, tag);
	if (!seal_block(s, mask))
		return false;
	for (unsigned i = 0; i < STREAM_TAG; i++)
		tag[i] ^= mask[i];
	return true;
}

/*
 * Passes the payload to OpenSSL; `to` NULL: in place, if encrypted. The number
 * of records is limited, so that no nonce is used twice.
 */
static bool seal_update(struct stream_seal *s, uint64_t count,
			const struct stream_head *head,
			const struct stream_iov *payload, uint8_t *to)
{
	uint8_t nonce[SEAL_NONCE];
	int n;

	seal_nonce(nonce, count, head);
	if (!EVP_CipherInit_ex(s->gcm, NULL, NULL, NULL, nonce, -1))
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

static bool seal_uses_ghash(const struct stream_seal *s,
			    const struct stream_iov *payload)
{
	return s->own_ghash && payload->count == 1;
}

bool stream_seal_sign(struct stream_seal *s, uint64_t count,
		      const struct stream_head *head,
		      const struct stream_iov *payload, uint8_t *to,
		      uint8_t tag[STREAM_TAG])
{
	uint8_t end[EVP_MAX_BLOCK_LENGTH];
	int n;

	if (count > UINT32_MAX)
		return false;
	if (seal_uses_ghash(s, payload))
		return seal_ghash(s, count, head, &payload->v[0], tag);
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

	if (count > UINT32_MAX)
		return false;
	if (seal_uses_ghash(s, payload))
		return seal_ghash(s, count, head, &payload->v[0], copy) &&
		       !CRYPTO_memcmp(copy, tag, STREAM_TAG);
	memcpy(copy, tag, sizeof(copy));
	return seal_update(s, count, head, payload, NULL) &&
	       EVP_CIPHER_CTX_ctrl(s->gcm, EVP_CTRL_GCM_SET_TAG, STREAM_TAG,
				   copy) &&
	       EVP_CipherFinal_ex(s->gcm, end, &n) > 0;
}
