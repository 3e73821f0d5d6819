/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry point of the library, called when libfabric loads it. The options are
 * libfabric parameters (fi_info -e lists them).
 */
#include "prov/ofi/weft_conf.h"
#include "prov/ofi/weft_fabric.h"
#include "prov/ofi/weft_info.h"
#include "src/job/job_cfg.h"

#define WEFT_VERSION FI_VERSION(0, 1)

static const enum fi_param_type param_type[] = {
	[WEFT_CFG_BOOL] = FI_PARAM_BOOL,
	[WEFT_CFG_INT] = FI_PARAM_INT,
	[WEFT_CFG_SIZE] = FI_PARAM_SIZE_T,
	[WEFT_CFG_TEXT] = FI_PARAM_STRING,
};

/*
 * Defines the parameters in libfabric: for example, "FI_WEFT_SPIN" is the
 * parameter "spin" of the provider "weft".
 */
static void define_params(const struct fi_provider *prov)
{
	static const char prefix[] = "FI_WEFT_";

	for (size_t i = 0; i < weft_conf_options.count; i++) {
		const struct weft_cfg_opt *o = &weft_conf_options.opt[i];
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
	define_params(&weft_prov);
	weft_cfg_warn_unknown("FI_WEFT_", &weft_conf_options, 1);
	return &weft_prov;
}
