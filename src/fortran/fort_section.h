/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Array sections of mpi_f08. A buffer argument is a descriptor of TS 29113.
 * A contiguous section is passed by its address; every other section by a
 * derived datatype, which also works while the call is pending, or, where a
 * datatype cannot describe it, by a contiguous copy in blocking calls.
 */
#ifndef FORT_SECTION_H
#define FORT_SECTION_H

#include "src/fortran/fort.h"

#include <ISO_Fortran_binding.h>

struct fort_section {
	void *addr;
	MPI_Count count;   /* number of elements, for calls with large counts */
	int n;		   /* number of elements, for calls with int counts */
	int type;	   /* Fortran handle (integer) of the datatype */
	MPI_Datatype made; /* datatype to free; NULL: none */
	void *copy;	   /* contiguous copy; NULL: none */
	CFI_cdesc_t *from; /* section to which the copy is written back */
};

/* Returns whether the elements are contiguous in memory. */
static inline int fort_plain(const CFI_cdesc_t *d)
{
	ptrdiff_t bytes = (ptrdiff_t)d->elem_len;

	for (int i = 0; i < d->rank; i++) {
		ptrdiff_t n = d->dim[i].extent;

		if (n < 0) /* the last dimension of an assumed-size array */
			return d->dim[i].sm == bytes;
		if (n == 0)
			return 1;
		if (n != 1 && d->dim[i].sm != bytes)
			return 0;
		bytes *= n;
	}
	return 1;
}

/*
 * This and the next two functions return an MPI error code. fort_one()
 * describes a buffer with one count and one datatype.
 */
int fort_one(struct fort_section *s, CFI_cdesc_t *d, MPI_Count count, int type);
/*
 * Describes a buffer of several blocks; counts and displacements are unchanged.
 */
int fort_many(struct fort_section *s, CFI_cdesc_t *d, int type, int pending,
	      int constant);
/* Describes a buffer for a call that does not accept a derived datatype. */
int fort_copy(struct fort_section *s, CFI_cdesc_t *d, int pending,
	      int constant);
/* Closes n sections: writes copies back, and frees copies and datatypes. */
void fort_close(struct fort_section *s, int n);

#endif
