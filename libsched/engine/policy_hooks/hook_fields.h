/*
 * hook_fields.h -- reads the fields of fields.def from the columns, for hooks of a policy.
 *
 * A new field is added in one place. Most fields are a column in a unit and get a line in
 * field_columns[] of hook_fields.c. A computed field gets a case in computed(); a text or a boolean
 * gets a case in text_field() or flag_field(). `engine` is the struct lsched_cycle.
 */
#ifndef LIBSCHED_HOOK_FIELDS_H
#define LIBSCHED_HOOK_FIELDS_H

#include "policy/policy.h"

/* Implement policy_view.fill and policy_view.fill_numbers. */
void hook_fields_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                      union policy_value *out);
void hook_fields_fill_numbers(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                              double *out);

#endif
