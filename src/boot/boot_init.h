/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Init_thread, MPI_Finalize, and the start and end of a session, without
 * argument checks. The thread level that the first of them requests is the
 * thread level of the process. All functions return 0 or -errno.
 */
#ifndef WEFT_BOOT_INIT_H
#define WEFT_BOOT_INIT_H

int weft_core_init(int required);
int weft_core_fini(void);

int weft_core_session_open(int level);
void weft_core_session_close(void);

#endif
