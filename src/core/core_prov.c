/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which provider runs below. Ours is taken directly: its library lies beside
 * this one, and fi_prov_ini() answers in a tenth of a millisecond, while the
 * first fi_getinfo() of a process takes thirty. FI_PROVIDER names another.
 */
#include "src/core/core_prov.h"

#include "src/base/cfg.h"
#include "src/base/log.h"
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

#define PROV_FILE "libweft-fi.so"

typedef struct fi_provider *(*prov_ini_fn)(void);

/* Installed: DIR/libfabric/FILE. Build tree: DIR/FILE, in .libs. */
static int prov_path(char *path, size_t room)
{
	const char *forced = getenv("WEFT_PROVIDER_LIB");
	char dir[PATH_MAX];
	char *slash;
	Dl_info di;

	if (forced) {
		snprintf(path, room, "%s", forced);
		return 0;
	}
	if (!dladdr(&weft_core, &di) || !realpath(di.dli_fname, dir))
		return -ENOENT;
	slash = strrchr(dir, '/');
	*slash = 0;
	snprintf(path, room, "%s/libfabric/" PROV_FILE, dir);
	if (!access(path, R_OK))
		return 0;
	snprintf(path, room, "%s/" PROV_FILE, dir);
	return access(path, R_OK) ? -ENOENT : 0;
}

static struct fi_provider *prov_load(void)
{
	char path[PATH_MAX + 32];
	prov_ini_fn ini;
	void *lib;
	void *sym;

	if (prov_path(path, sizeof(path))) {
		weft_log(WEFT_LOG_ERROR,
			 PROV_FILE " not found beside the MPI library; "
				   "WEFT_PROVIDER_LIB names it");
		return NULL;
	}
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	sym = lib ? dlsym(lib, "fi_prov_ini") : NULL;
	if (!sym) {
		weft_log(WEFT_LOG_ERROR, "%s", dlerror());
		return NULL;
	}
	memcpy(&ini, &sym, sizeof(ini));
	return ini();
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
	/* others' collectives are not offloaded, and windows go by messages */
	h->caps |= FI_COLLECTIVE | FI_RMA | FI_ATOMIC;
	rc = prov->getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, info_p);
	fi_freeinfo(h);
	if (!rc)
		rc = prov->fabric((*info_p)->fabric_attr, fabric_p, NULL);
	if (rc)
		weft_log_once(WEFT_LOG_ERROR, "provider weft: %s",
			      fi_strerror(-rc));
	/* FI_MATCH_COMPLETE, and fi_cancel of sends */
	weft_core.tells_met = !rc;
	return rc ? -EIO : 0;
}

static int other_open(const struct fi_info *hints, struct fi_info **info_p,
		      struct fid_fabric **fabric_p)
{
	const char *name = getenv("FI_PROVIDER");
	int rc;

	rc = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, info_p);
	if (rc)
		weft_log(WEFT_LOG_ERROR,
			 "provider %s: nothing offers tagged messages with 64 "
			 "bits of tag and send order (fi_getinfo: %s)",
			 name, fi_strerror(-rc));
	else
		rc = fi_fabric((*info_p)->fabric_attr, fabric_p, NULL);
	return rc ? -EIO : 0;
}

int weft_prov_open(const struct fi_info *hints, struct fi_info **info_p,
		   struct fid_fabric **fabric_p)
{
	const char *name = getenv("FI_PROVIDER");

	if (!name || !*name || !strcmp(name, "weft"))
		return own_open(hints, info_p, fabric_p);
	return other_open(hints, info_p, fabric_p);
}
