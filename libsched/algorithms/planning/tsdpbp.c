/* tsdpbp.c -- see tsdpbp.h. */
#include "algorithms/planning/tsdpbp.h"

#include <string.h>

#include "base/binary_heap.h"

int32_t ts_open(struct ts *t, const lsched_algorithm_env *env) {
    memset(t, 0, sizeof *t);
    t->env = *env;
    t->memory = env->alloc(env->engine, sizeof *t->memory);
    if (!t->memory) return LSCHED_E_NOMEM;
    free_timeline_open(&t->timeline, &t->env);
    free_timeline_open(&t->slices, &t->env);
    return LSCHED_OK;
}

void ts_close(struct ts *t, const lsched_algorithm_env *env) {
    free_timeline_close(&t->timeline);
    free_timeline_close(&t->slices);
    env_free(env, t->devices, t->cap_devices * sizeof *t->devices);
    env_free(env, t->nodes, t->cap_nodes * sizeof *t->nodes);
    env_free(env, t->stale, t->cap_stale * sizeof *t->stale);
    env_free(env, t->own, t->cap_own * sizeof *t->own);
    env_free(env, t->news, t->cap_news * sizeof *t->news);
    env_free(env, t->items, t->cap_items * sizeof *t->items);
    env_free(env, t->parts, t->cap_parts * sizeof *t->parts);
    env_free(env, t->ends, t->cap_ends * sizeof *t->ends);
    free_start_close(&t->scratch.search, env);
    env_free(env, t->scratch.item_ends, t->scratch.cap_item_ends * sizeof *t->scratch.item_ends);
    env_free(env, t->scratch.ended, t->scratch.cap_ended * sizeof *t->scratch.ended);
    env_free(env, t->scratch.choices, t->scratch.cap_choices * sizeof *t->scratch.choices);
    env_free(env, t->scratch.number, t->scratch.cap_number * sizeof *t->scratch.number);
    env_free(env, t->scratch.loose, t->scratch.cap_loose * sizeof *t->scratch.loose);
    env_free(env, t->scratch.spans, t->scratch.cap_spans * sizeof *t->scratch.spans);
    env_free(env, t->able, t->cap_shapes * sizeof *t->able);
    env_free(env, t->memory, sizeof *t->memory);
}

int32_t ts_begin(struct ts *t, const lsched_act *act, lsched_cycle *cycle) {
    t->act = act;
    t->cycle = cycle;
    t->built = 0;
    t->looks = 0;
    t->in_line = 0;
    t->longest = 0;
    t->n_items = t->n_parts = t->first_open = t->first_item = 0;
    int32_t rc = act->plan_begin(cycle);
    if (rc <= 0) return rc;
    t->view = act->view(cycle);
    return 1;
}

int32_t ts_end(struct ts *t, int32_t rc) {
    if (rc < 0) t->kept = 0;
    if (rc >= 0 && t->built) t->kept = 1;
    return rc;
}

#define STALE_BEFORE(of, a, b) ((of)->nodes[a].stale_at < (of)->nodes[b].stale_at)
static void stale_placed(struct ts *t, uint32_t node, uint32_t at) {
    t->nodes[node].at = at;
}
HEAP_DEFINE(stale, uint32_t, struct ts *, STALE_BEFORE, stale_placed)

void ts_stale_at(struct ts *t, uint32_t node, int64_t at) {
    struct ts_node *n = &t->nodes[node];
    if (n->stale_at == at) return;
    n->stale_at = at;
    stale_settle(t, t->stale, t->n_stale, n->at);
}

void ts_stale(struct ts *t, uint32_t node) {
    ts_stale_at(t, node, INT64_MIN);
}

void ts_stale_add(struct ts *t, uint32_t node) {
    t->nodes[node].stale_at = INT64_MAX;
    stale_add(t, t->stale, &t->n_stale, node);
}

int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times) {
    int64_t to = free_timeline_end(item->start, item->length);
    for (uint32_t i = item->first_part; i < item->first_part + item->n_parts; i++) {
        ts_stale(t, t->parts[i].bin);
        int32_t rc = free_timeline_take(&t->timeline, t->parts[i].bin, item->start, to, &item->need,
                                        times * (int64_t)t->parts[i].tasks);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
