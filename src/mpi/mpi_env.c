/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: versions, names, clock, memory. */
#include "src/mpi/mpi_export.h"
#pragma GCC visibility push(default)
#include <mpi-ext.h>
#pragma GCC visibility pop

#include "config.h"
#include "src/base/clock.h"
#include "src/job/job_skeleton.h"
#include "src/offload/offload_device.h"
#include "src/diag/diag_err.h"
#include "src/types/types_info.h"
#include "src/core/core_state.h"
#include "src/core/core_region.h"
#include "src/core/core_time.h"
#include "src/mpi/comm/mpi_comm.h"
#include "src/win/win.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/region.h>

#define CACHE_LINE 64

#pragma weak MPI_Get_version = PMPI_Get_version
int PMPI_Get_version(int *version, int *subversion)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, version, "version");

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, subversion,
				     "subversion");
	if (err)
		return err;
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_library_version = PMPI_Get_library_version
int PMPI_Get_library_version(char *version, int *resultlen)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, version, "version");

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, resultlen, "resultlen");
	if (err)
		return err;
	*resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
			      "Weft " PACKAGE_VERSION
			      ", MPI %d.%d, standard ABI %d.%d",
			      MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION,
			      MPI_ABI_SUBVERSION);
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_processor_name = PMPI_Get_processor_name
int PMPI_Get_processor_name(char *name, int *resultlen)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, name, "name");

	if (!err)
		err = weft_check_ptr(NULL, __func__, 2, resultlen, "resultlen");
	if (err)
		return err;
	if (!weft_running())
		return weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	*resultlen =
		snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", weft_core.host);
	return MPI_SUCCESS;
}

/*
 * Returns the resource types that MPI_Comm_split_type accepts by name, and for
 * each whether this process is restricted to one instance of it. The only
 * resource type is the memory of the host.
 */
#pragma weak MPI_Get_hw_resource_info = PMPI_Get_hw_resource_info
int PMPI_Get_hw_resource_info(MPI_Info *hw_info)
{
	MPI_ENTER;
	int err = weft_check_ptr(NULL, __func__, 1, hw_info, "hw_info");
	struct weft_info *info;

	if (err)
		return err;
	if (!weft_running())
		return weft_check_comm_bad(__func__, 0, MPI_COMM_WORLD);
	info = weft_info_open();
	if (!info || weft_info_set(info, "mpi_shared_memory", "true")) {
		weft_info_close(info);
		return weft_err_rc(NULL, __func__, -ENOMEM);
	}
	*hw_info = weft_info_handle(info);
	return MPI_SUCCESS;
}

#pragma weak MPI_Wtime = PMPI_Wtime
WEFT_HOT_TEXT double PMPI_Wtime(void)
{
	if (weft_likely(weft_core.tick_s > 0))
		return (double)weft_ticks() * weft_core.tick_s;

	MPI_ENTER;

	return (double)weft_core_now_ps() * 1e-12;
}

#pragma weak MPI_Wtick = PMPI_Wtick
double PMPI_Wtick(void)
{
	return (double)weft_core_tick_ps() * 1e-12;
}

/*
 * Profilers replace this function. Three levels are for computation in virtual
 * time (include/weft/region.h); the others do nothing.
 */
#pragma weak MPI_Pcontrol = PMPI_Pcontrol
int PMPI_Pcontrol(const int level, ...)
{
	const char *name;
	va_list ap;
	int samples, *run;

	va_start(ap, level);
	if (level == WEFT_PCONTROL_BEGIN) {
		name = va_arg(ap, const char *);
		samples = va_arg(ap, int);
		run = va_arg(ap, int *);
		samples = weft_core_region_begin(name, samples, run);
		if (run)
			*run = samples;
	} else if (level == WEFT_PCONTROL_END) {
		weft_core_region_end(va_arg(ap, const char *));
	} else if (level == WEFT_PCONTROL_TIME) {
		weft_core_region_time(va_arg(ap, double));
	}
	va_end(ap);
	return MPI_SUCCESS;
}

