/*
 * held_places.h -- until when exclusive levels keep a node from other jobs, for a plan over time.
 *
 * A task with an exclusive level keeps its whole domain from tasks of other jobs. A plan sees this
 * as a holder (lsched_holder.is_away) on each node of the domain, which takes the whole node until
 * the last such task there is expected to end, and has the job of that task. Such a holder is told
 * for every task that the rule counts: running, releasing, placed and nominated ones.
 *
 * An action that keeps what it read of nodes (nodes_changed) must hear of nodes on which nothing
 * happened itself. Where a place becomes held, held_places_spread() adds its nodes to the list of
 * those that changed. The end of a hold is not told, because a task that is gone says no more what
 * it held: the action reads the nodes of held places again in each cycle.
 *
 * Always: a node without a holder of this sort allows tasks of jobs that have no rules themselves,
 * as far as exclusive levels are concerned. Two jobs in one place, which imports can bring about,
 * keep it until the last of them ends.
 *
 * Cost: O(tasks of the node), and one test for each level that some job of the cluster has. For a
 * held domain, O(its nodes and their tasks) once after each change of the cluster, because the
 * answer is kept for its other nodes.
 * Why no answer for each job that asks: the job itself cannot be asked for, because a plan
 * describes only jobs that have no task yet.
 *
 * A build without the actions that plan over time tells no held places; a plan then describes no
 * job while some job has a rule that keeps others away.
 */
#ifndef LIBSCHED_HELD_PLACES_H
#define LIBSCHED_HELD_PLACES_H

#include <libsched/algorithm_act.h>

#include "engine/state/cycle_state.h"

/* Until when a place is held, by which job (NO_ROW: it is not held), and what ends that, as in
 * lsched_holder. */
struct held_span {
    int64_t until;
    uint64_t moves, end, end_if_started;
    uint32_t job;
};

struct held_place {
    struct held_span held;
    uint64_t changes; /* number of changes plus one when this was found; 0: not known */
    uint64_t listed;  /* number of the latest list that has the nodes of the domain */
};

/* Memory of one cycle; zeroed at the beginning. */
struct held_places {
    struct held_place *domain; /* by row of DOMAIN */
    uint32_t cap;
    uint64_t lists;  /* number of lists so far */
    uint32_t *nodes; /* the latest list */
    uint32_t n, cap_nodes;
};

#if defined(LSCHED_NO_PACK)
#define HELD_PLACES_ARE_TOLD 0
static inline void held_places_close(struct held_places *w, struct alloc *alloc) {
    (void)w;
    (void)alloc;
}
static inline int32_t held_places_put(struct held_places *w, struct lsched_cycle *cy, uint32_t node,
                                      lsched_holder *h) {
    (void)w;
    (void)cy;
    (void)node;
    (void)h;
    return 0;
}
static inline int32_t held_places_spread(struct held_places *w, const struct lsched_cycle *cy,
                                         const uint32_t **nodes, uint32_t *n) {
    (void)w;
    (void)cy;
    (void)nodes;
    (void)n;
    return LSCHED_OK;
}
#else
#define HELD_PLACES_ARE_TOLD 1
void held_places_close(struct held_places *w, struct alloc *alloc);
/* Writes the holder of a node that is held to *h. Returns 1, 0 if it is not held, or
 * LSCHED_E_NOMEM. */
int32_t held_places_put(struct held_places *w, struct lsched_cycle *cy, uint32_t node,
                        lsched_holder *h);
/* Adds to the list of n nodes those of the domains that tasks on them hold. The new list is valid
 * until the next call. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t held_places_spread(struct held_places *w, const struct lsched_cycle *cy,
                           const uint32_t **nodes, uint32_t *n);
#endif

#endif
