/* SPDX-License-Identifier: BSD-3-Clause */
/* Address vectors: insertion, lookup, removal, both AV types, events. */
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/weft_av.h"
#include "test/support/weft_fake.h"
#include "test/t.h"

#include <netdb.h>
#include <arpa/inet.h>
#include <string.h>

static struct sockaddr_in name_of(uint16_t port)
{
	return weft_addr_loopback(AF_INET, htons(port)).in;
}

static struct fid_av *av_open(struct fake *f, enum fi_av_type type,
			      uint64_t flags)
{
	struct fi_av_attr attr = { .type = type, .flags = flags };
	struct fid_av *av;

	T_OK(fi_av_open(f->domain, &attr, &av, NULL));
	return av;
}

static void only_valid_names_get_addresses(void **state)
{
	struct sockaddr_in name[3] = { name_of(10), { 0 }, name_of(12) };
	struct sockaddr_in back;
	size_t len = sizeof(back);
	fi_addr_t addr[3];
	int errs[3];
	struct fid_av *av;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	av = av_open(&f, FI_AV_MAP, 0);
	T_IS(fi_av_insert(av, name, 3, addr, 0, NULL), 2);
	T_TRUE(addr[0] != FI_ADDR_NOTAVAIL);
	T_TRUE(addr[1] == FI_ADDR_NOTAVAIL);
	T_OK(fi_av_lookup(av, addr[2], &back, &len));
	T_IS(len, sizeof(back));
	T_MEM(&back, &name[2], sizeof(back));
	T_IS(fi_av_lookup(av, 17, &back, &len), -FI_EINVAL);
	T_IS(fi_av_insert(av, name, 3, addr, FI_SYNC_ERR, errs), 2);
	T_OK(errs[0]);
	T_IS(errs[1], FI_EINVAL);
	T_OK(errs[2]);
	T_IS(fi_av_insert(av, name, 3, addr, FI_PEEK, NULL), -FI_EBADFLAGS);
	T_OK(fi_close(&av->fid));
	fake_close(&f);
}

static void a_map_counts_equal_names_and_a_table_does_not(void **state)
{
	struct sockaddr_in name[2] = { name_of(10), name_of(10) };
	fi_addr_t addr[2];
	struct fid_av *av;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	av = av_open(&f, FI_AV_MAP, 0);
	T_IS(fi_av_insert(av, name, 2, addr, 0, NULL), 2);
	T_IS(addr[0], addr[1]);
	T_OK(fi_av_remove(av, addr, 1, 0));
	T_OK(fi_av_remove(av, addr, 1, 0));
	T_IS(fi_av_remove(av, addr, 1, 0), -FI_EINVAL);
	T_OK(fi_close(&av->fid));
	av = av_open(&f, FI_AV_TABLE, 0);
	T_IS(fi_av_insert(av, name, 2, NULL, 0, NULL), 2);
	T_IS(fi_av_insert(av, name, 1, addr, 0, NULL), 1);
	T_IS(addr[0], 2);
	T_OK(fi_close(&av->fid));
	fake_close(&f);
}

static void an_endpoint_finds_peers_and_their_addresses(void **state)
{
	struct sockaddr_in name[100];
	fi_addr_t addr[100];
	struct weft_peer *peer;
	struct fake_ep *ep;
	struct fid_av *av;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	av = av_open(&f, FI_AV_TABLE, 0);
	for (uint16_t i = 0; i < 100; i++)
		name[i] = name_of((uint16_t)(1000 + i));
	T_IS(fi_av_insert(av, name, 100, addr, 0, NULL), 100);
	ep = fake_ep_open(&f, NULL, NULL, av);
	T_IS(fi_close(&av->fid), -FI_EBUSY);
	for (int i = 99; i >= 50; i--) {
		peer = weft_ep_peer(&ep->ep, addr[i]);
		T_NOT_NULL(peer);
		T_IS(peer->name->in.sin_port, name[i].sin_port);
		T_PTR(weft_ep_peer(&ep->ep, addr[i]), peer);
		T_IS(weft_ep_source(&ep->ep, peer), addr[i]);
	}
	T_NULL(weft_ep_peer(&ep->ep, 100));
	T_NULL(weft_ep_peer(&ep->ep, FI_ADDR_NOTAVAIL));
	/* both lookups fail for a removed peer, but not after reinsertion */
	peer = weft_ep_peer(&ep->ep, addr[60]);
	T_OK(fi_av_remove(av, &addr[60], 1, 0));
	T_NULL(weft_ep_peer(&ep->ep, addr[60]));
	T_TRUE(weft_ep_source(&ep->ep, peer) == FI_ADDR_NOTAVAIL);
	T_IS(fi_av_insert(av, &name[60], 1, &addr[60], 0, NULL), 1);
	T_IS(weft_ep_source(&ep->ep, peer), addr[60]);
	fake_ep_close(ep);
	T_OK(fi_close(&av->fid));
	fake_close(&f);
}

