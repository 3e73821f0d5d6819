/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selects the damaged bits of a frame: `errors`, `burst` and `corrupt` of a
 * fault plan.
 */
#include "prov/carrier/lossy/lossy.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>

#define LOSSY_DIGITS 18
#define LOSSY_RATE   1e-3

static_assert(8 * LOSSY_BYTES <= 1 << LOSSY_DIGITS, "bits of a frame");

/* Returns the reason why this fault is not supported, or NULL. */
static const char *unsupported(const struct weft_fault_entry *f)
{
	if (f->kind != WEFT_FAULT_ERRORS && f->kind != WEFT_FAULT_BURST)
		return NULL;
	if (strcmp(f->target, "*"))
		return "the live clock has no links: use errors * and burst *";
	if (f->kind == WEFT_FAULT_ERRORS && f->value > LOSSY_RATE)
		return "the error rate is too high: almost no packet would be "
		       "delivered";
	return NULL;
}

int lossy_plan_check(const struct weft_fault_plan *plan, const char *text)
{
	for (size_t i = 0; i < plan->count; i++) {
		const char *why = unsupported(&plan->fault[i]);

		if (!why)
			continue;
		weft_log(WEFT_LOG_ERROR, "fault plan \"%s\": %s", text, why);
		return -EINVAL;
	}
	return 0;
}

/* Returns the value of the last fault of that kind that is active now. */
static double active_value(const struct lossy *n,
			   enum weft_fault_plan_kind kind)
{
	uint64_t age = (n->now_ns - n->opened_ns) * 1000;
	double value = 0;

	for (size_t i = 0; i < n->faults.plan.count; i++) {
		const struct weft_fault_entry *f = &n->faults.plan.fault[i];

		if (f->kind == kind && age >= f->at_ps &&
		    (f->for_ps == WEFT_FAULT_FOREVER ||
		     age - f->at_ps < f->for_ps))
			value = f->value;
	}
	return value;
}

static void flip_bit(uint8_t *data, uint64_t bit)
{
	data[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* Flips the first and the last bit of a burst, and random bits between them. */
static void flip_burst(struct lossy *n, uint8_t *data, uint64_t bits,
		       uint64_t first)
{
	uint64_t span = (uint64_t)active_value(n, WEFT_FAULT_BURST);
	uint64_t last = first + (span > 1 ? span : 1) - 1;

	for (uint64_t b = first; b <= last && b < bits; b++) {
		if (b == first || b == last ||
		    weft_rng_below(&n->faults.rng, 2))
			flip_bit(data, b);
	}
}

/*
 * Returns the number of bits until the next error at that bit error rate; 2^18
 * is beyond the end of every frame. The number is geometrically distributed: it
 * is 2^k or more with probability q = (1 - rate)^(2^k), so each binary digit k
 * is 1 with probability q / (1 + q), independently of the other digits.
 */
static uint64_t bits_until_error(struct lossy *n, double rate)
{
	struct weft_rng *rng = &n->faults.rng;
	uint64_t skip = 0;
	double q = 1 - rate;

	for (unsigned k = 0; k < LOSSY_DIGITS; k++, q *= q) {
		if (weft_rng_unit(rng) * (1 + q) < q)
			skip |= UINT64_C(1) << k;
	}
	return weft_rng_unit(rng) < q ? UINT64_C(1) << LOSSY_DIGITS : skip;
}

static bool damage_bits(struct lossy *n, uint8_t *data, uint64_t bits)
{
	double rate = active_value(n, WEFT_FAULT_ERRORS);
	bool any = false;

	if (rate <= 0)
		return false;
	for (uint64_t b = bits_until_error(n, rate); b < bits;
	     b += 1 + bits_until_error(n, rate)) {
		flip_burst(n, data, bits, b);
		any = true;
	}
	return any;
}

bool lossy_damage(struct lossy *n, uint8_t *data, uint32_t bytes)
{
	bool any = damage_bits(n, data, 8 * (uint64_t)bytes);

	if (carrier_faults_draw(&n->faults, WEFT_FAULT_CORRUPT,
				n->now_ns - n->opened_ns)) {
		data[weft_rng_below(&n->faults.rng, bytes)] ^=
			(uint8_t)(1 + weft_rng_below(&n->faults.rng, 255));
		any = true;
	}
	return any;
}
