/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal to prov/code: updates of the CRC register, one function per
 * processor type.
 */
#ifndef WEFT_CODE_CRC_STEP_H
#define WEFT_CODE_CRC_STEP_H

#include "prov/code/code_crc.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Selects which of code_crc_x86.c, code_crc_arm.c and code_crc_any.c is
 * compiled. clang accepts arm's CRC instructions only if the whole build may
 * use them.
 */
#if defined(__x86_64__)
#define CODE_CRC_X86
#elif defined(__AARCH64EL__) && \
	(!defined(__clang__) || defined(__ARM_FEATURE_CRC32))
#define CODE_CRC_ARM
#endif

uint32_t code_crc_tables(const struct weft_code_crc *c, uint32_t reg,
			 const void *buf, size_t len);

/* Sets the processor-specific step in c, or leaves c unchanged. */
void code_crc_select(struct weft_code_crc *c, enum weft_code_crc_kind kind);

#endif
