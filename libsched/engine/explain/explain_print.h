/*
 * explain_print.h -- pieces of text that several parts of an explanation write. The file is below
 * all parts of explain_parts.h and calls none of them.
 */
#ifndef LIBSCHED_EXPLAIN_PRINT_H
#define LIBSCHED_EXPLAIN_PRINT_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* "  nodes       ": the beginning of a line. */
void put_label(struct text_out *o, const char *label);
/* "1 GPU, 0.5 on each of 2 devices": what a task needs of a kind, of devices also how it is
 * divided. */
void put_task_need(const struct columns *k, uint32_t shape, uint32_t kind, struct text_out *o);
/* " (line 6)" of a hook of the policy, enum policy_hook; nothing where that is not known. */
void put_hook_line(const struct lsched_cluster *c, int hook, struct text_out *o);

#endif
