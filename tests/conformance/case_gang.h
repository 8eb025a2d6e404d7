/*
 * case_gang.h -- the gang of a case's job as the library wants it: a tree whose leaves hold equal tasks.
 *
 * A group of a case may hold tasks that differ (GPUs, nodes, priority). It becomes an inner group with a leaf for each
 * kind of task, in the order of the tasks' priority; its minimum is spread over them: the first `min` tasks by priority,
 * those that run before others, are the ones that are needed.
 */
#ifndef CONFORMANCE_CASE_GANG_H
#define CONFORMANCE_CASE_GANG_H

#include "case_form.h"

/* Labels by which tasks are kept on nodes: every node has its name under this key. */
#define GANG_NODE_LABEL "conformance/node"

struct gang {
    lsched_group_desc *groups;
    uint32_t n;
};

/* Also says which index each task has. kind_tasks: the kind that counts tasks on nodes. Returns 0 if the tree is too large. */
int gang_make(struct gang *out, struct pool *pool, const struct case_form *c, struct job_form *job,
              uint32_t kind_tasks);

#endif
