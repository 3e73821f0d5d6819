/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Authentication (AES-128-GMAC) and encryption (AES-128-GCM) of datagrams. Each
 * direction between two incarnations has its own key (sock_keys.c). The nonce
 * is the sender's datagram counter for this receiver; it is in the header and
 * never repeats under one key. Replay protection: the receiver records the
 * latest counter value and the 4095 before it, and rejects older values.
 */
#include "prov/carrier/sock/sock.h"
#include "prov/code/code_ghash.h"

#include <openssl/evp.h>
#include <openssl/modes.h>
#include <stdlib.h>
#include <string.h>

#define SEAL_NONCE 12u
#define SEAL_MASKS 16u

/*
 * With encryption, all bytes after the header are encrypted; the header except
 * its first word, the CRC, is GCM's additional authenticated data.
 *
 * GMAC is computed with OpenSSL's block cipher, since OpenSSL's EVP interface
 * for GMAC takes four times as long for a small datagram. If the processor
 * supports carry-less multiplication, GHASH is computed by code_ghash.h, and
 * OpenSSL encrypts the nonces, SEAL_MASKS consecutive nonces at once; the tag
 * is identical.
 */
struct sock_seal {
	EVP_CIPHER_CTX *aes;
	GCM128_CONTEXT *mac;
	/* context for encryption, used instead of aes and mac */
	EVP_CIPHER_CTX *gcm;
	bool own_ghash;
	uint64_t masked; /* datagram count to which mask[0] belongs */
	uint8_t mask[SEAL_MASKS][SOCK_TAG];
	struct weft_code_ghash ghash;
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
	memcpy(nonce, data + offsetof(struct sock_head, count), 8);
	memset(nonce + 8, 0, SEAL_NONCE - 8);
}

/*
 * Precomputes the encrypted nonces that mask the tags of datagram counts first
 * .. first + SEAL_MASKS - 1.
 */
static bool seal_masks(struct sock_seal *seal, uint64_t first)
{
	uint8_t nonce[SEAL_MASKS][SOCK_TAG] = { { 0 } };
	int n;

	for (uint32_t i = 0; i < SEAL_MASKS; i++) {
		uint64_t count = first + i;

		memcpy(nonce[i], &count, sizeof(count));
		nonce[i][SOCK_TAG - 1] = 1;
	}
	seal->masked = first;
	return EVP_EncryptUpdate(seal->aes, seal->mask[0], &n, nonce[0],
				 sizeof(nonce));
}

/* Uses code_ghash.h if the processor supports it. */
static void seal_init_ghash(struct sock_seal *seal)
{
	uint8_t h[SOCK_TAG] = { 0 };

	seal_block(h, h, seal);
	seal->own_ghash =
		weft_code_ghash_init(&seal->ghash, h) && seal_masks(seal, 0);
}

static bool seal_init(struct sock_seal *seal, const struct sock *s,
		      const uint8_t *key, bool sends)
{
	if (s->encrypts) {
		seal->gcm = EVP_CIPHER_CTX_new();
		return seal->gcm &&
		       EVP_CipherInit_ex(seal->gcm, EVP_aes_128_gcm(), NULL,
					 key, NULL, sends);
	}
	seal->aes = EVP_CIPHER_CTX_new();
	if (seal->aes &&
	    EVP_EncryptInit_ex(seal->aes, EVP_aes_128_ecb(), NULL, key, NULL) &&
	    EVP_CIPHER_CTX_set_padding(seal->aes, 0))
		seal->mac = CRYPTO_gcm128_new(seal, seal_block);
	if (seal->mac)
		seal_init_ghash(seal);
	return seal->mac;
}

struct sock_seal *sock_seal_new(const struct sock *s, const uint8_t key[16],
				bool sends)
{
	struct sock_seal *seal = calloc(1, sizeof(*seal));

	if (seal && seal_init(seal, s, key, sends))
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
	EVP_CIPHER_CTX_free(seal->gcm);
	OPENSSL_cleanse(seal, sizeof(*seal));
	free(seal);
}

static void seal_tag_ghash(struct sock_seal *seal, const uint8_t *data,
			   uint32_t bytes, uint8_t tag[SOCK_TAG])
{
	uint64_t count, sum[2], mask[2];

	memcpy(&count, data + offsetof(struct sock_head, count), sizeof(count));
	if (count - seal->masked >= SEAL_MASKS)
		seal_masks(seal, count & ~(uint64_t)(SEAL_MASKS - 1));
	weft_code_ghash(&seal->ghash, data + 4, bytes - 4, (uint8_t *)sum);
	memcpy(mask, seal->mask[count - seal->masked], sizeof(mask));
	sum[0] ^= mask[0];
	sum[1] ^= mask[1];
	memcpy(tag, sum, sizeof(sum));
}

