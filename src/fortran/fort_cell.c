/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of attributes that Fortran has set, in a list with one lock. */
#include "src/fortran/fort_callback.h"

#include <pthread.h>
#include <stdlib.h>

struct cell {
	MPI_Aint value; /* first member: a cell has the address of its value */
	struct cell *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cell *cells;

/*
 * Returns the link to the cell at this address, or NULL. The caller holds the
 * lock.
 */
static struct cell **find(void *attribute)
{
	struct cell **c;

	for (c = &cells; *c; c = &(*c)->next)
		if (*c == attribute)
			return c;
	return NULL;
}

void *fort_cell(MPI_Aint value)
{
	struct cell *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	c->value = value;
	pthread_mutex_lock(&lock);
	c->next = cells;
	cells = c;
	pthread_mutex_unlock(&lock);
	return c;
}

int fort_is_cell(void *attribute)
{
	int is;

	pthread_mutex_lock(&lock);
	is = find(attribute) != NULL;
	pthread_mutex_unlock(&lock);
	return is;
}

MPI_Aint fort_cell_value(void *attribute)
{
	return fort_is_cell(attribute) ? ((struct cell *)attribute)->value
				       : (MPI_Aint)attribute;
}

void fort_cell_free(void *attribute)
{
	struct cell **c;

	pthread_mutex_lock(&lock);
	c = find(attribute);
	if (c)
		*c = (*c)->next;
	pthread_mutex_unlock(&lock);
	if (c)
		free(attribute);
}
