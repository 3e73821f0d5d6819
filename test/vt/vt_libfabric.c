/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libfabric program in virtual time, without MPI: two processes of
 * FI_WEFT_JOB=NAME:RANK:2 exchange a message in each direction. Rank 0 prints
 * the virtual time of the exchange, and of many short writes into the memory of
 * rank 1. The writes are ordered; with a second argument they are unordered,
 * or, if the argument is "lines", ordered within a cache line.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) check(#call, call)
#define WRITES	 48
#define BYTES	 1024

static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_av *av;
static struct fid_domain *domain;
static struct fi_weft_world *world;
static struct fi_weft_clock *machine_clock;
static fi_addr_t peer;
static int virt_addr;

static void check(const char *what, ssize_t rc)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-rc));
	exit(1);
}

static void open_all(const char *order)
{
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED,
				      .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fid_fabric *fabric;

	hints->caps = FI_TAGGED | FI_MSG | FI_RMA;
	hints->domain_attr->mr_mode = FI_MR_ENDPOINT | FI_MR_PROV_KEY |
				      FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				      FI_MR_LOCAL;
	hints->ep_attr->type = FI_EP_RDM;
	hints->fabric_attr->prov_name = strdup("weft");
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	if (order)
		info->tx_attr->msg_order = strcmp(order, "lines")
						   ? FI_ORDER_NONE
						   : FI_ORDER_RMA_WAW;
	virt_addr = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
	OK(fi_fabric(info->fabric_attr, &fabric, NULL));
	OK(fi_domain(fabric, info, &domain, NULL));
	OK(fi_open_ops(&domain->fid, FI_WEFT_WORLD, 0, (void **)&world, NULL));
	OK(fi_open_ops(&domain->fid, FI_WEFT_CLOCK, 0, (void **)&machine_clock,
		       NULL));
	OK(fi_av_open(domain, &av_attr, &av, NULL));
	OK(fi_cq_open(domain, &cq_attr, &cq, NULL));
	OK(fi_endpoint(domain, info, &ep, NULL));
	OK(fi_ep_bind(ep, &av->fid, 0));
	OK(fi_ep_bind(ep, &cq->fid, FI_SEND | FI_RECV));
	OK(fi_enable(ep));
}

static void insert_peer(uint32_t rank)
{
	char name[64];
	size_t len = sizeof(name);

	OK(world->address(&domain->fid, rank, name, &len));
	if (fi_av_insert(av, name, 1, &peer, 0, NULL) != 1)
		check("fi_av_insert", -FI_EINVAL);
}

static void complete(void)
{
	struct fi_cq_tagged_entry e;
	ssize_t n;

	do
		n = fi_cq_sread(cq, &e, 1, NULL, -1);
	while (n == -FI_EAGAIN || n == -FI_EINTR);
	check("fi_cq_sread", n == 1 ? 0 : n);
}

static void ping_pong(int rank)
{
	char out[8] = "message", in[8] = "";

	OK(fi_trecv(ep, in, sizeof(in), NULL, peer, 1, 0, NULL));
	if (rank)
		complete();
	OK(fi_tsend(ep, out, sizeof(out), NULL, peer, 1, NULL));
	complete();
	if (!rank)
		complete();
	if (strcmp(in, out))
		check("the message", -FI_EIO);
}

/* Rank 0 writes; rank 1 sends its address and is notified at the end. */
static uint64_t writes(int rank)
{
	static char mem[WRITES * BYTES];
	uint64_t where[2], t;
	struct fid_mr *mr;
	int i;

	OK(fi_mr_reg(domain, mem, sizeof(mem), FI_REMOTE_WRITE | FI_WRITE, 0, 7,
		     0, &mr, NULL));
	where[0] = virt_addr ? (uintptr_t)mem : 0;
	where[1] = fi_mr_key(mr);
	if (rank) {
		OK(fi_tsend(ep, where, sizeof(where), NULL, peer, 2, NULL));
		complete();
		ping_pong(rank);
		return 0;
	}
	OK(fi_trecv(ep, where, sizeof(where), NULL, peer, 2, 0, NULL));
	complete();
	t = machine_clock->now_ps(&domain->fid);
	for (i = 0; i < WRITES; i++)
		OK(fi_write(ep, mem, BYTES, NULL, peer, where[0] + i * BYTES,
			    where[1], NULL));
	for (i = 0; i < WRITES; i++)
		complete();
	t = machine_clock->now_ps(&domain->fid) - t;
	ping_pong(rank);
	return t;
}

int main(int argc, char **argv)
{
	int i, rank = argc > 1 ? atoi(argv[1]) : 0;
	uint64_t t;

	open_all(argv[2]);
	insert_peer((uint32_t)!rank);
	t = machine_clock->now_ps(&domain->fid);
	for (i = 0; i < 10; i++)
		ping_pong(rank);
	t = machine_clock->now_ps(&domain->fid) - t;
	if (!rank)
		printf("%d round trips of 8 bytes: %llu ps\n", i,
		       (unsigned long long)t);
	t = writes(rank);
	if (!rank)
		printf("%d writes of %d bytes: %llu ps\n", WRITES, BYTES,
		       (unsigned long long)t);
	world->leave(&domain->fid);
	fi_close(&ep->fid);
	return 0;
}
