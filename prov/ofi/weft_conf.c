/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the provider, read from the environment once, at the first call.
 */
#include "prov/ofi/weft_conf.h"
#include "src/job/job_fi_opts.h"
#include "src/job/job_log.h"
#include "src/job/job_noise.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* limit on ranks per node; mpiexec has the same limit */
#define PPN_MAX 1000000

const struct weft_cfg_table weft_conf_options = {
	weft_fi_opts,
	WEFT_FI_COUNT,
};

static union weft_cfg_value value(enum weft_fi_opt opt)
{
	return weft_cfg_get(&weft_fi_opts[opt]);
}

/*
 * Returns the carrier with that name; NULL: the carrier is selected by the
 * endpoint's address.
 */
static const struct weft_carrier_ops *carrier_find(const char *name)
{
	if (!strcmp(name, "shm"))
		return &weft_carrier_shm;
	if (!strcmp(name, "sock"))
		return &weft_carrier_sock;
	if (!strcmp(name, "hybrid"))
		return &weft_carrier_hybrid;
	return strcmp(name, "loop") ? NULL : &weft_carrier_loop;
}

static sa_family_t family_find(const char *name)
{
	if (!strcmp(name, "inet"))
		return AF_INET;
	return strcmp(name, "inet6") ? AF_UNSPEC : AF_INET6;
}

/*
 * Returns the machine for a text NAME[@VARIANT][:DIMS]; NULL: no such machine.
 */
static const struct weft_machine *machine_named(const char *text)
{
	char name[32];
	size_t len = strcspn(text, "@:");

	if (len >= sizeof(name))
		return NULL;
	memcpy(name, text, len);
	name[len] = 0;
	return weft_machine_find(name);
}

static void say_no_machine(const char *name)
{
	char all[256] = "";
	const struct weft_machine *m;

	for (unsigned i = 0; (m = weft_machine_at(i)); i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), " %s",
			 m->name);
	weft_log_once(WEFT_LOG_ERROR,
		      "ofi: FI_WEFT_MACHINE=%s: no such machine; use one of%s",
		      name, all);
}

/*
 * Returns the machine with the unit and the sizes of a machine file; NULL after
 * an error.
 */
static const struct weft_machine *machine_modelled(const char *text)
{
	static struct weft_machine m;
	struct weft_vt_unit u;
	int ret = weft_vt_unit(text, &u);

	if (ret == -ENOENT)
		weft_log_once(
			WEFT_LOG_ERROR,
			"ofi: FI_WEFT_CLOCK=virtual: machine %s has no network "
			"model; use for example FI_WEFT_MACHINE=bgq",
			text);
	if (ret)
		return NULL;
	ret = weft_machine_modelled(u.name, u.packet_bytes, u.eager_bytes, &m);
	if (ret == -ENODEV)
		weft_log_once(WEFT_LOG_ERROR,
			      "ofi: FI_WEFT_MACHINE=%s: unknown unit %s", text,
			      u.name);
	else if (ret)
		weft_log_once(WEFT_LOG_ERROR,
			      "ofi: FI_WEFT_MACHINE=%s: message_packet = %zu "
			      "B: packets of unit %s hold at most %zu bytes",
			      text, u.packet_bytes, u.name, m.packet_bytes);
	return ret ? NULL : &m;
}

/*
 * Returns the machine with this name. For an unknown name, logs an error and
 * returns NULL; no default is used.
 */
static const struct weft_machine *machine_find(const char *name, bool virt)
{
	bool file = virt && strchr(name, '/');
	const struct weft_machine *m = file ? NULL : machine_named(name);

	if (!m && !file)
		say_no_machine(name);
	if (virt && (m || file))
		return machine_modelled(name);
	return m;
}

static struct weft_conf conf;

static struct weft_noise conf_noise;

/*
 * Returns the part of the text after the prefix; NULL: the text does not begin
 * with the prefix.
 */
static const char *after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) ? NULL : text + n;
}

/*
 * Reads FI_WEFT_COMPUTE: a factor, "instructions=N" or "blocks=N". Returns
 * false if it is invalid.
 */
static bool compute_read(const char *text)
{
	const char *blocks = after(text, "blocks=");
	const char *rate = blocks ? blocks : after(text, "instructions=");
	const char *number = rate ? rate : text;
	char *end;
	double x = strtod(number, &end);

	if (end == number || *end || !(x >= 0 && x < (rate ? 1e15 : 1e6)))
		return false;
	conf.vt.compute = rate ? 0 : x;
	conf.vt.instructions = rate ? x : 0;
	conf.vt.blocks = blocks != NULL;
	return !rate || x > 0;
}

