/* offer_list.c -- see offer_list.h. */
#include "api/what_if/offer_list.h"

#include "base/amounts.h"
#include "base/binary_heap.h"
#include "base/sort.h"
#include "base/vec.h"
#include "engine/exclusions/explain_subject.h"
#include "model/dependencies/gate.h"
#include "model/jobs/bundle.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/shapes/node_label.h"

/* The changes of one kind that are kept, as a heap: the one that is dropped next stands first. */
struct kept_changes {
    struct candidate_change *at;
    uint32_t n, cap;
};

/* What the functions below read. */
struct offer_maker {
    const struct columns *k;
    struct offer_list *list;
    struct kept_changes kept[LSCHED_OFFER_ADD_NODE + 1]; /* by LSCHED_OFFER_* */
    const lsched_waiting *w;
    uint32_t job, queue, shape; /* shape: of the first leaf */
    int64_t now, need[KINDS_MAX], grain[KINDS_MAX];
    int moves_help; /* 1: a node that could hold a task has tasks that can still go elsewhere */
    int32_t rc;
};

/* ---- the list ---- */

static uint32_t change_name_column(uint32_t change) {
    if (change == LSCHED_OFFER_WITHDRAW) return C_JOB_NAME;
    return change == LSCHED_OFFER_JOBS_MAX || change == LSCHED_OFFER_LIMIT ||
                   change == LSCHED_OFFER_QUOTA
               ? C_QUEUE_NAME
               : C_NODE_NAME;
}

static int change_is_cheaper(const struct columns *k, const struct candidate_change *a,
                             const struct candidate_change *b) {
    if (a->change != b->change) return a->change < b->change;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->later != b->later) return a->later < b->later;
    if (a->row != b->row) return name_before(k, change_name_column(a->change), a->row, b->row);
    return a->kind < b->kind;
}

enum { LATER_UNABLE = 2 }; /* helps only if other work goes elsewhere */

/* True if change a is kept rather than change b of the same kind. */
static int is_candidate_kept(const struct columns *k, const struct candidate_change *a,
                             const struct candidate_change *b) {
    int a_helps_others = a->later == LATER_UNABLE, b_helps_others = b->later == LATER_UNABLE;
    return a_helps_others != b_helps_others ? b_helps_others : change_is_cheaper(k, a, b);
}

#define IS_DROPPED_BEFORE(k, a, b) is_candidate_kept(k, &(b), &(a))
HEAP_DEFINE(kept_heap, struct candidate_change, const struct columns *, IS_DROPPED_BEFORE,
            HEAP_NO_INDEX)

#define IS_TRIED_BEFORE(k, a, b) change_is_cheaper(k, &(a), &(b))
SORT_IN_PLACE(sort_changes, struct candidate_change, const struct columns *, IS_TRIED_BEFORE)

/* Keeps a change. If there are too many of its kind, one is dropped. */
static void keep_change(struct offer_maker *m, const struct candidate_change *c) {
    struct kept_changes *kept = &m->kept[c->change];
    if (kept->n >= m->list->per_kind) {
        if (!is_candidate_kept(m->k, c, &kept->at[0])) return;
        kept->at[0] = *c;
        kept_heap_settle(m->k, kept->at, kept->n, 0);
    } else if (VEC_ROOM(m->list->alloc, kept->at, kept->cap, kept->n + 1)) {
        kept_heap_add(m->k, kept->at, &kept->n, *c);
    } else {
        m->rc = LSCHED_E_NOMEM;
    }
}

/* Moves the changes that are kept into the list, in the order in which they are tried. */
static void list_kept_changes(struct offer_maker *m) {
    struct offer_list *l = m->list;
    uint32_t n = 0;
    for (uint32_t i = 0; i <= LSCHED_OFFER_ADD_NODE; i++) n += m->kept[i].n;
    if (m->rc == LSCHED_OK && !VEC_ROOM(l->alloc, l->at, l->cap, n)) m->rc = LSCHED_E_NOMEM;
    for (uint32_t i = 0; i <= LSCHED_OFFER_ADD_NODE; i++) {
        struct kept_changes *kept = &m->kept[i];
        for (uint32_t j = 0; j < kept->n && m->rc == LSCHED_OK; j++) l->at[l->n++] = kept->at[j];
        alloc_free(l->alloc, kept->at, kept->cap * sizeof *kept->at);
    }
    sort_changes(m->k, l->at, l->n);
}

