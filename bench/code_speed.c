/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the codes on one core:
 *
 *   code_speed [SECONDS]          seconds per row, default 0.2
 *
 * Prints decimal megabytes of payload per second of this process's CPU time:
 * the best of eight parts, because the host may be shared. Short buffers stay
 * in the cache, as a newly built packet does.
 */
#include "prov/code/code_8b10b.h"
#include "prov/code/code_crc.h"
#include "prov/code/code_ghash.h"
#include "prov/code/code_hamming.h"
#include "prov/code/code_rs.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Processes the payload once; the result prevents the compiler from removing
 * the work.
 */
typedef uint64_t work_fn(const void *code, const unsigned char *buf,
			 size_t len);

static unsigned char buf[1 << 20];

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns megabytes per second. */
static double speed(work_fn *work, const void *code, size_t len, double part)
{
	volatile uint64_t sink;
	double best = 0;

	for (int i = 0; i < 8; i++) {
		double start = cpu_seconds(), now;
		unsigned long long done = 0;

		do {
			for (int n = 0; n < 64; n++)
				sink = work(code, buf, len);
			done += 64 * len;
			now = cpu_seconds();
		} while (now - start < part);
		(void)sink;
		if ((double)done / (now - start) > best)
			best = (double)done / (now - start);
	}
	return best / 1e6;
}

static uint64_t crc(const void *code, const unsigned char *p, size_t len)
{
	return weft_code_crc(code, 0, p, len);
}

static void crc_rows(double part)
{
	static const char *const name[] = { "CRC-16", "CRC-32", "CRC-32C" };
	static const size_t size[] = { 32, 96, 512, 4096, 65536 };
	static struct weft_code_crc fast, tables;

	printf("%-10s%-10s", "code", "how");
	for (int i = 0; i < 5; i++)
		printf("%7zu B", size[i]);
	printf("  MB/s\n");
	for (int k = 0; k < 3; k++) {
		const struct weft_code_crc *variant[] = { &tables, &fast };

		weft_code_crc_init(&fast, (enum weft_code_crc_kind)k);
		weft_code_crc_init_tables(&tables, (enum weft_code_crc_kind)k);
		for (int w = 0; w < 2; w++) {
			printf("%-10s%-10s", name[k], variant[w]->how);
			for (int i = 0; i < 5; i++)
				printf("%9.0f",
				       speed(crc, variant[w], size[i], part));
			printf("\n");
		}
	}
}

static uint64_t ghash(const void *code, const unsigned char *p, size_t len)
{
	uint64_t sum[2];

	weft_code_ghash(code, p, len, (uint8_t *)sum);
	return sum[0];
}

/* OpenSSL's GMAC: GHASH, and one block of AES. */
static uint64_t gmac(const void *code, const unsigned char *p, size_t len)
{
	EVP_CIPHER_CTX *c = (void *)(uintptr_t)code;
	static const unsigned char nonce[12];
	unsigned char end[16];
	uint64_t tag[2];
	int n;

	EVP_EncryptInit_ex(c, NULL, NULL, NULL, nonce);
	EVP_EncryptUpdate(c, NULL, &n, p, (int)len);
	EVP_EncryptFinal_ex(c, end, &n);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, 16, tag);
	return tag[0];
}

static void ghash_rows(double part)
{
	static const size_t size[] = { 60, 1452, 8192, 65536 };
	static const unsigned char key[16] = { 1 };
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	static struct weft_code_ghash g;
	bool ours = weft_code_ghash_init(&g, key);

	EVP_EncryptInit_ex(c, EVP_aes_128_gcm(), NULL, key, NULL);
	printf("\n%-20s", "GHASH");
	for (int i = 0; i < 4; i++)
		printf("%7zu B", size[i]);
	printf("  MB/s\n%-20s", "OpenSSL's GMAC");
	for (int i = 0; i < 4; i++)
		printf("%9.0f", speed(gmac, c, size[i], part));
	printf("\n%-20s", ours ? "prov/code" : "prov/code: none");
	for (int i = 0; ours && i < 4; i++)
		printf("%9.0f", speed(ghash, &g, size[i], part));
	printf("\n");
	EVP_CIPHER_CTX_free(c);
}

static uint64_t rs_encode(const void *code, const unsigned char *p, size_t len)
{
	return weft_code_rs_encode(code, p, (unsigned)(8 * len)).w[0];
}

/* Corrects seven wrong symbols in place in each call. */
static uint64_t rs_correct(const void *code, const unsigned char *p, size_t len)
{
	static struct weft_code_rs_checks checks;
	static unsigned char copy[1024];

	if (!checks.w[0]) {
		memcpy(copy, p, len);
		checks = weft_code_rs_encode(code, p, (unsigned)(8 * len));
	}
	for (size_t i = 0; i < 7; i++)
		copy[90 * i] ^= 1;
	return (uint64_t)weft_code_rs_correct(code, copy, (unsigned)(8 * len),
					      &checks);
}

static void rs_rows(double part)
{
	static struct weft_code_rs rs;

	printf("\n%-34s  MB/s\n", "Reed-Solomon, symbols of 10 bits");
	weft_code_rs_init(&rs, 14);
	printf("%-34s%6.0f\n", "(528,514) encode, 642 B",
	       speed(rs_encode, &rs, 642, part));
	printf("%-34s%6.1f\n", "(528,514) correct 7 symbols",
	       speed(rs_correct, &rs, 642, part));
	weft_code_rs_init(&rs, 5);
	printf("%-34s%6.0f\n", "5 checks of a packet, 544 B",
	       speed(rs_encode, &rs, 544, part));
}

static uint64_t secded(const void *code, const unsigned char *p, size_t len)
{
	uint64_t word, sum = 0;

	for (size_t i = 0; i < len; i += 8) {
		memcpy(&word, p + i, 8);
		sum += weft_code_secded(word);
	}
	return sum;
}

static uint64_t eight_ten(const void *code, const unsigned char *p, size_t len)
{
	uint64_t sum = 0;
	bool plus = false;

	for (size_t i = 0; i < len; i++)
		sum += weft_code_8b10b_encode(code, p[i], &plus);
	return sum;
}

static void other_rows(double part)
{
	static struct weft_code_8b10b t;

	weft_code_8b10b_init(&t);
	printf("\n%-34s  MB/s\n", "others");
	printf("%-34s%6.0f\n", "SECDED (72,64), 512 B",
	       speed(secded, NULL, 512, part));
	printf("%-34s%6.0f\n", "8b/10b, 512 B",
	       speed(eight_ten, &t, 512, part));
}

int main(int argc, char **argv)
{
	double part = (argc > 1 ? atof(argv[1]) : 0.2) / 8;

	memset(buf, 0x5a, sizeof(buf));
	crc_rows(part);
	ghash_rows(part);
	rs_rows(part);
	other_rows(part);
	return 0;
}
