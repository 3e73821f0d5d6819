/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An attacker, for test/multihost/hosts_access.sh.
 *
 *   join OUT     another user of a host, with the environment of rank 1,
 *                claims the owner's user number, joins the PMIx server of the
 *                job and writes the data that rank 0 has published to OUT;
 *                then sends datagrams to rank 0, signed with this data, and
 *                keeps running. Prints "joined", or "refused" if it cannot
 *                join, or another error.
 *   listen OUT   writes every packet that it receives on any interface to
 *                OUT, until it is ended. Prints "listening".
 *   check KEYFILE STOLEN WIRE   exit code 0: neither the user's key nor the
 *                job's key, as the ranks derive it, is in STOLEN or in WIRE,
 *                and the published data is in both.
 */
#include "prov/carrier/sock/sock_layout.h"
#include "prov/wire/wire_name.h"
#include "src/base/attr.h"
#include "src/boot/boot_format.h"

#include <pmix.h>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OTHER_USER 65534
#define SHA	   32

/* Data that rank 0 publishes (boot_secret.c). */
struct offer {
	uint8_t mode, nonce[SHA], check[SHA];
};

/* Content of the file STOLEN. */
struct stolen {
	char job[PMIX_MAX_NSLEN + 1];
	struct offer offer;
	uint8_t address[256];
};

/*
 * Overrides geteuid(), which PMIx uses: reports the owner of the attacked job.
 */
WEFT_EXPORT uid_t geteuid(void)
{
	return 0;
}

WEFT_EXPORT uid_t getuid(void)
{
	return 0;
}

WEFT_EXPORT gid_t getegid(void)
{
	return 0;
}

WEFT_EXPORT gid_t getgid(void)
{
	return 0;
}

static void hmac(const void *key, size_t key_len, const void *data, size_t len,
		 uint8_t out[SHA])
{
	unsigned n;

	HMAC(EVP_sha256(), key, (int)key_len, data, len, out, &n);
}

/* ---- join ---------------------------------------------------------------- */

static bool steal(const pmix_proc_t *me, uint32_t rank, const char *key,
		  void *out, size_t room)
{
	const size_t head = WEFT_FORMAT_RECORD;
	pmix_proc_t p;
	pmix_value_t *v;
	bool ok;

	PMIX_LOAD_PROCID(&p, me->nspace, rank);
	if (PMIx_Get(&p, key, NULL, 0, &v) != PMIX_SUCCESS)
		return false;
	ok = v->type == PMIX_BYTE_OBJECT && v->data.bo.size >= head &&
	     v->data.bo.size - head <= room;
	if (ok)
		memcpy(out, v->data.bo.bytes + head, v->data.bo.size - head);
	return ok;
}

static uint32_t crc32c(uint32_t crc, const uint8_t *d, size_t n)
{
	crc = ~crc;
	while (n--) {
		crc ^= *d++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return ~crc;
}

#define NAME 18 /* bytes of an address and a port */

static void write_name(uint8_t *text, const union weft_name *n)
{
	const struct weft_ip ip = weft_name_ip(n);

	memcpy(text, &ip, sizeof(ip));
	memcpy(text + sizeof(ip), &n->in.sin_port, 2);
}

/*
 * Sends a first-contact datagram that is valid except for its key; each
 * published value is tried as the key.
 */
static void forge(int fd, const union weft_name *from,
		  const union weft_name *to, const void *key)
{
	struct {
		struct sock_head head;
		uint8_t public[SOCK_PUBLIC_BYTES], tag[SOCK_TAG];
	} d = { .head = { .magic = SOCK_MAGIC,
			  .from = UINT64_MAX / 2,
			  .kind = SOCK_HELLO,
			  .flags = SOCK_PUBLIC,
			  .bytes = sizeof(d),
			  .count = 1 },
		.public = { 9 } };
	const size_t covered = sizeof(d) - SOCK_TAG - 4;
	uint8_t text[2 * NAME + sizeof(d)], use[SHA], tag[SHA];

	write_name(text, from);
	write_name(text + NAME, to);
	memcpy(text + 2 * NAME, (uint8_t *)&d + 4, covered);
	hmac(key, SHA, "weft sock 5", 11, use);
	hmac(use, SHA, text, 2 * NAME + covered, tag);
	memcpy(d.tag, tag, SOCK_TAG);
	d.head.crc = crc32c(0, (uint8_t *)&d + 4, sizeof(d.head) - 4);
	d.head.crc = crc32c(d.head.crc, d.tag, SOCK_TAG);
	sendto(fd, &d, sizeof(d), 0, &to->sa, weft_name_bytes(to));
}

static void forge_all(const struct stolen *s)
{
	union weft_name from, to;
	socklen_t len = sizeof(from);
	int fd;

	memcpy(&to, s->address, sizeof(to));
	weft_name_hint_set(&to, 0);
	fd = socket(to.sa.sa_family, SOCK_DGRAM, 0);
	if (connect(fd, &to.sa, weft_name_bytes(&to)) ||
	    getsockname(fd, &from.sa, &len))
		return;
	forge(fd, &from, &to, s->offer.nonce);
	forge(fd, &from, &to, s->offer.check);
}

static int join_job(const char *out)
{
	static struct stolen s;
	pmix_proc_t me;
	FILE *f = fopen(out, "w");

	if (!f || setgid(OTHER_USER) || setuid(OTHER_USER))
		return 2;
	if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS) {
		puts("refused");
		return 1;
	}
	if (!steal(&me, 0, "weft.ep", s.address, sizeof(s.address)) ||
	    !steal(&me, 0, "weft.job", &s.offer, sizeof(s.offer))) {
		puts("joined, and other things are published than expected");
		return 1;
	}
	strcpy(s.job, me.nspace);
	fwrite(&s, sizeof(s), 1, f);
	fclose(f);
	forge_all(&s);
	puts("joined");
	fflush(stdout);
	for (;;)
		pause();
}

