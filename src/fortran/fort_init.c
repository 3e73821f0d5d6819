/* SPDX-License-Identifier: BSD-3-Clause */
/* Registration of the Fortran compiler's types with the MPI library. */
#include "src/fortran/fort_init.h"

static void register_sizes(void)
{
	static const char *const sizes[][2] = {
		{ "mpi_logical_size", "4" },
		{ "mpi_integer_size", "4" },
		{ "mpi_real_size", "4" },
		{ "mpi_double_precision_size", "8" },
	};
	MPI_Info info = MPI_INFO_NULL;

	if (PMPI_Abi_get_fortran_info(&info) || info != MPI_INFO_NULL) {
		if (info != MPI_INFO_NULL)
			PMPI_Info_free(&info);
		return;
	}
	if (PMPI_Info_create(&info))
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		PMPI_Info_set(info, sizes[i][0], sizes[i][1]);
	PMPI_Abi_set_fortran_info(info);
	PMPI_Info_free(&info);
}

/*
 * Registers .TRUE. and .FALSE. of each size of LOGICAL, with the values of the
 * default LOGICAL.
 */
static void register_booleans(void)
{
	int8_t t1 = FORT_TRUE, f1 = FORT_FALSE;
	int16_t t2 = FORT_TRUE, f2 = FORT_FALSE;
	int32_t t4 = FORT_TRUE, f4 = FORT_FALSE;
	int64_t t8 = FORT_TRUE, f8 = FORT_FALSE, now[2];
	void *const values[][2] = {
		{ &t1, &f1 }, { &t2, &f2 }, { &t4, &f4 }, { &t8, &f8 }
	};

	for (int i = 0; i < 4; i++) {
		int set = 1;

		if (!PMPI_Abi_get_fortran_booleans(1 << i, &now[0], &now[1],
						   &set) &&
		    !set)
			PMPI_Abi_set_fortran_booleans(1 << i, values[i][0],
						      values[i][1]);
	}
}

void fort_register(void)
{
	register_sizes();
	register_booleans();
}
