/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-info: prints what is installed and what works on this host. It uses
 * public interfaces only: MPI, MPI_T, libfabric, hwloc and the kernel.
 */
#include "config.h"
#include "src/tools/args.h"
#include "src/os/copy_calibrate.h"
#include "src/base/copy.h"
#include "src/tools/info/info_health.h"
#include "src/tools/info/info_machine.h"
#include "src/tools/info/info_report.h"
#include "src/tools/info/info_routes.h"
#include "src/tools/info/info_system.h"

#include <dlfcn.h>
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <mpi.h>
#include <pmix.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the file from which the loader took the symbol. */
static const char *file_of(void *symbol)
{
	static char real[PATH_MAX];
	Dl_info info;

	if (!dladdr(symbol, &info) || !info.dli_fname)
		return "unknown";
	return realpath(info.dli_fname, real) ? real : info.dli_fname;
}

/* Returns the path of the provider plugin, installed or in the build tree. */
static const char *plugin_path(void)
{
	static const char *const places[] = { "weft/libweft-direct.so",
					      "libweft-direct.so" };
	static char path[PATH_MAX + 64];
	const char *given = getenv("WEFT_PROVIDER_LIB");
	char dir[PATH_MAX];

	if (given)
		return given;
	snprintf(dir, sizeof(dir), "%s",
		 file_of((void *)(uintptr_t)MPI_Get_version));
	*strrchr(dir, '/') = 0;
	for (size_t i = 0; i < WEFT_COUNT_OF(places); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, places[i]);
		if (!access(path, R_OK))
			return path;
	}
	return path;
}

static void show_versions(struct weft_report *r)
{
	int major, minor, abi_major, abi_minor;

	MPI_Get_version(&major, &minor);
	MPI_Abi_get_version(&abi_major, &abi_minor);
	report_section(r, "version", "Weft");
	report_value(r, "version", "%s", PACKAGE_VERSION);
	report_value(r, "mpi", "%d.%d", major, minor);
	report_value(r, "abi", "%d.%d", abi_major, abi_minor);
	report_value(r, "libfabric", "%d.%d", FI_MAJOR(fi_version()),
		     FI_MINOR(fi_version()));
	report_value(r, "pmix", "%s", PMIx_Get_version());
	report_value(r, "hwloc", "%u.%u.%u", hwloc_get_api_version() >> 16,
		     (hwloc_get_api_version() >> 8) & 255,
		     hwloc_get_api_version() & 255);
	report_section_end(r);
}

static void show_libraries(struct weft_report *r)
{
	const char *plugin = plugin_path();
	void *h;

	report_section(r, "libraries", "Libraries found by the loader");
	report_value(r, "libmpi_abi.so.1", "%s",
		     file_of((void *)(uintptr_t)MPI_Get_version));
	report_value(r, "libfabric.so.1", "%s",
		     file_of((void *)(uintptr_t)fi_version));
	report_value(r, "provider", "%s", plugin);
	h = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
	report_value(r, "provider loads", "%s", h ? "yes" : dlerror());
	report_section_end(r);
}

static void show_providers(struct weft_report *r)
{
	char dir[PATH_MAX];
	char seen[1024] = " ";
	struct fi_info *list = NULL;
	int ret;

	snprintf(dir, sizeof(dir), "%s", plugin_path());
	if (strrchr(dir, '/'))
		*strrchr(dir, '/') = 0;
	setenv("FI_PROVIDER_PATH", dir, 0);
	report_list(r, "providers", "libfabric providers found");
	ret = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, NULL, &list);
	for (struct fi_info *i = list; !ret && i; i = i->next) {
		const char *name = i->fabric_attr->prov_name;
		const char *row[][2] = { { "name", name },
					 { "fabric", i->fabric_attr->name } };
		char key[128];

		snprintf(key, sizeof(key), " %s ", name);
		if (strstr(seen, key) || strlen(seen) > 900)
			continue;
		strcat(seen, key + 1);
		report_row(r, (const char *const(*)[2])row, 2);
	}
	fi_freeinfo(list);
	report_list_end(r);
}

