/*
 * quantity_reader.h -- functions that read quantities: amounts, durations, points of time, and
 * prices.
 */
#ifndef LIBSCHED_QUANTITY_READER_H
#define LIBSCHED_QUANTITY_READER_H

#include "config/read/field_reader.h"

int32_t read_memory(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_duration(struct field_reader *r, uint32_t value, void *int64_out);
/* Reads a date, or an offset such as 2h30m, which the function adds to r->base_us. */
int32_t read_time(struct field_reader *r, uint32_t value, void *int64_out);
/* Reads a quantity, such as a price. `units_kind` is an enum units_kind. */
int32_t read_units(struct field_reader *r, uint32_t value, void *int64_out, uint32_t units_kind);

/* Returns the index of the resource kind or resource part that a key names; 0 if the key names no
 * kind. */
uint32_t read_kind(const struct field_reader *r, uint32_t key);
/* Returns the index of the resource kind or resource part with that name; 0 if there is none. */
uint32_t read_kind_named(const struct field_reader *r, const char *name);
/* Reads an amount of a resource kind and converts it to base units. */
int32_t read_amount(struct field_reader *r, uint32_t value, void *int64_out, uint32_t kind);
/* Reads a map such as {gpu: 8, memory: 2Ti} and appends its amounts to a struct scn_list of
 * lsched_amount. The word `unlimited` is allowed as an amount. */
int32_t read_limits(struct field_reader *r, uint32_t value, void *list_of_amount);
/* Reads an amount if the key is a resource kind, and appends it to a struct scn_list of
 * lsched_amount. The function is a read_other_fn: it returns 1, 0 if the key is no resource kind,
 * or a negative code. */
int32_t read_amount_key(struct field_reader *r, uint32_t key, uint32_t value, void *list_of_amount);

#endif
