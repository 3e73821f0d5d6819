/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the provider, read from the environment once, at the first call.
 */
#include "prov/ofi/weft_conf.h"
#include "src/job/job_log.h"
#include "src/job/job_noise.h"
#include "src/job/job_skeleton.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PPN_MAX 1000000 /* mpiexec has the same limit */

/* options, in the order of enum option */
static const struct weft_cfg_opt options[] = {
	{ "FI_WEFT_MACHINE", WEFT_CFG_TEXT, "native",
	  "Machine whose network interface is emulated: native, bgq, gemini, "
	  "qsnet2, sunway, apenet or generic; with the virtual clock NAME:DIMS "
	  "sets its "
	  "dimensions, as in bgq:2x2x2x2x2, and a file describes another "
	  "machine",
	  NULL },
	{ "FI_WEFT_CARRIER", WEFT_CFG_TEXT, "auto",
	  "Carrier of packets: shm (shared memory, processes of this host), "
	  "sock (datagrams between any hosts), hybrid (shm or sock, by peer), "
	  "loop (inside one process, for tests); auto is hybrid if other hosts "
	  "can reach the endpoint, else shm",
	  "auto|shm|sock|hybrid|loop" },
	{ "FI_WEFT_FAULTS", WEFT_CFG_TEXT, "",
	  "Fault plan, or a file with one: faults of the machine's links and "
	  "nodes with the virtual clock; otherwise bit errors of packets, "
	  "which the machine's code detects, and faults of the loop and sock "
	  "carriers",
	  NULL },
	{ "FI_WEFT_IFACE", WEFT_CFG_TEXT, "",
	  "Interface or address of the endpoint's datagrams; default in a job "
	  "on several hosts: the interface of the default route, else the "
	  "first that is up; otherwise the loopback",
	  NULL },
	{ "FI_WEFT_FAMILY", WEFT_CFG_TEXT, "auto",
	  "Family of the endpoint's address, equal on all hosts of a job: "
	  "inet (IPv4) or inet6 (IPv6); auto: IPv4, or IPv6 on a host without "
	  "IPv4 addresses",
	  "auto|inet|inet6" },
	{ "FI_WEFT_KEY", WEFT_CFG_TEXT, "",
	  "Secret of 16 characters or more that signs the sock carrier's "
	  "datagrams; none: the network is trusted. Weft's MPI creates one per "
	  "job",
	  NULL },
	{ "FI_WEFT_ENCRYPT", WEFT_CFG_BOOL, "no",
	  "The sock carrier also encrypts datagrams, with AES-128-GCM; all "
	  "peers must use the same setting",
	  NULL },
	{ "FI_WEFT_SILENCE", WEFT_CFG_INT, "300",
	  "Seconds without a response after which a peer is declared dead; "
	  "sock carrier only",
	  "1..1000000" },
	{ "FI_WEFT_STREAM_MIN", WEFT_CFG_SIZE, "40000",
	  "Minimum bytes of a message, read or write whose bytes the sock "
	  "carrier transfers over a TCP connection instead of datagrams, with "
	  "machine native; 0: datagrams only",
	  NULL },
	{ "FI_WEFT_DMA", WEFT_CFG_BOOL, "yes",
	  "Copy large messages directly between processes; no: send them in "
	  "packets",
	  NULL },
	{ "FI_WEFT_PEER", WEFT_CFG_BOOL, "yes",
	  "The interface accesses device memory directly, on machines that "
	  "support it; no: stage it through host memory",
	  NULL },
	{ "FI_WEFT_CUDA", WEFT_CFG_TEXT, "auto",
	  "Memory of NVIDIA GPUs: auto, accepted if the host has the driver's "
	  "devices; yes, no, or the path of the driver library",
	  NULL },
	{ "FI_WEFT_SPIN", WEFT_CFG_SIZE, "0",
	  "Nanoseconds to spin before a wait blocks; 0 is the default, 1 never "
	  "spins",
	  "0..4294967295" },
	{ "FI_WEFT_EAGER", WEFT_CFG_SIZE, "0",
	  "Largest eager message in bytes; 0 is the machine's value",
	  "0..16777216" },
	{ "FI_WEFT_HOST_EAGER", WEFT_CFG_SIZE, "0",
	  "Largest eager message of machine native in bytes, as measured by "
	  "mpiexec; 0 is 64 KiB",
	  "0..16777216" },
	{ "FI_WEFT_SHARED_COPY_MIN", WEFT_CFG_SIZE, "0",
	  "Minimum bytes, with machine native, of a single message that sender "
	  "and receiver copy together (shared copy), as measured by mpiexec; 0 "
	  "is 128 KiB",
	  NULL },
	{ "FI_WEFT_SHARED_COPY_MIN_BUSY", WEFT_CFG_SIZE, "0",
	  "Minimum bytes of a shared copy while other messages between the two "
	  "processes are outstanding: mpiexec uses a quarter of a core's L2 "
	  "cache; 0 is 128 KiB",
	  NULL },
	{ "FI_WEFT_COPY_LOOP_MAX", WEFT_CFG_SIZE, "0",
	  "Payloads from 512 bytes up to this size are copied by Weft's copy "
	  "loop, longer payloads by the C library, as measured by mpiexec; 0: "
	  "no payloads",
	  NULL },
	{ "FI_WEFT_FIFO", WEFT_CFG_SIZE, "0",
	  "Slots of a reception FIFO; 0 is the carrier's value", "0..1048576" },
	{ "FI_WEFT_NODE", WEFT_CFG_INT, "-1",
	  "Number of the emulated node, which determines its coordinates in "
	  "the machine; -1 uses the launcher's rank (PMIX_RANK), if set",
	  "-1..2147483646" },
	{ "FI_WEFT_ARITY", WEFT_CFG_INT, "0",
	  "Children of a node in the trees of collectives on this host, 1 to "
	  "128; the minimum of the members' values is used; 0: binomial trees, "
	  "in the order of recursive doubling; bgq's trees follow its torus",
	  "0..128" },
	{ "FI_WEFT_MATCH", WEFT_CFG_TEXT, "machine",
	  "Where messages are matched on machines whose interface can match "
	  "(qsnet2): unit, by the interface, with the virtual clock also "
	  "while the processor computes; host, by the processor; machine: "
	  "unit with the virtual clock, host with the live clock",
	  "machine|unit|host" },
	{ "FI_WEFT_CLOCK", WEFT_CFG_TEXT, "live",
	  "live: real time on this host; virtual: virtual time, on a model of "
	  "the machine's network",
	  "live|virtual" },
	{ "FI_WEFT_PPN", WEFT_CFG_INT, "0",
	  "Ranks per node of the model; 0 is the machine's value", NULL },
	{ "FI_WEFT_MAP", WEFT_CFG_TEXT, "",
	  "Mapping of ranks to coordinates of the model: an order of letters "
	  "such as ABCDET, the last varies fastest, or a file",
	  NULL },
	{ "FI_WEFT_COMPUTE", WEFT_CFG_TEXT, "0",
	  "Virtual clock: factor of CPU time between calls, or "
	  "instructions=N or blocks=N: N instructions, or N basic blocks of a "
	  "program with -lweft-blocks, take a second; 0 counts no "
	  "computation, which makes results deterministic",
	  NULL },
	{ "FI_WEFT_NOISE", WEFT_CFG_TEXT, "",
	  "Virtual clock: interruptions of computation, "
	  "RATE,LENGTH[,fixed][,SEED]: RATE per second of computation, LENGTH "
	  "us each on average",
	  NULL },
	{ WEFT_SKELETON_VAR, WEFT_CFG_TEXT, "",
	  "Set by mpiexec --skeleton: descriptor of the folded memory, and the "
	  "smallest allocation in it",
	  NULL },
	{ "FI_WEFT_JOB", WEFT_CFG_TEXT, "",
	  "Virtual clock without a launcher: name:rank:size", NULL },
	{ "FI_WEFT_UNIVERSE", WEFT_CFG_INT, "0",
	  "Virtual clock: largest number of ranks, with those that are spawned "
	  "during the run; 0: none can be spawned",
	  NULL },
};

