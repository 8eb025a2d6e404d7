/* tsdpbp.c -- see tsdpbp.h. */
#include "algorithms/planning/tsdpbp.h"

#include <string.h>

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
    env_free(env, t->bin_of_node, t->cap_nodes * sizeof *t->bin_of_node);
    env_free(env, t->items, t->cap_items * sizeof *t->items);
    env_free(env, t->parts, t->cap_parts * sizeof *t->parts);
    env_free(env, t->ends, t->cap_ends * sizeof *t->ends);
    free_start_close(&t->scratch.search, env);
    env_free(env, t->end_of_bin, t->cap_end_of_bin * sizeof *t->end_of_bin);
    env_free(env, t->scratch.item_ends, t->scratch.cap_item_ends * sizeof *t->scratch.item_ends);
    env_free(env, t->scratch.ended, t->scratch.cap_ended * sizeof *t->scratch.ended);
    env_free(env, t->scratch.choices, t->scratch.cap_choices * sizeof *t->scratch.choices);
    env_free(env, t->scratch.able, t->scratch.cap_able);
    env_free(env, t->able_shape, t->cap_shapes * sizeof *t->able_shape);
    env_free(env, t->memory, sizeof *t->memory);
}

int32_t ts_begin(struct ts *t, const lsched_act *act, lsched_cycle *cycle) {
    t->act = act;
    t->cycle = cycle;
    t->built = 0;
    t->n_items = t->n_parts = t->n_ends = t->n_able = t->first_open = t->first_item = 0;
    int32_t rc = act->plan_begin(cycle);
    if (rc <= 0) return rc;
    t->view = act->view(cycle);
    return 1;
}

int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times) {
    int64_t to = free_timeline_end(item->start, item->length);
    for (uint32_t i = item->first_part; i < item->first_part + item->n_parts; i++) {
        int32_t rc = free_timeline_take(&t->timeline, t->parts[i].bin, item->start, to, &item->need,
                                        times * (int64_t)t->parts[i].tasks);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
