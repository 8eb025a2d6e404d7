/*
 * plan_waiting.c -- see plan_waiting.h.
 *
 * A record has the data that was stored when its bundle was parked, and the result of the latest
 * victim search. The action that made the search stores its result after the bundle was parked
 * (evict_tell). If the bundle is parked again for another reason, that result is lost
 * (bundle_park).
 */
#include "engine/plan/plan_waiting.h"

#include "base/hash.h"
#include "base/sort.h"
#include "engine/plan/plan.h"
#include "engine/waits/refusal_wait.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/bundle.h"
#include "model/devices/resource_part.h"
#include "model/store/steps.h"
#include "model/told/firm_start.h"

/* ---- the record of a bundle ---- */

/* Adds to the record the reason why evictions did not help the bundle, which evict_tell has
 * stored. */
static void why_not_others(const struct columns *k, uint32_t b, lsched_waiting *out) {
    uint32_t queue = k->c[C_BUNDLE_EVICT_QUEUE].u32[b];
    out->evict_code = k->c[C_BUNDLE_EVICT_CODE].u8[b];
    if (out->evict_code == LSCHED_NO_VICTIM_NOT_TRIED) return;
    out->evict_kind = k->c[C_BUNDLE_EVICT_KIND].u8[b];
    out->evict_need = k->c[C_BUNDLE_EVICT_NEED].i64[b];
    out->evict_have = k->c[C_BUNDLE_EVICT_HAVE].i64[b];
    if (queue != NO_ROW && row_is_live(k, T_QUEUE, queue))
        out->evict_queue = id_make(k, LSCHED_KIND_QUEUE, queue);
    if (out->code != LSCHED_WAIT_PLANNED && k->c[C_BUNDLE_UNTIL].i64[b] < out->until_us)
        out->until_us = k->c[C_BUNDLE_UNTIL].i64[b];
}

/* True if the bundle is still to be tried, because it has not been tried yet or because it was put
 * off in this pass. */
static int stands(const struct columns *k, uint32_t b) {
    return k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED ||
           k->c[C_BUNDLE_LIST].u8[b] == PARKED_PUT_OFF;
}

/* True if the bundle waits for room that work could make by stopping or moving, but the
 * orchestrator does not ask for such decisions. The result of an earlier search says nothing then.
 * If only moves are not asked for, the result of the search for evictions says more. */
static int is_not_asked(const struct columns *k, uint32_t b, const lsched_waiting *w) {
    uint64_t lack = meta(k, M_KINDS_LACK);
    if (!(lack & (1u << LSCHED_DECIDE_EVICT | 1u << LSCHED_DECIDE_NOMINATE)) &&
        (!(lack >> LSCHED_DECIDE_MIGRATE & 1) || w->evict_code != LSCHED_NO_VICTIM_NOT_TRIED))
        return 0;
    return !(k->c[C_JOB_FLAGS].u8[bundle_head(k, b)] & LSCHED_JOB_NEVER_PREEMPTS) &&
           (w->code == LSCHED_WAIT_ROOM || w->code == LSCHED_WAIT_GANG ||
            w->code == LSCHED_WAIT_TOPOLOGY || w->code == LSCHED_WAIT_FILTER ||
            w->code == LSCHED_WAIT_RULES || w->code == LSCHED_WAIT_ABSENCE);
}

