/*
 * explain_machine.h -- writes which links, NUMA node and network cards a task wants. Some nodes
 * have enough free of everything, but not with the wanted links or on one NUMA node; the text
 * counts these nodes and names the wish that they do not meet.
 */
#ifndef LIBSCHED_EXPLAIN_MACHINE_H
#define LIBSCHED_EXPLAIN_MACHINE_H

#include "engine/exclusions/explain_context.h"

/* Writes how many nodes have enough free of everything but do not meet the job's wishes for links,
 * one NUMA node or network cards. Writes nothing if the job has no such wish or if every such node
 * meets all wishes. */
void explain_machine(const struct explain *e);
/* Writes the wishes that the shape has, such as ", linked by NVLINK or better, on one NUMA node,
 * with 1 network card". */
void explain_machine_put_wishes(const struct columns *k, uint32_t shape, struct text_out *o);
/* True if the node could hold one task of the shape, with its wishes for links, NUMA node and
 * network cards, after some tasks left the node. These are the tasks for which gone(of, task) is
 * true. */
int explain_machine_fits_if(const struct columns *k, uint32_t node, uint32_t shape,
                            int (*gone)(const void *of, uint32_t task), const void *of);

#endif
