/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Init_thread and MPI_Finalize, unchecked. Return 0 or -errno. */
#ifndef WEFT_BOOT_INIT_H
#define WEFT_BOOT_INIT_H

int weft_core_init(int required);
int weft_core_fini(void);

#endif
