/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of permutations: bijective, different for each seed. */
#include "test/t.h"
#include "src/base/permute.h"

#include <string.h>

/* Every number has one image, for every seed and size. */
static void bijective(void **state)
{
	static const unsigned size[] = { 1, 2, 3, 63, 64, 65, 1000 };
	char seen[1024];

	for (unsigned s = 0; s < sizeof(size) / sizeof(size[0]); s++)
		for (unsigned seed = 0; seed < 100; seed++) {
			struct weft_permute o;
			uint64_t n, y;

			weft_permute_init(&o, seed, size[s]);
			n = weft_permute_size(&o);
			T_TRUE(n >= size[s] && n < 2u * size[s] + 1);
			memset(seen, 0, sizeof(seen));
			for (uint64_t x = 0; x < n; x++) {
				y = weft_permute(&o, x);
				T_TRUE(y < n && !seen[y]);
				seen[y] = 1;
			}
		}
}

/* Consecutive seeds rarely map a number to the same image. */
static void differs_by_seed(void **state)
{
	unsigned equal = 0;

	for (unsigned seed = 0; seed < 64; seed++) {
		struct weft_permute a, b;

		weft_permute_init(&a, seed, 64);
		weft_permute_init(&b, seed + 1, 64);
		for (unsigned x = 0; x < 64; x++)
			equal += weft_permute(&a, x) == weft_permute(&b, x);
	}
	T_TRUE(equal < 64 * 64 / 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(bijective),
		T_CASE(differs_by_seed),
	};

	return T_RUN(tests);
}
