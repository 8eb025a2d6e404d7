/*
 * args.h -- checks of arguments that refer to a cluster: ids, names, amounts. (Other arguments:
 * base/call_args.h.)
 *
 * Every message names the element, what was expected and what was found.
 */
#ifndef LIBSCHED_ARGS_H
#define LIBSCHED_ARGS_H

#include "base/call_args.h"
#include "engine/state/cluster.h"

/* Inserts a text into a sorted list of n texts. Returns 1, or 0 if the list has the text
 * already. */
uint32_t arg_insert_text(lsched_text *list, uint32_t n, lsched_text t);
/* Finds the row of an id of the kind. Errors: LSCHED_E_KIND, LSCHED_E_STALE. */
int32_t arg_id(const struct columns *k, lsched_id id, uint32_t kind, uint32_t *row,
               lsched_error *err);
/* Returns the name of the object with this id, an empty text if the id names no object. */
lsched_text arg_name_of(const struct columns *k, lsched_id id);
/* Finds a row by id or, if the id is 0, by name. Error: LSCHED_E_NOENT. */
int32_t arg_ref(const struct columns *k, lsched_id id, lsched_text name, uint32_t kind,
                uint32_t *row, lsched_error *err);
/* Reads a list of amounts into an array by kind; kinds that the list does not name keep their
 * value. AMOUNT_ANY: LSCHED_ANY_RESOURCE sets all kinds. */
enum { AMOUNT_UNLIMITED = 1, AMOUNT_ANY = 2, AMOUNT_NO_GPU = 4, AMOUNT_PARTS = 8 };
int32_t arg_amounts(const struct columns *k, const lsched_amount *list, uint32_t n, uint32_t flags,
                    const char *what, int64_t *to, lsched_error *err);
/* Reads as arg_amounts does, from a list that can also name resource parts. Their amounts go to
 * `part`, by index of the resource part. */
int32_t arg_quotas(const struct columns *k, const lsched_amount *list, uint32_t n, const char *what,
                   int64_t *to, int64_t *part, lsched_error *err);
/* Fails with a message if the kind has no amount of its own: it is unknown, or a resource part. */
int32_t arg_kind(const struct columns *k, uint32_t kind, const char *what, lsched_error *err);
/* Checks the reported time of an event: it must not be far later than the latest cycle
 * (LSCHED_E_TIME). Before the first cycle every time is allowed. */
int32_t arg_reported(const struct columns *k, int64_t us, const char *what, lsched_error *err);
uint32_t index_table_of(uint32_t kind);
uint32_t table_of(uint32_t kind);

#endif
