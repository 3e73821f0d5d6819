/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC on processors without carry-less multiplication: tables only. */
#include "prov/code/code_crc_step.h"

#if !defined(CODE_CRC_X86) && !defined(CODE_CRC_ARM)

void code_crc_select(struct weft_code_crc *c, enum weft_code_crc_kind kind)
{
}

#endif
