/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folded memory of skeletons (mpiexec --skeleton): programs of which only the
 * communication matters. All ranks map one file of the job, repeatedly, at
 * addresses in one range; so buffers of any size and number need the pages of
 * that file only. The range is the same in every process, so that the model
 * knows without a table that a transfer has no data worth copying.
 *
 *   range   | block 0               | block 1 | block 2          | unused
 *   file    | 0 .. F | 0 .. F | 0 ..| 0 ..    | 0 .. F | 0 ..    |
 *
 * mpiexec creates the file; ranks inherit its descriptor and allocate blocks.
 */
#ifndef WEFT_JOB_SKELETON_H
#define WEFT_JOB_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* first address and size of the range */
#define WEFT_SKELETON_BASE	 UINT64_C(0x300000000000)
#define WEFT_SKELETON_RANGE	 (UINT64_C(1) << 40)
/* bytes of the file, F; its pages are allocated on first touch */
#define WEFT_SKELETON_FILE_BYTES ((size_t)64 << 20)
/* default of the smallest block that is folded, bytes */
#define WEFT_SKELETON_MIN	 ((size_t)64 << 10)
/*
 * variable set by mpiexec, "FD,MIN": the file's descriptor, and the size in
 * bytes of the smallest block that is folded
 */
#define WEFT_SKELETON_VAR	 "FI_WEFT_SKELETON"

static inline bool weft_skeleton_has(uint64_t address)
{
	return address - WEFT_SKELETON_BASE < WEFT_SKELETON_RANGE;
}

/* Reads the text of the variable. Returns 0, or -EINVAL. */
int weft_skeleton_parse(const char *text, int *fd_p, size_t *min_p);

/*
 * Allocates a folded block. Returns NULL if the job has no folded memory or
 * `bytes` is too small for it; then ordinary memory is used. *err_p: -errno if
 * the block could not be mapped.
 */
void *weft_skeleton_alloc(size_t bytes, int *err_p);
/*
 * Frees a block. Returns false if base is not a block of weft_skeleton_alloc().
 */
bool weft_skeleton_free(void *base);

#endif
