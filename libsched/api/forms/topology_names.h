/*
 * topology_names.h -- refuses an unknown name of a topology or of a level. The message lists the
 * names that exist, as far as it has room; a cluster has at most four topologies of eight levels.
 */
#ifndef LIBSCHED_TOPOLOGY_NAMES_H
#define LIBSCHED_TOPOLOGY_NAMES_H

#include "api/door/args.h"

/* Fails with `code`: no topology has the name, or if the name is empty, it is not clear which one
 * is meant. where: what names the topology, such as "job 'a'". */
int32_t topology_names_no_tree(const struct columns *k, lsched_text name, int32_t code,
                               const char *where, lsched_error *err);
/* Fails with LSCHED_E_KEY: the tree has no such level. or_node: 1 if "node" is a level, too. */
int32_t topology_names_no_level(const struct columns *k, uint32_t tree, lsched_text level,
                                int or_node, const char *where, lsched_error *err);

#endif
