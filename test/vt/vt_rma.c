/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libfabric remote memory access in virtual time: rank 1 of
 * FI_WEFT_JOB=NAME:RANK:2 registers memory and computes; rank 0 writes, reads
 * and adds to this memory, prints the virtual time of each access, and makes
 * accesses that must be refused.
 */
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
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

#define OK(call)   check(#call, call)
#define COMPUTE_PS 5000000000ull
#define WORDS	   8

struct shown {
	uint64_t addr, key;
};

static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_av *av;
static struct fid_domain *domain;
static struct fi_weft_world *world;
static struct fi_weft_clock *machine_clock;
static fi_addr_t peer;

static void check(const char *what, ssize_t rc)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-rc));
	exit(1);
}

static void open_all(void)
{
	struct fi_info *hints = fi_allocinfo(), *info;
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED,
				      .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	struct fid_fabric *fabric;

	hints->caps = FI_TAGGED | FI_MSG | FI_RMA | FI_ATOMIC;
	hints->ep_attr->type = FI_EP_RDM;
	/* FI_THREAD_DOMAIN: interfaces may execute atomics */
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->fabric_attr->prov_name = strdup("weft");
	OK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
	OK(fi_fabric(info->fabric_attr, &fabric, NULL));
	OK(fi_domain(fabric, info, &domain, NULL));
	OK(fi_open_ops(&domain->fid, FI_WEFT_WORLD, 0, (void **)&world, NULL));
	OK(fi_open_ops(&domain->fid, FI_WEFT_CLOCK, 0, (void **)&machine_clock,
		       NULL));
	OK(fi_av_open(domain, &av_attr, &av, NULL));
	OK(fi_cq_open(domain, &cq_attr, &cq, NULL));
	OK(fi_endpoint(domain, info, &ep, NULL));
	OK(fi_ep_bind(ep, &av->fid, 0));
	OK(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
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

/* Waits for the next completion. Returns its error, or 0. */
static int complete(struct fi_cq_tagged_entry *e)
{
	struct fi_cq_err_entry err = { 0 };
	ssize_t n;

	do
		n = fi_cq_sread(cq, e, 1, NULL, -1);
	while (n == -FI_EAGAIN || n == -FI_EINTR);
	if (n == -FI_EAVAIL && fi_cq_readerr(cq, &err, 0) == 1)
		return err.err;
	check("fi_cq_sread", n == 1 ? 0 : n);
	return 0;
}

static void print_completed(const char *what, uint64_t since)
{
	struct fi_cq_tagged_entry e;
	uint64_t now;

	check(what, -complete(&e));
	now = machine_clock->now_ps(&domain->fid);
	printf("%llu %s\n", (unsigned long long)(now - since) / 1000, what);
}

static void show(void)
{
	static uint64_t memory[WORDS];
	struct fi_cq_tagged_entry e = { 0 };
	struct shown s = { .addr = 0 };
	struct fid_mr *mr;

	OK(fi_mr_reg(domain, memory, sizeof(memory),
		     FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 1, 0, &mr, NULL));
	s.key = fi_mr_key(mr);
	OK(fi_tsend(ep, &s, sizeof(s), NULL, peer, 1, NULL));
	check("send", -complete(&e));
	world->compute(&domain->fid, COMPUTE_PS);
	/* a write with immediate data is reported at the target */
	check("a write", -complete(&e));
	if (!(e.flags & FI_REMOTE_CQ_DATA) || e.data != 4711 ||
	    memory[0] != 7 + 5 || memory[1] != 9)
		check("memory", -FI_EIO);
	fi_close(&mr->fid);
}

static void use(void)
{
	uint64_t word = 7, five = 5, seen = 0, old = 0, nine = 9, t;
	struct fi_cq_tagged_entry e;
	struct shown s;

	OK(fi_trecv(ep, &s, sizeof(s), NULL, peer, 1, 0, NULL));
	check("recv", -complete(&e));
	t = machine_clock->now_ps(&domain->fid);
	OK(fi_write(ep, &word, 8, NULL, peer, s.addr, s.key, NULL));
	print_completed("write", t);
	t = machine_clock->now_ps(&domain->fid);
	OK(fi_fetch_atomic(ep, &five, 1, NULL, &old, NULL, peer, s.addr, s.key,
			   FI_UINT64, FI_SUM, NULL));
	print_completed("atomic", t);
	t = machine_clock->now_ps(&domain->fid);
	OK(fi_read(ep, &seen, 8, NULL, peer, s.addr, s.key, NULL));
	print_completed("read", t);
	if (old != 7 || seen != 12)
		check("words", -FI_EIO);
	OK(fi_read(ep, &seen, 8, NULL, peer, s.addr + 8 * WORDS, s.key, NULL));
	printf("refused %d\n", complete(&e) != 0);
	OK(fi_writedata(ep, &nine, 8, NULL, 4711, peer, s.addr + 8, s.key,
			NULL));
	check("writedata", -complete(&e));
}

int main(int argc, char **argv)
{
	int rank = argc > 1 ? atoi(argv[1]) : 0;

	open_all();
	insert_peer((uint32_t)!rank);
	if (rank)
		show();
	else
		use();
	world->leave(&domain->fid);
	fi_close(&ep->fid);
	return 0;
}
