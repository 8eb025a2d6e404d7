/*
 * hook_fields.h -- the fields of fields.def as hooks of a policy read them, out of the columns.
 *
 * A new field has one place here: most are a column in a unit and get a line in field_columns[] of
 * hook_fields.c; what must be computed gets a case in computed(); a text or a truth a case in
 * text_field() or flag_field(). `engine` is the struct lsched_cycle.
 */
#ifndef LIBSCHED_HOOK_FIELDS_H
#define LIBSCHED_HOOK_FIELDS_H

#include "policy/policy.h"

/* policy_view.fill and policy_view.fill_numbers. */
void hook_fields_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                      union policy_value *out);
void hook_fields_fill_numbers(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                              double *out);

#endif