/* ---- nodes ---- */

/* Copies the labels that the selectors of the shape ask for. */
static void offer_read_selectors(struct offer_maker *m) {
    const struct columns *k = m->k;
    uint32_t n = k->c[C_SHAPE_N_SELECTORS].u32[m->shape];
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, m->shape));
    if (n == 0) return;
    m->list->labels = alloc_zero(m->list->alloc, n * sizeof *m->list->labels);
    if (!m->list->labels) m->rc = LSCHED_E_NOMEM;
    if (!m->list->labels) return;
    m->list->n_labels = n;
    r.p += k->c[C_SHAPE_SELECTORS].u32[m->shape];
    for (uint32_t i = 0; i < n; i++) {
        struct offer_label *l = &m->list->labels[i];
        lsched_text key = reader_text(&r);
        memcpy(l->key, key.ptr, (size_t)key.len);
        for (uint32_t left = reader_u32(&r), v = 0; v < left; v++) {
            lsched_text value = reader_text(&r);
            if (v == 0) memcpy(l->value, value.ptr, (size_t)value.len);
        }
    }
}

/* Returns the number of selectors that the node does not satisfy, and sets *which to one of
 * them. */
static uint32_t selectors_failing(const struct columns *k, uint32_t node, uint32_t shape,
                                  uint32_t *which) {
    uint32_t n = k->c[C_SHAPE_N_SELECTORS].u32[shape], failing = 0;
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape));
    r.p += k->c[C_SHAPE_SELECTORS].u32[shape];
    for (uint32_t i = 0; i < n; i++) {
        lsched_text key = reader_text(&r), value;
        uint32_t n_values = reader_u32(&r);
        int has = node_label(k, node, key.ptr, (size_t)key.len, &value),
            good = n_values == 0 && has;
        for (uint32_t v = 0; v < n_values; v++) {
            lsched_text want = reader_text(&r);
            if (has && text_order(want, value) == 0) good = 1;
        }
        if (good) continue;
        failing++;
        *which = i;
    }
    return failing;
}

/* True if an earlier node in the order of names has the same class: its copy does the same. */
static int is_copied_already(const struct offer_maker *m, uint32_t node) {
    const struct columns *k = m->k;
    const struct kept_changes *added = &m->kept[LSCHED_OFFER_ADD_NODE];
    for (uint32_t i = 0; i < added->n; i++) {
        const struct candidate_change *c = &added->at[i];
        if (k->c[C_NODE_CLASS].u32[c->row] == k->c[C_NODE_CLASS].u32[node] &&
            k->c[C_NODE_LABELS].u32[c->row] == k->c[C_NODE_LABELS].u32[node] &&
            k->c[C_NODE_PRICE].i64[c->row] <= k->c[C_NODE_PRICE].i64[node] &&
            !name_before(k, C_NODE_NAME, node, c->row))
            return 1;
    }
    return 0;
}

/* True if the node could hold a task of the shape without the tasks of the job, by its amounts. */
static int node_gains(const struct offer_maker *m, uint32_t node, uint32_t job) {
    const struct columns *k = m->k;
    int64_t more[KINDS_MAX] = {0};
    if (!node_able(k, node, m->shape)) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        for (uint32_t r = 1; k->c[C_TASK_JOB].u32[t] == job && r < meta(k, M_N_KINDS); r++)
            more[r] += task_amount(k, t, r);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_SHAPE_REQ + r].i64[m->shape] > k->c[C_NODE_FREE + r].i64[node] + more[r])
            return 0;
    return 1;
}

/* True if a task of another job on the node can still go elsewhere: the task has not started. */
static int has_movable_task(const struct offer_maker *m, uint32_t node) {
    const struct columns *k = m->k;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        if ((state == LSCHED_TASK_PROPOSED || state == LSCHED_TASK_NOMINATED) &&
            k->c[C_TASK_JOB].u32[t] != m->job)
            return 1;
    }
    return 0;
}