/* Writes the name of an enumerated value. */
static void enum_text(MPI_T_enum en, int value, char *text, size_t len)
{
	char name[64];
	int count, nlen, v, chars;

	snprintf(text, len, "%d", value);
	if (MPI_T_enum_get_info(en, &count, NULL, &(int){ 0 }))
		return;
	for (int i = 0; i < count; i++) {
		nlen = sizeof(name);
		if (MPI_T_enum_get_item(en, i, &v, name, &nlen) || v != value)
			continue;
		chars = snprintf(text, len, "%s", name);
		if (chars > 0)
			return;
	}
}

static void cvar_value(int index, MPI_Datatype type, MPI_T_enum en, char *text,
		       size_t len)
{
	MPI_T_cvar_handle h;
	char raw[1024] = "";
	int count;

	snprintf(text, len, "?");
	if (MPI_T_cvar_handle_alloc(index, NULL, &h, &count))
		return;
	if (count * (type == MPI_CHAR ? 1 : 8) <= (int)sizeof(raw) &&
	    !MPI_T_cvar_read(h, raw)) {
		if (type == MPI_CHAR)
			snprintf(text, len, "%.200s", raw);
		else if (en != MPI_T_ENUM_NULL)
			enum_text(en, *(int *)raw, text, len);
		else if (type == MPI_INT)
			snprintf(text, len, "%d", *(int *)raw);
		else
			snprintf(text, len, "%lld", *(long long *)raw);
	}
	MPI_T_cvar_handle_free(&h);
}

static void show_cvar(struct weft_report *r, int index)
{
	char name[128], desc[512], value[256];
	int nlen = sizeof(name), dlen = sizeof(desc);
	int verbosity, bind, scope;
	MPI_Datatype type;
	MPI_T_enum en;
	const char *row[][2] = { { "name", name },
				 { "value", value },
				 { "help", desc } };

	/*
	 * skipped here: show_provider_options() shows the provider's variables
	 */
	if (MPI_T_cvar_get_info(index, name, &nlen, &verbosity, &type, &en,
				desc, &dlen, &bind, &scope) ||
	    !strncmp(name, "FI_", 3))
		return;
	cvar_value(index, type, en, value, sizeof(value));
	report_row(r, (const char *const(*)[2])row, 3);
}

static void show_mpi_options(struct weft_report *r)
{
	int provided, count = 0;

	report_list(r, "mpi_options", "Options of the MPI layer (environment)");
	if (!MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)) {
		MPI_T_cvar_get_num(&count);
		for (int i = 0; i < count; i++)
			show_cvar(r, i);
		MPI_T_finalize();
	}
	report_list_end(r);
}

static void show_provider_options(struct weft_report *r)
{
	struct fi_param *p = NULL;
	int count = 0;

	report_list(r, "provider_options",
		    "Options of the provider (environment)");
	if (!fi_getparams(&p, &count)) {
		for (int i = 0; i < count; i++) {
			const char *row[][2] = {
				{ "name", p[i].name },
				{ "value",
				  printable_value(p[i].name, p[i].value) },
				{ "help", p[i].help_string },
			};

			if (!strncmp(p[i].name, "FI_WEFT_", 8))
				report_row(r, (const char *const(*)[2])row, 3);
		}
		fi_freeparams(p);
	}
	report_list_end(r);
}

/*
 * Returns "yes" if a child process can read this process's memory by
 * process_vm_readv(), as a rank reads the memory of a peer; otherwise the error
 * text.
 */
static const char *cma_works(void)
{
	static char word[8] = "weft";
	char got[8] = "";
	struct iovec local = { got, sizeof(got) };
	struct iovec remote = { word, sizeof(word) };
	pid_t parent = getpid(), pid;
	int status;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		if (process_vm_readv(parent, &local, 1, &remote, 1, 0) != 8)
			_exit(errno ? errno : 1);
		_exit(memcmp(got, word, sizeof(word)) ? EIO : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return "unknown: the test failed";
	return WEXITSTATUS(status) ? strerror(WEXITSTATUS(status)) : "yes";
}

static int usable_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? -1 : CPU_COUNT(&set);
}

