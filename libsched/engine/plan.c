/*
 * plan.c -- see plan.h. The plan hash is over names: kinds, job names, task indexes, node names, devices, then the reasons of
 * what waits in the order of queue and job names. So the same meaning gives the same hash in every build, whatever the slots.
 */
#include "engine/plan.h"

#include "base/hash.h"
#include "model/derived.h"

static uint64_t hash_text(const struct columns *k, uint64_t h, uint32_t text) {
    return hash_mix(h, hash_bytes(text_bytes(k, text), text_len(k, text), 7));
}

/* Where the task that leaves its place goes on. */
static lsched_id new_place(const struct columns *k, uint32_t leaving) {
    uint32_t t = task_find(k, k->c[C_TASK_JOB].u32[leaving], k->c[C_TASK_INDEX].u32[leaving]);
    return id_make(k, LSCHED_KIND_NODE, k->c[C_TASK_NODE].u32[t]);
}

static void copy_decision(const struct columns *k, uint32_t d, lsched_decision *out) {
    uint32_t t = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[t],
             node = k->c[C_TASK_NODE].u32[t];
    uint32_t shape = task_shape(k, t), mask = k->c[C_TASK_MASK].u16[t];
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    out->kind = k->c[C_DECISION_KIND].u8[d];
    out->id = id_make(k, LSCHED_KIND_DECISION, d);
    out->job = id_make(k, LSCHED_KIND_JOB, job);
    out->job_tag = k->c[C_JOB_TAG].u64[job];
    out->task_index = k->c[C_TASK_INDEX].u32[t];
    out->group_index = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[t]];
    out->node = id_make(k, LSCHED_KIND_NODE, node);
    out->node_tag = k->c[C_NODE_TAG].u64[node];
    out->device_mask = mask;
    out->group = k->c[C_DECISION_GROUP].u64[d];
    out->at_us = k->c[C_DECISION_AT].i64[d];
    out->reason = k->c[C_DECISION_REASON].u8[d];
    out->for_job = k->c[C_DECISION_FOR_JOB].u64[d];
    out->cost = k->c[C_DECISION_COST].i64[d];
    if (out->kind == LSCHED_MIGRATE) out->to_node = new_place(k, t);
    if (!mask) return;
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + (uint32_t)__builtin_ctz(mask);
    int64_t asked = k->c[C_SHAPE_DEVICE_MEM].i64[shape], mem = k->c[C_DEVICE_MEM].i64[device];
    out->device_milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    out->device_memory_bytes =
        asked ? asked : mem / 1000 * out->device_milli + mem % 1000 * out->device_milli / 1000;
}

static uint64_t hash_decision(const struct columns *k, uint64_t h, uint32_t d) {
    uint32_t t = k->c[C_DECISION_TASK].u32[d];
    h = hash_mix(h, k->c[C_DECISION_KIND].u8[d]);
    h = hash_text(k, h, k->c[C_JOB_NAME].u32[k->c[C_TASK_JOB].u32[t]]);
    h = hash_mix(h, k->c[C_TASK_INDEX].u32[t]);
    h = hash_text(k, h, k->c[C_NODE_NAME].u32[k->c[C_TASK_NODE].u32[t]]);
    if (k->c[C_DECISION_REASON].u8[d]) h = hash_mix(h, k->c[C_DECISION_REASON].u8[d]);
    return hash_mix(h, k->c[C_TASK_MASK].u16[t]);
}

/* ---- what waits ---- */

/* Why evicting others did not help, as the last action that tried found it. */
static void why_not_others(const struct columns *k, uint32_t b, lsched_waiting *out) {
    uint32_t queue = k->c[C_BUNDLE_EVICT_QUEUE].u32[b];
    out->evict_code = k->c[C_BUNDLE_EVICT_CODE].u8[b];
    if (out->evict_code == LSCHED_EVICT_NOT_TRIED) return;
    out->evict_kind = k->c[C_BUNDLE_EVICT_KIND].u8[b];
    out->evict_need = k->c[C_BUNDLE_EVICT_NEED].i64[b];
    out->evict_have = k->c[C_BUNDLE_EVICT_HAVE].i64[b];
    if (queue != NO_ROW && row_is_live(k, T_QUEUE, queue))
        out->evict_queue = id_make(k, LSCHED_KIND_QUEUE, queue);
    if (k->c[C_BUNDLE_UNTIL].i64[b] < out->until_us) out->until_us = k->c[C_BUNDLE_UNTIL].i64[b];
}

