/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the deadlock report. */
#include "src/diag/diag_wait_note.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define WORLD "MPI_COMM_WORLD"

static struct weft_waitnote in_call(const char *call)
{
	struct weft_waitnote s = { 0 };

	snprintf(s.call, sizeof(s.call), "%s", call);
	return s;
}

static void add_item(struct weft_waitnote *s, enum weft_waitnote_kind kind,
		     int peer, int tag)
{
	struct weft_waitnote_item *i = &s->item[s->nitems++];

	*i = (struct weft_waitnote_item){
		.kind = kind, .peer = peer, .tag = tag, .comm = WORLD
	};
}

static void add_coll(struct weft_waitnote *s, int seq, int n)
{
	struct weft_waitnote_item *i = &s->item[s->nitems++];

	*i = (struct weft_waitnote_item){ .kind = WEFT_WAIT_COLL,
					  .tag = seq,
					  .last = n - 1,
					  .step = 1,
					  .comm = WORLD };
	s->world_seq = seq + 1;
}

/* Writes and reads the notes of all ranks, and compares the report. */
static void expect_report(struct weft_waitnote *rank, int n, const char *want)
{
	char note[WEFT_WAIT_NOTE_BYTES], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct weft_waitnote *back = calloc((size_t)n, sizeof(*back));

	assert_non_null(f);
	assert_non_null(back);
	for (int i = 0; i < n; i++) {
		back[i].left = rank[i].left;
		if (!rank[i].left)
			T_TRUE(weft_waitnote_read(
				&back[i], weft_waitnote_write(&rank[i], note)));
	}
	weft_waitnote_print(f, back, n, 2500000);
	fclose(f);
	T_STR(text, want);
	free(text);
	free(back);
}

static void two_sends_wait_for_each_other(void **state)
{
	struct weft_waitnote r[2] = { in_call("MPI_Ssend"),
				      in_call("MPI_Ssend") };

	add_item(&r[0], WEFT_WAIT_SEND, 1, 7);
	add_item(&r[1], WEFT_WAIT_SEND, 0, 7);
	expect_report(r, 2,
		      "deadlock after 2.500000 us: 2 of 2 ranks wait, and no "
		      "message is in flight\n"
		      "  rank 0: MPI_Ssend to rank 1, tag 7, MPI_COMM_WORLD\n"
		      "  rank 1: MPI_Ssend to rank 0, tag 7, MPI_COMM_WORLD\n"
		      "  cycle: rank 0 -> rank 1 -> rank 0\n");
}

static void deadlock_cycle_of_512_ranks_is_summarised(void **state)
{
	struct weft_waitnote r[512];

	for (int i = 0; i < 512; i++) {
		r[i] = in_call("MPI_Send");
		add_item(&r[i], WEFT_WAIT_SEND, (i + 1) % 512, 0);
	}
	expect_report(
		r, 512,
		"deadlock after 2.500000 us: 512 of 512 ranks wait, and no "
		"message is in flight\n"
		"  ranks 0-511: MPI_Send to rank + 1, tag 0, MPI_COMM_WORLD\n"
		"  cycle: rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 4 -> "
		"rank 5 -> rank 6 -> rank 7 -> rank 8 -> rank 9 -> rank 10 "
		"-> rank 11 -> ... (499 more) -> rank 511 -> rank 0\n");
}

static void collective_misses_a_rank_that_receives(void **state)
{
	struct weft_waitnote r[4];

	for (int i = 0; i < 4; i++) {
		r[i] = in_call("MPI_Allreduce");
		add_coll(&r[i], 3, 4);
	}
	r[2] = in_call("MPI_Recv");
	add_item(&r[2], WEFT_WAIT_RECV, 1, WEFT_WAIT_ANY);
	r[2].world_seq = 3;
	expect_report(
		r, 4,
		"deadlock after 2.500000 us: 4 of 4 ranks wait, and no "
		"message is in flight\n"
		"  ranks 0,1,3: MPI_Allreduce number 3 on MPI_COMM_WORLD; "
		"not in it: rank 2\n"
		"  rank 2: MPI_Recv from rank 1, any tag, MPI_COMM_WORLD\n"
		"  cycle: rank 1 -> rank 2 -> rank 1\n");
}

static void collective_misses_a_rank_that_has_left(void **state)
{
	struct weft_waitnote r[3] = { in_call("MPI_Barrier"),
				      in_call("MPI_Barrier"),
				      { .left = true } };

	add_coll(&r[0], 0, 3);
	add_coll(&r[1], 0, 3);
	expect_report(
		r, 3,
		"deadlock after 2.500000 us: 2 of 3 ranks wait, and no "
		"message is in flight\n"
		"  ranks 0,1: MPI_Barrier number 0 on MPI_COMM_WORLD; not in "
		"it: rank 2\n"
		"  rank 2: has left MPI\n"
		"  chain: rank 0 -> rank 2, which has left MPI\n");
}

static void different_collectives_are_reported(void **state)
{
	struct weft_waitnote r[3] = { in_call("MPI_Bcast"),
				      in_call("MPI_Barrier"),
				      in_call("MPI_Barrier") };

	for (int i = 0; i < 3; i++)
		add_coll(&r[i], 5, 3);
	expect_report(
		r, 3,
		"deadlock after 2.500000 us: 3 of 3 ranks wait, and no "
		"message is in flight\n"
		"  rank 0: MPI_Bcast number 5 on MPI_COMM_WORLD; in another "
		"call: ranks 1,2\n"
		"  ranks 1,2: MPI_Barrier number 5 on MPI_COMM_WORLD; in "
		"another call: rank 0\n"
		"  cycle: rank 0 -> rank 1 -> rank 0\n");
}

