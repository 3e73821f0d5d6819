/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where this process runs on its host, as hwloc sees it: the smallest object
 * of the topology that holds all processors it is bound to, and the way there
 * from the top.
 */
#ifndef WEFT_PROV_NIC_PLACE_H
#define WEFT_PROV_NIC_PLACE_H

#include "prov/nic/cu/cu_tree.h"

#include <hwloc.h>

/*
 * The place of a set of processors. NOWHERE when nothing smaller than the
 * whole host holds them.
 */
weft_cu_place nic_place_of(hwloc_topology_t topo, hwloc_const_cpuset_t set);

/*
 * That of this process. Loads the topology when the process is bound, once;
 * NOWHERE when it is not bound, or when that cannot be read.
 */
weft_cu_place nic_place_here(void);

#endif
