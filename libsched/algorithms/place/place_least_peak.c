/*
 * place_least_peak.c -- the place algorithm "least-peak": places services so that their busy hours
 * coincide with the quiet hours of others.
 *
 * For each node, the algorithm adds up over the resource kinds how much the node's daily peak would
 * rise, as a fraction of the node's capacity. It chooses the node with the smallest sum. Of equal
 * nodes it chooses the one that is used most after the placement. For a task with a daily demand,
 * `request` in lsched_task_shape holds, for the node in question, the amounts by which the task
 * would raise that node's peak. For a task with constant demand, these amounts are the same on all
 * nodes. Therefore, of several nodes with the same capacity, such a task goes to the node where the
 * least stays free. Fractions are rounded to 2^-24. Therefore two nodes whose difference is smaller
 * than the uncertainty about tomorrow's demand count as equal, and the task goes to the fuller
 * node. A score takes O(kinds) per node; the algorithm has no state.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/place_room.h"

#define COARSE (PLACE_WHOLE_BITS - 24)
#define STEPS  ((int64_t)1 << 24)

static int32_t least_peak_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_PREPARED_SAME;
}

static int64_t place_least_peak_score_of(const lsched_view *view, const lsched_task_shape *task,
                                         uint32_t node) {
    int64_t rise = 0, most = 0;
    for (uint32_t r = 1; r < view->n_kinds; r++) {
        int64_t capacity = view->node_capacity[r][node];
        if (capacity == 0) continue;
        int64_t used = capacity - place_left(view, task, node, r);
        int64_t part = place_part(used, capacity) >> COARSE;
        rise += place_part(task->request[r], capacity) >> COARSE;
        most = part > most ? part : most;
    }
    return most - rise * (STEPS + 1);
}

static int32_t least_peak_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                                const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self;
    for (size_t i = 0; i < n; i++) scores[i] = place_least_peak_score_of(view, task, nodes[i]);
    return LSCHED_OK;
}

static const lsched_place_ops least_peak_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = least_peak_prepare,
    .score = least_peak_score,
};

const lsched_algorithm place_least_peak = {
    BUILTIN(PLACE),
    .name = "least-peak",
    .place = &least_peak_ops,
};
