/* inside_world.h -- a node of which the inside is known, and tasks that ask for it: part of
 * world_fill(), and for tests of links, NUMA nodes and network cards. */
#ifndef LSCHED_TESTS_INSIDE_WORLD_H
#define LSCHED_TESTS_INSIDE_WORLD_H

#include "model/machine/machine_shape.h"
#include "support/model_world.h"

/* Four devices in pairs behind a PCIe switch, two NUMA nodes of 16 cores and 64 GiB with a pair
 * each, three network cards: one on the first, two on the second, the last of them far from all. */
void inside_machine(struct machine_shape *m);
/* A node of such a machine, 40 cores and 256 GiB. */
int32_t inside_node(struct model_world *w, const char *name, const struct machine_shape *m,
                    uint32_t *row);
/* Node "inside", job "pinned" with one task that runs, one that leaves and claims another place
 * there, and one that is proposed; job "floats". */
int32_t inside_fill(struct model_world *w);

#endif