static void add_node_changes(struct offer_maker *m, uint32_t n) {
    const struct columns *k = m->k;
    int able = node_able(k, n, m->shape);
    struct candidate_change c = {
        .row = n, .later = able ? (uint32_t)!node_fits(k, n, m->shape) : LATER_UNABLE};
    if (!m->moves_help && able) m->moves_help = has_movable_task(m, n);
    if (k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY) {
        c.change = LSCHED_OFFER_UNCORDON;
        keep_change(m, &c);
    }
    if (k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY && !able &&
        selectors_failing(k, n, m->shape, &c.selector) == 1) {
        c.change = LSCHED_OFFER_LABEL;
        c.later = !node_fits(k, n, m->shape);
        keep_change(m, &c);
    }
    if (!is_copied_already(m, n)) {
        c.change = LSCHED_OFFER_ADD_NODE;
        c.later = able ? 0 : LATER_UNABLE;
        c.cost = k->c[C_NODE_PRICE].i64[n];
        keep_change(m, &c);
    }
}

/* ---- queues ---- */

/* Sets the grain of each kind: the largest amount of which all requests, limits and quotas are
 * multiples. Used amounts are sums of requests, and fair shares are bounded by limits and quotas,
 * so only at its multiples a limit or a quota begins to allow more. */
static void read_grains(struct offer_maker *m) {
    const struct columns *k = m->k;
    m->grain[0] = 1; /* of a number of jobs */
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t *grain = &m->grain[r];
        for (uint32_t s = 0; s < table_rows(k, T_SHAPE) && *grain != 1; s++)
            if (row_is_live(k, T_SHAPE, s))
                *grain = amount_common_divisor(*grain, k->c[C_SHAPE_REQ + r].i64[s]);
        EACH_LIVE(k, T_QUEUE, q) {
            int64_t limit = k->c[C_QUEUE_LIMIT + r].i64[q];
            if (limit != LSCHED_UNLIMITED) *grain = amount_common_divisor(*grain, limit);
            *grain = amount_common_divisor(*grain, k->c[C_QUEUE_QUOTA + r].i64[q]);
        }
    }
}

/* Returns the amount, or the next multiple of the grain above it. */
static int64_t grain_above(int64_t amount, int64_t grain) {
    int64_t rest = amount % grain;
    return rest == 0 || amount > LSCHED_AMOUNT_MAX - grain ? amount : amount + grain - rest;
}

static void add_value(struct offer_maker *m, uint32_t change, uint32_t q, uint32_t kind,
                      int64_t was, int64_t amount, int64_t most) {
    /* the numbers of resource parts follow those of all kinds, and parts have no grain */
    int64_t grain = kind < KINDS_MAX && m->grain[kind] > 0 ? m->grain[kind] : 1;
    struct candidate_change c = {.change = change,
                                 .row = q,
                                 .kind = kind,
                                 .was = was,
                                 .amount = grain_above(amount, grain),
                                 .most = grain_above(most, grain),
                                 .grain = grain};
    c.cost = c.amount - was;
    if (amount > was) keep_change(m, &c);
}

/* True if the job waits for this queue or for one below it. Then a rise can help although the use
 * is lower: the cycle stopped work, or what this queue has bounds the quota that the job needs. */
static int is_limiting(const struct offer_maker *m, uint32_t q) {
    uint32_t code = m->w->code;
    return (code == LSCHED_WAIT_LIMIT || code == LSCHED_WAIT_QUOTA || code == LSCHED_WAIT_JOBS) &&
           queue_is_below(m->k, (uint32_t)m->w->limiting_queue, q);
}

static void add_limits(struct offer_maker *m, uint32_t q) {
    const struct columns *k = m->k;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t used = k->c[C_QUEUE_USED + r].i64[q], limit = k->c[C_QUEUE_LIMIT_NOW + r].i64[q];
        if (m->need[r] == 0) continue;
        int64_t base = is_limiting(m, q) && used < limit ? limit : used;
        if (limit != LSCHED_UNLIMITED) /* beyond all capacity, a larger limit changes nothing */
            add_value(m, LSCHED_OFFER_LIMIT, q, r, limit, amount_sum(base, m->need[r]),
                      amount_sum(base + m->need[r], (int64_t)meta(k, M_TOTAL_CAP + r)));
        int64_t quota = k->c[C_QUEUE_QUOTA_NOW + r].i64[q];
        base = is_limiting(m, q) && used < quota ? quota : used;
        add_value(m, LSCHED_OFFER_QUOTA, q, r, quota, amount_sum(base, m->need[r]),
                  amount_sum(base + m->need[r], (int64_t)meta(k, M_TOTAL_CAP + r)));
    }
}