static void a_reinserted_name_resolves_to_the_new_endpoint(void **state)
{
	struct sockaddr_in name = name_of(10);
	struct weft_peer *dead;
	struct fake_ep *ep;
	struct fid_av *av;
	fi_addr_t addr;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	av = av_open(&f, FI_AV_MAP, 0);
	ep = fake_ep_open(&f, NULL, NULL, av);
	T_IS(fi_av_insert(av, &name, 1, &addr, 0, NULL), 1);
	dead = weft_ep_peer(&ep->ep, addr);
	dead->lost = ECONNRESET;
	T_PTR(weft_ep_peer(&ep->ep, addr), dead);
	T_IS(fi_av_insert(av, &name, 1, &addr, 0, NULL), 1);
	T_TRUE(weft_ep_peer(&ep->ep, addr) != dead);
	fake_ep_close(ep);
	T_OK(fi_close(&av->fid));
	fake_close(&f);
}

static void insertions_are_reported_in_the_event_queue(void **state)
{
	struct sockaddr_in name[2] = { name_of(10), { 0 } };
	struct fi_eq_err_entry err;
	struct fi_eq_entry e;
	fi_addr_t addr[2];
	struct fid_av *av;
	struct fid_eq *eq;
	uint32_t event;
	struct fake f;
	int context;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_OK(fi_eq_open(f.fabric, NULL, &eq, NULL));
	av = av_open(&f, FI_AV_MAP, FI_EVENT);
	T_IS(fi_av_insert(av, name, 1, addr, 0, &context), -FI_ENOEQ);
	T_OK(fi_av_bind(av, &eq->fid, 0));
	T_IS(fi_av_insert(av, name, 2, addr, 0, &context), 0);
	T_IS(fi_eq_read(eq, &event, &e, sizeof(e), 0), -FI_EAVAIL);
	T_IS(fi_eq_readerr(eq, &err, 0), sizeof(err));
	T_IS(err.data, 1);
	T_IS(err.err, FI_EINVAL);
	T_PTR(err.context, &context);
	T_IS(fi_eq_read(eq, &event, &e, sizeof(e), 0), sizeof(e));
	T_IS(event, FI_AV_COMPLETE);
	T_IS(e.data, 1);
	T_PTR(e.context, &context);
	T_PTR(e.fid, &av->fid);
	T_OK(fi_close(&av->fid));
	T_OK(fi_close(&eq->fid));
	fake_close(&f);
}

static void ranges_of_nodes_and_services_are_incremented(void **state)
{
	struct sockaddr_in back;
	size_t len = sizeof(back);
	char text[64];
	size_t text_len = sizeof(text);
	fi_addr_t addr[6];
	struct fid_av *av;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	av = av_open(&f, FI_AV_MAP, 0);
	T_IS(fi_av_insertsym(av, "127.0.0.1", 2, "4000", 3, addr, 0, NULL), 6);
	T_OK(fi_av_lookup(av, addr[5], &back, &len));
	T_STR(fi_av_straddr(av, &back, text, &text_len),
	      "fi_sockaddr_in://127.0.0.2:4002");
	T_IS(text_len, strlen(text) + 1);
	/* services have names only if /etc/services exists */
	T_IS(fi_av_insertsvc(av, "127.0.0.9",
			     getservbyname("discard", NULL) ? "discard" : "9",
			     addr, 0, NULL),
	     1);
	T_OK(fi_av_lookup(av, addr[0], &back, &len));
	T_IS(ntohs(back.sin_port), 9);
	T_TRUE(fi_av_insertsvc(av, "no.such.host.invalid", "1", addr, 0, NULL) <
	       0);
	T_IS(fi_av_insertsvc(av, NULL, "1", addr, 0, NULL), -FI_EINVAL);
	T_OK(fi_close(&av->fid));
	fake_close(&f);
}