static void waiting_of_bundle(const struct columns *k, uint32_t b, lsched_waiting *out) {
    memset(out, 0, sizeof *out);
    uint32_t limiting = k->c[C_BUNDLE_LIMITING].u32[b];
    out->size = sizeof *out;
    out->code = k->c[C_BUNDLE_CODE].u8[b];
    out->queue = id_make(k, LSCHED_KIND_QUEUE, k->c[C_BUNDLE_QUEUE].u32[b]);
    out->job = id_make(k, LSCHED_KIND_JOB, bundle_head(k, b));
    out->jobs = k->c[C_BUNDLE_JOBS].u32[b];
    out->until_us = LSCHED_NEVER_US;
    out->starts_us = LSCHED_NEVER_US;
    out->firm_us = firm_start_is(k, b) ? k->c[C_BUNDLE_PLAN_AT].i64[b] : LSCHED_NEVER_US;
    if (stands(k, b)) {
        out->code = LSCHED_WAIT_BUDGET;
        return;
    }
    if (out->code == LSCHED_WAIT_BACKOFF || out->code == LSCHED_WAIT_HOST_HOLD ||
        out->code == LSCHED_WAIT_BEGIN)
        out->until_us = k->c[C_BUNDLE_UNTIL].i64[b];
    if (out->code == LSCHED_WAIT_ALLOWANCE) out->until_us = k->c[C_BUNDLE_PLAN_AT].i64[b];
    if (out->code == LSCHED_WAIT_PLANNED) {
        out->until_us = k->c[C_BUNDLE_PLAN_AT].i64[b];
        out->plan_node = k->c[C_BUNDLE_PLAN_NODE].u64[b];
        out->plan_job = k->c[C_BUNDLE_PLAN_JOB].u64[b];
    }
    out->kind = k->c[C_BUNDLE_RES].u8[b];
    out->task_group = k->c[C_BUNDLE_GROUP].u32[b];
    out->need = k->c[C_BUNDLE_NEED].i64[b];
    out->have = k->c[C_BUNDLE_HAVE].i64[b];
    out->nodes_able = k->c[C_BUNDLE_ABLE].u32[b];
    if (limiting != NO_ROW) out->limiting_queue = id_make(k, LSCHED_KIND_QUEUE, limiting);
    if (out->code == LSCHED_WAIT_REFUSED) refusal_wait_tell(k, out);
    uint32_t refused = out->evict_code;
    why_not_others(k, b, out);
    if (out->evict_code == LSCHED_NO_VICTIM_NOT_TRIED) out->evict_code = refused;
    if (!is_not_asked(k, b, out)) return;
    out->evict_code = LSCHED_NO_VICTIM_NOT_ASKED;
    out->evict_kind = 0;
    out->evict_need = out->evict_have = 0;
    out->evict_queue = 0;
    out->until_us = LSCHED_NEVER_US;
}

/* ---- the record of one job ---- */

/* Returns the later one of two times: when the last of the job's releasing tasks should be gone,
 * and when the room of its last nomination should be free. Returns LSCHED_NEVER_US if the job has
 * no releasing tasks and no nominations. */
static int64_t last_release(const struct columns *k, uint32_t job) {
    int64_t last = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_RELEASE_AT].i64[t] > last) last = k->c[C_TASK_RELEASE_AT].i64[t];
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED || d == NO_ROW) continue;
            if (k->c[C_DECISION_AT].i64[d] > last) last = k->c[C_DECISION_AT].i64[d];
        }
    }
    return last ? last : LSCHED_NEVER_US;
}

uint32_t plan_waiting_nominated(const struct columns *k, uint32_t job) {
    uint32_t n = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n += k->c[C_LEAF_NOMINATED].u32[l];
    return n;
}

/* Fills the record of a job that is not queued. Such a job was not admitted, or all its tasks are
 * placed, nominated or releasing. */
static void waiting_outside(const struct columns *k, uint32_t job, lsched_waiting *w) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    int nominated = plan_waiting_nominated(k, job) > 0;
    w->jobs = 1;
    w->until_us = LSCHED_NEVER_US;
    w->starts_us = LSCHED_NEVER_US;
    w->firm_us = LSCHED_NEVER_US;
    w->queue = id_make(k, LSCHED_KIND_QUEUE, k->c[C_JOB_QUEUE].u32[job]);
    if (phase == JOB_REFUSED) {
        w->jobs = array_weight(k, job);
        w->code =
            k->c[C_JOB_FLAGS].u8[job] & JOB_HOOK_FAILED ? LSCHED_WAIT_POLICY : LSCHED_WAIT_ADMIT;
    } else if (nominated || phase == JOB_RELEASING) {
        w->code = nominated ? LSCHED_WAIT_NOMINATED : LSCHED_WAIT_LEAVING;
        w->until_us = last_release(k, job);
    }
}

void plan_waiting_of_job(const struct columns *k, uint32_t job, lsched_waiting *w) {
    memset(w, 0, sizeof *w);
    if (k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED) {
        uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
        waiting_of_bundle(k, b, w);
        if (stands(k, b)) w->code = LSCHED_WAIT_NONE;
    } else {
        waiting_outside(k, job, w);
    }
    w->size = sizeof *w;
    w->job = id_make(k, LSCHED_KIND_JOB, job);
}

/* ---- the records of a plan ---- */

static int gives_places(const char *action) {
    static const char *const others[] = {"evict-stale-gangs", "evict-overdue", "evict-idle",
                                         "drain", "speed-up"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(action, others[i]) == 0) return 0;
    return 1;
}

int plan_waiting_places(const struct policy *p) {
    uint32_t n = p->ops ? p->desc.n_pipeline : 0, i = 0;
    if (p->ops && (p->desc.hooks & LSCHED_HOOK_PIPELINE)) return 1;
    while (i < n && !gives_places(p->desc.pipeline[i])) i++;
    return n == 0 || i < n;
}

