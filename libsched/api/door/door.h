/*
 * door.h -- the one door. Every change of state is a struct call: an operation, its elements, where
 * results go. door_apply opens the undo scope, applies element by element, and keeps or undoes the
 * whole; so "applies whole or changes nothing" is written once, and a recorder that watches the
 * door has seen everything there is to replay.
 *
 * An element is applied by a function that may fail at any point: what it did is rolled back by the
 * log. A bad element is marked; the batch goes on, so that all bad elements are marked in one call,
 * and is then undone unless it is partial. Running out of memory is no element's fault and ends the
 * batch at once.
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

/* Applies one element of an operation; index is for messages. Fills err on error; the door sets the
 * index in it. */
typedef int32_t (*call_element_fn)(struct lsched_cluster *c, const struct call *call, size_t index,
                                   const void *element, lsched_error *err);
/* The name of the object that element `index` is about; empty if it cannot be read. */
typedef lsched_text (*call_name_fn)(const struct columns *k, const struct call *call, size_t index);

/* An operation: a constant of the file that holds the operation's public call. The door calls the
 * operation through it and so knows no operation by name. */
struct call_kind {
    uint32_t op;           /* enum call_op: for those who watch the door */
    call_element_fn apply; /* NULL: the operation has its own undo, and only tells the watch */
    const char *what;      /* "node": what an element is about, in messages; or NULL */
    call_name_fn name_of;  /* or NULL, as `what` */
};

struct call {
    const struct call_kind *kind;
    uint32_t flags;
    size_t n, elem_size;
    const void *elements; /* n of them, elem_size apart */
    const void
        *second; /* a second array of n, for operations that have one (priorities, outcomes, ids) */
    lsched_id *ids; /* results, or NULL */
    int32_t *status;
    void *more; /* the operation's own */
};

/* Sees each call that was applied. Set by tests and, later, by the journal. */
typedef void (*door_watch_fn)(void *user, const struct call *call);

/* The number of elements applied, or an error with err filled. */
int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err);
void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user);

/* Element i of a call. */
const void *call_element(const struct call *call, size_t i);

/* The one operation of a cluster's first moment, when nobody can watch yet (api_cluster.c). */
extern const struct call_kind call_incarnation_set;

#endif
