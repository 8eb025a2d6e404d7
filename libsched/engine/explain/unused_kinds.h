/*
 * unused_kinds.h -- writes a report for people: what the tables `speeds` and `contention` of the
 * policy name and nothing in the cluster has, which kind of work of a job they lack, and which
 * nodes lack a price that `speeds` compares.
 *
 * A name that nothing has is most often a misspelt one. The tables cannot refuse it, because nodes
 * and jobs come and go, and a device or a task that the table does not name counts as one without a
 * number.
 *
 * What always holds: a finding is true of the nodes and jobs that the cluster has now. There is
 * none about models while no device has a model, none about kinds of work while there are no jobs,
 * and none about the kind `others`, which tasks need not name.
 *
 * Cost: O(devices x models + task shapes x kinds + nodes), and no memory.
 */
#ifndef LIBSCHED_UNUSED_KINDS_H
#define LIBSCHED_UNUSED_KINDS_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes one line for each finding. */
void unused_kinds_report(const struct lsched_cluster *c, struct text_out *o);

#endif
