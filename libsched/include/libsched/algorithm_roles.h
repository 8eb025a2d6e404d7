/*
 * algorithm_roles.h -- the operations of algorithms that only compute: share, order, place, advise.
 *
 * algorithm.h includes this header, and states the rules and what is stable.
 */
#ifndef LIBSCHED_ALGORITHM_ROLES_H
#define LIBSCHED_ALGORITHM_ROLES_H

#include <libsched/algorithm_view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- share ---- */

/* The queue with the smallest key gets the next task. word[0] is compared first. */
typedef struct lsched_share_key {
    int64_t word[2]; /* any number; keys of one algorithm have one unit */
} lsched_share_key;

typedef struct lsched_share_ops {
    uint32_t size;
    uint32_t uses_want; /* 1: update reads `want`; 0: `want` is zero */
    /* 1: keys follow dominant shares. If `amounts` is NULL, reclaim compares dominant shares if
     * this is 1; if it is 0, no queue can reclaim */
    uint32_t dominant;
    /* 1: the key of a queue depends only on its own columns, on the queues below it, and on what
     * begin reads, and begin reads no amounts that are used or wanted. The engine then keeps all
     * keys from one cycle to the next, and calls update only for queues that changed and for the
     * queues above them. It calls begin again only if nodes, queues, weights, quotas, limits or
     * priorities change, or if decayed use is kept. Not allowed together with uses_want or
     * `amounts`. 0: the engine calls begin in every cycle in which a queue has changed or has work
     * that can be tried, unless the algorithm has the operation `follow` */
    uint32_t local_keys;
    /* Drops what the algorithm knows about queues, because a cycle begins or queues changed. After
     * that, the engine calls update for all queues, children before their parents. */
    int32_t (*begin)(void *self, const lsched_view *view);
    /* Computes the key of `queue`. The engine calls it when the use or `active` of the queue, or of
     * a queue below it, has changed: for each queue on the path to the root, children first.
     * `active` is 1 if `queue` or a queue below it has work that can be tried. `best_child` is the
     * active child with the smallest key, or LSCHED_NO_ROW if there is none. `want` is the amounts
     * by kind that the first job of the queue needs next, to reach its minimum or for one more
     * task; they are zero if `active` is 0. Cost must be O(kinds). */
    int32_t (*update)(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                      uint32_t best_child, const int64_t *want, lsched_share_key *key);
    /* Optional: a share algorithm without this operation has no guarantees. Reports the queue's
     * guarantee and fair share of the kind, as computed at begin. The guarantee is the quota in
     * force; if the quotas of all children of a queue exceed that queue's guarantee, they are
     * scaled down. */
    int32_t (*amounts)(void *self, const lsched_view *view, uint32_t queue, uint32_t kind,
                       int64_t *guarantee, int64_t *fair_share);
    /* Optional. Brings guarantees and fair shares up to date after `begin`, when nothing but used
     * amounts and demand has changed, in the n queues at `queues`; a queue can occur several times.
     * Calls moved(to, queue) for each queue whose guarantee or fair share has changed. Returns 1
     * if all amounts are those that begin would compute, 0 if the engine must call begin, or a
     * negative code. With this operation, the key of a queue must depend only on its own columns,
     * on its guarantee and fair share, on `active`, `best_child` and `want`, and on what update
     * computed for best_child. The engine then keeps all keys from one cycle to the next. It can
     * also call update for a queue with `active` 1 although the queue has no such work yet, to
     * learn the key that it would have, and calls update again before it asks for other keys. */
    int32_t (*follow)(void *self, const lsched_view *view, const uint32_t *queues, size_t n,
                      void (*moved)(void *to, uint32_t queue), void *to);
} lsched_share_ops;

/* ---- order ---- */

typedef struct lsched_order_ops {
    uint32_t size;
    /* 1: keys change with time; the engine calls `keys` again at each refresh */
    uint32_t uses_now;
    /* Sets keys[i] to the key of jobs[i]. The job with the smallest key is tried first. */
    int32_t (*keys)(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                    int64_t *keys);
} lsched_order_ops;

/* ---- place ---- */

#define LSCHED_PREPARED_SAME 1 /* result of `prepare` */

typedef struct lsched_place_ops {
    uint32_t size;
    uint32_t reserved_zero;
    /* Prepares the cache; called before the first score and after each change of
     * structure_serial. Returns 0, or LSCHED_PREPARED_SAME if all scores are the same as with the
     * data of the call before. The engine then scores only the nodes that changed; after 0, it
     * scores all nodes again. */
    int32_t (*prepare)(void *self, const lsched_view *view);
    /* Sets scores[i] to the score of nodes[i] for one task; the highest score is the best. Each of
     * the nodes can hold the task. A score must depend only on the task, the node's own columns,
     * and the data that prepare read. The reason is that the engine keeps scores and calls `score`
     * again only for nodes that have changed. node_name_rank is no column of the node's own: a new
     * node changes it. Of equal scores, the node whose name sorts first is chosen. */
    int32_t (*score)(void *self, const lsched_view *view, const lsched_task_shape *task,
                     const uint32_t *nodes, size_t n, int64_t *scores);
    /* Optional. Chooses gpu_devices devices of the node for the task, and adds them to the set
     * `device_words` (devices.h), which is empty. Each device must have room for the task's share.
     * Without this operation, the engine takes the devices with the least room that suffices, among
     * equal ones the lowest index. */
    int32_t (*devices)(void *self, const lsched_view *view, const lsched_task_shape *task,
                       uint32_t node, uint64_t *device_words);
} lsched_place_ops;

/* ---- advise ---- */

typedef struct lsched_advice {
    uint32_t size;
    uint32_t code; /* any code of the algorithm */
    uint32_t
        node; /* row of the node, or LSCHED_NO_ROW; lsched_plan_advice_at converts it to an id */
    uint32_t queue;
    int64_t number[4]; /* any numbers; the code says their units */
    char text[128];
} lsched_advice;

typedef struct lsched_advise_ops {
    uint32_t size;
    uint32_t reserved_zero;
    /* Gives each record of advice to emit(to, ...), which copies it. An error of `emit`, or of its
     * own, is what it returns; else LSCHED_OK */
    int32_t (*run)(void *self, const lsched_view *view,
                   int32_t (*emit)(void *to, const lsched_advice *advice), void *to);
} lsched_advise_ops;

#ifdef __cplusplus
}
#endif
#endif
