/* cluster.c -- finds, creates and destroys the algorithms of a cluster, and drops its caches. See
 * cluster.h. */
#include "engine/state/cluster.h"

#include <stdio.h>

#include "model/machine/machine.h"

static const uint16_t gen_of_kind[] = {[LSCHED_KIND_NODE] = C_NODE_GEN,
                                       [LSCHED_KIND_QUEUE] = C_QUEUE_GEN,
                                       [LSCHED_KIND_JOB] = C_JOB_GEN,
                                       [LSCHED_KIND_DECISION] = C_DECISION_GEN,
                                       [LSCHED_KIND_TOPOLOGY] = C_TOPOLOGY_GEN};

lsched_id id_make(const struct columns *k, uint32_t kind, uint32_t row) {
    int known = row < table_rows(k, column_defs[gen_of_kind[kind]].table);
    assert(known);
    if (!known) return 0;
    return (uint64_t)kind << 60 | (uint64_t)k->c[gen_of_kind[kind]].u32[row] << 32 | row;
}

struct algorithm_slot *algorithm_find(struct lsched_cluster *c, uint32_t role, const char *name) {
    for (uint32_t i = 0; i < c->n_algorithms; i++) {
        const lsched_algorithm *t = c->algorithms[i].table;
        if (t->role == role && strcmp(t->name, name) == 0) return &c->algorithms[i];
    }
    return NULL;
}

static void *env_alloc(void *engine, size_t bytes) {
    struct lsched_cluster *c = engine;
    return alloc_new(&c->alloc, bytes);
}

static void env_free(void *engine, void *old, size_t bytes) {
    struct lsched_cluster *c = engine;
    alloc_free(&c->alloc, old, bytes);
}

static lsched_algorithm_env env_of(struct lsched_cluster *c) {
    const struct policy *p = &c->policy.policy;
    lsched_algorithm_env env = {sizeof env, 0, c, env_alloc, env_free, NULL};
    if (p->ops) env.params = p->ops->params(p->self, &env.n_params);
    return env;
}

int32_t algorithm_ready(struct lsched_cluster *c, struct algorithm_slot *slot, lsched_error *err) {
    if (slot->of_host && !c->view.keeps_ranks) {
        c->view.keeps_ranks = 1;
        int32_t rc = view_update(&c->view, &c->k, c->view.view.now_us);
        if (rc != LSCHED_OK) return rc;
    }
    if (slot->created || !slot->table->create) return LSCHED_OK;
    lsched_algorithm_env env = env_of(c);
    uint32_t busy = c->busy;
    c->busy = 1;
    int32_t rc = slot->table->create(&env, &slot->self, err);
    c->busy = busy;
    if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    slot->created = 1;
    slot->prepared = 0;
    return LSCHED_OK;
}

void algorithms_reset(struct lsched_cluster *c) {
    share_forget(&c->share);
    lsched_algorithm_env env = env_of(c);
    uint32_t busy = c->busy;
    c->busy = 1;
    for (uint32_t i = 0; i < c->n_algorithms; i++) {
        struct algorithm_slot *s = &c->algorithms[i];
        if (s->created && s->table->destroy) s->table->destroy(&env, s->self);
        s->self = NULL;
        s->created = 0;
        s->prepared = 0;
    }
    c->busy = busy;
}

void cluster_drop_caches(struct lsched_cluster *c) {
    search_drop_all(&c->search, &c->k);
    node_scan_drop(&c->scan, &c->k);
    share_close(&c->share, &c->k);
    room_line_close(&c->lines, &c->k);
    c->guaranteed.known = 0;
    idle_amounts_drop(&c->idle, &c->k);
    lowest_work_drop(&c->lowest, &c->k);
    running_work_drop(&c->running, &c->k);
    node_news_close(&c->news, &c->k);
    length_lines_drop(&c->lengths, &c->k);
    absence_line_drop(&c->absences, &c->k);
    job_marks_drop(&c->marks, &c->k);
    view_close(&c->view, &c->k);
    affinity_planes_drop(&c->affinity, &c->k);
    machine_cache_clear(&c->k);
    for (uint32_t t = 0; t < LSCHED_TOPOLOGIES_MAX; t++) topology_map_close(&c->maps[t], &c->k);
    for (uint32_t i = 0; i < c->n_algorithms; i++) c->algorithms[i].prepared = 0;
}
