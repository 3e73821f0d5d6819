/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job's key (boot_secret.h).
 *
 *   published by rank 0:  mode, nonce, check
 *   check   = HMAC-SHA-256(user's secret, "check", job, nonce)
 *   job key = HMAC-SHA-256(user's secret, "key", job, nonce)
 *   tag key = HMAC-SHA-256(user's secret, "tag", job, nonce)
 *
 * A spawned job derives the job key from the offer of its parents, which it
 * gets in WEFT_PARENT_KEY, and its tag key from the offer of its own rank 0:
 * an address with a tag of the parents is not valid in the spawned job.
 *
 * Each rank compares the check value with the check value that it computes from
 * its own secret, so that hosts with different key files fail in MPI_Init. In
 * mode OPEN the nonce is the key; this mode is used if the launcher is Weft's
 * mpiexec, or if no rank has a secret. A rank that has a secret never takes
 * part in mode OPEN, whatever the PMIx server returns.
 */
#include "src/boot/boot_secret.h"

#include "src/os/keyfile.h"
#include "src/job/job_log.h"
#include "src/core/core_opts.h"
#include "src/boot/boot_pmix.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SECRET_TEXT_MIN 16u
/* largest name of a job with its final zero byte (PMIx: 255 characters) */
#define SECRET_JOB_MAX	256u
/* largest number of bytes of FI_WEFT_KEY that are used */
#define SECRET_TEXT_MAX 4096u

enum secret_mode {
	SECRET_OPEN = 1, /* the nonce is the key */
	SECRET_USER,
};

struct secret_offer {
	uint8_t mode;
	uint8_t nonce[WEFT_SECRET_KEY];
	uint8_t check[WEFT_SECRET_KEY];
};

/* An offer, and the name of the job whose rank 0 has made it. */
struct secret_source {
	struct secret_offer offer; /* mode 0: none */
	char job[SECRET_JOB_MAX];
};

struct secret_user {
	uint8_t bytes[SECRET_TEXT_MAX];
	size_t len; /* length of the secret, bytes; 0: the user has no secret */
	/* source of the secret, or the reason why there is none */
	char what[WEFT_KEYFILE_WHY];
};

static uint8_t tag_key[WEFT_SECRET_KEY];
static bool signs;
/* source of the key of this job and of the jobs that it spawns */
static struct secret_source family;
static bool has_parents; /* `family` is the source of the parents */
static uint32_t key_id;

/* ---- the user's secret --------------------------------------------------- */

static int secret_file(struct secret_user *u)
{
	const char *want =
		weft_cfg_get(&weft_core_opts[WEFT_OPT_KEY_FILE]).text;
	char path[PATH_MAX];
	char why[WEFT_KEYFILE_WHY];
	int err = 0;

	if (*want)
		snprintf(path, sizeof(path), "%s", want);
	else
		err = weft_keyfile_path(path, sizeof(path));
	if (err) {
		snprintf(u->what, sizeof(u->what),
			 "the user has no home directory for a key file");
		return 0;
	}
	err = weft_keyfile_get(path, u->bytes, why);
	if (err && err != -ENOENT) {
		weft_log_once(WEFT_LOG_ERROR, "%s", why);
		return -EACCES;
	}
	u->len = err ? 0 : WEFT_KEYFILE_BYTES;
	snprintf(u->what, sizeof(u->what), "%s%.900s", err ? "" : "key file ",
		 err ? why : path);
	return 0;
}

/* Finds the user's secret. Returns 0; -EACCES: it cannot be trusted. */
static int secret_find(struct secret_user *u)
{
	const char *text = getenv("FI_WEFT_KEY");

	u->len = 0;
	if (!text || !*text)
		return secret_file(u);
	u->len = strnlen(text, sizeof(u->bytes));
	if (u->len < SECRET_TEXT_MIN) {
		weft_log_once(WEFT_LOG_ERROR,
			      "FI_WEFT_KEY has %zu characters, at least %u are "
			      "needed; FI_WEFT_KEY=none disables signing",
			      u->len, SECRET_TEXT_MIN);
		return -EACCES;
	}
	memcpy(u->bytes, text, u->len);
	snprintf(u->what, sizeof(u->what), "FI_WEFT_KEY");
	return 0;
}

/* ---- the job's key ------------------------------------------------------- */

static bool secret_derive(const struct secret_user *u, const char *use,
			  const struct secret_source *s,
			  uint8_t out[WEFT_SECRET_KEY])
{
	uint8_t text[512] = { 0 };
	size_t pos = strlen(use) + 1, job = strlen(s->job);
	unsigned len;

	/* strings are copied with their terminating zero byte */
	memcpy(text, use, pos);
	memcpy(text + pos, s->job, job);
	pos += job + 1;
	memcpy(text + pos, s->offer.nonce, sizeof(s->offer.nonce));
	pos += sizeof(s->offer.nonce);
	return HMAC(EVP_sha256(), u->bytes, (int)u->len, text, pos, out, &len);
}

static int secret_offer(const struct secret_user *u, bool own,
			struct secret_source *s)
{
	struct secret_offer *offer = &s->offer;

	if (getrandom(offer->nonce, sizeof(offer->nonce), 0) !=
	    (ssize_t)sizeof(offer->nonce))
		return -EIO;
	offer->mode = u->len ? SECRET_USER : SECRET_OPEN;
	if (!u->len && !own)
		weft_log(WEFT_LOG_WARN,
			 "this job is not protected from other users of its "
			 "hosts and of the network between them: its key is "
			 "sent through the launcher's PMIx in clear text, "
			 "since FI_WEFT_KEY is not set and %s",
			 u->what);
	return u->len && !secret_derive(u, "check", s, offer->check) ? -ENOMEM
								     : 0;
}

static int secret_differs(const struct secret_user *u, const char *what)
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	weft_log_once(WEFT_LOG_ERROR,
		      "%s: rank 0 has %s. All hosts of a job need the same "
		      "secret: copy the key file of one host to the others "
		      "(mode 0600), or set FI_WEFT_KEY, as with mpiexec -x "
		      "FI_WEFT_KEY. (%s: %s)",
		      host, what, u->len ? "here" : "no secret here", u->what);
	return -EACCES;
}

/* Checks that an offer matches this rank's secret. */
static int secret_accept(const struct secret_user *u,
			 const struct secret_source *s)
{
	const struct secret_offer *offer = &s->offer;
	uint8_t check[WEFT_SECRET_KEY];

	if (offer->mode == SECRET_OPEN && !u->len)
		return 0;
	if (offer->mode == SECRET_OPEN)
		return secret_differs(u, "no key file, and this rank has one");
	if (!u->len)
		return secret_differs(u, "a key that this rank does not have");
	if (!secret_derive(u, "check", s, check))
		return -ENOMEM;
	return CRYPTO_memcmp(check, offer->check, sizeof(check))
		       ? secret_differs(u,
					"a key that differs from this rank's")
		       : 0;
}

/* Sends the offer of rank 0 to all ranks of this job. */
static int secret_agree(const struct secret_user *u, int rank, bool own,
			struct secret_source *s)
{
	int rc;

	snprintf(s->job, sizeof(s->job), "%s", weft_pmix_job());
	rc = rank ? 0 : secret_offer(u, own, s);
	if (!rc)
		rc = weft_pmix_bcast(&s->offer, sizeof(s->offer));
	return rc ? rc : secret_accept(u, s);
}

static bool make_id(const uint8_t key[WEFT_SECRET_KEY])
{
	static const uint8_t use[] = "id";
	uint8_t out[WEFT_SECRET_KEY];
	unsigned len;

	if (!HMAC(EVP_sha256(), key, WEFT_SECRET_KEY, use, sizeof(use), out,
		  &len))
		return false;
	memcpy(&key_id, out, sizeof(key_id));
	key_id += !key_id;
	return true;
}

/*
 * Derives the keys. own: source of this job; not used if the user has no
 * secret.
 */
static int derive_keys(const struct secret_user *u,
		       const struct secret_source *own,
		       uint8_t key[WEFT_SECRET_KEY])
{
	signs = u->len;
	if (!signs)
		memcpy(key, family.offer.nonce, WEFT_SECRET_KEY);
	else if (!secret_derive(u, "key", &family, key) ||
		 !secret_derive(u, "tag", own, tag_key))
		return -ENOMEM;
	return make_id(key) ? 0 : -ENOMEM;
}

static int secret_make(const struct secret_user *u, int rank, bool own,
		       uint8_t key[WEFT_SECRET_KEY])
{
	struct secret_source s = { .offer = { .mode = 0 } };
	int rc = 0;

	/* with Weft's mpiexec the parents' offer is all that is needed */
	if (!own || !has_parents)
		rc = secret_agree(u, rank, own, &s);
	if (!rc && has_parents)
		rc = secret_accept(u, &family);
	else if (!rc)
		family = s;
	if (!rc)
		rc = derive_keys(u, &s, key);
	OPENSSL_cleanse(&s, sizeof(s));
	return rc;
}

/* ---- spawned jobs -------------------------------------------------------- */

static bool is_byte(const char *text)
{
	return isxdigit((unsigned char)text[0]) &&
	       isxdigit((unsigned char)text[1]);
}

/*
 * Reads WEFT_SECRET_PARENTS: the offer in hexadecimal digits, and the name of
 * the job.
 */
static int read_parents(void)
{
	const char *text = getenv(WEFT_SECRET_PARENTS), *at = text;
	struct secret_source *s = &family;
	uint8_t *byte = (uint8_t *)&s->offer;

	if (!text)
		return 0;
	for (size_t i = 0; i < sizeof(s->offer) && is_byte(at); i++, at += 2)
		sscanf(at, "%2hhx", &byte[i]);
	has_parents =
		at == text + 2 * sizeof(s->offer) && *at == ':' &&
		strlen(at) <= sizeof(s->job) &&
		(s->offer.mode == SECRET_OPEN || s->offer.mode == SECRET_USER);
	if (has_parents)
		strcpy(s->job, at + 1);
	else
		weft_log_once(WEFT_LOG_ERROR,
			      WEFT_SECRET_PARENTS " is not a key; only "
						  "MPI_Comm_spawn sets it");
	/*
	 * programs that this process starts were not spawned by the parents, so
	 * they must not inherit the variable
	 */
	unsetenv(WEFT_SECRET_PARENTS);
	return has_parents ? 0 : -EACCES;
}

char *weft_secret_for_children(void)
{
	const uint8_t *byte = (const uint8_t *)&family.offer;
	size_t digits = 2 * sizeof(family.offer);
	char *text = key_id ? calloc(1, digits + 1 + sizeof(family.job)) : NULL;

	if (!text)
		return NULL;
	for (size_t i = 0; i < sizeof(family.offer); i++)
		sprintf(text + 2 * i, "%02x", byte[i]);
	text[digits] = ':';
	strcpy(text + digits + 1, family.job);
	return text;
}

uint32_t weft_secret_id(void)
{
	return key_id;
}

/* ---- start and end ------------------------------------------------------- */

int weft_secret_open(int rank, bool own, uint8_t key[WEFT_SECRET_KEY])
{
	struct secret_user *u = calloc(1, sizeof(*u));
	int rc = u ? read_parents() : -ENOMEM;

	if (!rc && !own)
		rc = secret_find(u);
	if (!rc)
		rc = secret_make(u, rank, own, key);
	if (u)
		OPENSSL_cleanse(u, sizeof(*u));
	free(u);
	return rc;
}

void weft_secret_close(void)
{
	OPENSSL_cleanse(tag_key, sizeof(tag_key));
	/*
	 * keep the parents' offer, which a later start of the library needs
	 * again
	 */
	if (!has_parents)
		OPENSSL_cleanse(&family, sizeof(family));
	signs = false;
	key_id = 0;
}

/* ---- authentication of addresses ----------------------------------------- */

bool weft_secret_signs(void)
{
	return signs;
}

void weft_secret_sign(int rank, const void *bytes, size_t len,
		      uint8_t tag[WEFT_SECRET_TAG])
{
	uint8_t full[WEFT_SECRET_KEY] = { 0 };
	uint8_t text[512] = { 0 };
	uint32_t rank_word = (uint32_t)rank;
	unsigned n;

	if (len > sizeof(text) - sizeof(rank_word))
		len = sizeof(text) - sizeof(rank_word);
	memcpy(text, &rank_word, sizeof(rank_word));
	memcpy(text + sizeof(rank_word), bytes, len);
	HMAC(EVP_sha256(), tag_key, sizeof(tag_key), text,
	     len + sizeof(rank_word), full, &n);
	memcpy(tag, full, WEFT_SECRET_TAG);
}

bool weft_secret_verify(int rank, const void *bytes, size_t len,
			const uint8_t tag[WEFT_SECRET_TAG])
{
	uint8_t right[WEFT_SECRET_TAG];

	weft_secret_sign(rank, bytes, len, right);
	return !CRYPTO_memcmp(tag, right, sizeof(right));
}
