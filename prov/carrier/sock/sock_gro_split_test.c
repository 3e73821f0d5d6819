/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splitting of coalesced datagrams by the lengths in their headers, which an
 * unrelated process may forge with a valid CRC. Several datagrams in one UDP
 * datagram look to the carrier like datagrams that the kernel coalesced.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/sock/sock.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG = 200, WRONG = 400 };

struct forger {
	struct end to;
	int fd;
	_Alignas(8) uint8_t data[LONG + WRONG];
};

static void forger_open(struct forger *x, const char *key)
{
	struct weft_carrier_attr attr = { .key = key,
					  .key_bytes = key ? strlen(key) : 0 };

	memset(x, 0, sizeof(*x));
	T_OK(end_open(&x->to, &weft_carrier_sock, 1, &attr));
	x->fd = socket(t_family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
	T_TRUE(x->fd >= 0);
}

static void forger_close(struct forger *x)
{
	close(x->fd);
	end_close(&x->to);
}

static void forger_send(struct forger *x, size_t bytes)
{
	T_IS(sendto(x->fd, x->data, bytes, 0,
		    (const struct sockaddr *)&x->to.name, sizeof(x->to.name)),
	     bytes);
}

/*
 * Writes a datagram at `offset` with `length` in its header and a CRC over
 * `sum` bytes.
 */
static void forger_write(struct forger *x, uint32_t offset, enum sock_kind kind,
			 uint16_t length, uint32_t sum)
{
	struct sock_head *h = (void *)(x->data + offset);

	*h = (struct sock_head){ .magic = SOCK_MAGIC,
				 .from = 7,
				 .kind = (uint8_t)kind,
				 .bytes = length };
	h->crc = sock_crc(sock_of(x->to.c), h, sum);
}

static struct weft_carrier_stats stats_of(const struct end *e)
{
	struct weft_carrier_stats s;

	e->c->ops->stats(e->c, &s);
	return s;
}

static void until_refused(struct end *e, uint64_t want)
{
	struct t_limit limit;

	t_limit_set(&limit, 20);
	while (stats_of(e).refused < want) {
		e->c->ops->poll(e->c, 16);
		T_FALSE(t_limit_expired(&limit));
	}
	T_IS(stats_of(e).refused, want);
}

/*
 * The second datagram has invalid records: if it is split off and read, the
 * carrier reports the loss of its sender.
 */
static void coalesced_datagrams_are_split(void **state)
{
	struct forger x;

	forger_open(&x, NULL);
	memset(x.data, 0xff, sizeof(x.data));
	forger_write(&x, 0, SOCK_HELLO, LONG, LONG);
	forger_write(&x, LONG, SOCK_DATA, WRONG, WRONG);
	forger_send(&x, LONG + WRONG);
	T_TRUE(end_wait_lost(&x.to, 1, 20));
	T_IS(x.to.lost_err, EPROTO);
	T_IS(stats_of(&x.to).refused, 1);
	forger_close(&x);
}

/*
 * A datagram with a wrong length is refused, and the rest of the coalesced
 * buffer is dropped. The next datagram has invalid records: if it were read,
 * the carrier would report the loss of its sender.
 */
static void datagram_with_wrong_length_is_dropped(void **state)
{
	static const struct {
		uint16_t length;
		uint16_t sum;
		/* bytes sent: truncated, or with another datagram */
		uint16_t sent;
	} bad_length[] = {
		{ 0, LONG, LONG },
		{ 1, LONG, LONG },
		{ 63, 63, LONG },
		{ LONG - 8, LONG, LONG },
		{ LONG + 8, LONG, LONG },
		{ UINT16_MAX, LONG, LONG },
		/*
		 * valid only with the previous datagram's bytes, which are
		 * still in the buffer
		 */
		{ LONG, LONG, LONG / 2 },
		{ LONG, LONG, 63 },
		{ LONG, LONG, 1 },
		{ 0, LONG, LONG + WRONG },
		{ 63, 63, LONG + WRONG },
		{ LONG - 8, LONG, LONG + WRONG },
		{ LONG + 8, LONG, LONG + WRONG },
		{ LONG + WRONG + 8, LONG, LONG + WRONG },
		{ UINT16_MAX, LONG, LONG + WRONG },
	};
	struct forger x;

	forger_open(&x, NULL);
	memset(x.data, 0xff, sizeof(x.data));
	forger_write(&x, LONG, SOCK_DATA, WRONG, WRONG);
	for (size_t i = 0; i < WEFT_COUNT_OF(bad_length); i++) {
		/* send a datagram with a wrong CRC first */
		forger_write(&x, 0, SOCK_DATA, LONG, LONG / 2);
		forger_send(&x, LONG);
		until_refused(&x.to, 2 * i + 1);
		forger_write(&x, 0, SOCK_DATA, bad_length[i].length,
			     bad_length[i].sum);
		forger_send(&x, bad_length[i].sent);
		until_refused(&x.to, 2 * i + 2);
	}
	x.to.c->ops->poll(x.to.c, 16);
	T_IS(x.to.lost, 0);
	forger_close(&x);
}

/* With a key, the length is checked before the tag is read. */
static void a_signed_datagram_shorter_than_its_tag_is_dropped(void **state)
{
	struct forger x;

	forger_open(&x, "secret");
	for (uint16_t length = SOCK_TAG; length < 64 + SOCK_TAG; length += 8) {
		forger_write(&x, 0, SOCK_HELLO, length, length - SOCK_TAG);
		forger_send(&x, LONG);
		until_refused(&x.to, length / 8 - 1);
	}
	T_IS(stats_of(&x.to).forged, 0);
	forger_write(&x, 0, SOCK_HELLO, 64 + SOCK_TAG, 64);
	forger_send(&x, 64 + SOCK_TAG);
	until_refused(&x.to, stats_of(&x.to).refused + 1);
	T_IS(stats_of(&x.to).forged, 1);
	forger_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(coalesced_datagrams_are_split),
		T_CASE(datagram_with_wrong_length_is_dropped),
		T_CASE(a_signed_datagram_shorter_than_its_tag_is_dropped),
	};

	return T_RUN(tests);
}
