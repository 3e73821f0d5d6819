/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Place of this process on its host, from hwloc: the smallest object of the
 * topology that contains all processors to which the process is bound, encoded
 * as the path from the root to that object.
 */
#ifndef WEFT_PROV_NIC_PLACE_H
#define WEFT_PROV_NIC_PLACE_H

#include "src/tree/tree.h"

#include <hwloc.h>

/*
 * Returns the place of a set of processors; WEFT_TREE_NOWHERE if no object
 * smaller than the host contains them.
 */
weft_tree_place nic_place_of(hwloc_topology_t topo, hwloc_const_cpuset_t set);

/*
 * Returns the place of this process. If the process is bound, loads the
 * topology once. WEFT_TREE_NOWHERE: the process is not bound, or its binding
 * cannot be read.
 */
weft_tree_place nic_place_here(void);

#endif
