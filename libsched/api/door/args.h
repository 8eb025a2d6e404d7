/*
 * args.h -- checks of arguments that refer to a cluster: ids, names, amounts. (Other arguments:
 * base/call_args.h.)
 *
 * Every error message names the element, the expected value and the value that was found.
 */
#ifndef LIBSCHED_ARGS_H
#define LIBSCHED_ARGS_H

#include "base/call_args.h"
#include "base/device_set.h"
#include "engine/state/cluster.h"

struct text_out;

/* Inserts the text t into a sorted list of n texts. Returns 1, or 0 if the list already has the
 * text. */
uint32_t arg_insert_text(lsched_text *list, uint32_t n, lsched_text t);
/* Returns the id that the API has for the object of this kind in the row. */
lsched_id arg_id_of(const struct columns *k, uint32_t kind, uint32_t row);
/* Sets *row to the row of the object with this id, which must be an object of the kind. Errors:
 * LSCHED_E_KIND, LSCHED_E_STALE. */
int32_t arg_id(const struct columns *k, lsched_id id, uint32_t kind, uint32_t *row,
               lsched_error *err);
/* Sets *job to the row of the job with this id, and *task to the row of its task with this index,
 * or to NO_ROW if the task has no row. */
int32_t arg_task(const struct columns *k, lsched_id id, uint32_t index, uint32_t *job,
                 uint32_t *task, lsched_error *err);
/* Returns the name of the object with this id, an empty text if the id names no object. */
lsched_text arg_name_of(const struct columns *k, lsched_id id);
/* Checks the name of a new object of the kind. Error LSCHED_E_EXISTS: an object of the kind has
 * the name already. */
int32_t arg_new_name(const struct columns *k, lsched_text *name, uint32_t kind, lsched_error *err);
/* Sets *row to the row of the object with this id or, if the id is 0, with this name. Error:
 * LSCHED_E_NOENT. */
int32_t arg_ref(const struct columns *k, lsched_id id, lsched_text name, uint32_t kind,
                uint32_t *row, lsched_error *err);
/* Reads a list of amounts into to[kind]. A kind that the list does not name keeps its value in
 * to[]. With the flag AMOUNT_ANY, the kind LSCHED_ANY_RESOURCE in the list sets all kinds. */
enum { AMOUNT_UNLIMITED = 1, AMOUNT_ANY = 2, AMOUNT_NO_GPU = 4, AMOUNT_PARTS = 8 };
int32_t arg_amounts(const struct columns *k, const lsched_amount *list, uint32_t n, uint32_t flags,
                    const char *what, int64_t *to, lsched_error *err);
/* Does what arg_amounts() does, for a list that can also name resource parts. The amount of
 * resource part i is written to part[i]. */
int32_t arg_quotas(const struct columns *k, const lsched_amount *list, uint32_t n, const char *what,
                   int64_t *to, int64_t *part, lsched_error *err);
/* Fails with a message if the kind is unknown, or if it is a resource part, of which tasks and
 * nodes have no amounts of their own. */
int32_t arg_kind(const struct columns *k, uint32_t kind, const char *what, lsched_error *err);
/* Begins a query of one object: clears err, and refuses pointers that are NULL. */
int32_t arg_query(const void *cluster, const void *out, lsched_error *err);
/* Checks the reported time of an event. Error LSCHED_E_TIME: the time is much later than the
 * latest cycle. Before the first cycle every time is allowed. */
int32_t arg_reported(const struct columns *k, int64_t us, const char *what, lsched_error *err);
/* Sets *set to the devices that the orchestrator gives in the short form or as words. Error
 * LSCHED_E_INVAL: both are given, and they differ. */
int32_t arg_devices(uint32_t mask, const uint64_t *words, const char *what, device_set *set,
                    lsched_error *err);
/* Fills err: the set has a device that a node with n devices does not have. Returns
 * LSCHED_E_RANGE. */
int32_t arg_devices_refuse(device_set set, uint32_t n, const char *what, lsched_error *err);
/* Checks that the struct at `out`, which begins with its size, has the words of a set of devices at
 * the offset `at`, or that the set fits into the short form. Error LSCHED_E_RANGE. */
int32_t arg_devices_fit(const void *out, size_t at, device_set set, lsched_error *err);
uint32_t index_table_of(uint32_t kind);
uint32_t table_of(uint32_t kind);
/* Returns the same cluster for a call that reads. Such a call changes no column, no id and no
 * decision, so its parameter is const; it fills caches and marks the cluster as busy. Every cluster
 * is an object of the library that is not const. */
lsched_cluster *arg_caches_of(const lsched_cluster *c);
/* Fails with LSCHED_E_BUSY: a callback called a function of its own cluster that does not allow
 * such a call. */
int32_t arg_busy(lsched_error *err);
/* Begins a call that writes a text for people: clears err, refuses a missing cluster or buffer and
 * a cluster that is busy, empties the buffer of `cap` bytes, and lets *o write to it. */
int32_t arg_report(const lsched_cluster *c, char *buf, size_t cap, struct text_out *o,
                   lsched_error *err);

#endif
