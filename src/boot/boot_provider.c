/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choice of the libfabric provider. Weft's provider is loaded directly: its
 * module is in the directory of the MPI library (the static MPI library
 * contains it), and its fi_prov_ini() returns within a tenth of a millisecond.
 * The libfabric library is loaded only if FI_PROVIDER names another provider:
 * loading it takes up to 200 ms, and the first fi_getinfo() another 30 ms.
 */
#include "src/boot/boot_provider.h"

#include "src/job/job_log.h"
#include "src/boot/boot_fabric_shim.h"
#include "src/boot/boot_library.h"
#include "src/core/core_state.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_FILE   "libweft-direct.so"
#define OTHER_FILE "libweft-fabric-shim.so"

/* functions of libfabric's library; NULL: Weft's provider is used */
static const struct weft_fishim *other;

/*
 * Finds a library in the directory DIR of the MPI library. Installed:
 * DIR/weft/FILE. Build tree: DIR/FILE, in .libs. Returns 0 or -ENOENT.
 */
static int find_in_library_dir(const char *file, char *path, size_t room)
{
	char dir[PATH_MAX];

	if (weft_library_dir(dir, sizeof(dir)))
		return -ENOENT;
	snprintf(path, room, "%s/weft/%s", dir, file);
	if (!access(path, R_OK))
		return 0;
	snprintf(path, room, "%s/%s", dir, file);
	return access(path, R_OK) ? -ENOENT : 0;
}

/*
 * Returns a symbol of the library `forced`, or of a library in the directory of
 * the MPI library; NULL: an error was logged.
 */
static void *provider_load(const char *forced, const char *file,
			   const char *name)
{
	char path[PATH_MAX + 32];
	void *lib;
	void *sym;

	if (forced) {
		snprintf(path, sizeof(path), "%s", forced);
	} else if (find_in_library_dir(file, path, sizeof(path))) {
		weft_log_once(
			WEFT_LOG_ERROR,
			"%s not found in the directory of the MPI library; "
			"WEFT_PROVIDER_LIB names the provider",
			file);
		return NULL;
	}
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	sym = lib ? dlsym(lib, name) : NULL;
	if (!sym)
		weft_log_once(WEFT_LOG_ERROR, "%s", dlerror());
	return sym;
}

static struct fi_provider *prov_load(void)
{
	const char *forced = getenv("WEFT_PROVIDER_LIB");
	weft_prov_ini_fn ini = forced ? NULL : weft_library_provider();
	void *sym;

	if (!ini) {
		sym = provider_load(forced, OWN_FILE, "fi_prov_ini");
		memcpy(&ini, &sym, sizeof(ini));
	}
	return ini ? ini() : NULL;
}

static int own_open(const struct fi_info *hints, struct fi_info **info_p,
		    struct fid_fabric **fabric_p)
{
	struct fi_provider *prov = prov_load();
	struct fi_info *h;
	int rc;

	if (!prov)
		return -ENOENT;
	h = fi_dupinfo(hints);
	if (!h)
		return -ENOMEM;
	/*
	 * FI_COLLECTIVE is requested only here: collectives of other providers
	 * are not used
	 */
	h->caps |= FI_COLLECTIVE | FI_RMA | FI_ATOMIC;
	rc = prov->getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, info_p);
	fi_freeinfo(h);
	if (!rc)
		rc = prov->fabric((*info_p)->fabric_attr, fabric_p, NULL);
	if (rc)
		weft_log_once(WEFT_LOG_ERROR, "provider weft: %s",
			      fi_strerror(-rc));
	/* Weft's provider supports FI_MATCH_COMPLETE and fi_cancel of sends */
	weft_core.reports_match = !rc;
	return rc ? -EIO : 0;
}

/*
 * First requests a provider with RMA, with all mr_mode bits that src/win
 * supports; a provider without RMA is used for messages only.
 */
static int other_getinfo(const struct fi_info *hints, struct fi_info **info_p,
			 struct fid_fabric **fabric_p, const char **what_p)
{
	static const uint64_t more[] = { FI_RMA | FI_ATOMIC, FI_RMA };
	struct fi_info *h = fi_dupinfo(hints);
	int rc = -FI_ENODATA;

	if (!h)
		return -FI_ENOMEM;
	h->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				  FI_MR_PROV_KEY | FI_MR_ENDPOINT;
	for (size_t i = 0; rc && i < WEFT_COUNT_OF(more); i++) {
		h->caps = hints->caps | more[i];
		rc = other->open(h, info_p, fabric_p, what_p);
	}
	fi_freeinfo(h);
	return rc ? other->open(hints, info_p, fabric_p, what_p) : 0;
}

void weft_prov_free(struct fi_info *info)
{
	if (other)
		other->free(info);
	else
		fi_freeinfo(info);
}

static int other_check(struct fi_info *info, struct fid_fabric *fabric)
{
	/*
	 * In the shm provider of libfabric 1.17, a receive matches an earlier
	 * message only if their tags are equal in the ignored bits as well. So
	 * a receive with MPI_ANY_TAG or MPI_ANY_SOURCE may never complete.
	 */
	if (strcmp(info->fabric_attr->prov_name, "shm") ||
	    FI_MAJOR(info->fabric_attr->prov_version) != 117)
		return 0;
	weft_log_once(
		WEFT_LOG_ERROR,
		"provider shm of libfabric 1.17 loses messages that arrive "
		"before a receive with MPI_ANY_TAG or MPI_ANY_SOURCE; "
		"unset FI_PROVIDER for shared memory");
	fi_close(&fabric->fid);
	weft_prov_free(info);
	return -EOPNOTSUPP;
}

static int other_open(const struct fi_info *hints, struct fi_info **info_p,
		      struct fid_fabric **fabric_p)
{
	const char *name = getenv("FI_PROVIDER"), *what;
	int rc;

	other = provider_load(NULL, OTHER_FILE, WEFT_FABRIC_SHIM);
	if (!other)
		return -ENOENT;
	rc = other_getinfo(hints, info_p, fabric_p, &what);
	if (rc)
		weft_log_once(
			WEFT_LOG_ERROR,
			"provider %s does not offer tagged messages with a "
			"64-bit tag and send order (%s: %s)",
			name, what, fi_strerror(-rc));
	return rc ? -EIO : other_check(*info_p, *fabric_p);
}

int weft_prov_open(const struct fi_info *hints, struct fi_info **info_p,
		   struct fid_fabric **fabric_p)
{
	const char *name = getenv("FI_PROVIDER");

	if (!name || !*name || !strcmp(name, "weft"))
		return own_open(hints, info_p, fabric_p);
	return other_open(hints, info_p, fabric_p);
}