enum option {
	MACHINE,
	CARRIER,
	FAULTS,
	IFACE,
	FAMILY,
	KEY,
	ENCRYPT,
	SILENCE,
	STREAM_MIN,
	DMA,
	PEER,
	CUDA, /* read by prov/mem */
	SPIN,
	EAGER,
	HOST_EAGER,
	HOST_SHARED_COPY,
	HOST_SHARED_COPY_BUSY,
	HOST_LOOP,
	FIFO,
	NODE,
	ARITY,
	MATCH,
	CLOCK,
	PPN,
	MAP,
	COMPUTE,
	NOISE,
	SKELETON,
	JOB,
	UNIVERSE,
};

const struct weft_cfg_table weft_conf_options = {
	options,
	WEFT_COUNT_OF(options),
};

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

/* Finds a machine given as NAME[@VARIANT][:DIMS]. */
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

/* Returns the machine of a machine file, with the sizes of the file. */
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

/* Finds the machine; an unknown name is an error, not replaced by a default. */
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

/* Returns the text after the prefix, or NULL. */
static const char *after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) ? NULL : text + n;
}

/*
 * Reads a factor, instructions=N or blocks=N. Returns false if it is invalid.
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
 * Returns whether the numbers for virtual time are valid; logs an error if not.
 */