/* Does the same as plan_waiting_places, but for the action list of this cycle. */
static int cycle_places(const struct lsched_cycle *cy) {
    uint32_t i = 0;
    while (i < cy->policy.pipeline.n && !gives_places(cy->policy.pipeline.actions[i].word)) i++;
    return cy->policy.pipeline.n == 0 || i < cy->policy.pipeline.n;
}

static int wanted(const struct lsched_cycle *cy, uint32_t b, int all) {
    const struct columns *k = cy->k;
    if (!row_is_live(k, T_BUNDLE, b)) return 0;
    if (stands(k, b))
        return (cy->flags & LSCHED_PLAN_PARTIAL) || (cy->policy.hooks_off & LSCHED_HOOK_FILTER) ||
               !cycle_places(cy);
    return all || k->c[C_BUNDLE_TRIED].u64[b] >= cy->number;
}

static int waiting_before(const struct columns *k, const lsched_waiting *a,
                          const lsched_waiting *b) {
    uint32_t qa = (uint32_t)a->queue, qb = (uint32_t)b->queue;
    int c = qa == qb ? 0 : text_compare(k, k->c[C_QUEUE_NAME].u32[qa], k->c[C_QUEUE_NAME].u32[qb]);
    if (c != 0) return c < 0;
    return job_before(k, (uint32_t)a->job, (uint32_t)b->job);
}

#define WAITING_BEFORE(k, a, b) waiting_before(k, &(a), &(b))
SORT_STABLE(sort_waiting, lsched_waiting, const struct columns *, WAITING_BEFORE)

/* Writes the records of the jobs that were not admitted, one for each queue and reason. A linear
 * search through these records is fast enough, because there are few reasons. If the array is full,
 * the function stops at the first job with another queue or reason. */
static size_t refused_groups(const struct lsched_cycle *cy, lsched_waiting *w, uint32_t *reasons,
                             size_t first, size_t cap) {
    const struct columns *k = cy->k;
    size_t n = first;
    for (uint32_t j = (uint32_t)meta(k, M_REFUSED_HEAD); j != NO_ROW;
         j = k->c[C_JOB_HEAP_L].u32[j]) {
        uint32_t q = k->c[C_JOB_QUEUE].u32[j], reason = k->c[C_JOB_REASON].u32[j];
        size_t i = first;
        while (i < n && ((uint32_t)w[i].queue != q || reasons[i - first] != reason)) i++;
        if (i == cap) break;
        if (i == n) {
            plan_waiting_of_job(k, j, &w[n]);
            w[n].jobs = 0;
            reasons[n++ - first] = reason;
        }
        w[i].jobs += array_weight(k, j);
        if (job_before(k, j, (uint32_t)w[i].job)) w[i].job = id_make(k, LSCHED_KIND_JOB, j);
    }
    return n;
}

/* Writes the records of the jobs that are not queued because they wait for releasing tasks: their
 * own old tasks, or the tasks that hold the room of their nominations. There is one record for each
 * queue and wait code. Each record is built at an index that follows from its queue's row.
 * Therefore the array must have room for 2 * rows of the table of queues after the first n
 * records. */
static size_t outside_groups(const struct columns *k, lsched_waiting *w, size_t n) {
    uint32_t places = 2 * table_rows(k, T_QUEUE);
    lsched_waiting *by_queue = w + n, one;
    memset(by_queue, 0, places * sizeof *by_queue);
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_PHASE].u8[j] < JOB_FULL ||
            k->c[C_JOB_PHASE].u8[j] == JOB_ARRAY)
            continue;
        plan_waiting_of_job(k, j, &one);
        if (one.code == LSCHED_WAIT_NONE) continue;
        lsched_waiting *g =
            &by_queue[2 * k->c[C_JOB_QUEUE].u32[j] + (one.code == LSCHED_WAIT_NOMINATED)];
        one.jobs += g->jobs;
        if (g->until_us > one.until_us) one.until_us = g->until_us;
        if (g->jobs && job_before(k, (uint32_t)g->job, j)) one.job = g->job;
        *g = one;
    }
    for (uint32_t i = 0; i < places; i++)
        if (by_queue[i].jobs) w[n++] = by_queue[i];
    return n;
}

#define REFUSED_GROUPS_MAX 256u

static int row_before(const struct columns *k, uint32_t a, uint32_t b) {
    (void)k;
    return a < b;
}

SORT_IN_PLACE(sort_tried, uint32_t, const struct columns *, row_before)

/* True if all bundles are read. Otherwise only bundles are wanted that were parked in this cycle,
 * and the log of bundles names these. */
static int reads_all(const struct lsched_cycle *cy, int all) {
    return all || (cy->flags & LSCHED_PLAN_PARTIAL) ||
           (cy->policy.hooks_off & LSCHED_HOOK_FILTER) || !cycle_places(cy) ||
           !touch_log_reaches(&cy->k->bundle_touch, cy->bundles_from);
}

