/*
 * door.h -- the one function through which every change of state passes, door_apply; it also marks
 * bad elements and keeps the first error.
 *
 * A change is a struct call: an operation, its elements, and places for results. door_apply opens
 * the undo scope, applies element by element, and keeps or undoes all of them. The rule "a call is
 * applied whole or changes nothing" is thus written once, and a recorder that watches door_apply
 * sees every call that a replay needs.
 *
 * The function that applies an element can fail at any point: the undo log then rolls the element
 * back. The door marks a bad element and continues with the batch, so that one call marks all bad
 * elements. The batch is then undone, unless it is partial. If memory runs out, no element is at
 * fault and the batch ends at once.
 */
#ifndef LIBSCHED_DOOR_H
#define LIBSCHED_DOOR_H

#include "engine/state/cluster.h"

enum call_op {
    CALL_RESOURCE_ADD = 1,
    CALL_TOPOLOGIES_ADD,
    CALL_NODES_ADD,
    CALL_NODES_UPDATE,
    CALL_NODES_REMOVE,
    CALL_QUEUES_ADD,
    CALL_QUEUES_UPDATE,
    CALL_QUEUES_REMOVE,
    CALL_JOBS_SUBMIT,
    CALL_JOBS_REMOVE,
    CALL_JOBS_SET_PRIORITY,
    CALL_TASKS_REPORT,
    CALL_TASKS_IMPORT,
    CALL_USAGE_REPORT,
    CALL_TASK_MIX_SET,
    CALL_SETTLE,
    CALL_POLICY_LOAD,
    CALL_SCHEDULE,
    CALL_RESOURCE_ADD_PART,
    CALL_POOLS_ADD,
    CALL_COLLISIONS_REPORT,
    CALL_CLOCK_SET,
    CALL_INCARNATION_SET
};

struct call;

/* Applies one element of an operation; `index` is for messages. Fills err on error; the door writes
 * the index into err. */
typedef int32_t (*call_element_fn)(struct lsched_cluster *c, const struct call *call, size_t index,
                                   const void *element, lsched_error *err);
/* Returns the name of the object that element `index` refers to; empty if the name cannot be
 * read. */
typedef lsched_text (*call_name_fn)(const struct columns *k, const struct call *call, size_t index);

/* An operation: a constant in the file that holds the operation's public call. The door calls the
 * operation through this struct and needs no list of operations. */
struct call_kind {
    uint32_t op; /* enum call_op, for watchers of the door */
    /* NULL: the operation has its own undo; the door only calls the watcher */
    call_element_fn apply;
    const char *what;     /* noun for an element in messages ("node"); can be NULL */
    call_name_fn name_of; /* NULL if `what` is NULL */
};

struct call {
    const struct call_kind *kind;
    uint32_t flags;
    size_t n, elem_size;
    const void *elements; /* n elements, elem_size bytes apart */
    /* second array of n elements for some operations (priorities, outcomes, ids) */
    const void *second;
    lsched_id *ids; /* results; can be NULL */
    int32_t *status;
    void *more; /* private data of the operation */
};

/* Is called for each call that was applied. Tests set it; a journal can use it later. */
typedef void (*door_watch_fn)(void *user, const struct call *call);

/* Applies a call. Returns the number of applied elements, or an error with err filled. */
int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err);
void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user);

/* Returns element i of a call. */
const void *call_element(const struct call *call, size_t i);

/* Sets the incarnation of a new cluster, before a watcher can be set (api_cluster.c). */
extern const struct call_kind call_incarnation_set;

#endif
