/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry of the library: what libfabric finds when it loads us, and the
 * options, which are libfabric parameters (fi_info -e lists them).
 */
#include "prov/ofi/weft_ofi.h"
#include "src/base/cfg.h"
#include "src/base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WEFT_VERSION FI_VERSION(0, 1)
#define PPN_MAX	     1000000 /* as mpiexec has it */

/* In the order of enum option. */
static const struct weft_cfg_opt options[] = {
	{ "FI_WEFT_MACHINE", WEFT_CFG_TEXT, "native",
	  "Machine whose network interface is emulated: native, bgq, gemini or "
	  "qsnet2; with the virtual clock NAME:DIMS gives its shape, as in "
	  "bgq:2x2x2x2x2, and a file describes another",
	  NULL },
	{ "FI_WEFT_CARRIER", WEFT_CFG_TEXT, "shm",
	  "How packets travel: shm (processes of this host) or loop (inside "
	  "one process, for tests)",
	  "shm|loop" },
	{ "FI_WEFT_FAULTS", WEFT_CFG_TEXT, "", "Fault plan of the loop carrier",
	  NULL },
	{ "FI_WEFT_DMA", WEFT_CFG_BOOL, "yes",
	  "Copy large messages straight between processes; no sends them as "
	  "packets",
	  NULL },
	{ "FI_WEFT_SPIN", WEFT_CFG_SIZE, "0",
	  "Nanoseconds to spin before a wait sleeps; 0 is the default, 1 never "
	  "spins",
	  NULL },
	{ "FI_WEFT_EAGER", WEFT_CFG_SIZE, "0",
	  "Largest message sent without asking the receiver; 0 is the "
	  "machine's value",
	  NULL },
	{ "FI_WEFT_FIFO", WEFT_CFG_SIZE, "0",
	  "Slots of a reception FIFO; 0 is the carrier's value", NULL },
	{ "FI_WEFT_NODE", WEFT_CFG_INT, "-1",
	  "Number of the emulated node, which gives its place in the machine; "
	  "-1 takes the launcher's rank (PMIX_RANK), if there is one",
	  NULL },
	{ "FI_WEFT_ARITY", WEFT_CFG_INT, "0",
	  "Inputs of a node in the trees of collectives on this host, 1 to "
	  "128, the least of the members' counts; 0: trees of pairs, as "
	  "recursive doubling combines; bgq's follow its torus",
	  NULL },
	{ "FI_WEFT_CLOCK", WEFT_CFG_TEXT, "live",
	  "live: as fast as the host goes; virtual: in the machine's time, on "
	  "a model of its network",
	  "live|virtual" },
	{ "FI_WEFT_PPN", WEFT_CFG_INT, "0",
	  "Ranks per node of the model; 0 is the machine's value", NULL },
	{ "FI_WEFT_MAP", WEFT_CFG_TEXT, "",
	  "Ranks to coordinates of the model: an order of letters such as "
	  "ABCDET, last one fastest, or a file",
	  NULL },
	{ "FI_WEFT_COMPUTE", WEFT_CFG_TEXT, "0",
	  "Virtual clock: CPU time between calls counts so many times; 0 does "
	  "not count it and gives the same times on every run",
	  NULL },
	{ "FI_WEFT_JOB", WEFT_CFG_TEXT, "",
	  "Virtual clock without a launcher: name:rank:size", NULL },
};

enum option {
	MACHINE,
	CARRIER,
	FAULTS,
	DMA,
	SPIN,
	EAGER,
	FIFO,
	NODE,
	ARITY,
	CLOCK,
	PPN,
	MAP,
	COMPUTE,
	JOB,
};

static const enum fi_param_type param_type[] = {
	[WEFT_CFG_BOOL] = FI_PARAM_BOOL,
	[WEFT_CFG_INT] = FI_PARAM_INT,
	[WEFT_CFG_SIZE] = FI_PARAM_SIZE_T,
	[WEFT_CFG_TEXT] = FI_PARAM_STRING,
};

static const struct weft_carrier_ops *carrier_find(const char *name)
{
	return strcmp(name, "loop") ? &weft_carrier_shm : &weft_carrier_loop;
}

/*
 * NAME[:DIMS]. A file of a machine's numbers stands for the machine that all
 * files describe so far.
 */
static const struct weft_machine *machine_named(const char *text, bool virt)
{
	char name[32];
	size_t len = strcspn(text, ":");

	if (virt && strchr(text, '/'))
		return weft_machine_find("bgq");
	if (len >= sizeof(name))
		return NULL;
	memcpy(name, text, len);
	name[len] = 0;
	return weft_machine_find(name);
}

