/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handshake of a connection (stream_int.h has its messages). Both sides prove
 * that they have the session's key by an HMAC over the connector's name, both
 * incarnations and a nonce of each side, so that a recorded handshake cannot be
 * replayed. Nothing is allocated for a peer that is not known from its
 * datagrams.
 */
#include "prov/carrier/stream/stream_int.h"
#include "src/job/job_log.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>
#include <sys/socket.h>

static uint16_t auth_mode(const struct stream *st)
{
	if (st->attr.encrypt)
		return STREAM_ENCRYPTED;
	return st->attr.tags ? STREAM_TAGGED : STREAM_OPEN;
}

/*
 * Computes HMAC-SHA-256(key, use, hello, nonce of the acceptor): the proof of
 * the acceptor ('B') and of the connector ('A'), or the key of the records
 * ('K'). Returns false if OpenSSL fails.
 */
static bool auth_hmac(const struct stream_conn *c, char use,
		      uint8_t out[STREAM_PROOF])
{
	uint8_t all[1 + sizeof(c->hello) + STREAM_NONCE];
	unsigned len;

	all[0] = (uint8_t)use;
	memcpy(all + 1, &c->hello, sizeof(c->hello));
	memcpy(all + 1 + sizeof(c->hello), c->answer.nonce, STREAM_NONCE);
	return HMAC(EVP_sha256(), c->peer->key, STREAM_KEY_BYTES, all,
		    sizeof(all), out, &len);
}

static bool auth_prove(const struct stream *st, const struct stream_conn *c,
		       char use, uint8_t out[STREAM_PROOF])
{
	memset(out, 0, STREAM_PROOF);
	return !st->attr.tags || auth_hmac(c, use, out);
}

static bool auth_check(const struct stream *st, const struct stream_conn *c,
		       char use, const uint8_t proof[STREAM_PROOF])
{
	uint8_t want[STREAM_PROOF];

	return auth_prove(st, c, use, want) &&
	       !CRYPTO_memcmp(want, proof, STREAM_PROOF);
}

/* Creates the context for the tags of the records. */
static int auth_seal(const struct stream *st, struct stream_conn *c)
{
	uint8_t key[STREAM_PROOF];

	if (!st->attr.tags)
		return 0;
	if (!auth_hmac(c, 'K', key))
		return -ENOMEM;
	c->seal = stream_seal_new(key, st->attr.encrypt, !c->incoming);
	OPENSSL_cleanse(key, sizeof(key));
	return c->seal ? 0 : -ENOMEM;
}

/*
 * Sends a message of the handshake at once: the socket buffer of a new
 * connection always has space for it.
 */
static int auth_send(const struct stream_conn *c, const void *data,
		     size_t bytes)
{
	ssize_t n = send(c->fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);

	return n == (ssize_t)bytes ? 0 : -ECONNRESET;
}

/* Returns 1: the message is complete; 0: not yet; or -errno. */
static int auth_receive(struct stream_conn *c, void *data, size_t bytes)
{
	ssize_t n = recv(c->fd, (uint8_t *)data + c->got, bytes - c->got,
			 MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return -ECONNRESET;
	c->got += (uint32_t)n;
	if (c->got < bytes)
		return 0;
	c->got = 0;
	return 1;
}

int stream_auth_hello(struct stream *st, struct stream_conn *c)
{
	c->hello = (struct stream_hello){
		.magic = STREAM_MAGIC,
		.mode = auth_mode(st),
		.port = st->attr.name.in.sin_port,
		.address = weft_name_ip(&st->attr.name),
		.from = st->attr.gen,
		.to = c->peer->gen,
	};
	if (RAND_bytes(c->hello.nonce, STREAM_NONCE) != 1)
		return -ENOMEM;
	c->state = STREAM_HELLO_SENT;
	return auth_send(c, &c->hello, sizeof(c->hello));
}

static int auth_connected(struct stream *st, struct stream_conn *c)
{
	socklen_t len = sizeof(int);
	int err = 0;
	union weft_name to;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len) || err)
		return -ECONNREFUSED;
	len = sizeof(to);
	if (getpeername(c->fd, &to.sa, &len))
		return 0;
	stream_conn_want(st, c, false);
	return stream_auth_hello(st, c);
}

/* Connector: checks the answer, then proves its own identity. */
static int auth_answered(struct stream *st, struct stream_conn *c)
{
	int ret = auth_receive(c, &c->answer, sizeof(c->answer));

	if (ret <= 0)
		return ret;
	if (!auth_check(st, c, 'B', c->answer.proof) ||
	    !auth_prove(st, c, 'A', c->proof))
		return -EACCES;
	ret = auth_seal(st, c);
	if (!ret)
		ret = auth_send(c, c->proof, sizeof(c->proof));
	return ret ? ret : 1;
}

/* Acceptor: returns whether the hello is valid, and finds the peer. */
static bool auth_known(struct stream *st, struct stream_conn *c)
{
	const struct stream_hello *h = &c->hello;
	union weft_name name = weft_name_make(h->address, h->port);

	if (h->magic != STREAM_MAGIC && !((h->magic ^ STREAM_MAGIC) >> 8))
		weft_log_other_version("stream: the connection of a peer",
				       (h->magic & 0xff) - '0',
				       (STREAM_MAGIC & 0xff) - '0');
	if (h->magic != STREAM_MAGIC || h->mode != auth_mode(st) ||
	    h->to != st->attr.gen ||
	    memcmp(&c->from, &h->address, sizeof(c->from)))
		return false;
	c->peer = st->attr.find(st->attr.arg, &name, h->from);
	return c->peer;
}

static int auth_hello_sent(struct stream *st, struct stream_conn *c)
{
	int ret = auth_receive(c, &c->hello, sizeof(c->hello));

	if (ret <= 0)
		return ret;
	if (!auth_known(st, c) ||
	    RAND_bytes(c->answer.nonce, STREAM_NONCE) != 1 ||
	    !auth_prove(st, c, 'B', c->answer.proof))
		return -EACCES;
	c->state = STREAM_ANSWERED;
	return auth_send(c, &c->answer, sizeof(c->answer));
}

static int auth_proved(struct stream *st, struct stream_conn *c)
{
	int ret = auth_receive(c, c->proof, sizeof(c->proof));

	if (ret <= 0)
		return ret;
	if (!auth_check(st, c, 'A', c->proof))
		return -EACCES;
	ret = auth_seal(st, c);
	return ret ? ret : 1;
}

int stream_auth_run(struct stream *st, struct stream_conn *c)
{
	switch (c->state) {
	case STREAM_CONNECTING:
		return auth_connected(st, c);
	case STREAM_HELLO_SENT:
		return auth_answered(st, c);
	case STREAM_ACCEPTED:
		return auth_hello_sent(st, c);
	case STREAM_ANSWERED:
		return auth_proved(st, c);
	default:
		return -EPROTO;
	}
}