/*
 * Reads the info key weft_memory_alloc_kind, whose value is one of the kinds
 * listed in mpi_memory_alloc_kinds.
 */
static int wants_device(MPI_Info handle, bool *device_p, bool *cuda_p)
{
	struct weft_info *info = weft_info_of(handle);
	char kind[MPI_MAX_INFO_VAL] = "mpi";

	if (info)
		weft_info_get(info, "weft_memory_alloc_kind", kind,
			      sizeof(kind));
	*cuda_p = !strcmp(kind, WEFT_CUDA_KIND);
	*device_p = *cuda_p || !strcmp(kind, WEFT_DEVICE_KIND);
	if (!strcmp(kind, "mpi") || !strcmp(kind, "system") ||
	    (*device_p && strstr(weft_device_kinds(), kind)))
		return MPI_SUCCESS;
	return weft_err_arg(
		NULL, "MPI_Alloc_mem", MPI_ERR_INFO_VALUE, 2,
		"memory kind %s is not supported; supported kinds: %s", kind,
		weft_device_kinds());
}

#pragma weak MPIX_Query_cuda_support = PMPIX_Query_cuda_support
int PMPIX_Query_cuda_support(void)
{
	return strstr(weft_device_kinds(), WEFT_CUDA_KIND) != NULL;
}

/*
 * Reads the info key mpi_minimum_memory_alignment, whose value is a power of
 * two.
 */
static int wanted_align(MPI_Info handle, size_t *align_p)
{
	struct weft_info *info = weft_info_of(handle);
	char text[MPI_MAX_INFO_VAL], *end;
	unsigned long long n;

	*align_p = CACHE_LINE;
	if (!info || weft_info_get(info, "mpi_minimum_memory_alignment", text,
				   sizeof(text)) < 0)
		return MPI_SUCCESS;
	n = strtoull(text, &end, 10);
	if (*end || !n || n & (n - 1))
		return weft_err_arg(NULL, "MPI_Alloc_mem", MPI_ERR_INFO_VALUE,
				    2,
				    "mpi_minimum_memory_alignment is %s, "
				    "which is not a power of two",
				    text);
	if (n > CACHE_LINE)
		*align_p = n;
	return MPI_SUCCESS;
}

/*
 * Allocates the folded memory of a skeleton, or memory that peers can map, if
 * pages have the requested alignment; otherwise private memory.
 */
static int alloc_host(size_t size, size_t align, void **p)
{
	int err = 0;

	if (align <= (size_t)sysconf(_SC_PAGESIZE)) {
		*p = weft_skeleton_alloc(size, &err);
		if (!*p && !err)
			*p = weft_win_heap_alloc(size);
	}
	if (err)
		return err;
	return *p ? 0 : posix_memalign(p, align, size ? size : 1);
}

#pragma weak MPI_Alloc_mem = PMPI_Alloc_mem
int PMPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	MPI_ENTER;
	void *p = NULL;
	bool device, cuda;
	size_t align;
	int err = weft_check_ptr(NULL, __func__, 3, baseptr, "baseptr");

	if (!err)
		err = mpi_check_info(NULL, __func__, 2, info);
	if (err)
		return err;
	if (size < 0)
		return weft_err_arg(NULL, __func__, MPI_ERR_ARG, 1,
				    "negative size %lld", (long long)size);
	err = wants_device(info, &device, &cuda);
	if (!err)
		err = wanted_align(info, &align);
	if (err)
		return err;
	err = device ? weft_device_alloc((size_t)size, cuda, &p)
		     : alloc_host((size_t)size, align, &p);
	if (err)
		return weft_err_arg(NULL, __func__, MPI_ERR_NO_MEM, 1,
				    "no memory for %lld bytes",
				    (long long)size);
	memcpy(baseptr, &p, sizeof(p));
	return MPI_SUCCESS;
}

#pragma weak MPI_Free_mem = PMPI_Free_mem
int PMPI_Free_mem(void *base)
{
	MPI_ENTER;

	if (!weft_device_free(base) && !weft_skeleton_free(base) &&
	    !weft_win_heap_free(base))
		free(base);
	return MPI_SUCCESS;
}
