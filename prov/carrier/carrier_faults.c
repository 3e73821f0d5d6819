/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a fault plan: what is lost, doubled, swapped or changed, and how
 * often.
 */
#include "prov/carrier/carrier_faults.h"
#include "src/base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int faults_set(struct carrier_faults *f, const char *key, double v)
{
	if (!strcmp(key, "seed"))
		weft_rng_init(&f->rng, (uint64_t)v, 0);
	else if (!strcmp(key, "raw"))
		f->raw = v != 0;
	else if (!strcmp(key, "die"))
		f->die = (uint64_t)v;
	else if (v > 1)
		return -EINVAL;
	else if (!strcmp(key, "delay"))
		f->delay = v;
	else if (!strcmp(key, "drop"))
		f->drop = v;
	else if (!strcmp(key, "dup"))
		f->dup = v;
	else if (!strcmp(key, "reorder"))
		f->reorder = v;
	else if (!strcmp(key, "corrupt"))
		f->corrupt = v;
	else
		return -EINVAL;
	return 0;
}

static int faults_word(struct carrier_faults *f, char *word)
{
	char *value = strchr(word, '=');
	char *end;
	double v;

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	v = strtod(value, &end);
	if (end == value || *end || !(v >= 0))
		return -EINVAL;
	return faults_set(f, word, v);
}

int carrier_faults_parse(struct carrier_faults *f, const char *plan)
{
	char *copy, *word, *rest;
	int ret = 0;

	*f = (struct carrier_faults){ 0 };
	weft_rng_init(&f->rng, 1, 0);
	if (!plan)
		return 0;
	copy = strdup(plan);
	if (!copy)
		return -ENOMEM;
	for (word = strtok_r(copy, ",", &rest); word && !ret;
	     word = strtok_r(NULL, ",", &rest)) {
		ret = faults_word(f, word);
		if (ret)
			weft_log(WEFT_LOG_ERROR,
				 "fault plan \"%s\": \"%s\" is wrong", plan,
				 word);
	}
	free(copy);
	f->any = f->delay + f->drop + f->dup + f->reorder + f->corrupt > 0;
	return ret;
}

bool carrier_faults_hit(struct carrier_faults *f, double probability)
{
	return probability > 0 && weft_rng_unit(&f->rng) < probability;
}
