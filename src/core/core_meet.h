/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of a communicator tell each other their addresses. */
#ifndef WEFT_CORE_MEET_H
#define WEFT_CORE_MEET_H

struct weft_comm;

/*
 * Makes the addresses of all members known for log2(size) questions to the
 * launcher instead of size: they tell each other. Collective; once is enough.
 */
int weft_comm_meet(struct weft_comm *c);

#endif
