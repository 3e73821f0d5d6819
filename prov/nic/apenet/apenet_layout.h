/* SPDX-License-Identifier: BSD-3-Clause */
/* APEnet+: sizes of what travels, and the model's names for its memory. */
#ifndef WEFT_PROV_APENET_LAYOUT_H
#define WEFT_PROV_APENET_LAYOUT_H

#define APENET_PAYLOAD 4096 /* of a packet, apenet.md i */
#define APENET_DESC    32   /* a command: what a request of a get carries */

/* Paths of the machine file: where a put reads from, or writes to. */
#define APENET_PATH_HOST "host"
#define APENET_PATH_GPU	 "gpu"

#endif
