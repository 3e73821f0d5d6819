/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --classroutes: the class route of a set of nodes. */
#ifndef WEFT_INFO_ROUTES_H
#define WEFT_INFO_ROUTES_H

#include <stdio.h>

/*
 * Prints the class route of spec: "bgq:4x4x4x4x2" (all nodes of a block),
 * "bgq:4x4x4x4x2@0-1,2,0-3,0-3,0" (a part of it, by dimension), or "native:64"
 * (ranks). Returns 0, or 2 after a message if spec is not valid.
 */
int tool_routes(FILE *out, const char *spec);

#endif
