/*
 * explain_print.h -- writes pieces of text that several files of an explanation use. This file
 * calls none of the functions in explain_parts.h.
 */
#ifndef LIBSCHED_EXPLAIN_PRINT_H
#define LIBSCHED_EXPLAIN_PRINT_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes the beginning of a line: two spaces and a label, padded to 11 characters. */
void put_label(struct text_out *o, const char *label);
/* Writes what a task needs of a resource kind, such as "1 GPU, 0.5 on each of 2 devices,". */
void put_task_need(const struct columns *k, uint32_t shape, uint32_t kind, struct text_out *o);
/* Writes the line of a policy's hook, such as " (line 6)"; nothing if the line is not known.
 * `hook` is an enum policy_hook. */
void put_hook_line(const struct lsched_cluster *c, int hook, struct text_out *o);

#endif
