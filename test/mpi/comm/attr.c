/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of communicators and datatypes, and predefined attributes. */
#include "mpi_t.h"

#include <limits.h>

static int copies, deletes, last_deleted;

static int copy_comm(MPI_Comm c, int key, void *extra, void *in, void *out,
		     int *flag)
{
	copies++;
	MT_TRUE(c != MPI_COMM_NULL && extra == &copies);
	*(void **)out = (char *)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete_comm(MPI_Comm c, int key, void *val, void *extra)
{
	deletes++;
	last_deleted = (int)(intptr_t)val;
	return (intptr_t)val == 1000 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int copy_type(MPI_Datatype t, int key, void *extra, void *in, void *out,
		     int *flag)
{
	*flag = 0;
	return MPI_SUCCESS;
}

static void communicators(void)
{
	int key, flag;
	MPI_Comm c;
	void *val;

	MT_OK(MPI_Comm_create_keyval(copy_comm, delete_comm, &key, &copies));
	MT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)10));
	MT_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	MT_IS(copies, 1);
	MT_OK(MPI_Comm_get_attr(c, key, &val, &flag));
	MT_TRUE(flag && (intptr_t)val == 11);
	MT_OK(MPI_Comm_set_attr(c, key, (void *)30));
	MT_TRUE(deletes == 1 && last_deleted == 11);
	MT_OK(MPI_Comm_free(&c));
	MT_TRUE(deletes == 2 && last_deleted == 30);
	MT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
	MT_IS(deletes, 3);
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &val, &flag));
	MT_IS(flag, 0);
	MT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)1000));
	MT_TRUE(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) != MPI_SUCCESS);
	MT_OK(MPI_Comm_free_keyval(&key));
	MT_IS(key, MPI_KEYVAL_INVALID);
	MT_IS(mt_class(MPI_Comm_get_attr(MPI_COMM_WORLD, 4711, &val, &flag)),
	      MPI_ERR_KEYVAL);
}

static void datatypes(void)
{
	int dup, no, flag;
	MPI_Datatype t, u;
	void *val;

	MT_OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN,
				     &dup, NULL));
	MT_OK(MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, &no,
				     NULL));
	MT_OK(MPI_Type_contiguous(2, MPI_INT, &t));
	MT_OK(MPI_Type_set_attr(t, dup, &dup));
	MT_OK(MPI_Type_set_attr(t, no, &no));
	MT_OK(MPI_Type_dup(t, &u));
	MT_OK(MPI_Type_get_attr(u, dup, &val, &flag));
	MT_TRUE(flag && val == &dup);
	MT_OK(MPI_Type_get_attr(u, no, &val, &flag));
	MT_IS(flag, 0);
	MT_IS(mt_class(MPI_Comm_set_attr(MPI_COMM_SELF, dup, NULL)),
	      MPI_ERR_KEYVAL);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	MPI_Type_free_keyval(&dup);
	MPI_Type_free_keyval(&no);
}

/*
 * A freed key is valid for the attributes that use it, and exists as long as
 * they do.
 */
static void freed_keys(void)
{
	int key, again, flag;
	void *val;

	MT_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
				     MPI_COMM_NULL_DELETE_FN, &key, NULL));
	MT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
	again = key;
	MT_OK(MPI_Comm_free_keyval(&key));
	key = again;
	MT_OK(MPI_Comm_free_keyval(&key));
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, again, &val, &flag));
	MT_TRUE(flag && val == &key);
	MT_IS(mt_class(MPI_Comm_set_attr(MPI_COMM_WORLD, again, NULL)),
	      MPI_ERR_KEYVAL);
	MT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, again));
	MT_IS(mt_class(MPI_Comm_free_keyval(&again)), MPI_ERR_KEYVAL);
}

static void predefined(void)
{
	int *v, flag, class;

	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &v, &flag));
	MT_TRUE(flag && *v == INT_MAX);
	MT_OK(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_WTIME_IS_GLOBAL, &v, &flag));
	MT_TRUE(flag && (*v == 0 || *v == 1));
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &v, &flag));
	MT_TRUE(!flag || *v >= mt_size);
	MPI_Add_error_class(&class);
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &v, &flag));
	MT_TRUE(flag && *v == class);
	MT_IS(mt_class(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL)),
	      MPI_ERR_KEYVAL);
}

/*
 * Delete callbacks run in MPI_Finalize, in reverse order, while MPI still
 * works.
 */
static int ends[2], ended;

static int at_end(MPI_Comm c, int key, void *val, void *extra)
{
	int r;

	MT_OK(MPI_Comm_rank(MPI_COMM_WORLD, &r));
	ends[ended++] = (int)(intptr_t)val;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int a, b;

	mt_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	communicators();
	datatypes();
	freed_keys();
	predefined();
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &a, NULL);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &b, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, b, (void *)1);
	MPI_Comm_set_attr(MPI_COMM_SELF, a, (void *)2);
	mt_end();
	return !(ended == 2 && ends[0] == 2 && ends[1] == 1);
}
