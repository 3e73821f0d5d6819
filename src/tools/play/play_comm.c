/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the communicators of recorded calls. A recording contains the members
 * of each new communicator; the functions here create a communicator of these
 * members, with the same messages as the recorded call.
 */
#include "src/tools/play/play.h"

#include <stdlib.h>

/* Communicators other than the world, by their numbers in the recording. */
static struct made {
	uint64_t id;
	MPI_Comm comm;
} * made;
static size_t count;

MPI_Comm play_comm(uint64_t id)
{
	if (!id)
		return MPI_COMM_WORLD;
	for (size_t i = 0; i < count; i++)
		if (made[i].id == id)
			return made[i].comm;
	play_fail("no communicator %llu", (unsigned long long)id);
}

static void add(uint64_t id, MPI_Comm comm)
{
	struct made *all = realloc(made, (count + 1) * sizeof(*all));

	if (!all)
		play_fail("out of memory");
	made = all;
	made[count++] = (struct made){ id, comm };
}

/* Returns the group of the new communicator's members. */
static MPI_Group group_of(const struct replay_call *c)
{
	int *rank = calloc(c->members + 1, sizeof(*rank));
	MPI_Group world, group;

	if (!rank)
		play_fail("out of memory");
	for (uint64_t i = 0; i < c->members; i++)
		rank[i] = (int)c->member[i];
	play_check(MPI_Comm_group(MPI_COMM_WORLD, &world));
	play_check(MPI_Group_incl(world, (int)c->members, rank, &group));
	MPI_Group_free(&world);
	free(rank);
	return group;
}

static MPI_Comm create(MPI_Comm parent, const struct replay_call *c)
{
	MPI_Group group = group_of(c);
	MPI_Comm comm = MPI_COMM_NULL;

	play_check(MPI_Comm_create(parent, group, &comm));
	MPI_Group_free(&group);
	return comm;
}

/*
 * Splits the parent; the colour of each member is the first member of its
 * group.
 */
static MPI_Comm split(MPI_Comm parent, const struct replay_call *c)
{
	int colour = c->members ? (int)c->member[0] : MPI_UNDEFINED, key = 0;
	MPI_Comm comm = MPI_COMM_NULL;

	while ((uint64_t)key < c->members && c->member[key] != play.rank)
		key++;
	play_check(MPI_Comm_split(parent, colour, key, &comm));
	return comm;
}

void play_comm_make(const struct replay_call *c)
{
	MPI_Comm parent = play_comm(c->comm);
	MPI_Comm comm = c->how == RECORD_COMM_SPLIT ? split(parent, c)
						    : create(parent, c);

	if (comm == MPI_COMM_NULL && c->made)
		play_fail("this rank is not a member of its communicator %llu",
			  (unsigned long long)c->made);
	if (comm != MPI_COMM_NULL)
		add(c->made, comm);
}

void play_comm_free(uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (made[i].id == id) {
			play_check(MPI_Comm_free(&made[i].comm));
			made[i] = made[--count];
			return;
		}
}

void play_comm_free_all(void)
{
	while (count)
		play_comm_free(made[count - 1].id);
}