void waiting_of_bundle(const struct columns *k, uint32_t b, lsched_waiting *out) {
    memset(out, 0, sizeof *out);
    uint32_t limiting = k->c[C_BUNDLE_LIMITING].u32[b];
    out->size = sizeof *out;
    out->code = k->c[C_BUNDLE_CODE].u8[b];
    out->queue = id_make(k, LSCHED_KIND_QUEUE, k->c[C_BUNDLE_QUEUE].u32[b]);
    out->job = id_make(k, LSCHED_KIND_JOB, bundle_head(k, b));
    out->jobs = k->c[C_BUNDLE_JOBS].u32[b];
    out->until_us = LSCHED_NEVER_US;
    if (k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED) {
        out->code = LSCHED_WAIT_BUDGET;
        return;
    }
    if (out->code == LSCHED_WAIT_BACKOFF) out->until_us = k->c[C_BUNDLE_UNTIL].i64[b];
    out->kind = k->c[C_BUNDLE_RES].u8[b];
    out->task_group = k->c[C_BUNDLE_GROUP].u32[b];
    out->need = k->c[C_BUNDLE_NEED].i64[b];
    out->have = k->c[C_BUNDLE_HAVE].i64[b];
    out->nodes_able = k->c[C_BUNDLE_ABLE].u32[b];
    if (limiting != NO_ROW) out->limiting_queue = id_make(k, LSCHED_KIND_QUEUE, limiting);
    why_not_others(k, b, out);
}

static int wanted(const struct lsched_cycle *y, uint32_t b, int all) {
    const struct columns *k = y->k;
    if (!row_is_live(k, T_BUNDLE, b)) return 0;
    if (k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE)
        return (y->flags & LSCHED_PLAN_PARTIAL) || (y->hooks_off & LSCHED_HOOK_FILTER);
    return all || k->c[C_BUNDLE_TRIED].u64[b] == meta(k, M_CYCLE);
}

static int waiting_before(const struct columns *k, const lsched_waiting *a,
                          const lsched_waiting *b) {
    uint32_t qa = (uint32_t)a->queue, qb = (uint32_t)b->queue;
    int c = qa == qb ? 0 : text_compare(k, k->c[C_QUEUE_NAME].u32[qa], k->c[C_QUEUE_NAME].u32[qb]);
    if (c != 0) return c < 0;
    return job_before(k, (uint32_t)a->job, (uint32_t)b->job);
}

static void sort_waiting(const struct columns *k, lsched_waiting *w, lsched_waiting *tmp,
                         size_t n) {
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t mid = lo + width < n ? lo + width : n,
                   hi = lo + 2 * width < n ? lo + 2 * width : n;
            size_t i = lo, j = mid, o = lo;
            while (i < mid && j < hi) tmp[o++] = waiting_before(k, &w[j], &w[i]) ? w[j++] : w[i++];
            while (i < mid) tmp[o++] = w[i++];
            while (j < hi) tmp[o++] = w[j++];
        }
        memcpy(w, tmp, n * sizeof *w);
        if (width > n / 2) break;
    }
}

/* Refused jobs are grouped by queue and reason. Few reasons exist: a linear look at the groups of this plan suffices. */
static size_t refused_groups(const struct lsched_cycle *y, lsched_waiting *w, uint32_t *reasons,
                             size_t first, size_t cap) {
    const struct columns *k = y->k;
    size_t n = first;
    for (uint32_t j = (uint32_t)meta(k, M_REFUSED_HEAD); j != NO_ROW;
         j = k->c[C_JOB_HEAP_L].u32[j]) {
        uint32_t q = k->c[C_JOB_QUEUE].u32[j], reason = k->c[C_JOB_REASON].u32[j];
        size_t i = first;
        while (i < n && ((uint32_t)w[i].queue != q || reasons[i - first] != reason)) i++;
        if (i == cap) break;
        if (i == n) {
            memset(&w[n], 0, sizeof w[n]);
            w[n].size = sizeof w[n];
            w[n].code =
                k->c[C_JOB_FLAGS].u8[j] & JOB_HOOK_FAILED ? LSCHED_WAIT_POLICY : LSCHED_WAIT_ADMIT;
            w[n].queue = id_make(k, LSCHED_KIND_QUEUE, q);
            w[n].job = id_make(k, LSCHED_KIND_JOB, j);
            w[n].until_us = LSCHED_NEVER_US;
            reasons[n++ - first] = reason;
        }
        w[i].jobs++;
        if (job_before(k, j, (uint32_t)w[i].job)) w[i].job = id_make(k, LSCHED_KIND_JOB, j);
    }
    return n;
}

#define REFUSED_GROUPS_MAX 256u

static int32_t build_waiting(struct lsched_cycle *y, int all, struct lsched_plan *p) {
    const struct columns *k = y->k;
    uint32_t rows = table_rows(k, T_BUNDLE), n = 0, reasons[REFUSED_GROUPS_MAX];
    for (uint32_t b = 0; b < rows; b++) n += (uint32_t)wanted(y, b, all);
    size_t cap = n + (meta(k, M_REFUSED_HEAD) != NO_ROW ? REFUSED_GROUPS_MAX : 0);
    if (cap == 0) return LSCHED_OK;
    lsched_waiting *w = alloc_new(&p->alloc, cap * 2 * sizeof *w);
    if (!w) return LSCHED_E_NOMEM;
    size_t m = 0;
    for (uint32_t b = 0; b < rows; b++)
        if (wanted(y, b, all)) waiting_of_bundle(k, b, &w[m++]);
    m = refused_groups(y, w, reasons, m, cap);
    sort_waiting(k, w, w + cap, m);
    if (m) {
        p->waiting = alloc_new(&p->alloc, m * sizeof *w);
        if (p->waiting) memcpy(p->waiting, w, m * sizeof *w);
    }
    alloc_free(&p->alloc, w, cap * 2 * sizeof *w);
    if (m && !p->waiting) return LSCHED_E_NOMEM;
    p->n_waiting = m;
    return LSCHED_OK;
}

