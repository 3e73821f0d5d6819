/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of NVIDIA's driver library that this folder calls. The library
 * is loaded at run time, so that Weft can be built without CUDA and runs
 * without a GPU. Types and values are those of the driver's binary interface.
 */
#ifndef WEFT_MEM_CUDA_DRIVER_H
#define WEFT_MEM_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long cuda_addr; /* address in device memory */
typedef struct cuda_context_opaque *cuda_context;
typedef struct cuda_stream_opaque *cuda_stream;
typedef struct cuda_module_opaque *cuda_module;
typedef struct cuda_function_opaque *cuda_function;

struct cuda_ipc_handle {
	char bytes[64];
};

enum {
	CUDA_OK = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NOT_INITIALIZED = 3,
	CUDA_NOT_READY = 600,
};

/* attributes of a pointer, and values of its memory type */
enum {
	CUDA_ATTR_CONTEXT = 1,
	CUDA_ATTR_MEMORY_TYPE = 2,
	CUDA_ATTR_BUFFER_ID = 7,
	CUDA_ATTR_IS_MANAGED = 8,
	CUDA_ATTR_DEVICE = 9,
	CUDA_ATTR_IPC_CAPABLE = 10,
	CUDA_MEMORY_DEVICE = 2,
};

enum {
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_IPC_LAZY_PEER_ACCESS = 1,
	CUDA_HOST_PORTABLE = 1,
	CUDA_HOST_MAPPED = 2,
};

/* name of the member, symbol in the library, parameters */
#define CUDA_FUNCTIONS(X)                                                     \
	X(init, "cuInit", (unsigned flags))                                   \
	X(pointer_attributes, "cuPointerGetAttributes",                       \
	  (unsigned n, const int *which, void **values, cuda_addr at))        \
	X(context_push, "cuCtxPushCurrent_v2", (cuda_context c))              \
	X(context_pop, "cuCtxPopCurrent_v2", (cuda_context * c))              \
	X(context_current, "cuCtxGetCurrent", (cuda_context * c))             \
	X(primary_retain, "cuDevicePrimaryCtxRetain",                         \
	  (cuda_context * c, int device))                                     \
	X(device_uuid, "cuDeviceGetUuid", (unsigned char *uuid, int device))  \
	X(alloc, "cuMemAlloc_v2", (cuda_addr * at, size_t bytes))             \
	X(free, "cuMemFree_v2", (cuda_addr at))                               \
	X(set_bytes, "cuMemsetD8_v2",                                         \
	  (cuda_addr at, unsigned char value, size_t bytes))                  \
	X(host_alloc, "cuMemHostAlloc",                                       \
	  (void **at, size_t bytes, unsigned flags))                          \
	X(host_free, "cuMemFreeHost", (void *at))                             \
	X(range, "cuMemGetAddressRange_v2",                                   \
	  (cuda_addr * base, size_t * bytes, cuda_addr at))                   \
	X(copy, "cuMemcpyAsync",                                              \
	  (cuda_addr to, cuda_addr from, size_t bytes, cuda_stream s))        \
	X(stream_create, "cuStreamCreate", (cuda_stream * s, unsigned flags)) \
	X(stream_destroy, "cuStreamDestroy_v2", (cuda_stream s))              \
	X(stream_wait, "cuStreamSynchronize", (cuda_stream s))                \
	X(stream_query, "cuStreamQuery", (cuda_stream s))                     \
	X(ipc_get, "cuIpcGetMemHandle",                                       \
	  (struct cuda_ipc_handle * h, cuda_addr at))                         \
	X(ipc_open, "cuIpcOpenMemHandle_v2",                                  \
	  (cuda_addr * at, struct cuda_ipc_handle h, unsigned flags))         \
	X(ipc_close, "cuIpcCloseMemHandle", (cuda_addr at))                   \
	X(module_load, "cuModuleLoadData",                                    \
	  (cuda_module * m, const void *image))                               \
	X(module_function, "cuModuleGetFunction",                             \
	  (cuda_function * f, cuda_module m, const char *name))               \
	X(launch, "cuLaunchKernel",                                           \
	  (cuda_function f, unsigned gx, unsigned gy, unsigned gz,            \
	   unsigned bx, unsigned by, unsigned bz, unsigned shared,            \
	   cuda_stream s, void **params, void **extra))

struct cuda_driver {
#define MEMBER(name, symbol, params) int(*name) params;
	CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};

/*
 * Returns whether the library may be used: the host has the driver's devices,
 * or FI_WEFT_CUDA requests it. Loads nothing.
 */
bool cuda_driver_possible(void);
/*
 * Returns the driver's functions; NULL: this process has not loaded the
 * library, and so has no device memory. Does not load or initialize the
 * library, which is the application's decision and takes time.
 */
const struct cuda_driver *cuda_driver(void);
/*
 * Returns the address of a word that is NULL until another library is loaded.
 * Returns NULL if the driver library is loaded.
 */
const void *const volatile *cuda_driver_gate(void);
/* Loads the library. Returns the driver's functions; NULL: not possible. */
const struct cuda_driver *cuda_driver_load(void);

#endif