/* Writes the rows of the wanted bundles, in ascending order, to a new array of *cap entries.
 * Without candidates there is no array. Returns LSCHED_OK or LSCHED_E_NOMEM. */
static int32_t find_wanted(const struct lsched_cycle *cy, int all, uint32_t **rows, uint32_t *n,
                           size_t *cap) {
    struct columns *k = cy->k;
    const struct touch_log *t = &k->bundle_touch;
    int every = reads_all(cy, all);
    uint32_t m = every ? table_rows(k, T_BUNDLE) : (uint32_t)(t->next - cy->bundles_from);
    *n = 0;
    *cap = m;
    *rows = m ? alloc_new(k->alloc, m * sizeof **rows) : NULL;
    if (m && !*rows) return LSCHED_E_NOMEM;
    steps_add(k, m);
    for (uint32_t i = 0; i < m; i++)
        (*rows)[i] = every ? i : t->rows[(cy->bundles_from + i) & (t->cap - 1)];
    if (!every) sort_tried(k, *rows, m);
    uint32_t last = NO_ROW;
    for (uint32_t i = 0; i < m; i++) {
        uint32_t b = (*rows)[i];
        if (b != last && wanted(cy, b, all)) (*rows)[(*n)++] = b;
        last = b;
    }
    return LSCHED_OK;
}

/* Writes the records of the bundles in rows[]. */
static size_t bundle_records(const struct lsched_cycle *cy, const uint32_t *rows, uint32_t n,
                             lsched_waiting *w) {
    const struct columns *k = cy->k;
    for (uint32_t i = 0; i < n; i++) {
        waiting_of_bundle(k, rows[i], &w[i]);
        if (w[i].code == LSCHED_WAIT_BUDGET && k->c[C_BUNDLE_STATE].u8[rows[i]] == BUNDLE_ACTIVE &&
            !cycle_places(cy))
            w[i].code = LSCHED_WAIT_PIPELINE;
    }
    return n;
}

static int32_t add_records(struct lsched_cycle *cy, int all, struct lsched_plan *p,
                           const uint32_t *rows, uint32_t n) {
    const struct columns *k = cy->k;
    uint32_t reasons[REFUSED_GROUPS_MAX];
    int outside = all && meta(k, M_LEAVING) + meta(k, M_NOMINATED) > 0;
    size_t refused = meta(k, M_REFUSED_HEAD) != NO_ROW ? REFUSED_GROUPS_MAX : 0,
           cap = n + refused + (outside ? 2ul * table_rows(k, T_QUEUE) : 0);
    if (cap == 0) return LSCHED_OK;
    lsched_waiting *w = alloc_new(&p->alloc, cap * 2 * sizeof *w);
    if (!w) return LSCHED_E_NOMEM;
    size_t m = bundle_records(cy, rows, n, w);
    m = refused_groups(cy, w, reasons, m, n + refused);
    if (outside) m = outside_groups(k, w, m);
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

int32_t plan_waiting_add(struct lsched_cycle *cy, int all, struct lsched_plan *p) {
    uint32_t *rows, n;
    size_t cap;
    int32_t rc = find_wanted(cy, all, &rows, &n, &cap);
    if (rc != LSCHED_OK) return rc;
    rc = add_records(cy, all, p, rows, n);
    alloc_free(cy->k->alloc, rows, cap * sizeof *rows);
    return rc;
}

uint64_t plan_waiting_text(const struct columns *k, uint32_t text) {
    return hash_bytes(text_bytes(k, text), text_len(k, text), 7);
}

static uint64_t plan_waiting_hash_text(const struct columns *k, uint64_t h, uint32_t text) {
    return hash_mix(h, plan_waiting_text(k, text));
}

uint64_t plan_waiting_hash(const struct columns *k, uint64_t h, const lsched_waiting *w) {
    h = plan_waiting_hash_text(k, h, k->c[C_QUEUE_NAME].u32[(uint32_t)w->queue]);
    h = plan_waiting_hash_text(k, h, k->c[C_JOB_NAME].u32[(uint32_t)w->job]);
    h = hash_mix(hash_mix(h, w->code), w->jobs);
    h = hash_mix(hash_mix(hash_mix(h, w->task_group), (uint64_t)w->need), w->nodes_able);
    if (w->kind) h = plan_waiting_hash_text(k, h, kind_name(k, w->kind));
    if (w->evict_code) h = hash_mix(hash_mix(h, w->evict_code), (uint64_t)w->evict_need);
    return w->limiting_queue
               ? plan_waiting_hash_text(k, h, k->c[C_QUEUE_NAME].u32[(uint32_t)w->limiting_queue])
               : h;
}
