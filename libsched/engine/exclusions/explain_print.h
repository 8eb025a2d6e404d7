/*
 * explain_print.h -- functions that write small pieces of text, used by several files of an
 * explanation. The file includes no other file of the folder.
 */
#ifndef LIBSCHED_EXPLAIN_PRINT_H
#define LIBSCHED_EXPLAIN_PRINT_H

#include "engine/state/cluster.h"
#include "engine/state/object_words.h"

/* Writes the beginning of a line: two spaces, the label padded to 11 characters, and a space. */
void put_label(struct text_out *o, const char *label);
/* Writes the label as put_label does, then the text of a printf format with its arguments. */
#define PUT_LINE(o, label, ...) (put_label(o, label), text_put(o, __VA_ARGS__))
/* Writes the amount that a task needs of a resource kind, such as "1 GPU, 0.5 on each of 2
 * devices,". */
void put_task_need(const struct columns *k, uint32_t shape, uint32_t kind, struct text_out *o);
/* If the shape asks for a MIG instance, writes " as a MIG instance 1g.10gb" and returns 1. Else
 * writes nothing and returns 0. */
int put_mig_instance(const struct columns *k, uint32_t shape, struct text_out *o);
/* Returns the verb after an amount: "is" for exactly one device or core (1000 thousandths), else
 * "are". */
static inline const char *is_or_are(uint32_t kind, int64_t amount) {
    return amount == 1000 && kind != LSCHED_MEMORY ? "is" : "are";
}
/* Writes the number of the policy's line on which a hook is defined, such as " (line 6)". Writes
 * nothing if the line is not known. `hook` is an enum policy_hook. */
void put_hook_line(const struct lsched_cluster *c, int hook, struct text_out *o);

#endif
