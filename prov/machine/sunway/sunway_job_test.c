/* SPDX-License-Identifier: BSD-3-Clause */
/* Protection: management, job exit, virtual machines. */
#include "test/support/sunway_pair.h"

/* ---- management ---- */

static struct weft_sunway_event manage(struct pair *p, uint8_t command,
				       uint64_t word, uint64_t value)
{
	struct weft_sunway_desc d = pair_desc(&p->b, WEFT_SUNWAY_MANAGE, 0);

	d.command = command;
	d.remote = word;
	d.data = value;
	pair_post(&p->a, &d);
	return pair_event(p, &p->a, 0);
}

static void commands_are_mapped_in_two_levels(void **state)
{
	struct pair p;
	uint64_t v;

	pair_open(&p, "");
	pair_system(&p);
	T_IS(manage(&p, 40, 3, 5).status, WEFT_SUNWAY_COMMAND);
	T_OK(weft_sunway_command_map(p.b.n, 40, 2));
	T_OK(weft_sunway_command_map(p.b.n, 41, 2));
	T_IS(manage(&p, 40, 3, 5).status, WEFT_SUNWAY_COMMAND);
	T_OK(weft_sunway_group_map(p.b.n, 2, WEFT_SUNWAY_REG_WRITE));
	T_IS(manage(&p, 40, 3, 5).status, WEFT_SUNWAY_OK);
	T_OK(weft_sunway_io_get(p.b.n, 0, 3, &v));
	T_IS(v, 5);
	/* a new action of a group applies to all commands of the group */
	T_OK(weft_sunway_group_map(p.b.n, 2, WEFT_SUNWAY_REG_ADD));
	T_IS(manage(&p, 41, 3, 5).data, 10);
	T_OK(weft_sunway_command_map(p.b.n, 41, 3));
	T_OK(weft_sunway_group_map(p.b.n, 3, WEFT_SUNWAY_REG_READ));
	T_IS(manage(&p, 41, 3, 5).data, 10);
	T_OK(weft_sunway_io_set(p.b.n, 0, 3, 77));
	T_IS(manage(&p, 41, 3, 5).data, 77);
	T_IS(weft_sunway_io_set(p.b.n, 0, WEFT_SUNWAY_IO, 1), -EINVAL);
	T_IS(manage(&p, 41, WEFT_SUNWAY_IO, 5).status, WEFT_SUNWAY_ADDRESS);
	pair_close(&p);
}

static void management_is_routed_by_source(void **state)
{
	static const uint8_t hop[] = { 0, 17, 4 };
	struct weft_sunway_desc d;
	struct pair p;
	uint64_t v;

	pair_open(&p, "");
	pair_system(&p);
	T_OK(weft_sunway_command_map(p.b.n, 1, 1));
	T_OK(weft_sunway_group_map(p.b.n, 1, WEFT_SUNWAY_REG_WRITE));
	T_OK(weft_sunway_route_set(p.a.n, hop, 3, p.b.n->guid));
	T_IS(weft_sunway_route_set(p.a.n, hop, 3, 9), -EEXIST);
	d = pair_desc(&p.b, WEFT_SUNWAY_MANAGE, 0);
	d.flags |= WEFT_SUNWAY_SOURCE;
	d.guid = 0; /* no event is requested */
	d.command = 1;
	d.remote = 9;
	d.data = 33;
	memset(d.hop, 0xff, sizeof(d.hop));
	memcpy(d.hop, hop, sizeof(hop));
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_OK(weft_sunway_io_get(p.b.n, 0, 9, &v));
	T_IS(v, 33);
	d.hop[2] = 5;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_NO_NODE);
	pair_close(&p);
}

/* ---- the end of jobs ---- */

/* Half of a write has arrived when the target's job exits. */
static void late_packets_of_a_job_touch_no_memory(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	memset(p.a.mem, 1, 400000);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 400000);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	weft_sunway_poll(p.a.n, 100);
	weft_sunway_poll(p.b.n, 10);
	T_IS(p.b.mem[0], 1);
	T_OK(weft_sunway_job_exit(p.b.n, PAIR_JOB));
	memset(p.b.mem, 7, PAIR_BYTES);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_NO_VI);
	T_TRUE(pair_stats(&p.b).absorbed > 0);
	for (unsigned i = 0; i < PAIR_BYTES; i++)
		T_IS(p.b.mem[i], 7);
	T_IS(p.b.n->arriving, 0);
	T_IS(weft_sunway_job_exit(p.b.n, PAIR_JOB), -ENOENT);
	/* the job opens an interface again; its memory stays freed */
	pair_vis(&p.b, PAIR_JOB);
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_ADDRESS);
	T_IS(p.b.mem[0], 7);
	pair_close(&p);
}

/*
 * After a job has exited, its memory is not read, and no message stays pending.
 */
