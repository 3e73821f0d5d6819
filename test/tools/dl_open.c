/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that does not link MPI and opens libmpi_abi.so, or the provider,
 * with dlopen(), as Python, Julia and plugin hosts do. test/tools/dl_open.sh
 * compiles and runs it:
 *
 *   dl_open mpi|prov lazy|now local|global LIBRARY [FILLER...]
 *
 * The fillers are libraries with thread-local data, which are opened first; if
 * dlopen() refuses one of them, the static TLS block is full.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <rdma/providers/fi_prov.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *lib;
static sem_t opened;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "dl_open: %s: %s\n", what, why);
	exit(1);
}

/* Stores the address of function `name` of the library in *fn. */
static void find(const char *name, void *fn)
{
	void *sym = dlsym(lib, name);

	if (!sym)
		fail(name, dlerror());
	memcpy(fn, &sym, sizeof(sym));
}

/* Sends a word to this rank itself. */
static void exchange(int tag)
{
	int (*sendrecv)(const void *, int, MPI_Datatype, int, int, void *, int,
			MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
	int out = 4711 + tag, in = 0;

	find("MPI_Sendrecv", &sendrecv);
	if (sendrecv(&out, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag,
		     MPI_COMM_SELF, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
	    in != out)
		fail("MPI_Sendrecv", "the word did not arrive");
}

/* A thread that was started before the library was opened. */
static void *older_thread(void *arg)
{
	sem_wait(&opened);
	exchange(1);
	return arg;
}

static void use_mpi(void)
{
	int (*init)(int *, char ***, int, int *);
	int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op,
			 MPI_Comm);
	int level, one = 1, all = 0;

	find("MPI_Init_thread", &init);
	find("MPI_Allreduce", &allreduce);
	if (init(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
		fail("MPI_Init_thread", "failed");
	if (allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) !=
		    MPI_SUCCESS ||
	    all < 1)
		fail("MPI_Allreduce", "failed");
	exchange(0);
	sem_post(&opened);
}

static void end_mpi(void)
{
	int (*finalize)(void);

	find("MPI_Finalize", &finalize);
	if (finalize() != MPI_SUCCESS)
		fail("MPI_Finalize", "failed");
}

static void use_prov(void)
{
	struct fi_provider *(*ini)(void);
	struct fi_provider *prov;

	find("fi_prov_ini", &ini);
	prov = ini();
	if (!prov || strcmp(prov->name, "weft") != 0)
		fail("fi_prov_ini", "gives no provider \"weft\"");
}

int main(int argc, char **argv)
{
	int refused = 0, flags;
	pthread_t thread;
	bool mpi;

	if (argc < 5)
		fail("usage", "mpi|prov lazy|now local|global LIBRARY ...");
	mpi = !strcmp(argv[1], "mpi");
	flags = (strcmp(argv[2], "lazy") ? RTLD_NOW : RTLD_LAZY) |
		(strcmp(argv[3], "local") ? RTLD_GLOBAL : RTLD_LOCAL);
	sem_init(&opened, 0, 0);
	if (mpi && pthread_create(&thread, NULL, older_thread, NULL))
		fail("pthread_create", "failed");
	for (int i = 5; i < argc; i++)
		refused += !dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
	lib = dlopen(argv[4], flags);
	if (!lib)
		fail("dlopen", dlerror());
	if (mpi) {
		use_mpi();
		pthread_join(thread, NULL);
		end_mpi();
	} else {
		use_prov();
	}
	printf("ok, %d refused\n", refused);
	return 0;
}
