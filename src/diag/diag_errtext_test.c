/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of error classes, codes and texts. */
#include "src/diag/diag_errtext.h"
#include "src/types/types_attr.h"
#include "src/msg/msg_status.h"
#include "src/msg/msg_tag.h"

#include "test/t.h"

#include <limits.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>

/* value of MPI_LASTUSEDCODE */
static int last_used;

void weft_attr_predef_set(int key, int value)
{
	if (key == MPI_LASTUSEDCODE)
		last_used = value;
}

static void every_class_has_a_name_and_a_text(void **state)
{
	int c;

	for (c = MPI_SUCCESS; c <= MPI_ERR_ABI; c++) {
		T_NOT_NULL(weft_errtext_name(c));
		T_NOT_NULL(weft_errtext_get(c));
		T_IS(weft_errtext_class(c), c);
	}
	for (c = MPI_T_ERR_CANNOT_INIT; c <= MPI_T_ERR_PVAR_NO_ATOMIC; c++) {
		T_NOT_NULL(weft_errtext_get(c));
		T_IS(weft_errtext_class(c), c);
	}
	for (c = MPIX_ERR_PROC_FAILED; c <= MPIX_ERR_REVOKED; c++) {
		T_NOT_NULL(weft_errtext_get(c));
		T_IS(weft_errtext_class(c), c);
	}
	T_STR(weft_errtext_name(MPIX_ERR_REVOKED), "MPIX_ERR_REVOKED");
	T_STR(weft_errtext_name(MPI_ERR_TRUNCATE), "MPI_ERR_TRUNCATE");
	T_IS(weft_errtext_class(-1), -1);
	T_IS(weft_errtext_class(63), -1);
}

static void classes_of_mpi_ext_h_have_texts_of_their_own(void **state)
{
	char text[40];
	int code[2][70];

	for (int i = 0; i < 70; i++) {
		snprintf(text, sizeof(text), "text %d", i);
		code[0][i] = weft_errtext_store(MPIX_ERR_PROC_FAILED, text);
		code[1][i] = weft_errtext_store(MPIX_ERR_REVOKED, "revoked");
		T_IS(weft_errtext_class(code[0][i]), MPIX_ERR_PROC_FAILED);
		T_IS(weft_errtext_class(code[1][i]), MPIX_ERR_REVOKED);
		T_TRUE(code[0][i] <= MPI_ERR_LASTCODE);
		T_TRUE(code[1][i] <= MPI_ERR_LASTCODE);
		T_STR(weft_errtext_get(code[0][i]), text);
	}
	T_STR(weft_errtext_get(code[0][69 - 63]), "text 6");
	T_STR(weft_errtext_get(code[1][69 - 63]), "revoked");
}

static void stored_text_has_a_code_of_its_class(void **state)
{
	char text[40];
	int codes[300];
	int i;

	for (i = 0; i < 300; i++) {
		snprintf(text, sizeof(text), "text %d", i);
		codes[i] = weft_errtext_store(MPI_ERR_RANK, text);
		T_IS(weft_errtext_class(codes[i]), MPI_ERR_RANK);
		T_TRUE(codes[i] <= MPI_ERR_LASTCODE);
		T_TRUE(codes[i] < MPI_T_ERR_CANNOT_INIT ||
		       codes[i] > MPI_T_ERR_PVAR_NO_ATOMIC);
		T_STR(weft_errtext_get(codes[i]), text);
	}
	/* the last 200 texts are still stored */
	snprintf(text, sizeof(text), "text %d", 299 - 200);
	T_STR(weft_errtext_get(codes[299 - 200]), text);
}

static void application_adds_and_removes_codes(void **state)
{
	int class, code;

	T_OK(weft_errtext_add_class(&class));
	T_OK(weft_errtext_add_code(class, &code));
	T_IS(last_used, code);
	T_IS(weft_errtext_class(code), class);
	T_STR(weft_errtext_get(code), "");
	T_OK(weft_errtext_add_string(code, "mine"));
	T_STR(weft_errtext_get(code), "mine");
	T_IS(weft_errtext_remove(class, true), -EBUSY);
	T_IS(weft_errtext_remove(code, true), -EINVAL);
	T_IS(weft_errtext_remove(code, false), -EBUSY);
	T_OK(weft_errtext_remove_string(code));
	T_IS(weft_errtext_remove_string(code), -EINVAL);
	T_OK(weft_errtext_remove(code, false));
	T_OK(weft_errtext_remove(class, true));
	T_IS(weft_errtext_class(code), -1);
	T_IS(weft_errtext_add_string(MPI_ERR_RANK, "no"), -EINVAL);
	T_IS(weft_errtext_add_code(12345, &code), -EINVAL);
	T_IS(weft_errtext_add_code(-1, &code), -EINVAL);
}

static void tag_word_fields_round_trip(void **state)
{
	uint64_t ctx = (uint64_t)16383 << WEFT_TAG_CTX_SHIFT;
	uint64_t w = weft_tag_word(ctx, 3, WEFT_TAG_RANKS - 1, INT_MAX);

	T_TRUE(w == UINT64_MAX);
	w = weft_tag_word(ctx, 0, 5, 7);
	T_IS(weft_tag_source(w), 5);
	T_IS(weft_tag_tag(w), 7);
	T_TRUE((w & ~(WEFT_TAG_SRC | WEFT_TAG_MASK)) == ctx);
}

static void status_holds_large_counts(void **state)
{
	MPI_Status s;

	weft_status_set(&s, 1, 2, (MPI_Count)5 << 40);
	T_TRUE(weft_status_bytes(&s) == (MPI_Count)5 << 40);
	T_FALSE(weft_status_is_cancelled(&s));
	weft_status_set_cancelled(&s, true);
	T_TRUE(weft_status_is_cancelled(&s));
	T_TRUE(weft_status_bytes(&s) == (MPI_Count)5 << 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(every_class_has_a_name_and_a_text),
		T_CASE(classes_of_mpi_ext_h_have_texts_of_their_own),
		T_CASE(stored_text_has_a_code_of_its_class),
		T_CASE(application_adds_and_removes_codes),
		T_CASE(tag_word_fields_round_trip),
		T_CASE(status_holds_large_counts),
	};

	return T_RUN(tests);
}
