/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choices of collective algorithms in a machine file:
 *
 *   choose_bcast = 8-15 64K-1M binomial, 16- 1M- ring
 *
 * Each choice is a range of ranks, a range of bytes and the name of an
 * algorithm. A range is "8-15", "16-" (no upper limit) or "8". The names belong
 * to the MPI library, which ignores names that it does not have.
 */
#include "prov/net/file/net_file_int.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Parses "64K": a number of at most 12 digits, with K or M for 2^10, 2^20. */
static const char *parse_size(const char *s, uint64_t *x_p)
{
	unsigned digits = 0;

	for (*x_p = 0; isdigit((unsigned char)*s) && digits < 13; s++, digits++)
		*x_p = *x_p * 10 + (uint64_t)(*s - '0');
	if (!digits || digits > 12)
		return NULL;
	if (*s == 'K' || *s == 'M')
		*x_p <<= *s++ == 'K' ? 10 : 20;
	return s;
}

static const char *parse_range(const char *s, uint64_t *min_p, uint64_t *max_p)
{
	s = parse_size(s, min_p);
	*max_p = *min_p;
	if (!s || *s != '-')
		return s;
	*max_p = 0; /* no upper limit */
	s++;
	return isdigit((unsigned char)*s) ? parse_size(s, max_p) : s;
}

static const char *skip_space(const char *s)
{
	return s + strspn(s, " \t");
}

/* Parses one choice up to a comma or the end; returns the rest, or NULL. */
static const char *parse_choice(const char *s, struct net_choice *c)
{
	uint64_t min, max;
	size_t n;

	s = parse_range(skip_space(s), &min, &max);
	if (!s || (*s != ' ' && *s != '\t') || min > UINT32_MAX ||
	    max > UINT32_MAX || (max && max < min))
		return NULL;
	c->ranks_min = (uint32_t)min;
	c->ranks_max = (uint32_t)max;
	s = parse_range(skip_space(s), &c->bytes_min, &c->bytes_max);
	if (!s || (*s != ' ' && *s != '\t') ||
	    (c->bytes_max && c->bytes_max < c->bytes_min))
		return NULL;
	s = skip_space(s);
	n = strcspn(s, " \t,");
	if (!n || n >= sizeof(c->algorithm))
		return NULL;
	memcpy(c->algorithm, s, n);
	s = skip_space(s + n);
	return !*s || *s == ',' ? s : NULL;
}

int file_choices(const char *operation, const char *text,
		 struct net_config *cfg)
{
	struct net_choice c;
	size_t n = strlen(operation);

	do {
		memset(&c, 0, sizeof(c));
		text = parse_choice(text, &c);
		if (!text || n >= sizeof(c.operation) ||
		    cfg->choices == NET_CHOICES_MAX)
			return -EINVAL;
		memcpy(c.operation, operation, n);
		cfg->choice[cfg->choices++] = c;
	} while (*text++ == ',');
	return 0;
}