static void add_queue_changes(struct offer_maker *m) {
    const struct columns *k = m->k;
    const lsched_waiting *w = m->w;
    for (uint32_t q = m->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t most = k->c[C_QUEUE_JOBS_MAX].u32[q], held = k->c[C_QUEUE_JOBS_HELD].u32[q];
        if (most && held < most && is_limiting(m, q)) held = most;
        if (most && held >= most)
            add_value(m, LSCHED_OFFER_JOBS_MAX, q, 0, most, held + 1, UINT32_MAX);
        add_limits(m, q);
    }
    if (w->code != LSCHED_WAIT_LIMIT || !kind_is_part(k, w->kind)) return;
    uint32_t q = (uint32_t)w->limiting_queue;
    struct resource_part_amount a = queue_limit(k, q, w->kind);
    add_value(m, LSCHED_OFFER_LIMIT, q, w->kind, a.limit_now, amount_sum(a.used, w->need),
              LSCHED_AMOUNT_MAX);
}

/* ---- jobs ---- */

/* Work that is lost when the job is removed, in GPU-milliseconds: for each task, the time since its
 * start and one minute, times its devices; 32 cores count as a device. */
static int64_t cost_of_removal(const struct offer_maker *m, uint32_t job) {
    const struct columns *k = m->k;
    int64_t cost = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            int64_t milli = task_amount(k, t, LSCHED_GPU), ms = 60000;
            if (milli == 0) milli = task_amount(k, t, LSCHED_CPU) / 32;
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING &&
                k->c[C_TASK_START].i64[t] < m->now)
                ms += (m->now - k->c[C_TASK_START].i64[t]) / 1000;
            if (milli > LSCHED_AMOUNT_MAX / 1000000 || ms > LSCHED_AMOUNT_MAX / 1000000)
                return LSCHED_AMOUNT_MAX;
            cost = amount_sum(cost, ms / 1000 * milli);
        }
    return cost;
}

static int is_below_limiting(const struct offer_maker *m, uint32_t job) {
    const lsched_waiting *w = m->w;
    return (w->code == LSCHED_WAIT_LIMIT || w->code == LSCHED_WAIT_JOBS ||
            w->code == LSCHED_WAIT_QUOTA || w->code == LSCHED_WAIT_LENDING) &&
           queue_is_below(m->k, m->k->c[C_JOB_QUEUE].u32[job], (uint32_t)w->limiting_queue);
}

/* How the removal of a job can help. */
enum way { NOT_IN_THE_WAY, IN_THE_WAY, IN_THE_WAY_OF_OTHERS };

/* The removal can help if the job holds room that a task could use, if it counts below the limit
 * that is reached, or if it is tried before the job that waits. It also helps if tasks that the
 * cycle has just placed go to the room of the job instead, and leave room. */
static enum way is_in_the_way(const struct offer_maker *m, uint32_t job) {
    const struct columns *k = m->k;
    int holds = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t node = k->c[C_TASK_NODE].u32[t];
            if (node == NO_ROW) continue;
            holds = 1;
            if (node_gains(m, node, job)) return IN_THE_WAY;
        }
    if (holds && (is_below_limiting(m, job) || m->w->code == LSCHED_WAIT_RULES ||
                  m->w->code == LSCHED_WAIT_LENDING || m->w->code == LSCHED_WAIT_SUPPLY ||
                  m->w->code == LSCHED_WAIT_ALLOWANCE))
        return IN_THE_WAY;
    return holds && m->moves_help ? IN_THE_WAY_OF_OTHERS : NOT_IN_THE_WAY;
}