/* An unknown machine is no machine: never a silent other one. */
static const struct weft_machine *machine_find(const char *name, bool virt)
{
	const struct weft_machine *m = machine_named(name, virt);

	if (m && virt && m == weft_machine_at(0)) {
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_CLOCK=virtual: machine %s has no model; "
			 "FI_WEFT_MACHINE=bgq has",
			 m->name);
		return NULL;
	}
	if (!m)
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_MACHINE=%s: no such machine; %s", name,
			 options[MACHINE].help);
	return m;
}

/* The node's number by option, else by launcher, else unknown. */
static int node_find(void)
{
	int64_t node = weft_cfg_get(&options[NODE]).i;
	const char *rank = getenv("PMIX_RANK");

	if (node < 0 && rank)
		node = atoi(rank);
	return node >= 0 && node < INT32_MAX ? (int)node : -1;
}

static unsigned arity_find(void)
{
	int64_t arity = weft_cfg_get(&options[ARITY]).i;

	if (arity >= 0 && arity <= 128)
		return (unsigned)arity;
	weft_log(WEFT_LOG_WARN, "ofi: FI_WEFT_ARITY=%lld: not 0 to 128, so 0",
		 (long long)arity);
	return 0;
}

static struct weft_conf conf;

/* Numbers of the virtual clock that make no sense are not taken for others. */
static bool numbers_ok(void)
{
	int64_t ppn = weft_cfg_get(&options[PPN]).i;
	const char *text = weft_cfg_get(&options[COMPUTE]).text;
	char *end;
	double compute = strtod(text, &end);

	if (ppn < 0 || ppn > PPN_MAX)
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_PPN=%lld: 1 to %d ranks on a node, or 0 "
			 "for the machine's value",
			 (long long)ppn, PPN_MAX);
	else if (end == text || *end || !(compute >= 0 && compute < 1e6))
		weft_log(WEFT_LOG_ERROR,
			 "ofi: FI_WEFT_COMPUTE=%s: a factor for the "
			 "processor's time, such as 1, or 0",
			 text);
	else
		return true;
	return false;
}

static void conf_read(void)
{
	conf.virt = !strcmp(weft_cfg_get(&options[CLOCK]).text, "virtual");
	conf.vt.machine = weft_cfg_get(&options[MACHINE]).text;
	conf.vt.map = weft_cfg_get(&options[MAP]).text;
	conf.vt.ppn = (uint32_t)weft_cfg_get(&options[PPN]).i;
	conf.vt.compute = strtod(weft_cfg_get(&options[COMPUTE]).text, NULL);
	conf.job = weft_cfg_get(&options[JOB]).text;
	conf.machine = machine_find(conf.vt.machine, conf.virt);
	if (conf.virt && !numbers_ok())
		conf.machine = NULL;
	conf.carrier = conf.virt ? &weft_carrier_vt :
				   carrier_find(weft_cfg_get(&options[CARRIER])
							.text);
	conf.faults = weft_cfg_get(&options[FAULTS]).text;
	conf.dma = weft_cfg_get(&options[DMA]).b;
	conf.spin_ns = weft_cfg_get(&options[SPIN]).size;
	conf.eager_bytes = weft_cfg_get(&options[EAGER]).size;
	conf.fifo_slots = (uint32_t)weft_cfg_get(&options[FIFO]).size;
	conf.node = node_find();
	conf.arity = arity_find();
}

const struct weft_conf *weft_conf(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, conf_read);
	return &conf;
}

/* "FI_WEFT_SPIN" is the parameter "spin" of the provider "weft". */
static void define_params(const struct fi_provider *prov)
{
	static const char prefix[] = "FI_WEFT_";

	for (size_t i = 0; i < WEFT_COUNT_OF(options); i++) {
		const struct weft_cfg_opt *o = &options[i];
		char name[32] = "";

		for (size_t k = 0; o->name[k + sizeof(prefix) - 1]; k++)
			name[k] =
				(char)(o->name[k + sizeof(prefix) - 1] | 0x20);
		fi_param_define(prov, name, param_type[o->type],
				"%s (default: %s)", o->help,
				*o->fallback ? o->fallback : "none");
	}
}

static void weft_cleanup(void)
{
}

static struct fi_provider weft_prov = {
	.version = WEFT_VERSION,
	.fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
	.name = "weft",
	.getinfo = weft_getinfo,
	.fabric = weft_fabric_open,
	.cleanup = weft_cleanup,
};

WEFT_EXPORT struct fi_provider *fi_prov_ini(void);

WEFT_EXPORT struct fi_provider *fi_prov_ini(void)
{
	static const struct weft_cfg_table table = { options,
						     WEFT_COUNT_OF(options) };

	define_params(&weft_prov);
	weft_cfg_warn_unknown("FI_WEFT_", &table, 1);
	return &weft_prov;
}
