/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key agreement. An endpoint with a key creates an X25519 key pair when it is
 * opened. At first contact both sides exchange their public halves, in a HELLO
 * and in the ACK that answers it, each with a tag of
 *
 *   HMAC-SHA-256(job key, sender's name, receiver's name, datagram)
 *
 * so that only a process that has the job key (attr.key) can take part, and a
 * datagram is valid only for this sender and this receiver. Then both derive
 *
 *   secret        = HMAC-SHA-256(job key, X25519(own half, peer's half))
 *   A's data to B = HMAC-SHA-256(secret, label, A, B)   first 16 bytes
 *   B's data to A = HMAC-SHA-256(secret, label, B, A)
 *
 * (HKDF of RFC 5869 with one block), where A and B are name, incarnation and
 * public key. Each direction of each pair has its own key, a new incarnation
 * has new keys, and a job key that is disclosed later does not decrypt old
 * traffic.
 */
#include "prov/carrier/sock/sock.h"
#include "src/base/log.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#define KEYS_SHA      32u
#define KEYS_NAME     18u /* bytes of an address (struct weft_ip) and port */
/* minimum interval between answers to stray datagrams, ns */
#define KEYS_STRAY_NS UINT64_C(1000000)

static bool keys_hmac(const uint8_t key[KEYS_SHA], const void *data,
		      size_t bytes, uint8_t out[KEYS_SHA])
{
	unsigned len;

	return HMAC(EVP_sha256(), key, KEYS_SHA, data, bytes, out, &len);
}

static uint8_t *keys_name(uint8_t *to, const union weft_name *name)
{
	const struct weft_ip ip = weft_name_ip(name);

	memcpy(to, &ip, sizeof(ip));
	memcpy(to + sizeof(ip), &name->in.sin_port, 2);
	return to + KEYS_NAME;
}

static int keys_pair(struct sock *s)
{
	size_t bytes = sizeof(s->public);

	s->pair = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
	if (s->pair &&
	    EVP_PKEY_get_raw_public_key(s->pair, s->public, &bytes) > 0)
		return 0;
	weft_log(WEFT_LOG_ERROR,
		 "sock: OpenSSL cannot create an X25519 key pair");
	return -ENOMEM;
}

int sock_keys_open(struct sock *s, const struct weft_carrier_attr *attr)
{
	/*
	 * Endpoints with and without encryption derive different keys, so that
	 * they reject each other's datagrams.
	 */
	const char *use = attr->encrypt ? "weft sock 5 secret" : "weft sock 5";
	unsigned len;

	if (!attr->key_bytes && attr->encrypt) {
		weft_log(WEFT_LOG_ERROR,
			 "sock: FI_WEFT_ENCRYPT needs a key; set FI_WEFT_KEY");
		return -EACCES;
	}
	if (!attr->key_bytes)
		return 0;
	if (!HMAC(EVP_sha256(), attr->key, (int)attr->key_bytes,
		  (const uint8_t *)use, strlen(use), s->key, &len))
		return -ENOMEM;
	s->encrypts = attr->encrypt;
	s->tag = SOCK_TAG;
	return keys_pair(s);
}

void sock_keys_close(struct sock *s)
{
	EVP_PKEY_free(s->pair);
	s->pair = NULL;
	OPENSSL_cleanse(s->key, sizeof(s->key));
}

/* ---- first contact ------------------------------------------------------- */

/*
 * Computes the tag of a SOCK_PUBLIC datagram over all bytes except the CRC's
 * word, since the CRC covers the tag.
 */
static bool keys_tag(const struct sock *s, const union weft_name *from,
		     const union weft_name *to, const uint8_t *data,
		     uint8_t out[KEYS_SHA])
{
	uint8_t all[2 * KEYS_NAME + sizeof(struct sock_head) - 4 +
		    SOCK_PUBLIC_BYTES];

	memcpy(keys_name(keys_name(all, from), to), data + 4,
	       sizeof(all) - 2 * (size_t)KEYS_NAME);
	return keys_hmac(s->key, all, sizeof(all), out);
}

void sock_keys_sign(const struct sock *s, const union weft_name *to,
		    uint8_t *data, uint32_t bytes)
{
	uint8_t tag[KEYS_SHA] = { 0 };

	/*
	 * if the tag cannot be computed, it is wrong, and the receiver drops
	 * the datagram as if it were lost
	 */
	keys_tag(s, &s->name, to, data, tag);
	memcpy(data + bytes, tag, SOCK_TAG);
}

bool sock_keys_verify(const struct sock *s, const union weft_name *from,
		      const uint8_t *data, uint32_t bytes)
{
	uint8_t tag[KEYS_SHA];

	return keys_tag(s, from, &s->name, data, tag) &&
	       !CRYPTO_memcmp(tag, data + bytes, SOCK_TAG);
}

void sock_keys_answer_stray(struct sock *s, const union weft_name *to,
			    uint64_t remote_gen)
{
	struct {
		struct sock_head head;
		uint8_t public[SOCK_PUBLIC_BYTES];
		uint8_t tag[SOCK_TAG];
	} d = { .head = { .magic = SOCK_MAGIC,
			  .from = s->gen,
			  .to = remote_gen,
			  .kind = SOCK_ACK,
			  .flags = SOCK_PUBLIC,
			  .bytes = sizeof(d) } };
	const uint32_t bytes = sizeof(d) - sizeof(d.tag);

	if (s->dead || s->now - s->stray_answer_ns < KEYS_STRAY_NS)
		return;
	s->stray_answer_ns = s->now;
	memcpy(d.public, s->public, sizeof(d.public));
	sock_keys_sign(s, to, (uint8_t *)&d, bytes);
	d.head.crc = sock_crc(s, &d, bytes);
	sock_io_send_one(s, to, &d, sizeof(d));
}

/* ---- session keys -------------------------------------------------------- */

/* One side of a session, as input of the key derivation in both processes. */
struct keys_side {
	const union weft_name *name;
	uint64_t gen;
	const uint8_t *public;
};

#define KEYS_SIDE (KEYS_NAME + 8u + SOCK_PUBLIC_BYTES)

static uint8_t *keys_side(uint8_t *to, const struct keys_side *side)
{
	to = keys_name(to, side->name);
	memcpy(to, &side->gen, 8);
	memcpy(to + 8, side->public, SOCK_PUBLIC_BYTES);
	return to + 8 + SOCK_PUBLIC_BYTES;
}

/* Returns the context for tags of one direction; NULL: no memory. */
static struct sock_seal *keys_seal(const struct sock *s,
				   const uint8_t secret[KEYS_SHA],
				   const struct keys_side *from,
				   const struct keys_side *to, bool sends)
{
	static const char label[16] = "weft sock 5 data";
	uint8_t info[sizeof(label) + 2 * KEYS_SIDE + 1];
	uint8_t key[KEYS_SHA];
	struct sock_seal *seal = NULL;

	memcpy(info, label, sizeof(label));
	*keys_side(keys_side(info + sizeof(label), from), to) = 1;
	if (keys_hmac(secret, info, sizeof(info), key))
		seal = sock_seal_new(s, key, sends);
	OPENSSL_cleanse(key, sizeof(key));
	return seal;
}

/*
 * Computes X25519 of this endpoint's private key and the peer's public key;
 * returns false if the public key is invalid.
 */
static bool keys_shared(const struct sock *s, const uint8_t *public,
			uint8_t shared[SOCK_PUBLIC_BYTES])
{
	EVP_PKEY *peer_key = EVP_PKEY_new_raw_public_key(
		EVP_PKEY_X25519, NULL, public, SOCK_PUBLIC_BYTES);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(s->pair, NULL);
	size_t bytes = SOCK_PUBLIC_BYTES;
	bool ok = peer_key && ctx && EVP_PKEY_derive_init(ctx) > 0 &&
		  EVP_PKEY_derive_set_peer(ctx, peer_key) > 0 &&
		  EVP_PKEY_derive(ctx, shared, &bytes) > 0;

	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(peer_key);
	return ok;
}

/* Derives the key that authenticates streams between the two endpoints. */
static bool keys_stream(struct sock_peer *p, const uint8_t secret[KEYS_SHA])
{
	static const char label[] = "weft sock 5 stream";

	static_assert(STREAM_KEY_BYTES == KEYS_SHA, "one HMAC");
	return keys_hmac(secret, label, sizeof(label) - 1, p->stream.key);
}

bool sock_keys_agree(struct sock *s, struct sock_peer *p, uint64_t remote_gen,
		     const uint8_t public[SOCK_PUBLIC_BYTES])
{
	const struct keys_side ours = { &s->name, s->gen, s->public };
	const struct keys_side theirs = { &p->name, remote_gen, public };
	uint8_t shared[SOCK_PUBLIC_BYTES];
	uint8_t secret[KEYS_SHA];
	bool ok;

	/* refuse this endpoint's own public key: a reflection attack */
	if (p->self || !memcmp(public, s->public, SOCK_PUBLIC_BYTES) ||
	    !keys_shared(s, public, shared) ||
	    !keys_hmac(s->key, shared, sizeof(shared), secret))
		return false;
	sock_seal_close(p->seal);
	sock_seal_close(p->own_seal);
	p->seal = keys_seal(s, secret, &theirs, &ours, false);
	p->own_seal = keys_seal(s, secret, &ours, &theirs, true);
	ok = keys_stream(p, secret);
	OPENSSL_cleanse(shared, sizeof(shared));
	OPENSSL_cleanse(secret, sizeof(secret));
	memcpy(p->public, public, SOCK_PUBLIC_BYTES);
	return ok && p->seal && p->own_seal;
}
