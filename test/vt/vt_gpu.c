/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host and device memory in virtual time: two processes of
 * FI_WEFT_JOB=NAME:RANK:2 run ping-pongs with host memory, with device memory,
 * and with staged device memory. Rank 0 prints the time of half a round trip
 * for each kind, in ps: KIND BYTES PS
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_ext_weft.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) check(#call, call)
#define ROUNDS	 4
#define MOST	 (4 << 20)

static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_av *av;
static struct fid_domain *domain;
static struct fi_weft_world *world;
static struct fi_weft_clock *machine_clock;
static struct fi_weft_mem *mem;
static fi_addr_t peer;
static char *host, *device;

static void check(const char *what, ssize_t rc)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-rc));
	exit(1);
}

static void ops(const char *name, void *p)
{
	OK(fi_open_ops(&domain->fid, name, 0, p, NULL));
}

static void open_all(void)
{
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED,
				      .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fid_fabric *fabric;

	hints->caps = FI_TAGGED | FI_MSG | FI_RMA | FI_HMEM;
	hints->ep_attr->type = FI_EP_RDM;
	hints->fabric_attr->prov_name = strdup("weft");
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	OK(fi_fabric(info->fabric_attr, &fabric, NULL));
	OK(fi_domain(fabric, info, &domain, NULL));
	ops(FI_WEFT_WORLD, &world);
	ops(FI_WEFT_CLOCK, &machine_clock);
	ops(FI_WEFT_MEM, &mem);
	OK(fi_av_open(domain, &av_attr, &av, NULL));
	OK(fi_cq_open(domain, &cq_attr, &cq, NULL));
	OK(fi_endpoint(domain, info, &ep, NULL));
	OK(fi_ep_bind(ep, &av->fid, 0));
	OK(fi_ep_bind(ep, &cq->fid, FI_SEND | FI_RECV));
	OK(fi_enable(ep));
	OK(mem->alloc(&domain->fid, MOST, (void **)&device));
	host = aligned_alloc(65536, MOST);
	memset(host, 0, MOST);
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

static void send_msg(char *buf, size_t n)
{
	OK(fi_tsend(ep, buf, n, NULL, peer, 1, NULL));
	complete();
}

static void recv_msg(char *buf, size_t n)
{
	OK(fi_trecv(ep, buf, n, NULL, peer, 1, 0, NULL));
	complete();
}

static void play(const char *kind, int rank, size_t n)
{
	char *buf = *kind == 'h' ? host : device;
	int p2p = *kind == 's' ? FI_HMEM_P2P_DISABLED : FI_HMEM_P2P_ENABLED;
	uint64_t t = 0;
	int i;

	OK(fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P, &p2p,
		     sizeof(p2p)));
	for (i = 0; i <= ROUNDS; i++) {
		if (i == 1) /* address translations are cached now */
			t = machine_clock->now_ps(&domain->fid);
		if (rank)
			recv_msg(buf, n);
		send_msg(buf, n);
		if (!rank)
			recv_msg(buf, n);
	}
	t = machine_clock->now_ps(&domain->fid) - t;
	if (!rank)
		printf("%s %zu %llu\n", kind, n,
		       (unsigned long long)(t / (2 * ROUNDS)));
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 8,	2048,	16384,	 32768, 65536,
					131072, 262144, 1048576, MOST };
	int rank = argc > 1 ? atoi(argv[1]) : 0;
	size_t i;

	open_all();
	insert_peer((uint32_t)!rank);
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		play("host", rank, sizes[i]);
		play("peer", rank, sizes[i]);
		play("staged", rank, sizes[i]);
	}
	world->leave(&domain->fid);
	fi_close(&ep->fid);
	return 0;
}