/*
 * Returns whether the numeric options for virtual time are valid; logs an error
 * if they are not.
 */
static bool numbers_ok(void)
{
	int64_t ppn = value(WEFT_FI_PPN).i;
	int64_t universe = value(WEFT_FI_UNIVERSE).i;
	const char *text = value(WEFT_FI_COMPUTE).text;
	const char *noise = value(WEFT_FI_NOISE).text;

	if (ppn < 0 || ppn > PPN_MAX)
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_PPN=%lld: must be 1 to %d ranks per "
			 "node, or 0 for the machine's value",
			 (long long)ppn, PPN_MAX);
	else if (universe < 0 || universe > PPN_MAX)
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_UNIVERSE=%lld: must be 0 to %d ranks",
			 (long long)universe, PPN_MAX);
	else if (!compute_read(text))
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_COMPUTE=%s: must be a factor of CPU "
			 "time, for example 1, instructions=N, blocks=N, or "
			 "0",
			 text);
	else if (weft_noise_parse(noise, &conf_noise))
		weft_log(
			WEFT_LOG_ERROR,
			"ofi: FI_WEFT_NOISE=%s: must be RATE,LENGTH in 1/s and "
			"us, for example 100,25",
			noise);
	else
		return true;
	return false;
}

static void conf_read(void)
{
	int64_t node;
	const char *rank, *match;
	bool virt;

	virt = !strcmp(value(WEFT_FI_CLOCK).text, "virtual");
	conf.vt.machine = value(WEFT_FI_MACHINE).text;
	conf.vt.map = value(WEFT_FI_MAP).text;
	conf.vt.ppn = (uint32_t)value(WEFT_FI_PPN).i;
	conf.vt.universe = (uint32_t)value(WEFT_FI_UNIVERSE).i;
	conf.vt.noise = &conf_noise;
	conf.vt.skeleton = *value(WEFT_FI_SKELETON).text != 0;
	conf.job = value(WEFT_FI_JOB).text;
	conf.machine = machine_find(conf.vt.machine, virt);
	if (virt && !numbers_ok())
		conf.machine = NULL;
	if (virt && conf.machine)
		conf.vt.packet_bytes = (uint32_t)conf.machine->unit->packet_max;
	conf.backend = virt ? &weft_backend_vt : &weft_backend_live;
	conf.carrier = virt ? &weft_carrier_vt
			    : carrier_find(value(WEFT_FI_CARRIER).text);
	conf.iface = value(WEFT_FI_IFACE).text;
	conf.family = family_find(value(WEFT_FI_FAMILY).text);
	conf.key = value(WEFT_FI_KEY).text;
	conf.encrypt = value(WEFT_FI_ENCRYPT).b;
	conf.silence_ms = (uint32_t)value(WEFT_FI_SILENCE).i * 1000;
	conf.stream_min = value(WEFT_FI_STREAM_MIN).size;
	conf.faults = value(WEFT_FI_FAULTS).text;
	conf.vt.faults = conf.faults;
	conf.dma = value(WEFT_FI_DMA).b;
	conf.peer = value(WEFT_FI_PEER).b;
	conf.spin_ns = value(WEFT_FI_SPIN).size;
	conf.eager_bytes = value(WEFT_FI_EAGER).size;
	conf.host_eager = value(WEFT_FI_HOST_EAGER).size;
	conf.host_shared_copy = value(WEFT_FI_HOST_SHARED_COPY).size;
	conf.host_shared_copy_busy = value(WEFT_FI_HOST_SHARED_COPY_BUSY).size;
	conf.host_loop = value(WEFT_FI_HOST_LOOP).size;
	conf.fifo_slots = (uint32_t)value(WEFT_FI_FIFO).size;
	/* node number: from the option, else from the launcher, else -1 */
	node = value(WEFT_FI_NODE).i;
	rank = getenv("PMIX_RANK");
	if (node < 0 && rank)
		node = atoi(rank);
	conf.node = node >= 0 ? (int)node : -1;
	conf.arity = (unsigned)value(WEFT_FI_ARITY).i;
	match = value(WEFT_FI_MATCH).text;
	conf.host_match =
		virt ? !strcmp(match, "host") : strcmp(match, "unit") != 0;
}

const struct weft_conf *weft_conf(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, conf_read);
	return &conf;
}

const struct weft_machine *weft_conf_machine_at(unsigned i)
{
	const struct weft_machine *m = weft_machine_at(i);
	const struct weft_machine *own = weft_conf()->machine;

	return m && own && !strcmp(m->name, own->name) ? own : m;
}