/* The address vector of an IPv6 domain accepts no IPv4 names. */
static void a_vector_holds_ipv6_names(void **state)
{
	struct sockaddr_in6 name[2], back;
	struct sockaddr_in ipv4[2] = { name_of(10), name_of(11) };
	char text[64];
	size_t text_len = sizeof(text), len = sizeof(back);
	struct weft_peer *peer;
	struct fake_ep *ep;
	fi_addr_t addr[6];
	struct fid_av *av;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	weft_container_of(f.domain, struct weft_domain, fid)->family = AF_INET6;
	av = av_open(&f, FI_AV_TABLE, 0);
	for (uint16_t i = 0; i < 2; i++)
		name[i] = weft_addr_loopback(AF_INET6, htons(20 + i)).in6;
	T_IS(fi_av_insert(av, name, 2, addr, 0, NULL), 2);
	T_OK(fi_av_lookup(av, addr[1], &back, &len));
	T_IS(len, sizeof(back));
	T_MEM(&back, &name[1], sizeof(back));
	ep = fake_ep_open(&f, NULL, NULL, av);
	peer = weft_ep_peer(&ep->ep, addr[1]);
	T_NOT_NULL(peer);
	T_TRUE(weft_name_equal(peer->name, (union weft_name *)&name[1]));
	T_IS(weft_ep_source(&ep->ep, peer), addr[1]);
	name[0].sin6_addr.s6_addr[0] = 0xfe; /* fe80::1 */
	name[0].sin6_addr.s6_addr[1] = 0x80;
	T_IS(fi_av_insert(av, name, 1, addr, 0, NULL), 0);
	T_IS(fi_av_insert(av, ipv4, 1, addr, 0, NULL), 0);
	T_IS(fi_av_insertsym(av, "fd00::1ff", 2, "4000", 3, addr, 0, NULL), 6);
	T_OK(fi_av_lookup(av, addr[5], &back, &len));
	T_STR(fi_av_straddr(av, &back, text, &text_len),
	      "fi_sockaddr_in6://[fd00::200]:4002");
	T_TRUE(fi_av_insertsvc(av, "127.0.0.9", "1", addr, 0, NULL) < 0);
	fake_ep_close(ep);
	T_OK(fi_close(&av->fid));
	fake_close(&f);
}

static void shared_vectors_are_refused(void **state)
{
	struct fi_av_attr attr = { .name = "mine", .flags = FI_READ };
	struct fid_av *av;
	struct fake f;

	fake_open(&f, FI_THREAD_SAFE, FI_PROGRESS_MANUAL);
	T_IS(fi_av_open(f.domain, &attr, &av, NULL), -FI_ENOSYS);
	attr = (struct fi_av_attr){ .flags = FI_PEEK };
	T_IS(fi_av_open(f.domain, &attr, &av, NULL), -FI_EBADFLAGS);
	T_IS(fi_av_open(f.domain, NULL, &av, NULL), -FI_EINVAL);
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(only_valid_names_get_addresses),
		T_CASE(a_map_counts_equal_names_and_a_table_does_not),
		T_CASE(an_endpoint_finds_peers_and_their_addresses),
		T_CASE(a_reinserted_name_resolves_to_the_new_endpoint),
		T_CASE(insertions_are_reported_in_the_event_queue),
		T_CASE(ranges_of_nodes_and_services_are_incremented),
		T_CASE(a_vector_holds_ipv6_names),
		T_CASE(shared_vectors_are_refused),
	};
	return T_RUN(tests);
}
