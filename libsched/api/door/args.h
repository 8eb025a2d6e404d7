/*
 * args.h -- checking what comes in and speaks of a cluster: ids, names, amounts (what does not:
 * base/call_args.h). Every message names the element and says what was expected and what was found.
 */
#ifndef LIBSCHED_ARGS_H
#define LIBSCHED_ARGS_H

#include "base/call_args.h"
#include "engine/state/cluster.h"

/* Insert into a sorted list of n; 1, or 0 if it is there already. */
uint32_t arg_insert_text(lsched_text *list, uint32_t n, lsched_text t);
/* Row of an id of the kind. LSCHED_E_KIND, LSCHED_E_STALE. */
int32_t arg_id(const struct columns *k, lsched_id id, uint32_t kind, uint32_t *row,
               lsched_error *err);
/* The name of the object with this id; empty for an id that names none. */
lsched_text arg_name_of(const struct columns *k, lsched_id id);
/* By id, or if 0 by name. LSCHED_E_NOENT. */
int32_t arg_ref(const struct columns *k, lsched_id id, lsched_text name, uint32_t kind,
                uint32_t *row, lsched_error *err);
/* A list of amounts into an array by kind; kinds that are not named keep what is there. any:
 * LSCHED_ANY_RESOURCE sets all. */
enum { AMOUNT_UNLIMITED = 1, AMOUNT_ANY = 2, AMOUNT_NO_GPU = 4, AMOUNT_DERIVED = 8 };
int32_t arg_amounts(const struct columns *k, const lsched_amount *list, uint32_t n, uint32_t flags,
                    const char *what, int64_t *to, lsched_error *err);
/* The same for lists that may name kinds that are a part of another as well: their amounts go to
 * `derived`, by number. */
int32_t arg_quotas(const struct columns *k, const lsched_amount *list, uint32_t n, const char *what,
                   int64_t *to, int64_t *derived, lsched_error *err);
/* Fails with what is wrong about a kind that is none with an amount of its own: unknown, or a part
 * of another. */
int32_t arg_kind(const struct columns *k, uint32_t kind, const char *what, lsched_error *err);
/* When something happened, by a report: not far beyond the latest cycle, LSCHED_E_TIME. Before the
 * first cycle no time is too late. */
int32_t arg_reported(const struct columns *k, int64_t us, const char *what, lsched_error *err);
uint32_t index_table_of(uint32_t kind);
uint32_t table_of(uint32_t kind);

#endif