static void rank_past_collective_is_not_listed_as_missing(void **state)
{
	struct weft_waitnote r[2] = { in_call("MPI_Bcast"),
				      in_call("MPI_Recv") };

	add_coll(&r[0], 1, 2);
	add_item(&r[1], WEFT_WAIT_RECV, 0, 4);
	r[1].world_seq = 5;
	expect_report(
		r, 2,
		"deadlock after 2.500000 us: 2 of 2 ranks wait, and no "
		"message is in flight\n"
		"  rank 0: MPI_Bcast number 1 on MPI_COMM_WORLD\n"
		"  rank 1: MPI_Recv from rank 0, tag 4, MPI_COMM_WORLD\n");
}

static void any_source_receive_depends_on_all_ranks(void **state)
{
	struct weft_waitnote r[3] = { in_call("MPI_Recv"), in_call("MPI_Recv"),
				      in_call("MPI_Probe") };

	add_item(&r[0], WEFT_WAIT_RECV, WEFT_WAIT_ANY, WEFT_WAIT_ANY);
	add_item(&r[1], WEFT_WAIT_RECV, WEFT_WAIT_ANY, WEFT_WAIT_ANY);
	add_item(&r[2], WEFT_WAIT_RECV, 0, 9);
	expect_report(
		r, 3,
		"deadlock after 2.500000 us: 3 of 3 ranks wait, and no "
		"message is in flight\n"
		"  ranks 0,1: MPI_Recv from any rank, any tag, MPI_COMM_WORLD\n"
		"  rank 2: MPI_Probe from rank 0, tag 9, MPI_COMM_WORLD\n"
		"  cycle: rank 0 -> rank 1 -> rank 0\n");
}

static void requests_beyond_the_list_are_counted(void **state)
{
	struct weft_waitnote r[2] = { in_call("MPI_Waitall"),
				      in_call("MPI_Waitany") };

	for (int i = 0; i < 6; i++)
		add_item(&r[0], WEFT_WAIT_RECV, 1, i);
	r[0].more = 10;
	r[1].any = true;
	add_item(&r[1], WEFT_WAIT_RECV, 0, 1);
	add_item(&r[1], WEFT_WAIT_SEND, 0, 2);
	expect_report(
		r, 2,
		"deadlock after 2.500000 us: 2 of 2 ranks wait, and no "
		"message is in flight\n"
		"  rank 0: MPI_Waitall for all of 16 from rank 1, tag 0, "
		"MPI_COMM_WORLD | from rank 1, tag 1, MPI_COMM_WORLD | from "
		"rank 1, tag 2, MPI_COMM_WORLD | from rank 1, tag 3, "
		"MPI_COMM_WORLD | from rank 1, tag 4, MPI_COMM_WORLD | from "
		"rank 1, tag 5, MPI_COMM_WORLD | and 10 more\n"
		"  rank 1: MPI_Waitany for one of 2 from rank 0, tag 1, "
		"MPI_COMM_WORLD | to rank 0, tag 2, MPI_COMM_WORLD\n"
		"  cycle: rank 0 -> rank 1 -> rank 0\n");
}

static void full_note_counts_remaining_items(void **state)
{
	struct weft_waitnote s = in_call("MPI_Waitall"), back;
	char note[WEFT_WAIT_NOTE_BYTES];

	for (int i = 0; i < WEFT_WAIT_NOTE_ITEMS; i++) {
		add_item(&s, WEFT_WAIT_RECV, 100000 + i, 2000000000);
		strcpy(s.item[i].comm, "a name; with (almost) 32 letter");
	}
	weft_waitnote_write(&s, note);
	T_TRUE(strlen(note) < WEFT_WAIT_NOTE_BYTES);
	T_TRUE(weft_waitnote_read(&back, note));
	T_TRUE(back.nitems >= 3);
	T_IS(back.nitems + back.more, WEFT_WAIT_NOTE_ITEMS);
	T_STR(back.item[0].comm, "a name_ with (almost) 32 letter");
	T_IS(back.item[2].peer, 100002);
}

static void invalid_note_is_refused(void **state)
{
	struct weft_waitnote s;

	T_FALSE(weft_waitnote_read(&s, ""));
	T_FALSE(weft_waitnote_read(&s, "MPI_Send"));
	T_TRUE(weft_waitnote_read(&s, "MPI_Send & 0 1;x 1 2 3 4;r"));
	T_IS(s.nitems, 0);
	T_IS(s.more, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(two_sends_wait_for_each_other),
		T_CASE(deadlock_cycle_of_512_ranks_is_summarised),
		T_CASE(collective_misses_a_rank_that_receives),
		T_CASE(collective_misses_a_rank_that_has_left),
		T_CASE(different_collectives_are_reported),
		T_CASE(rank_past_collective_is_not_listed_as_missing),
		T_CASE(any_source_receive_depends_on_all_ranks),
		T_CASE(requests_beyond_the_list_are_counted),
		T_CASE(full_note_counts_remaining_items),
		T_CASE(invalid_note_is_refused),
	};

	return T_RUN(tests);
}