/* Adds a priority to the list, in order and once. If the list is full, the largest ones go. */
static void add_priority(struct offer_list *l, int32_t p) {
    uint32_t i = l->n_priorities;
    while (i > 0 && l->priorities[i - 1] > p) i--;
    if (i > 0 && l->priorities[i - 1] == p) return;
    if (l->n_priorities == OFFER_PRIORITIES) {
        if (i == OFFER_PRIORITIES) return;
        l->n_priorities--;
    }
    memmove(&l->priorities[i + 1], &l->priorities[i],
            (l->n_priorities - i) * sizeof *l->priorities);
    l->priorities[i] = p;
    l->n_priorities++;
}

static void add_job_changes(struct offer_maker *m) {
    const struct columns *k = m->k;
    int32_t mine = k->c[C_JOB_PRIORITY].i32[m->job];
    EACH_LIVE(k, T_JOB, j) {
        int32_t p = k->c[C_JOB_PRIORITY].i32[j];
        if (j == m->job) continue;
        if (p > mine) add_priority(m->list, p);
        if (p >= mine && p < INT32_MAX) add_priority(m->list, p + 1);
        enum way way = is_in_the_way(m, j);
        if (way == NOT_IN_THE_WAY) continue;
        struct candidate_change c = {.change = LSCHED_OFFER_WITHDRAW,
                                     .row = j,
                                     .later = way == IN_THE_WAY_OF_OTHERS ? LATER_UNABLE : 0,
                                     .cost = cost_of_removal(m, j)};
        keep_change(m, &c);
    }
    if (m->list->n_priorities == 0) return;
    struct candidate_change c = {.change = LSCHED_OFFER_PRIORITY, .row = NO_ROW, .was = mine};
    c.amount = c.most = m->list->priorities[m->list->n_priorities - 1];
    c.cost = 1;
    keep_change(m, &c);
}

/* True if the release of a host hold or LSCHED_JOB_SET_AGAIN can end the wait. */
static int waits_for_release(const struct offer_maker *m) {
    uint32_t code = m->w->code;
    return code == LSCHED_WAIT_HELD || code == LSCHED_WAIT_RETRIES || code == LSCHED_WAIT_BACKOFF ||
           code == LSCHED_WAIT_REFUSED || job_held(m->k, m->job) || job_host_hold(m->k, m->job);
}

int32_t offer_list_make(struct lsched_cluster *c, uint32_t job, const lsched_waiting *w,
                        uint32_t per_kind, struct offer_list *list) {
    const struct columns *k = &c->k;
    uint32_t g = 0, jobshape = k->c[C_JOB_SHAPE].u32[job];
    struct offer_maker m = {.k = k,
                            .list = list,
                            .w = w,
                            .job = job,
                            .queue = k->c[C_JOB_QUEUE].u32[job],
                            .now = (int64_t)meta(k, M_NOW)};
    *list = (struct offer_list){.alloc = &c->alloc, .per_kind = per_kind};
    /* no room helps a job without tasks, or one that gains nothing by more */
    if (w->code == LSCHED_WAIT_MEMBERS || w->code == LSCHED_WAIT_GAIN) return LSCHED_OK;
    if (gate_is_closed(k, job)) return LSCHED_OK; /* nor one that other jobs or its begin hold */
    while (group_shape(k, jobshape, g) == NO_ROW) g++;
    m.shape = group_shape(k, jobshape, g);
    job_next_need(k, job, m.need);
    struct candidate_change again = {
        .change = LSCHED_OFFER_RELEASE, .row = NO_ROW, .amount = k->c[C_JOB_PRIORITY].i32[job]};
    if (waits_for_release(&m)) keep_change(&m, &again);
    offer_read_selectors(&m);
    EACH_LIVE(k, T_NODE, n) add_node_changes(&m, n);
    read_grains(&m);
    add_queue_changes(&m);
    add_job_changes(&m);
    list_kept_changes(&m);
    if (m.rc != LSCHED_OK) offer_list_close(list);
    return m.rc;
}

void offer_list_close(struct offer_list *list) {
    alloc_free(list->alloc, list->at, list->cap * sizeof *list->at);
    alloc_free(list->alloc, list->labels, list->n_labels * sizeof *list->labels);
    list->at = NULL;
    list->labels = NULL;
    list->n = list->cap = list->n_labels = 0;
}