/*
 * Returns the host's memory as the kernel reports it. The sum over hwloc's NUMA
 * nodes is not used: it changes when a virtual machine returns memory.
 */
static unsigned long long memory_bytes(void)
{
	struct sysinfo si;

	return sysinfo(&si) ? 0 : (unsigned long long)si.totalram * si.mem_unit;
}

/*
 * Shows up to which size the copy loop is faster than memcpy(), and the
 * measured times of the next size, or of the largest measured size.
 */
static void show_loop(struct weft_report *r,
		      const struct weft_copy_calibration *c)
{
	size_t most = weft_copy_calibrate_loop(c), len = WEFT_COPY_LEAST;
	char what[64];
	unsigned i = 0;

	if (c->loop_ns[0] == UINT64_MAX) {
		report_value(r, "copy loop", "copies nothing: not measured");
		return;
	}
	for (; len <= most && i + 1 < WEFT_COPY_CALIBRATE_LOOPS; len *= 2)
		i++;
	snprintf(what, sizeof(what), "%zu to %zu bytes", WEFT_COPY_LEAST, most);
	report_value(r, "copy loop",
		     "copies %s (%zu: %.2f us by the loop, %.2f us by memcpy)",
		     most ? what : "nothing", len,
		     (double)c->loop_ns[i] / 1e3 / WEFT_COPY_CALIBRATE_BURST,
		     (double)c->call_ns[i] / 1e3 / WEFT_COPY_CALIBRATE_BURST);
}

static void show_copies(struct weft_report *r, size_t cache)
{
	struct weft_copy_calibration c;
	int err = weft_copy_calibrate_measure(&c);
	unsigned last = WEFT_COPY_CALIBRATE_SIZES - 1;

	if (err)
		report_value(r, "long messages", "not measured: %s",
			     err == -EBUSY ? "the processors are busy"
					   : strerror(-err));
	else
		report_value(r, "long messages",
			     "fetched above %zu bytes (64 KiB: %.1f us by two "
			     "copies, %.1f us fetched)",
			     weft_copy_calibrate_threshold(&c),
			     (double)c.twice_ns[last] / 1e3,
			     (double)c.once_ns[last] / 1e3);
	if (!err)
		report_value(r, "shared copy",
			     "from %zu bytes on (16 KiB fetched: %.1f us)",
			     weft_copy_calibrate_shared_least(&c),
			     (double)c.once_ns[0] / 1e3);
	if (cache)
		report_value(r, "shared copy, busy",
			     "from %zu bytes on (second-level cache: %zu KiB)",
			     weft_copy_calibrate_shared_least_queued(cache),
			     cache >> 10);
	show_loop(r, &c);
}

static void show_host(struct weft_report *r)
{
	hwloc_topology_t t;
	struct utsname u;
	size_t cache = 0;

	report_section(r, "host", "Host");
	uname(&u);
	report_value(r, "name", "%s", u.nodename);
	report_value(r, "system", "%s %s %s", u.sysname, u.release, u.machine);
	if (!hwloc_topology_init(&t) && !hwloc_topology_load(t)) {
		hwloc_obj_t o;

		report_value(r, "packages", "%d",
			     hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE));
		report_value(r, "numa nodes", "%d",
			     hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE));
		report_value(r, "cores", "%d",
			     hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE));
		report_value(r, "hardware threads", "%d",
			     hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU));
		o = hwloc_get_obj_by_type(t, HWLOC_OBJ_L2CACHE, 0);
		cache = o ? o->attr->cache.size : 0;
		hwloc_topology_destroy(t);
	}
	report_value(r, "memory", "%llu MiB", memory_bytes() >> 20);
	report_value(r, "usable cpus", "%d", usable_cpus());
	report_value(r, "CMA works", "%s", cma_works());
	show_copies(r, cache);
	report_section_end(r);
}

