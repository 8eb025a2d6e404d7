/* parse_nodes.h -- reads `topology:`, `nodes:`, and the keys with which steps add, update, cordon
 * and drain nodes. */
#ifndef LIBSCHED_PARSE_NODES_H
#define LIBSCHED_PARSE_NODES_H

#include "config/objects/step_reader.h"

/* In each function `step` is a struct step_reader *. */
int32_t read_topologies(struct field_reader *r, uint32_t value, void *step);
int32_t read_nodes(struct field_reader *r, uint32_t value, void *step);
int32_t read_update_nodes(struct field_reader *r, uint32_t value, void *step);
/* Reads the names of nodes. The action that it adds sets the state of these nodes to `state`
 * (LSCHED_NODE_*). */
int32_t read_node_state(struct field_reader *r, uint32_t value, void *step, uint32_t state);

#endif