static bool numbers_ok(void)
{
	int64_t ppn = weft_cfg_get(&options[PPN]).i;
	int64_t universe = weft_cfg_get(&options[UNIVERSE]).i;
	const char *text = weft_cfg_get(&options[COMPUTE]).text;
	const char *noise = weft_cfg_get(&options[NOISE]).text;

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

	virt = !strcmp(weft_cfg_get(&options[CLOCK]).text, "virtual");
	conf.vt.machine = weft_cfg_get(&options[MACHINE]).text;
	conf.vt.map = weft_cfg_get(&options[MAP]).text;
	conf.vt.ppn = (uint32_t)weft_cfg_get(&options[PPN]).i;
	conf.vt.universe = (uint32_t)weft_cfg_get(&options[UNIVERSE]).i;
	conf.vt.noise = &conf_noise;
	conf.vt.skeleton = *weft_cfg_get(&options[SKELETON]).text != 0;
	conf.job = weft_cfg_get(&options[JOB]).text;
	conf.machine = machine_find(conf.vt.machine, virt);
	if (virt && !numbers_ok())
		conf.machine = NULL;
	if (virt && conf.machine)
		conf.vt.packet_bytes = (uint32_t)conf.machine->unit->packet_max;
	conf.backend = virt ? &weft_backend_vt : &weft_backend_live;
	conf.carrier =
		virt ? &weft_carrier_vt
		     : carrier_find(weft_cfg_get(&options[CARRIER]).text);
	conf.iface = weft_cfg_get(&options[IFACE]).text;
	conf.family = family_find(weft_cfg_get(&options[FAMILY]).text);
	conf.key = weft_cfg_get(&options[KEY]).text;
	conf.encrypt = weft_cfg_get(&options[ENCRYPT]).b;
	conf.silence_ms = (uint32_t)weft_cfg_get(&options[SILENCE]).i * 1000;
	conf.stream_min = weft_cfg_get(&options[STREAM_MIN]).size;
	conf.faults = weft_cfg_get(&options[FAULTS]).text;
	conf.vt.faults = conf.faults;
	conf.dma = weft_cfg_get(&options[DMA]).b;
	conf.peer = weft_cfg_get(&options[PEER]).b;
	conf.spin_ns = weft_cfg_get(&options[SPIN]).size;
	conf.eager_bytes = weft_cfg_get(&options[EAGER]).size;
	conf.host_eager = weft_cfg_get(&options[HOST_EAGER]).size;
	conf.host_shared_copy = weft_cfg_get(&options[HOST_SHARED_COPY]).size;
	conf.host_shared_copy_busy =
		weft_cfg_get(&options[HOST_SHARED_COPY_BUSY]).size;
	conf.host_loop = weft_cfg_get(&options[HOST_LOOP]).size;
	conf.fifo_slots = (uint32_t)weft_cfg_get(&options[FIFO]).size;
	/* node number: from the option, else from the launcher, else -1 */
	node = weft_cfg_get(&options[NODE]).i;
	rank = getenv("PMIX_RANK");
	if (node < 0 && rank)
		node = atoi(rank);
	conf.node = node >= 0 ? (int)node : -1;
	conf.arity = (unsigned)weft_cfg_get(&options[ARITY]).i;
	match = weft_cfg_get(&options[MATCH]).text;
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
