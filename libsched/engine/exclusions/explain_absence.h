/*
 * explain_absence.h -- which nodes leave before a waiting job would surely end, in words. Reads
 * only; O(nodes).
 */
#ifndef LIBSCHED_EXPLAIN_ABSENCE_H
#define LIBSCHED_EXPLAIN_ABSENCE_H

#include "base/text_out.h"
#include "engine/exclusions/explain_subject.h"

/* Writes which nodes leave too early for the job, of those that have room for the record's task or
 * have it when their releasing tasks are gone. Returns 0 and writes nothing if there is none. */
int explain_absence_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Returns the first time at which one of these nodes is back and can hold the job until it surely
 * ends, and sets *node to the node. Returns LSCHED_NEVER_US if there is no such node. */
int64_t explain_absence_back(const struct columns *k, const lsched_waiting *w, uint32_t *node);
/* Writes the absence of the node that holds at the time `at` or comes next after it, such as "node
 * n1 is reserved for queue research until 12:00 (reservation night)". The node must have one. */
void explain_absence_put_node(const struct columns *k, uint32_t node, int64_t at,
                              struct text_out *o);

#endif