static void sender_exit_drops_its_messages(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 400000);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAR, 400000);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	for (unsigned i = 0; i < 100; i++) {
		d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 8);
		d.flags |= WEFT_SUNWAY_RELIABLE;
		d.local = p.a.address;
		pair_post(&p.a, &d);
	}
	weft_sunway_poll(p.a.n, 120);
	weft_sunway_poll(p.b.n, 40);
	T_IS(p.b.n->arriving, 1);
	T_OK(weft_sunway_job_exit(p.a.n, PAIR_JOB));
	memset(p.a.mem, 7, PAIR_BYTES);
	T_IS(p.a.n->me[0].in_flight, 0);
	pair_run(&p, 1000);
	T_IS(p.b.n->me[0].in_flight, 0);
	T_IS(p.b.n->arriving, 0);
	for (unsigned i = 0; i < PAIR_BYTES; i++)
		T_IS(p.a.mem[i], 7); /* data of the read was dropped */
	pair_close(&p);
}

/* A new job opens the same interface and gets no messages of the first job. */
static void other_jobs_are_not_disturbed(void **state)
{
	struct weft_sunway_arrival a;
	struct weft_sunway_desc d;
	struct side other;
	struct pair p;

	pair_open(&p, "");
	other = p.b;
	pair_vis(&other, PAIR_JOB + 5);
	for (unsigned i = 0; i < 50; i++) {
		d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 8);
		d.flags |= WEFT_SUNWAY_RELIABLE;
		d.local = p.a.address;
		pair_post(&p.a, &d);
	}
	weft_sunway_poll(p.a.n, 50);
	T_OK(weft_sunway_job_exit(p.b.n, PAIR_JOB));
	pair_vis(&p.b, PAIR_JOB + 5); /* reuses the interface numbers */
	for (unsigned i = 0; i < 50; i++)
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_NO_VI);
	T_AGAIN(weft_sunway_rq_peek(p.b.n, 0, p.b.vi[0], &a));
	/* a new job of the sender communicates with the new job of b */
	T_OK(weft_sunway_job_exit(p.a.n, PAIR_JOB));
	pair_vis(&p.a, PAIR_JOB + 5);
	pair_mem(&p.a, PAIR_JOB + 5);
	d = pair_desc(&other, WEFT_SUNWAY_QUEUE, 8);
	d.flags |= WEFT_SUNWAY_RELIABLE;
	d.local = p.a.address;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_OK(weft_sunway_rq_peek(p.b.n, 0, other.vi[0], &a));
	pair_close(&p);
}

/* Messages of the first job arrive when the next job has already sent. */
static void a_new_job_starts_a_new_window(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 8);
	d.flags |= WEFT_SUNWAY_RELIABLE;
	d.local = p.a.address;
	d.port = 1; /* port 0 is polled first */
	for (unsigned i = 0; i < 5; i++)
		pair_post(&p.a, &d);
	weft_sunway_poll(p.a.n, 5);
	T_OK(weft_sunway_job_exit(p.a.n, PAIR_JOB));
	pair_vis(&p.a, PAIR_JOB);
	pair_mem(&p.a, PAIR_JOB);
	d.local = p.a.address;
	d.port = 0;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	T_IS(pair_arrival(&p, &p.b, 0).len, 8);
	weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
	pair_run(&p, 3000);
	T_IS(pair_stats(&p.b).absorbed, 5);
	T_TRUE(weft_list_empty(&p.b.n->me[0].vi[p.b.vi[0]].arrived));
	pair_close(&p);
}

/* When the job reopens its interface, the sender's window continues. */
static void a_window_survives_its_receiver(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_QUEUE, 8);
	d.flags |= WEFT_SUNWAY_RELIABLE;
	d.local = p.a.address;
	T_OK(weft_sunway_vi_close(p.b.n, 0, p.b.vi[0]));
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_NO_VI);
	pair_vis(&p.b, PAIR_JOB);
	for (unsigned i = 0; i < 3 * SUNWAY_WINDOW; i++) {
		pair_post(&p.a, &d);
		T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
		weft_sunway_rq_release(p.b.n, 0, p.b.vi[0]);
	}
	pair_close(&p);
}

static void a_lost_node_ends_its_messages(void **state)
{
	struct weft_sunway_desc d;
	struct pair p;

	pair_open(&p, "");
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 8);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	d.op = WEFT_SUNWAY_QUEUE;
	d.flags |= WEFT_SUNWAY_RELIABLE;
	for (unsigned i = 0; i < 10; i++)
		pair_post(&p.a, &d);
	weft_sunway_poll(p.a.n, 16);
	T_TRUE(p.a.n->me[0].in_flight > 0);
	weft_sunway_close(p.b.n);
	/* messages in flight end with the notification, without a timeout */
	weft_sunway_poll(p.a.n, 16);
	T_IS(p.a.n->me[0].in_flight, 0);
	for (int i = 0; i < 1000; i++)
		weft_sunway_poll(p.a.n, 16);
	for (unsigned i = 0; i < 10; i++) {
		struct weft_sunway_event ev;

		T_OK(weft_sunway_cq_read(p.a.n, 0, p.a.vi[0], &ev));
		T_IS(ev.status, WEFT_SUNWAY_GONE);
	}
	T_IS(p.a.n->me[0].in_flight, 0);
	side_close(&p.a);
	free(p.b.mem);
}

