/*
 * hook_fields.h -- reads the fields of fields.def from the columns, for hooks of a policy.
 *
 * To add a field, change one place in hook_fields.c. Most fields are the value of a column
 * divided by a unit; add a line to field_columns[] for such a field. For a computed field, add a
 * case to computed(). For a text or a boolean, add a case to text_field() or flag_field().
 * `engine` is the struct lsched_cycle.
 */
#ifndef LIBSCHED_HOOK_FIELDS_H
#define LIBSCHED_HOOK_FIELDS_H

#include "policy/policy.h"

/* These two functions implement policy_view.fill and policy_view.fill_numbers. */
void hook_fields_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                      union policy_value *out);
void hook_fields_fill_numbers(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                              double *out);

#endif