static uint64_t hash_waiting(const struct columns *k, uint64_t h, const lsched_waiting *w) {
    h = hash_text(k, h, k->c[C_QUEUE_NAME].u32[(uint32_t)w->queue]);
    h = hash_text(k, h, k->c[C_JOB_NAME].u32[(uint32_t)w->job]);
    h = hash_mix(hash_mix(h, w->code), w->jobs);
    h = hash_mix(hash_mix(hash_mix(h, w->task_group), (uint64_t)w->need), w->nodes_able);
    if (w->kind) h = hash_text(k, h, kind_name(k, w->kind));
    if (w->evict_code) h = hash_mix(hash_mix(h, w->evict_code), (uint64_t)w->evict_need);
    return w->limiting_queue ? hash_text(k, h, k->c[C_QUEUE_NAME].u32[(uint32_t)w->limiting_queue])
                             : h;
}

/* ---- build ---- */

int32_t plan_build(struct lsched_cycle *y, int all_waiting, struct lsched_plan **out) {
    const struct columns *k = y->k;
    struct alloc a;
    alloc_init(&a, &y->c->alloc.hooks, 0);
    struct lsched_plan *p = alloc_zero(&a, sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    p->alloc = a;
    uint64_t h = LSCHED_SEMANTICS;
    int32_t rc = LSCHED_OK;
    if (y->n_fresh) {
        p->decisions = alloc_new(&p->alloc, y->n_fresh * sizeof *p->decisions);
        if (!p->decisions) rc = LSCHED_E_NOMEM;
    }
    for (uint32_t i = 0; rc == LSCHED_OK && i < y->n_fresh; i++) {
        copy_decision(k, y->fresh[i], &p->decisions[i]);
        h = hash_decision(k, h, y->fresh[i]);
    }
    if (rc == LSCHED_OK) p->n_decisions = y->n_fresh;
    if (rc == LSCHED_OK && y->n_withdrawn) {
        p->withdrawn = alloc_new(&p->alloc, y->n_withdrawn * sizeof *p->withdrawn);
        if (!p->withdrawn) rc = LSCHED_E_NOMEM;
    }
    if (rc == LSCHED_OK && y->n_withdrawn) {
        for (uint32_t i = 0; i < y->n_withdrawn; i++) p->withdrawn[i] = y->withdrawn[i].id;
        p->n_withdrawn = y->n_withdrawn;
    }
    if (rc == LSCHED_OK) rc = build_waiting(y, all_waiting, p);
    if (rc != LSCHED_OK) {
        lsched_plan_destroy(p);
        return rc;
    }
    for (size_t i = 0; i < p->n_waiting; i++) h = hash_waiting(k, h, &p->waiting[i]);
    lsched_plan_info *info = &p->info;
    *info = (lsched_plan_info){.size = sizeof *info,
                               .flags = y->flags,
                               .decisions = p->n_decisions,
                               .waiting = p->n_waiting,
                               .work_spent = y->spent,
                               .policy_hash = y->c->policy.policy.desc.hash,
                               .plan_hash = h,
                               .now_us = y->now,
                               .semantics = LSCHED_SEMANTICS,
                               .policy_error = y->policy_error,
                               .jobs_tried = y->jobs_tried,
                               .evictions = y->evictions,
                               .moves = y->moves,
                               .searches_proven = y->proven,
                               .searches_cut = y->cut,
                               .nodes_scored = y->c->search.scored - y->scored_before};
    memcpy(p->policy_error, y->policy_message, sizeof p->policy_error);
    *out = p;
    return LSCHED_OK;
}

int32_t plan_add_advice(struct lsched_plan *p, const struct columns *k, const char *algorithm,
                        const lsched_advice *advice) {
    if (p->n_advice == p->cap_advice) {
        size_t cap = p->cap_advice * 2 + 16;
        void *q = alloc_resize(&p->alloc, p->advice, p->cap_advice * sizeof *p->advice,
                               cap * sizeof *p->advice);
        if (!q) return LSCHED_E_NOMEM;
        p->advice = q;
        p->cap_advice = cap;
    }
    lsched_plan_advice_record *r = &p->advice[p->n_advice++];
    memset(r, 0, sizeof *r);
    r->size = sizeof *r;
    r->code = advice->code;
    if (row_is_live(k, T_NODE, advice->node)) r->node = id_make(k, LSCHED_KIND_NODE, advice->node);
    if (row_is_live(k, T_QUEUE, advice->queue))
        r->queue = id_make(k, LSCHED_KIND_QUEUE, advice->queue);
    memcpy(r->number, advice->number, sizeof r->number);
    size_t n = strlen(algorithm);
    memcpy(r->algorithm, algorithm, n < sizeof r->algorithm ? n : sizeof r->algorithm - 1);
    memcpy(r->text, advice->text, sizeof r->text - 1);
    return LSCHED_OK;
}