/* ---- virtual machines ---- */

static void a_guest_uses_the_engine_directly(void **state)
{
	struct weft_sunway_vi vi = pair_vi;
	struct weft_sunway_stats before;
	struct weft_sunway_stats after;
	struct weft_sunway_desc d;
	struct pair p;
	unsigned vm;

	pair_open(&p, "");
	vi.job = PAIR_JOB + 1;
	T_OK(weft_sunway_vm_open(p.a.n, 1, &vm));
	T_OK(weft_sunway_vm_vi(p.a.n, vm, &vi, &p.a.vi[0]));
	pair_vis(&p.b, PAIR_JOB + 1);
	pair_mem(&p.a, PAIR_JOB + 1);
	pair_mem(&p.b, PAIR_JOB + 1);
	before = pair_stats(&p.a);
	T_IS(before.proxied, 2);
	d = pair_desc(&p.b, WEFT_SUNWAY_RDMAW, 2000);
	d.local = p.a.address;
	pair_post(&p.a, &d);
	T_IS(pair_event(&p, &p.a, 0).status, WEFT_SUNWAY_OK);
	after = pair_stats(&p.a);
	/* as for a post by the host: two fetches, one packet, no proxy call */
	T_IS(after.proxied, before.proxied);
	T_IS(after.fetches - before.fetches, 2);
	T_IS(after.port[0] + after.port[1], 1);
	pair_close(&p);
}

static void the_host_assigns_requested_interfaces(void **state)
{
	struct weft_sunway_vi vi = pair_vi;
	struct pair p;
	unsigned vm[2];
	unsigned first;
	unsigned i;

	pair_open(&p, "");
	vi.receives = 1;
	T_OK(weft_sunway_vm_open(p.a.n, WEFT_SUNWAY_VIS, &vm[0]));
	T_OK(weft_sunway_vm_open(p.a.n, 2, &vm[1]));
	vi.job = 200;
	T_OK(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i));
	vi.job = 300;
	for (unsigned k = 0; k < WEFT_SUNWAY_VIS - 2; k++)
		T_OK(weft_sunway_vm_vi(p.a.n, vm[0], &vi, &first));
	/* all are assigned; a freed interface can be assigned again */
	vi.job = 200;
	T_IS(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i), -ENOSPC);
	T_OK(weft_sunway_vi_close(p.a.n, 0, first));
	T_OK(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i));
	T_IS(i, first);
	T_OK(weft_sunway_vm_close(p.a.n, vm[0]));
	/* limit of the machine */
	T_IS(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i), -ENOSPC);
	T_NOT_NULL(sunway_vi(p.a.n, 0, first));
	T_OK(weft_sunway_vi_close(p.a.n, 0, first));
	T_OK(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i));
	pair_close(&p);
}

static void guests_are_isolated(void **state)
{
	struct weft_sunway_vi vi = pair_vi;
	struct pair p;
	unsigned vm[2];
	unsigned i;

	pair_open(&p, "");
	T_OK(weft_sunway_vm_open(p.a.n, 8, &vm[0]));
	T_OK(weft_sunway_vm_open(p.a.n, 8, &vm[1]));
	vi.job = 200;
	T_OK(weft_sunway_vm_vi(p.a.n, vm[0], &vi, &i));
	T_IS(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i), -EPERM);
	vi.job = PAIR_JOB;
	T_IS(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i), -EPERM);
	vi.job = 1;
	T_IS(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i), -EPERM);
	T_OK(weft_sunway_vm_close(p.a.n, vm[0]));
	vi.job = 200;
	T_OK(weft_sunway_vm_vi(p.a.n, vm[1], &vi, &i));
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(commands_are_mapped_in_two_levels),
		T_CASE(management_is_routed_by_source),
		T_CASE(late_packets_of_a_job_touch_no_memory),
		T_CASE(sender_exit_drops_its_messages),
		T_CASE(other_jobs_are_not_disturbed),
		T_CASE(a_new_job_starts_a_new_window),
		T_CASE(a_window_survives_its_receiver),
		T_CASE(a_lost_node_ends_its_messages),
		T_CASE(a_guest_uses_the_engine_directly),
		T_CASE(the_host_assigns_requested_interfaces),
		T_CASE(guests_are_isolated),
	};

	return T_RUN(tests);
}
