/* SPDX-License-Identifier: BSD-3-Clause */
/* Envelopes and contents: how a type was made. */
#include "src/mpi/mpi_export.h"

#include "src/types/types_dt_env.h"
#include "src/mpi/type/mpi_type.h"

static const struct weft_dt_env named = { .combiner = MPI_COMBINER_NAMED };

static int get_env(const char *func, MPI_Datatype type,
		   const struct weft_dt_env **env_p)
{
	struct weft_dt *dt = weft_dt_of(type);

	*env_p = dt && dt->env ? dt->env : &named;
	return dt ? 0 : mpi_type_bad(func, 1, type);
}

/* Raises an error if a type has large counts, in a call with int counts. */
static int refuse_large(const char *func, const struct weft_dt_env *e)
{
	if (!e->counts)
		return 0;
	return weft_err_arg(NULL, func, MPI_ERR_TYPE, 1,
			    "datatype was made with large counts, "
			    "which only %s_c returns",
			    func + 1);
}

#pragma weak MPI_Type_get_envelope = PMPI_Type_get_envelope
int PMPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers,
			   int *num_addresses, int *num_datatypes,
			   int *combiner)
{
	MPI_ENTER;
	const struct weft_dt_env *e;
	int err = get_env(__func__, datatype, &e);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, num_integers,
				     "num_integers");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, num_addresses,
				     "num_addresses");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, num_datatypes,
				     "num_datatypes");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 5, combiner, "combiner");
	if (!err)
		err = refuse_large(__func__, e);
	if (err)
		return err;
	*num_integers = (int)e->ints;
	*num_addresses = (int)e->addrs;
	*num_datatypes = (int)e->types;
	*combiner = e->combiner;
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_get_envelope_c = PMPI_Type_get_envelope_c
int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
			     MPI_Count *num_addresses,
			     MPI_Count *num_large_counts,
			     MPI_Count *num_datatypes, int *combiner)
{
	MPI_ENTER;
	const struct weft_dt_env *e;
	int err = get_env(__func__, datatype, &e);

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, num_integers,
				     "num_integers");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 3, num_addresses,
				     "num_addresses");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 4, num_large_counts,
				     "num_large_counts");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 5, num_datatypes,
				     "num_datatypes");
	if (!err)
		err = weft_check_ptr(NULL, __func__, 6, combiner, "combiner");
	if (err)
		return err;
	*num_integers = e->ints;
	*num_addresses = e->addrs;
	*num_large_counts = e->counts;
	*num_datatypes = e->types;
	*combiner = e->combiner;
	return MPI_SUCCESS;
}

/* The sizes of the caller's arrays, and the sizes needed. */
struct room {
	MPI_Count room, need;
	const char *what;
};

/*
 * Checks that the type has contents, and that the arrays are large enough;
 * their sizes are arguments 2 and following.
 */
static int check_array_sizes(const char *func, const struct weft_dt_env *e,
			     const struct room *r, int n)
{
	if (e->combiner == MPI_COMBINER_NAMED)
		return weft_err_arg(NULL, func, MPI_ERR_TYPE, 1,
				    "a named datatype has no contents");
	for (int k = 0; weft_check && k < n; k++)
		if (r[k].room < r[k].need)
			return weft_err_arg(NULL, func, MPI_ERR_ARG, 2 + k,
					    "array for %lld %s is too short; "
					    "the datatype has %lld",
					    (long long)r[k].room, r[k].what,
					    (long long)r[k].need);
	return 0;
}

/* Copies the contents; the user frees the references on derived types. */
static void copy_out(const struct weft_dt_env *e, int *i, MPI_Aint *a,
		     MPI_Datatype *t)
{
	for (MPI_Count k = 0; k < e->ints; k++)
		i[k] = e->i[k];
	for (MPI_Count k = 0; k < e->addrs; k++)
		a[k] = e->a[k];
	for (MPI_Count k = 0; k < e->types; k++)
		t[k] = weft_dt_handle(weft_dt_get(e->t[k]));
}

#pragma weak MPI_Type_get_contents = PMPI_Type_get_contents
int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers,
			   int max_addresses, int max_datatypes,
			   int array_of_integers[],
			   MPI_Aint array_of_addresses[],
			   MPI_Datatype array_of_datatypes[])
{
	MPI_ENTER;
	const struct weft_dt_env *e;
	int err = get_env(__func__, datatype, &e);
	const struct room rooms[] = {
		{ max_integers, e->ints, "integers" },
		{ max_addresses, e->addrs, "addresses" },
		{ max_datatypes, e->types, "datatypes" },
	};

	if (!err)
		err = refuse_large(__func__, e);
	if (!err)
		err = check_array_sizes(__func__, e, rooms, 3);
	if (!err)
		copy_out(e, array_of_integers, array_of_addresses,
			 array_of_datatypes);
	return err;
}

#pragma weak MPI_Type_get_contents_c = PMPI_Type_get_contents_c
int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers,
			     MPI_Count max_addresses,
			     MPI_Count max_large_counts,
			     MPI_Count max_datatypes, int array_of_integers[],
			     MPI_Aint array_of_addresses[],
			     MPI_Count array_of_large_counts[],
			     MPI_Datatype array_of_datatypes[])
{
	MPI_ENTER;
	const struct weft_dt_env *e;
	int err = get_env(__func__, datatype, &e);
	const struct room rooms[] = {
		{ max_integers, e->ints, "integers" },
		{ max_addresses, e->addrs, "addresses" },
		{ max_large_counts, e->counts, "large counts" },
		{ max_datatypes, e->types, "datatypes" },
	};

	if (!err)
		err = check_array_sizes(__func__, e, rooms, 4);
	if (err)
		return err;
	for (MPI_Count k = 0; k < e->counts; k++)
		array_of_large_counts[k] = e->c[k];
	copy_out(e, array_of_integers, array_of_addresses, array_of_datatypes);
	return MPI_SUCCESS;
}
