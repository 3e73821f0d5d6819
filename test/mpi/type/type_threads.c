/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads create, use and free types, infos, attributes and integer handles at
 * the same time; some of the objects are shared.
 */
#include "mpi_t.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200 };

static MPI_Datatype shared_type;
static MPI_Info shared_info;

static void type_and_message(int id)
{
	int out[12], in[12];
	MPI_Datatype v, w;
	MPI_Request req;

	for (int i = 0; i < 12; i++) {
		out[i] = id * 100 + i;
		in[i] = -1;
	}
	MT_OK(MPI_Type_vector(3, 1, 4, shared_type, &v));
	MT_OK(MPI_Type_dup(v, &w));
	MT_OK(MPI_Type_commit(&w));
	MPI_Type_free(&v);
	MT_OK(MPI_Irecv(in, 1, w, 0, id, MPI_COMM_SELF, &req));
	MT_OK(MPI_Send(out, 1, w, 0, id, MPI_COMM_SELF));
	MPI_Type_free(&w);
	MT_OK(MPI_Wait(&req, MPI_STATUS_IGNORE));
	for (int i = 0; i < 12; i++)
		MT_IS(in[i], i % 4 ? -1 : id * 100 + i);
}

static void info_and_attribute(int id, int key)
{
	char name[16], val[16], got[16];
	int flag, len = sizeof(got);
	void *p;

	snprintf(name, sizeof(name), "key%d", id);
	snprintf(val, sizeof(val), "%d", key);
	MT_OK(MPI_Info_set(shared_info, name, val));
	MT_OK(MPI_Info_get_string(shared_info, name, &len, got, &flag));
	MT_TRUE(flag && !strcmp(got, val));
	MT_OK(MPI_Info_delete(shared_info, name));
	MT_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
	MT_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &p, &flag));
	MT_TRUE(flag && p == &key);
	MT_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
}

static void *work(void *arg)
{
	int id = *(int *)arg, key;
	MPI_Datatype t;

	for (int k = 0; k < ROUNDS; k++) {
		MT_OK(MPI_Comm_create_keyval(
			MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
		type_and_message(id);
		info_and_attribute(id, key);
		MT_OK(MPI_Type_contiguous(2, MPI_INT, &t));
		MT_IS(MPI_Type_fromint(MPI_Type_toint(t)), t);
		MPI_Type_free(&t);
		MT_OK(MPI_Comm_free_keyval(&key));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int id[THREADS], level, n;

	MT_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
	MT_IS(level, MPI_THREAD_MULTIPLE);
	MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
	MT_OK(MPI_Type_dup(MPI_INT, &shared_type));
	MT_OK(MPI_Info_create(&shared_info));
	for (int i = 0; i < THREADS; i++) {
		id[i] = i;
		pthread_create(&thread[i], NULL, work, &id[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	MPI_Info_get_nkeys(shared_info, &n);
	MT_IS(n, 0);
	MPI_Info_free(&shared_info);
	MPI_Type_free(&shared_type);
	return mt_end();
}
