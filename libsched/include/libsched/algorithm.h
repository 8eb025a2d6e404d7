/*
 * algorithm.h -- the interface for authors of algorithms: what an algorithm is, and its registration.
 *   algorithm_view.h   what algorithms read
 *   algorithm_roles.h  the roles that only compute: share, order, place, advise
 *   algorithm_act.h    actions
 *
 * An algorithm must have exactly the library's LSCHED_ALGORITHM_API, and is built with the headers of
 * that library. The text of a share, order, place or advise algorithm is to stay valid: their columns
 * and operations are only added, at the end. The table of calls lsched_act is EXPERIMENTAL until
 * version 1.0: calls can change or go.
 *
 * An algorithm is a static table of optional operations with one of five roles:
 *   share   decides which queue gets the next task: gives each queue a key; the engine sorts
 *           queues by their keys and descends the queue tree
 *   order   decides which job of a queue is tried first: gives each job a key
 *   place   decides which node a task gets: gives each feasible node a score; the engine decides
 *           which nodes are feasible
 *   act     is one action of the pipeline (allocate, backfill, reclaim ...): works through
 *           transactions
 *   advise  reads the state after the cycle and writes advice into the plan; holds no resources
 *
 * The algorithms that are part of libsched use only this header, too.
 *
 * Rules. The engine calls operations in batches, with read-only columns (lsched_view). The result
 * of an operation must depend only on the view, the parameters and the algorithm's cache. An
 * operation must not use a clock or random numbers, compare pointers or store floating-point
 * numbers. Keys and scores are 64-bit integers; the engine orders equal keys by submission or
 * creation time, then by the bytes of names. An algorithm can cache data in `self` if it can
 * compute them again from the view. The engine can destroy and create `self` between any two
 * cycles, and never saves or clones it. Operations return 0 or a negative LSCHED_E_*; an error ends
 * the cycle, which then changes nothing. An action changes state only through lsched_act. The
 * engine checks every change; therefore a wrong algorithm cannot corrupt the state. Algorithms
 * allocate memory with lsched_algorithm_env. A row is an index in columns; it is valid only during
 * the call.
 */
#ifndef LIBSCHED_ALGORITHM_H
#define LIBSCHED_ALGORITHM_H

#include <libsched/algorithm_act.h>
#include <libsched/algorithm_roles.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the table ---- */

enum lsched_role {
    LSCHED_ROLE_SHARE = 1,
    LSCHED_ROLE_ORDER = 2,
    LSCHED_ROLE_PLACE = 3,
    LSCHED_ROLE_ACT = 4,
    LSCHED_ROLE_ADVISE = 5
};

typedef struct lsched_algorithm {
    uint32_t size;
    uint32_t api; /* LSCHED_ALGORITHM_API */
    uint32_t role;
    uint32_t reserved_zero;
    const char *name; /* name in policies: "drf", "best-fit", "allocate" */
    /* Optional. If create is NULL, `self` stays NULL. */
    int32_t (*create)(const lsched_algorithm_env *env, void **self, lsched_error *err);
    void (*destroy)(const lsched_algorithm_env *env, void *self);
    /* only the table of the algorithm's role is set */
    const lsched_share_ops *share;
    const lsched_order_ops *order;
    const lsched_place_ops *place;
    const lsched_act_ops *act;
    const lsched_advise_ops *advise;
} lsched_algorithm;

/* Registers an algorithm in a cluster under its name. The table *algorithm must outlive the cluster
 * and its clones, which have the same algorithms. LSCHED_E_EXISTS: the role has an algorithm with
 * this name already. LSCHED_E_VERSION: algorithm->api is not LSCHED_ALGORITHM_API. */
LSCHED_API int32_t lsched_algorithm_register(lsched_cluster *cluster,
                                             const lsched_algorithm *algorithm, lsched_error *err);
#ifdef __cplusplus
}
#endif
#endif
