/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of chained events, for qsnet2_transport.c, which creates the routes. */
#ifndef WEFT_QSNET2_CHAIN_H
#define WEFT_QSNET2_CHAIN_H

#include "prov/machine/machine_chain.h"
#include "prov/machine/qsnet2/qsnet2_dev.h"

/*
 * Virtual process numbers are the carrier's peer indices. A member needs a
 * route to its neighbours in the tree.
 */
struct qsnet2_chain;

int qsnet2_chain_open(struct weft_qsnet2 *s, unsigned context,
		      const struct weft_chain_attr *attr,
		      const struct weft_chain_ops *ops,
		      struct weft_chain **c_p);
void qsnet2_chain_close(struct weft_chain *c);
void *qsnet2_chain_slot(struct weft_chain *c, uint64_t seq);
int qsnet2_chain_broadcast(struct weft_chain *c, uint64_t seq, size_t bytes);
uint64_t qsnet2_chain_received(const struct weft_chain *c, uint64_t seq);
int qsnet2_chain_arrive(struct weft_chain *c, enum weft_chain_point p);
uint64_t qsnet2_chain_passed(const struct weft_chain *c,
			     enum weft_chain_point p);
bool qsnet2_chain_run(struct weft_chain *c);
/* Return the tree's unit, and the root of the tree (NULL: this member). */
struct weft_qsnet2 *qsnet2_chain_unit(const struct weft_chain *c);
struct weft_peer *qsnet2_chain_root(const struct weft_chain *c);

#endif
