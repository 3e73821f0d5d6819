/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of shared file pointers: reservation, mapping, invalid places. */
#include "src/file/file_word.h"

#include "test/t.h"

#include <errno.h>
#include <stdlib.h>

/* Maps the word of `from` as another member does. */
static struct file_word mapped(const struct file_word *from)
{
	struct file_word w = { .place = from->place };

	assert_int_equal(file_word_map(&w), 0);
	assert_ptr_not_equal(w.at, from->at);
	return w;
}

static void members_share_a_word(void **state)
{
	struct file_word a = { 0 }, b = { 0 }, other;

	(void)state;
	file_word_take(&a, 7);
	file_word_take(&b, 100);
	assert_true(a.place.index > 0);
	assert_int_not_equal(a.place.index, b.place.index);
	other = mapped(&a);
	assert_int_equal(weft_add64(other.at, 5), 7);
	assert_int_equal(weft_load64(a.at), 12);
	assert_int_equal(weft_load64(b.at), 100);
	file_word_close(&other);
	assert_null(other.at);
	file_word_close(&a);
	file_word_close(&b);
	file_words_close();
}

/* A freed word is reused, with a new start value. */
static void word_is_reused(void **state)
{
	struct file_word a = { 0 }, b = { 0 };
	int index;

	(void)state;
	file_word_take(&a, 7);
	index = a.place.index;
	file_word_close(&a);
	file_word_take(&b, 9);
	assert_int_equal(b.place.index, index);
	assert_int_equal(weft_load64(b.at), 9);
	file_word_close(&b);
	file_words_close();
}

static void all_words_taken(void **state)
{
	enum { MORE = 1100 };
	struct file_word *w = calloc(MORE, sizeof(*w));
	int n = 0;

	(void)state;
	assert_non_null(w);
	for (int i = 0; i < MORE; i++) {
		file_word_take(&w[i], (uint64_t)i);
		n += w[i].place.index > 0;
	}
	assert_int_equal(n, 1023);
	assert_int_equal(w[n].place.index, 0);
	assert_null(w[n].at);
	for (int i = 0; i < n; i++)
		assert_int_equal(weft_load64(w[i].at), i);
	for (int i = 0; i < MORE; i++)
		file_word_close(&w[i]);
	file_word_take(&w[0], 3);
	assert_true(w[0].place.index > 0);
	file_word_close(&w[0]);
	file_words_close();
	free(w);
}

static void wrong_places(void **state)
{
	struct file_word a = { 0 }, w;

	(void)state;
	file_word_take(&a, 0);
	w = (struct file_word){ .place = a.place };
	w.place.token ^= 2;
	assert_int_equal(file_word_map(&w), -EINVAL);
	assert_null(w.at);
	w = (struct file_word){ .place = a.place };
	w.place.index = 1024;
	assert_int_equal(file_word_map(&w), -EINVAL);
	w.place.index = 0;
	assert_int_equal(file_word_map(&w), -EINVAL);
	w = (struct file_word){ .place = a.place };
	file_word_close(&a);
	file_words_close();
	assert_true(file_word_map(&w) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_share_a_word),
		cmocka_unit_test(word_is_reused),
		cmocka_unit_test(all_words_taken),
		cmocka_unit_test(wrong_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
