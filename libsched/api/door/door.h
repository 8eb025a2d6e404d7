/*
 * door.h -- the *door*: the function door_apply(), through which every change of state passes. It
 * marks bad elements and keeps the first error.
 *
 * A change is a struct call: an operation, its elements, and pointers for results. door_apply()
 * opens an undo scope, applies the elements one by one, and then keeps or undoes all of them.
 * Therefore the rule "a call is applied whole or changes nothing" is in one place, and a recorder
 * that watches door_apply() sees every call that a replay needs.
 *
 * The function that applies an element can fail at any point, because the undo log then rolls the
 * element back. The door marks a bad element and continues with the batch, so that one call marks
 * all bad elements. At the end, a batch with a bad element is undone, unless the caller allows a
 * partial batch. If memory runs out, the batch ends at once and no element is marked as bad.
 */
#ifndef LIBSCHED_DOOR_H
#define LIBSCHED_DOOR_H

#include "engine/state/cluster.h"

/* The operations have the numbers of enum lsched_call_kind. */
enum call_op {
#define LSCHED_X_CALL(name, value, word) CALL_##name = value,
#include <libsched/changes.def>
};

struct call;

/* Applies one element of an operation. index: index of the element in the batch, for messages.
 * After an error the function has filled err; the door adds the index. If the call has the flag
 * LSCHED_BATCH_IDEMPOTENT and the state already is what the element asks for, the function returns
 * LSCHED_UNCHANGED, and the door undoes what the element did until then. */
typedef int32_t (*call_element_fn)(struct lsched_cluster *c, const struct call *call, size_t index,
                                   const void *element, lsched_error *err);
/* Prepares a batch before its elements are applied, within the same undo scope. */
typedef int32_t (*call_begin_fn)(struct lsched_cluster *c, const struct call *call,
                                 lsched_error *err);
/* An operation. The file with the public call of the operation has a constant of this type. The
 * door calls the operation through this struct. Therefore the door needs no list of operations. */
struct call_kind {
    uint32_t op; /* value of enum call_op, for the watcher of the door */
    /* applies one element; NULL: the operation opens its own undo scope, and the door only calls
     * the watcher */
    call_element_fn apply;
    call_begin_fn begin; /* can be NULL */
    /* noun for an element in messages ("node"); NULL: messages do not name the element */
    const char *what;
    /* Where the door finds the object of an element, for messages.
     *   struct_size: size of the element's struct
     *   name_at: offset of the object's name, 0 if the struct has none
     *   id_at: offset of the object's id, 0 if the struct has none; the id is tried before the
     *     name */
    uint16_t struct_size, name_at, id_at;
    /* What an element names, for the change feed (model/told/change_feed.h).
     *   object: LSCHED_KIND_* of an object that exists before the call; 0: none
     *   task_at: offset of a task's index in the job; 0: the element names no task
     *   is_id: 1 if the element is an id and no struct */
    uint16_t object, task_at, is_id;
    /* 1 if the public call has one object and no list, so that an error has no index */
    uint16_t is_single;
};

struct call {
    const struct call_kind *kind;
    uint32_t flags; /* LSCHED_BATCH_* */
    size_t n, elem_size;
    const void *elements; /* n elements, elem_size bytes apart */
    /* second array of n elements for some operations (priorities, outcomes, ids) */
    const void *second;
    lsched_id *ids; /* array for the ids of new objects; can be NULL */
    int32_t *status;
    void *more; /* other data of the operation */
};

/* True if the call has the flag LSCHED_BATCH_IDEMPOTENT. */
static inline int call_is_idempotent(const struct call *call) {
    return (call->flags & LSCHED_BATCH_IDEMPOTENT) != 0;
}

/* Function that is called for each applied call. Tests set it; a journal can use it in the
 * future. */
typedef void (*door_watch_fn)(void *user, const struct call *call);

/* Applies a call. Returns the number of applied elements, or an error code after filling err. */
int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err);
/* Does the work of a public call that applies one batch: clears err, checks the cluster handle,
 * the options (can be NULL) and the distance between the elements, and calls door_apply() with a
 * copy of the call. elem_size 0: the size in the first element's struct is the distance between
 * elements. */
int32_t door_batch(struct lsched_cluster *c, const struct call *call, const lsched_batch_opts *opts,
                   lsched_error *err);
void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user);

/* The operation that sets a cluster's incarnation (api_cluster.c). A new cluster gets its
 * incarnation before a watcher can be set. */
extern const struct call_kind call_incarnation_set;

#endif
