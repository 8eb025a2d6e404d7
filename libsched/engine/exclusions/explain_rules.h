/*
 * explain_rules.h -- writes which labels, taints, maximums of tasks per node and affinity rules
 * about other jobs keep a job waiting.
 */
#ifndef LIBSCHED_EXPLAIN_RULES_H
#define LIBSCHED_EXPLAIN_RULES_H

#include "engine/exclusions/explain_context.h"

/* Writes how many nodes each rule about nodes excludes, such as "; 12 nodes carry taint gpu=broken
 * that it does not tolerate". Writes nothing if no rule excludes a node. */
void explain_rules_put_unwelcome(const struct columns *k, uint32_t shape, struct text_out *o);
/* Writes how many devices carry taints that exclude the task, such as "; 2 of 8 devices of n1 carry
 * taint ecc-errors". If they are on one node, the text names the node. */
void explain_rules_put_tainted_devices(const struct columns *k, uint32_t shape, struct text_out *o);
/* Writes how many of the job's tasks are on nodes that drain or have a taint that evicts the tasks,
 * and until when these tasks can stay. */
void explain_rules_must_leave(const struct explain *e);
/* Writes the text for the code LSCHED_WAIT_RULES: the affinity rules of the job and of other jobs
 * that exclude the room. */
void explain_rules_put_neighbours(const struct columns *k, const lsched_waiting *w,
                                  struct text_out *o);

#endif
