/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signatures. Everybody who has the key of the job makes of it, of the sender's
 * name and of its incarnation the key that only this sender signs with:
 *
 *   HMAC-SHA-256(job key, ip, port, incarnation)  ->  AES-128-GMAC
 *
 * The nonce is the sender's count of datagrams, which stands in the head and
 * never comes again, so that a replay is known by it: the latest count and 4095
 * before it are remembered, and what is older is too late.
 */
#include "prov/carrier/sock/sock.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/modes.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#define SEAL_NONCE 12u

/*
 * GMAC by the library's block mode, not by its EVP interface, which takes four
 * times as long for a small datagram.
 */
struct sock_seal {
	EVP_CIPHER_CTX *aes;
	GCM128_CONTEXT *mac;
};

static void seal_block(const unsigned char in[16], unsigned char out[16],
		       const void *key)
{
	const struct sock_seal *seal = key;
	int n;

	EVP_EncryptUpdate(seal->aes, out, &n, in, 16);
}

static void seal_nonce(uint8_t nonce[SEAL_NONCE], const uint8_t *data)
{
	memset(nonce, 0, SEAL_NONCE);
	memcpy(nonce + 4, data + offsetof(struct sock_head, count), 8);
}

static bool seal_key(const struct sock *s, const struct sockaddr_in *name,
		     uint64_t gen, uint8_t out[SHA256_DIGEST_LENGTH])
{
	uint8_t who[14];
	unsigned len;

	memcpy(who, &name->sin_addr, 4);
	memcpy(who + 4, &name->sin_port, 2);
	memcpy(who + 6, &gen, 8);
	return HMAC(EVP_sha256(), s->key, sizeof(s->key), who, sizeof(who), out,
		    &len);
}

static struct sock_seal *seal_new(const struct sock *s,
				  const struct sockaddr_in *name, uint64_t gen)
{
	struct sock_seal *seal = calloc(1, sizeof(*seal));
	uint8_t key[SHA256_DIGEST_LENGTH];

	if (!seal)
		return NULL;
	seal->aes = EVP_CIPHER_CTX_new();
	if (seal->aes && seal_key(s, name, gen, key) &&
	    EVP_EncryptInit_ex(seal->aes, EVP_aes_128_ecb(), NULL, key, NULL) &&
	    EVP_CIPHER_CTX_set_padding(seal->aes, 0))
		seal->mac = CRYPTO_gcm128_new(seal, seal_block);
	if (seal->mac)
		return seal;
	sock_seal_close(seal);
	return NULL;
}

void sock_seal_close(struct sock_seal *seal)
{
	if (!seal)
		return;
	CRYPTO_gcm128_release(seal->mac);
	EVP_CIPHER_CTX_free(seal->aes);
	free(seal);
}

int sock_seal_open(struct sock *s, const struct weft_carrier_attr *attr)
{
	static const char use[] = "weft sock 1";
	unsigned len;

	if (!attr->key_bytes)
		return 0;
	if (!HMAC(EVP_sha256(), attr->key, (int)attr->key_bytes,
		  (const uint8_t *)use, sizeof(use), s->key, &len))
		return -ENOMEM;
	s->seal = seal_new(s, &s->name, s->gen);
	s->tag = SOCK_TAG;
	return s->seal ? 0 : -ENOMEM;
}

/* The tag of all but the word of the CRC, which is of the tag. */
static void seal_tag(struct sock_seal *seal, const uint8_t *data,
		     uint32_t bytes, uint8_t tag[SOCK_TAG])
{
	uint8_t nonce[SEAL_NONCE];

	seal_nonce(nonce, data);
	CRYPTO_gcm128_setiv(seal->mac, nonce, SEAL_NONCE);
	CRYPTO_gcm128_aad(seal->mac, data + 4, bytes - 4);
	CRYPTO_gcm128_tag(seal->mac, tag, SOCK_TAG);
}

void sock_seal_sign(struct sock *s, uint8_t *data, uint32_t bytes)
{
	seal_tag(s->seal, data, bytes, data + bytes);
}

bool sock_seal_holds(struct sock *s, const struct sock_peer *p,
		     const struct sockaddr_in *from, const uint8_t *data,
		     uint32_t bytes, struct sock_seal **fresh_p)
{
	uint8_t tag[SOCK_TAG];
	struct sock_seal *seal;
	uint64_t gen;

	memcpy(&gen, data + offsetof(struct sock_head, from), sizeof(gen));
	*fresh_p = NULL;
	seal = p && p->far == gen ? p->seal : NULL;
	if (!seal)
		seal = *fresh_p = seal_new(s, from, gen);
	if (seal)
		seal_tag(seal, data, bytes, tag);
	if (seal && !CRYPTO_memcmp(tag, data + bytes, SOCK_TAG))
		return true;
	sock_seal_close(*fresh_p);
	*fresh_p = NULL;
	return false;
}

static bool seal_mark(struct sock_peer *p, uint64_t count)
{
	uint64_t *word = &p->seen_bits[count % SOCK_SEEN / 64];
	uint64_t bit = UINT64_C(1) << count % 64;
	bool first = !(*word & bit);

	*word |= bit;
	return first;
}

bool sock_seal_first(struct sock_peer *p, uint64_t count)
{
	if (count <= p->seen)
		return p->seen - count < SOCK_SEEN && seal_mark(p, count);
	if (count - p->seen >= SOCK_SEEN) {
		memset(p->seen_bits, 0, sizeof(p->seen_bits));
	} else {
		for (uint64_t i = p->seen + 1; i < count; i++)
			p->seen_bits[i % SOCK_SEEN / 64] &=
				~(UINT64_C(1) << i % 64);
		p->seen_bits[count % SOCK_SEEN / 64] &=
			~(UINT64_C(1) << count % 64);
	}
	p->seen = count;
	return seal_mark(p, count);
}
