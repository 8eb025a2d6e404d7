/*
 * reservations.h -- reservations: nodes that only the jobs of one queue may use in a window of time,
 * once, or again every day or week.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches,
 * errors and threads. Only the orchestrator makes reservations: no job can ask for one.
 *
 * In the window, tasks of the holder start on the nodes. A task of another job starts there only if
 * it surely ends before the window begins, as before an absence (lsched_node_desc). Work that runs
 * when the window begins stays. While the window lasts, the holder's work on the nodes is not
 * stopped for jobs of others. The holder is bound by no window: its tasks start before it and in
 * it, and can run when it is over. Outside of its windows a node is as any other.
 *
 * A reservation charges nothing: only tasks count as use of their queues. What a window keeps empty
 * is not in the holder's use, and the orchestrator says who gets reservations. No reservation has
 * more of a kind than the limits of its holder would let jobs use. Rules: docs/reservations.md and
 * docs/semantics.md, 34.
 *
 * Source of the rules: the reservations of Slurm (scontrol create reservation; FLEX).
 */
#ifndef LIBSCHED_RESERVATIONS_H
#define LIBSCHED_RESERVATIONS_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_RESERVATIONS_MAX 1024 /* reservations of one cluster */

/* A reservation. Its nodes are those of all three lists. A node is in one reservation at most, and
 * has no absence besides. */
typedef struct lsched_reservation_desc {
    uint32_t size;
    uint32_t reserved_zero;
    uint64_t tag;
    lsched_text name;
    lsched_id queue; /* the holder, with all queues below it: id, or 0 and `queue_name` */
    lsched_text queue_name;
    /* the holder is the sub-queue of this user, of this group, or of this user of the group, as in
     * lsched_allowance_desc; both empty: the queue */
    lsched_text user, user_group;
    const lsched_id *nodes;
    const lsched_text *node_names;
    const lsched_label *labels; /* all nodes that have all these labels now; none: no more nodes */
    uint32_t n_nodes, n_node_names, n_labels;
    uint32_t reserved2_zero;
    /* the window is from start_us until just before end_us, and again every every_us microseconds:
     * 86400000000 for every day; 0: once. end_us 0: it does not end. All times are those of the
     * orchestrator, as for cycles */
    int64_t start_us, end_us, every_us;
} lsched_reservation_desc;
/* Makes reservations, or sets all terms and nodes of those that exist by name. Returns the number of
 * elements that were applied. Errors of an element: LSCHED_E_NOENT (no such queue or node),
 * LSCHED_E_STALE, LSCHED_E_RANGE (a negative time, or after 2^61; a window that ends before or when
 * it starts, or that is over; a period that is not longer than the window), LSCHED_E_INVAL (no name,
 * no node; the user or the group), LSCHED_E_STATE (a node is in another reservation, or has an
 * absence; the queue has no sub-queues of users), LSCHED_E_LIMIT (LSCHED_RESERVATIONS_MAX; the nodes
 * have more of a kind than the limit of the holder, or of a queue above it). Not thread-safe: one
 * call at a time for each cluster. Cost: O(nodes of the cluster + reservations) for each element. */
LSCHED_API int32_t lsched_reservations_set(lsched_cluster *cluster,
                                           const lsched_reservation_desc *reservations, size_t n,
                                           size_t elem_size, const lsched_batch_opts *opts,
                                           int32_t *status, lsched_error *err);
/* Ends reservations, by name. What runs stays. Returns the number of elements that were applied.
 * IDEMPOTENT: a reservation that does not exist is LSCHED_UNCHANGED; otherwise it is
 * LSCHED_E_NOENT. Not thread-safe: one call at a time for each cluster. Cost: O(nodes of the cluster
 * + reservations) for each element. */
LSCHED_API int32_t lsched_reservations_remove(lsched_cluster *cluster, const lsched_text *names,
                                              size_t n, const lsched_batch_opts *opts,
                                              int32_t *status, lsched_error *err);

/* A reservation. It ends by itself when its last window is over, in the first cycle after that, and
 * when its last node is removed. Texts are valid until the next call that changes the cluster. */
typedef struct lsched_reservation_info {
    uint32_t size;
    uint32_t n_nodes;
    uint64_t tag;
    lsched_text name;
    lsched_id queue;                    /* the holder */
    int64_t start_us, end_us, every_us; /* as they were set */
    int64_t next_start_us, next_end_us; /* the window that ends next; it can have begun */
} lsched_reservation_info;
/* Writes the next reservation to *out, in no particular order, and returns 1; 0 at the end. Before
 * the first call, set *cursor to 0. Errors: those of every call. */
LSCHED_API int32_t lsched_reservations_next(const lsched_cluster *cluster, uint64_t *cursor,
                                            lsched_reservation_info *out, lsched_error *err);
/* Writes the reservation with the name to *out. LSCHED_E_NOENT: there is none. Else the errors of
 * every call. */
LSCHED_API int32_t lsched_reservation_get(const lsched_cluster *cluster, lsched_text name,
                                          lsched_reservation_info *out, lsched_error *err);
/* Writes the next node of the reservation to *node, in no particular order, and returns 1; 0 at the
 * end. Before the first call, set *cursor to 0. LSCHED_E_NOENT: there is no such reservation. Cost:
 * O(nodes of the cluster) for all calls of one pass. */
LSCHED_API int32_t lsched_reservation_nodes_next(const lsched_cluster *cluster, lsched_text name,
                                                 uint64_t *cursor, lsched_id *node,
                                                 lsched_error *err);

/* clang-format off */
#define LSCHED_RESERVATION_DESC_INIT LSCHED_INIT(lsched_reservation_desc)
#define LSCHED_RESERVATION_INFO_INIT LSCHED_INIT(lsched_reservation_info)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