static const char before[] =
	"usage: weft-info [--json] [--report]\n"
	"       weft-info [--json] --health JOB\n"
	"       weft-info --classroutes MACHINE:SHAPE[@PART]\n"
	"Prints what is installed and what works on this host; the health of "
	"the\n"
	"ranks of a job (mpiexec --health); or the class route\n"
	"(tree of collectives) of a block of nodes: bgq:4x4x4x4x2,\n"
	"bgq:4x4x4x4x2@0-1,2,0-3,0-3,0, native:64.\n";

enum {
	SHOW_JSON,
	SHOW_REPORT,
	SHOW_HEALTH,
	SHOW_ROUTES,
	SHOW_MACHINE,
	SHOW_VERSION
};

static const struct row {
	struct weft_arg arg;
	int what;
} rows[] = {
	{ { "json|j", 0, "", "as one JSON object", 0 }, SHOW_JSON },
	{ { "report|r", 0, "",
	    "for a bug report: also the system, formats and environment", 0 },
	  SHOW_REPORT },
	{ { "health", 1, "JOB",
	    "ranks of a job here: job name, pid of mpiexec or a rank", 0 },
	  SHOW_HEALTH },
	{ { "classroutes", 1, "SPEC", "the tree of a block of nodes", 0 },
	  SHOW_ROUTES },
	{ { "machine", 1, "NAME",
	    "a machine's parameters and their sources: bgq, apenet@nios, a "
	    "file",
	    0 },
	  SHOW_MACHINE },
	{ { "version|V", 0, "", "version", 0 }, SHOW_VERSION },
};

#ifdef HAVE_CRYPTO
#define SEVERAL_HOSTS "yes, messages are signed"
#else
#define SEVERAL_HOSTS "no: configured without OpenSSL"
#endif

static void show_all(struct weft_report *r, bool system)
{
	report_begin(r);
	show_versions(r);
	report_section(r, "features", "Features");
	report_value(r, "threads", "MPI_THREAD_MULTIPLE");
	report_value(r, "machines",
		     "native bgq gemini qsnet2 sunway apenet generic");
	report_value(r, "clocks", "live virtual");
	report_value(r, "launchers", "mpiexec, any PMIx launcher");
	report_value(r, "several hosts", "%s", SEVERAL_HOSTS);
	report_section_end(r);
	show_libraries(r);
	show_host(r);
	show_providers(r);
	show_mpi_options(r);
	show_provider_options(r);
	if (system)
		show_system(r);
	report_end(r);
}

int main(int argc, char **argv)
{
	struct weft_args a = { .program = "weft-info",
			       WEFT_ARGS_TABLE(rows),
			       .before = before,
			       .after = "",
			       .word = argv + 1 };
	struct weft_report r = { .out = stdout };
	enum weft_args_found found;
	const char *job = NULL, *machine = NULL;
	bool system = false;

	while ((found = weft_args_next(&a)) == WEFT_ARGS_OPTION) {
		switch (((const struct row *)a.row)->what) {
		case SHOW_JSON:
			r.json = true;
			break;
		case SHOW_REPORT:
			system = true;
			break;
		case SHOW_HEALTH:
			job = a.value[0];
			break;
		case SHOW_MACHINE:
			machine = a.value[0];
			break;
		case SHOW_ROUTES:
			return tool_routes(stdout, a.value[0]);
		case SHOW_VERSION:
			puts("weft-info (Weft) " PACKAGE_VERSION);
			return 0;
		}
	}
	if (found == WEFT_ARGS_HELP)
		return 0;
	if (found == WEFT_ARGS_WORD)
		weft_args_error(
			&a,
			"%s: unexpected argument; weft-info takes options only",
			a.word[0]);
	if (found != WEFT_ARGS_END)
		return 2;
	if (job)
		return tool_health(&r, job);
	if (machine)
		return tool_machine(&r, machine);
	show_all(&r, system);
	return fflush(stdout) ? 1 : 0;
}
