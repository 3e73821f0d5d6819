/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcasts and allgathers through shared memory of all ranks (algorithm
 * "shared"); device memory is first used before or after this shared memory is
 * opened.
 */
#include "device_t.h"

#define LENGTH 50000 /* size of a block, bytes */

static unsigned char *host, *want;

static MPI_Comm comm_open(void)
{
	MPI_Comm c;
	MPI_Info info;

	MT_OK(MPI_Info_create(&info));
	MT_OK(MPI_Info_set(info, "weft_coll_bcast", "shared"));
	MT_OK(MPI_Info_set(info, "weft_coll_allgather", "shared"));
	MT_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &c));
	MT_OK(MPI_Info_free(&info));
	return c;
}

/* Calls with buffers in device memory at ranks with an odd (rank + shift). */
static void calls(MPI_Comm c, unsigned char *device, int shift)
{
	int on_device = device && (mt_rank + shift) % 2;
	unsigned char *at = on_device ? device : host;

	for (int root = 0; root < mt_size; root++) {
		mt_fill(host, LENGTH, (uint64_t)mt_rank);
		if (on_device)
			device_in(device, host, LENGTH);
		MT_OK(MPI_Bcast(at, LENGTH, MPI_BYTE, root, c));
		if (on_device)
			device_out(host, device, LENGTH);
		MT_TRUE(mt_same(host, LENGTH, (uint64_t)root));
	}
	mt_fill(want, LENGTH, 100 + (uint64_t)mt_rank);
	if (on_device)
		device_in(device + mt_rank * LENGTH, want, LENGTH);
	else
		memcpy(host + mt_rank * LENGTH, want, LENGTH);
	MT_OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, at, LENGTH, MPI_BYTE,
			    c));
	if (on_device)
		device_out(host, device, (size_t)mt_size * LENGTH);
	for (int i = 0; i < mt_size; i++)
		MT_TRUE(mt_same(host + i * LENGTH, LENGTH, 100 + (uint64_t)i));
}

int main(int argc, char **argv)
{
	unsigned char *device;
	MPI_Comm early, late;

	mt_begin(&argc, &argv);
	host = malloc((size_t)mt_size * LENGTH);
	want = malloc(LENGTH);
	early = comm_open();
	calls(early, NULL, 0);
	device = device_alloc((size_t)mt_size * LENGTH);
	late = comm_open();
	for (int i = 0; i < 3; i++) {
		calls(early, device, i);
		calls(late, device, i);
	}
	MT_OK(MPI_Comm_free(&early));
	MT_OK(MPI_Comm_free(&late));
	MT_OK(MPI_Free_mem(device));
	free(want);
	free(host);
	return mt_end();
}