/*
 * Computes the tag over all bytes except the CRC's word, since the CRC covers
 * the tag.
 */
static void seal_tag(struct sock_seal *seal, const uint8_t *data,
		     uint32_t bytes, uint8_t tag[SOCK_TAG])
{
	uint8_t nonce[SEAL_NONCE];

	if (seal->own_ghash) {
		seal_tag_ghash(seal, data, bytes, tag);
		return;
	}
	seal_nonce(nonce, data);
	CRYPTO_gcm128_setiv(seal->mac, nonce, SEAL_NONCE);
	CRYPTO_gcm128_aad(seal->mac, data + 4, bytes - 4);
	CRYPTO_gcm128_tag(seal->mac, tag, SOCK_TAG);
}

/*
 * GCM: authenticates the header, and encrypts or decrypts the other bytes in
 * place.
 */
static bool seal_crypt(struct sock_seal *seal, uint8_t *data, uint32_t bytes)
{
	uint8_t nonce[SEAL_NONCE];
	uint8_t *body = data + sizeof(struct sock_head);
	int rest = (int)(bytes - sizeof(struct sock_head));
	int n;

	seal_nonce(nonce, data);
	return EVP_CipherInit_ex(seal->gcm, NULL, NULL, NULL, nonce, -1) &&
	       EVP_CipherUpdate(seal->gcm, NULL, &n, data + 4,
				(int)sizeof(struct sock_head) - 4) &&
	       (!rest || EVP_CipherUpdate(seal->gcm, body, &n, body, rest));
}

static void seal_encrypt(struct sock_seal *seal, uint8_t *data, uint32_t bytes)
{
	uint8_t end[EVP_MAX_BLOCK_LENGTH];
	int n;

	/* a datagram that cannot be encrypted is zeroed, not disclosed */
	if (!seal_crypt(seal, data, bytes) ||
	    !EVP_CipherFinal_ex(seal->gcm, end, &n) ||
	    !EVP_CIPHER_CTX_ctrl(seal->gcm, EVP_CTRL_GCM_GET_TAG, SOCK_TAG,
				 data + bytes))
		memset(data, 0, bytes + SOCK_TAG);
}

/* Decrypts in place; returns whether the tag is valid. */
static bool seal_decrypt(struct sock_seal *seal, uint8_t *data, uint32_t bytes)
{
	uint8_t end[EVP_MAX_BLOCK_LENGTH];
	int n;

	return seal_crypt(seal, data, bytes) &&
	       EVP_CIPHER_CTX_ctrl(seal->gcm, EVP_CTRL_GCM_SET_TAG, SOCK_TAG,
				   data + bytes) &&
	       EVP_CipherFinal_ex(seal->gcm, end, &n) > 0;
}

static bool seal_tag_equal(struct sock_seal *seal, const uint8_t *data,
			   uint32_t bytes)
{
	uint8_t tag[SOCK_TAG];

	seal_tag(seal, data, bytes, tag);
	return !CRYPTO_memcmp(tag, data + bytes, SOCK_TAG);
}

void sock_seal_sign(const struct sock *s, struct sock_seal *seal, uint8_t *data,
		    uint32_t bytes)
{
	if (s->encrypts)
		seal_encrypt(seal, data, bytes);
	else
		seal_tag(seal, data, bytes, data + bytes);
}

bool sock_seal_verify(const struct sock *s, struct sock_seal *seal,
		      uint8_t *data, uint32_t bytes)
{
	return s->encrypts ? seal_decrypt(seal, data, bytes)
			   : seal_tag_equal(seal, data, bytes);
}

static bool seal_mark(struct sock_peer *p, uint64_t count)
{
	uint64_t *word = &p->replay_bits[count % SOCK_REPLAY_WINDOW / 64];
	uint64_t bit = UINT64_C(1) << count % 64;
	bool first = !(*word & bit);

	*word |= bit;
	return first;
}

bool sock_seal_count_is_new(struct sock_peer *p, uint64_t count)
{
	if (count <= p->seen)
		return p->seen - count < SOCK_REPLAY_WINDOW &&
		       seal_mark(p, count);
	if (count - p->seen >= SOCK_REPLAY_WINDOW) {
		memset(p->replay_bits, 0, sizeof(p->replay_bits));
	} else {
		for (uint64_t i = p->seen + 1; i < count; i++)
			p->replay_bits[i % SOCK_REPLAY_WINDOW / 64] &=
				~(UINT64_C(1) << i % 64);
		p->replay_bits[count % SOCK_REPLAY_WINDOW / 64] &=
			~(UINT64_C(1) << count % 64);
	}
	p->seen = count;
	return seal_mark(p, count);
}