/* ---- listen -------------------------------------------------------------- */

static int listen_all(const char *out)
{
	static uint8_t packet[65536];
	FILE *f = fopen(out, "w");
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	ssize_t n;

	if (!f || fd < 0)
		return 2;
	puts("listening");
	fflush(stdout);
	while ((n = recv(fd, packet, sizeof(packet), 0)) > 0) {
		fwrite(packet, (size_t)n, 1, f);
		fflush(f);
	}
	return 0;
}

/* ---- check --------------------------------------------------------------- */

struct bytes {
	uint8_t *data;
	size_t len;
};

static struct bytes load(const char *path)
{
	struct bytes b = { .data = malloc(64 << 20) };
	FILE *f = fopen(path, "r");

	if (f && b.data) {
		b.len = fread(b.data, 1, 64 << 20, f);
		fclose(f);
	}
	return b;
}

static void derive(const uint8_t key[SHA], const char *use,
		   const struct stolen *s, uint8_t out[SHA])
{
	uint8_t text[512] = { 0 };
	size_t at = strlen(use) + 1;

	memcpy(text, use, at);
	strcpy((char *)text + at, s->job);
	at += strlen(s->job) + 1;
	memcpy(text + at, s->offer.nonce, SHA);
	hmac(key, SHA, text, at + SHA, out);
}

static int has(const struct bytes *b, const void *what, size_t len,
	       const char *name, bool want)
{
	bool found = memmem(b->data, b->len, what, len);

	if (found != want)
		printf("%s: %s\n", name, found ? "found" : "not found");
	return found != want;
}

static int check(const char *keyfile, const char *stolen, const char *wire)
{
	struct bytes k = load(keyfile), s = load(stolen), w = load(wire);
	const struct stolen *st = (const void *)s.data;
	const struct bytes *at[] = { &s, &w };
	uint8_t key[SHA], job[SHA], tag[SHA], sum[SHA];
	int bad = 0;

	if (k.len != 65 || s.len != sizeof(*st))
		return 2;
	for (int i = 0; i < SHA; i++)
		sscanf((char *)k.data + 2 * i, "%2hhx", &key[i]);
	derive(key, "key", st, job);
	derive(key, "tag", st, tag);
	derive(key, "check", st, sum);
	/* if this differs, the keys above are not the keys of the job */
	if (memcmp(sum, st->offer.check, SHA)) {
		puts("the published check differs from the derived one");
		bad = 1;
	}
	for (size_t i = 0; i < WEFT_COUNT_OF(at); i++) {
		bad |= has(at[i], st->offer.nonce, SHA, "the nonce", true);
		bad |= has(at[i], k.data, 16, "the key file", false);
		bad |= has(at[i], key, 8, "the user's key", false);
		bad |= has(at[i], job, 8, "the job's key", false);
		bad |= has(at[i], tag, 8, "the key of tags", false);
	}
	return bad;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "join"))
		return join_job(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "listen"))
		return listen_all(argv[2]);
	return argc == 5 ? check(argv[2], argv[3], argv[4]) : 2;
}
