/* victim_saved.c -- see victim_saved.h. */
#include "engine/victims/victim_saved.h"

#include "base/hash.h"
#include "base/limits.h"
#include "engine/policy_hooks/hook_call.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/state/transaction.h"
#include "model/absences/job_absence.h"
#include "model/jobs/refusal.h"
#include "model/reservations/reservation.h"
#include "model/store/steps.h"

/* True if the present transaction has changed nothing. */
static int is_clean(const struct lsched_cycle *cy) {
    return cy->turn.job != NO_ROW && undo_mark(cy->k) == cy->turn.mark;
}

static int may_share(const struct lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    return (h->reason == LSCHED_FOR_PREEMPT || h->reason == LSCHED_FOR_CONSOLIDATE) &&
           h->places_read && h->saves.context == h->saves.serial &&
           cy->k->c[C_JOB_LEAVES].u32[h->job] == NO_ROW && !hook_has_victims(cy) &&
           !hook_on(cy, LSCHED_HOOK_FILTER) && !refusals_any(cy->k) && !cy->c->searches_cold;
}

void victim_saved_begin(struct lsched_cycle *cy) {
    struct victim_saves *s = &cy->victims->saves;
    s->usable = is_clean(cy) && may_share(cy);
    s->began = touch_seen(cy->k);
}

/* Returns what decides, of the current job, from which nodes absences keep it. */
static int64_t saved_length(const struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    uint32_t job = cy->victims->job;
    if (!meta(k, M_ABSENCES)) return 0;
    int64_t length = job_absence_length(k, job);
    uint64_t held = reservation_held(k, k->c[C_JOB_QUEUE].u32[job]);
    return held ? (int64_t)hash_mix((uint64_t)length, held) : length;
}

/* True if the kept costs are those of the current job and the task shape. */
static int is_for(const struct lsched_cycle *cy, const struct victim_saved *v, uint32_t shape) {
    const struct victim_search *h = cy->victims;
    if (!v->key || v->serial != h->saves.serial || v->shape != shape ||
        v->is_planned != h->is_planned || v->length != saved_length(cy))
        return 0;
    return h->reason == LSCHED_FOR_CONSOLIDATE ||
           (v->queue == h->queue && v->priority == h->priority);
}

static size_t bytes_of(const struct victim_nodes *n) {
    return n->cap * (sizeof *n->key + sizeof *n->heap + sizeof *n->kept);
}

/* Returns a free set of costs, or else the set that was used first; NULL without memory. */
static struct victim_saved *room_for_one(struct lsched_cycle *cy) {
    struct victim_saves *s = &cy->victims->saves;
    const struct victim_nodes *n = &cy->victims->nodes;
    size_t most = LIMIT_SAVED_COST_BYTES / (bytes_of(n) + 1);
    most = most < 1 ? 1 : most > SAVED_MAX ? SAVED_MAX : most;
    struct victim_saved *v = &s->set[s->next];
    s->next = (s->next + 1) % (uint32_t)most;
    if (!v->key) v->key = alloc_new(cy->k->alloc, bytes_of(n));
    if (!v->key) return NULL;
    v->heap = (uint32_t *)(void *)(v->key + n->cap);
    v->kept = (uint8_t *)(void *)(v->heap + n->cap);
    return v;
}

int32_t victim_saved_put(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    const struct victim_nodes *n = &h->nodes;
    if (!h->saves.usable || !is_clean(cy) || h->by_unit || n->n_excluded || !n->built)
        return LSCHED_OK;
    struct victim_saved *v = room_for_one(cy);
    if (!v) return LSCHED_E_NOMEM;
    steps_add(cy->k, n->cap);
    memcpy(v->key, n->key, n->cap * sizeof *n->key);
    memcpy(v->heap, n->heap, n->n * sizeof *n->heap);
    memcpy(v->kept, n->kept, n->cap);
    v->n = n->n;
    v->shape = n->shape;
    v->queue = h->queue;
    v->priority = h->priority;
    v->is_planned = h->is_planned;
    v->length = saved_length(cy);
    v->serial = h->saves.serial;
    return LSCHED_OK;
}

int victim_saved_get(struct lsched_cycle *cy, uint32_t shape) {
    struct victim_search *h = cy->victims;
    struct victim_nodes *n = &h->nodes;
    const struct victim_saved *v = h->saves.set, *end = v + SAVED_MAX;
    if (!h->saves.usable || (meta(cy->k, M_ABSENCES) && !is_clean(cy))) return 0;
    while (v < end && !is_for(cy, v, shape)) v++;
    if (v == end) return 0;
    cy->c->searches_skipped++;
    steps_add(cy->k, n->cap);
    act_spend(cy, v->n);
    h->work_left -= v->n < h->work_left ? v->n : h->work_left;
    memcpy(n->key, v->key, n->cap * sizeof *n->key);
    memcpy(n->heap, v->heap, v->n * sizeof *n->heap);
    memcpy(n->kept, v->kept, n->cap);
    for (uint32_t i = 0; i < n->cap; i++) n->place[i] = NO_ROW;
    for (uint32_t i = 0; i < v->n; i++) n->place[n->heap[i]] = i;
    n->n = v->n;
    n->shape = shape;
    n->synced = is_clean(cy) ? touch_seen(cy->k) : h->saves.began;
    n->built = !cy->spend.stop;
    return 1;
}

void victim_saved_forget(struct victim_search *h) {
    h->saves.serial++;
}

void victim_saved_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    for (uint32_t i = 0; i < SAVED_MAX; i++)
        alloc_free(cy->k->alloc, h->saves.set[i].key,
                   h->saves.set[i].key ? bytes_of(&h->nodes) : 0);
}
