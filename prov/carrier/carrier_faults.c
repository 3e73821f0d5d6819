/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which packets are lost, duplicated, reordered, delayed, corrupted or
 * blocked by a partition.
 */
#include "prov/carrier/carrier_faults.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>

#define FAULTS_TESTS (1u << WEFT_FAULT_RAW | 1u << WEFT_FAULT_DIE)

static int faults_refuse(const char *text, const char *why)
{
	weft_log(WEFT_LOG_ERROR, "fault plan \"%s\": %s", text, why);
	return -EINVAL;
}

/* Hosts on one side of a partition. */
struct faults_side {
	bool all;
	struct weft_ip ip;
};

/* Parses one side of "10.0.0.1|10.0.0.2", or "*". */
static bool faults_parse_side(const char *text, size_t len,
			      struct faults_side *side)
{
	char copy[WEFT_FAULT_TARGET];

	side->all = len == 1 && *text == '*';
	if (side->all)
		return true;
	memcpy(copy, text, len);
	copy[len] = 0;
	return weft_ip_parse(copy, &side->ip);
}

static bool faults_parse_sides(const char *target, struct faults_side side[2])
{
	const char *bar = strchr(target, '|');

	return bar &&
	       faults_parse_side(target, (size_t)(bar - target), &side[0]) &&
	       faults_parse_side(bar + 1, strlen(bar + 1), &side[1]);
}

static int faults_add_entry(struct carrier_faults *f, const char *text,
			    const struct weft_fault_entry *entry, uint32_t can)
{
	struct faults_side side[2];

	if (!((can | FAULTS_TESTS) >> entry->kind & 1))
		return faults_refuse(
			text,
			"contains a fault that this carrier does not support");
	if (entry->kind == WEFT_FAULT_PARTITION &&
	    !faults_parse_sides(entry->target, side))
		return faults_refuse(text, "a partition is ADDRESS|ADDRESS, "
					   "with * for all hosts");
	if (entry->kind == WEFT_FAULT_RAW)
		f->raw = true;
	else if (entry->kind == WEFT_FAULT_DIE)
		f->die = (uint64_t)entry->value;
	else if (entry->kind == WEFT_FAULT_CUT)
		f->cut = (uint64_t)entry->value;
	else
		f->any = true;
	return 0;
}

int carrier_faults_open(struct carrier_faults *f, const char *text,
			uint32_t can)
{
	struct weft_fault_plan_why why;
	int ret;

	*f = (struct carrier_faults){ .any = false };
	if (!text || !*text)
		return 0;
	ret = weft_fault_plan_load(text, &f->plan, &why);
	if (ret)
		return faults_refuse(text, why.text);
	weft_rng_init(&f->rng, f->plan.seed ? f->plan.seed : 1, 0);
	for (size_t i = 0; i < f->plan.count && !ret; i++)
		ret = faults_add_entry(f, text, &f->plan.fault[i], can);
	if (ret)
		carrier_faults_close(f);
	return ret;
}

void carrier_faults_close(struct carrier_faults *f)
{
	weft_fault_plan_fini(&f->plan);
}

static bool faults_active(const struct weft_fault_entry *entry, uint64_t age_ns)
{
	uint64_t start_ns = entry->at_ps / 1000;

	return age_ns >= start_ns && (entry->for_ps == WEFT_FAULT_FOREVER ||
				      age_ns - start_ns < entry->for_ps / 1000);
}

/*
 * Draws a random number for each fault of that kind; returns the first fault
 * that occurs, or NULL.
 */
static const struct weft_fault_entry *
faults_draw(struct carrier_faults *f, enum weft_fault_plan_kind kind,
	    uint64_t age_ns)
{
	for (size_t i = 0; i < f->plan.count; i++) {
		const struct weft_fault_entry *entry = &f->plan.fault[i];

		if (entry->kind == kind && faults_active(entry, age_ns) &&
		    weft_rng_unit(&f->rng) < entry->value)
			return entry;
	}
	return NULL;
}

bool carrier_faults_draw(struct carrier_faults *f,
			 enum weft_fault_plan_kind kind, uint64_t age_ns)
{
	return faults_draw(f, kind, age_ns);
}

uint64_t carrier_faults_delay(struct carrier_faults *f, uint64_t age_ns)
{
	const struct weft_fault_entry *entry =
		faults_draw(f, WEFT_FAULT_DELAY, age_ns);

	return entry ? entry->by_ps / 1000 : 0;
}

static bool faults_side_matches(const struct faults_side *side,
				const struct weft_ip *ip)
{
	return side->all || !memcmp(&side->ip, ip, sizeof(*ip));
}

bool carrier_faults_partitioned(const struct carrier_faults *f,
				const union weft_name *a,
				const union weft_name *b, uint64_t age_ns)
{
	const struct weft_ip ip_a = weft_name_ip(a), ip_b = weft_name_ip(b);
	struct faults_side side[2];

	for (size_t i = 0; i < f->plan.count; i++) {
		const struct weft_fault_entry *entry = &f->plan.fault[i];

		if (entry->kind != WEFT_FAULT_PARTITION ||
		    !faults_active(entry, age_ns) ||
		    !faults_parse_sides(entry->target, side))
			continue;
		if ((faults_side_matches(&side[0], &ip_a) &&
		     faults_side_matches(&side[1], &ip_b)) ||
		    (faults_side_matches(&side[0], &ip_b) &&
		     faults_side_matches(&side[1], &ip_a)))
			return true;
	}
	return false;
}
