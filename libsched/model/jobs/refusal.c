/* refusal.c -- see refusal.h. */
#include "model/jobs/refusal.h"

#include "base/times.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/bundle.h"
#include "model/told/change_feed.h"
#include "model/news/queue_news.h"
#include "model/nodes/node.h"
#include "model/shapes/domain.h"
#include "model/shapes/leaf.h"
#include "model/store/row_list.h"
#include "model/store/steps.h"

/* ---- order ---- */

static int compare_names(const struct columns *k, uint32_t a, uint32_t b) {
    uint32_t x = k->c[C_REFUSAL_NODE].u32[a], y = k->c[C_REFUSAL_NODE].u32[b];
    if (x != y && (x == NO_ROW || y == NO_ROW)) return x == NO_ROW ? -1 : 1;
    if (x != y) return text_compare(k, k->c[C_NODE_NAME].u32[x], k->c[C_NODE_NAME].u32[y]);
    x = k->c[C_REFUSAL_QUEUE].u32[a];
    y = k->c[C_REFUSAL_QUEUE].u32[b];
    if (x != y) return text_compare(k, k->c[C_QUEUE_NAME].u32[x], k->c[C_QUEUE_NAME].u32[y]);
    int c = text_compare(k, intern_text(k, T_SHAPE, k->c[C_REFUSAL_SHAPE].u32[a]),
                         intern_text(k, T_SHAPE, k->c[C_REFUSAL_SHAPE].u32[b]));
    return c != 0 ? c : k->c[C_REFUSAL_OF].u8[a] - k->c[C_REFUSAL_OF].u8[b];
}

static int ends_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_REFUSAL_UNTIL].i64[a], y = k->c[C_REFUSAL_UNTIL].i64[b];
    return x != y ? x < y : compare_names(k, a, b) < 0;
}

/* Returns the rank by which refusals are forgotten, the lowest rank first.
 *   0: rows that have ended and have a COUNT
 *   1: node rows that keep tasks away
 *   2: heads that keep tasks away, because without the head every node would be tried again; and
 *     heads that only count their node rows */
static int worth(const struct columns *k, uint32_t r) {
    if (k->c[C_REFUSAL_STATE].u8[r] != REFUSAL_ENDED)
        return k->c[C_REFUSAL_NODE].u32[r] == NO_ROW ? 2 : 1;
    return k->c[C_REFUSAL_COUNT].u32[r] ? 0 : 2;
}

static int forgotten_before(const struct columns *k, uint32_t a, uint32_t b) {
    int x = worth(k, a), y = worth(k, b);
    return x != y ? x < y : ends_before(k, a, b);
}

static const struct heap_kind refusal_heap = {C_REFUSAL_HEAP_L, C_REFUSAL_HEAP_R, C_REFUSAL_HEAP_P,
                                              C_REFUSAL_HEAP_D, ends_before};
static const struct heap_kind refusal_queue_heap = {
    C_REFUSAL_QHEAP_L, C_REFUSAL_QHEAP_R, C_REFUSAL_QHEAP_P, C_REFUSAL_QHEAP_D, forgotten_before};

/* Applies `change` to the row in each of its heaps: heap_remove() takes the row out,
 * heap_insert() puts it in. */
static void heaps_change(struct columns *k, uint32_t r,
                         uint32_t (*change)(struct columns *, const struct heap_kind *, uint32_t,
                                            uint32_t)) {
    uint32_t q = k->c[C_REFUSAL_QUEUE].u32[r];
    set_u32(k, C_QUEUE_REFUSAL, q, change(k, &refusal_queue_heap, k->c[C_QUEUE_REFUSAL].u32[q], r));
    if (refusal_keeps_away(k, r))
        set_meta(k, M_REFUSAL_HEAD, change(k, &refusal_heap, (uint32_t)meta(k, M_REFUSAL_HEAD), r));
}

/* Adds `more` to the node's count of rows that keep tasks away. The node is touched even if
 * `more` is 0, so that a rollback invalidates the cached search results of the node. */
static void node_refuses(struct columns *k, uint32_t r, int32_t more) {
    uint32_t node = k->c[C_REFUSAL_NODE].u32[r];
    if (node == NO_ROW) return;
    if (more) add_u32(k, C_NODE_REFUSES, node, more);
    touch_node(k, node); /* searches also rank the node by its remembered refusals */
}

/* Sets the values by which the heaps are ordered. No other function sets these values. */
static void set_state(struct columns *k, uint32_t r, uint8_t state, uint32_t count, int64_t until) {
    int was = refusal_keeps_away(k, r);
    heaps_change(k, r, heap_remove);
    set_u8(k, C_REFUSAL_STATE, r, state);
    set_u32(k, C_REFUSAL_COUNT, r, count);
    set_i64(k, C_REFUSAL_UNTIL, r, until);
    heaps_change(k, r, heap_insert);
    node_refuses(k, r, refusal_keeps_away(k, r) - was);
}

/* ---- rows ---- */

uint32_t refusal_find(const struct columns *k, uint32_t of, uint32_t queue, uint32_t shape,
                      uint32_t node) {
    struct index_key key = index_key_refusal(of, queue, shape, node);
    return index_find(k, T_IX_REFUSAL, &key);
}

static uint32_t refusal_head_of(const struct columns *k, uint32_t r) {
    return refusal_find(k, k->c[C_REFUSAL_OF].u8[r], k->c[C_REFUSAL_QUEUE].u32[r],
                        k->c[C_REFUSAL_SHAPE].u32[r], NO_ROW);
}

static const struct row_list refusals_of_node = {C_REFUSAL_NEXT, C_REFUSAL_PREV};

/* column: C_REFUSAL_REASON or C_REFUSAL_WORDS */
static void string_set(struct columns *k, uint32_t column, uint32_t r, uint32_t string) {
    uint32_t old = k->c[column].u32[r];
    if (old == string) return;
    if (string != NO_ROW) intern_hold(k, T_STRING, string);
    set_u32(k, column, r, string);
    if (old != NO_ROW) intern_drop(k, T_STRING, old);
}

static void refusal_row_drop(struct columns *k, uint32_t r) {
    uint32_t queue = k->c[C_REFUSAL_QUEUE].u32[r], shape = k->c[C_REFUSAL_SHAPE].u32[r],
             node = k->c[C_REFUSAL_NODE].u32[r];
    heaps_change(k, r, heap_remove);
    index_remove(k, T_IX_REFUSAL, r);
    string_set(k, C_REFUSAL_REASON, r, NO_ROW);
    string_set(k, C_REFUSAL_WORDS, r, NO_ROW);
    node_refuses(k, r, -refusal_keeps_away(k, r));
    if (node != NO_ROW) row_list_remove(k, refusals_of_node, C_NODE_REFUSAL, node, r);
    add_u32(k, C_QUEUE_REFUSALS, queue, -1);
    row_free(k, T_REFUSAL, r);
    shape_drop(k, shape);
}

/* Removes a head that has no node rows, has COUNT 0 and keeps no tasks away. */
static void head_tidy(struct columns *k, uint32_t head) {
    if (k->c[C_REFUSAL_MEMBERS].u32[head] == 0 && k->c[C_REFUSAL_COUNT].u32[head] == 0 &&
        !refusal_keeps_away(k, head))
        refusal_row_drop(k, head);
}

static void refusal_forget(struct columns *k, uint32_t r) {
    if (k->c[C_REFUSAL_NODE].u32[r] == NO_ROW) {
        set_state(k, r, REFUSAL_ENDED, 0, 0);
        head_tidy(k, r);
        return;
    }
    uint32_t head = refusal_head_of(k, r);
    refusal_row_drop(k, r);
    add_u32(k, C_REFUSAL_MEMBERS, head, -1);
    head_tidy(k, head);
}

/* Wakes all bundles that can be waiting because of the refusal of the shape. A bundle with
 * several causes of its wait is woken, too, because the refusal can be one of the causes. */
static int32_t wake_for_shape(struct columns *k, uint32_t shape) {
    int32_t rc = bundles_wake_shape(k, shape);
    if (rc == LSCHED_OK) rc = bundles_wake_any(k);
    if (rc == LSCHED_OK) rc = bundles_wake_rules(k);
    return rc == LSCHED_OK ? undo_room(k) : rc;
}

/* Wakes the bundles of the tasks that the refusal row kept away. */
static int32_t wake_for(struct columns *k, uint32_t r) {
    uint32_t node = k->c[C_REFUSAL_NODE].u32[r];
    evict_news(k);
    if (k->c[C_REFUSAL_OF].u8[r] == REFUSAL_OF_NOMINATIONS) return undo_room(k);
    if (node == NO_ROW) return wake_for_shape(k, k->c[C_REFUSAL_SHAPE].u32[r]);
    node_grew(k, node);
    return LSCHED_OK;
}

/* Makes room for two more rows of the queue. The queue forgets only its own refusals: first those
 * that have ended, then the one that ends next. The loop terminates, because each head that only
 * counts its node rows has a node row that is forgotten before it. */
static int32_t refusal_make_room(struct columns *k, uint32_t queue) {
    while (k->c[C_QUEUE_REFUSALS].u32[queue] + 2 > LIMIT_REFUSALS_PER_QUEUE) {
        uint32_t r = k->c[C_QUEUE_REFUSAL].u32[queue];
        int32_t rc = undo_room(k);
        steps_add(k, 1);
        if (rc == LSCHED_OK && refusal_keeps_away(k, r)) rc = wake_for(k, r);
        if (rc != LSCHED_OK) return rc;
        refusal_forget(k, r);
    }
    return LSCHED_OK;
}

static uint32_t refusal_row_make(struct columns *k, uint32_t of, uint32_t queue, uint32_t shape,
                                 uint32_t node) {
    if (undo_room(k) != LSCHED_OK || index_reserve(k, T_IX_REFUSAL, 1) != LSCHED_OK) return NO_ROW;
    uint32_t r = row_new(k, T_REFUSAL);
    if (r == NO_ROW) return NO_ROW;
    SET_NONE(k, r, C_REFUSAL_REASON, C_REFUSAL_WORDS, C_REFUSAL_NEXT, C_REFUSAL_PREV,
             C_REFUSAL_HEAP_L, C_REFUSAL_HEAP_R, C_REFUSAL_HEAP_P, C_REFUSAL_QHEAP_L,
             C_REFUSAL_QHEAP_R, C_REFUSAL_QHEAP_P);
    set_u8(k, C_REFUSAL_OF, r, (uint8_t)of);
    set_u32(k, C_REFUSAL_QUEUE, r, queue);
    set_u32(k, C_REFUSAL_SHAPE, r, shape);
    set_u32(k, C_REFUSAL_NODE, r, node);
    intern_hold(k, T_SHAPE, shape);
    index_add(k, T_IX_REFUSAL, r);
    if (node != NO_ROW) row_list_push(k, refusals_of_node, C_NODE_REFUSAL, node, r);
    add_u32(k, C_QUEUE_REFUSALS, queue, 1);
    heaps_change(k, r, heap_insert);
    return r;
}

/* ---- notes ---- */

/* Returns how long the n-th refusal in a row lasts, in microseconds. */
static int64_t refusal_length(uint32_t n) {
    int64_t length = LIMIT_REFUSAL_FIRST_US;
    while (n > 1 && length < LIMIT_REFUSAL_MOST_US) {
        length *= 2;
        n--;
    }
    return length < LIMIT_REFUSAL_MOST_US ? length : LIMIT_REFUSAL_MOST_US;
}

/* One rejected decision. Several rejections count as one refusal (they have the same WAVE) if
 * their decisions were made before the first of them was reported. */
struct note {
    uint32_t of, queue, shape, node, job, reason, words;
    uint32_t avoid; /* LSCHED_AVOID_* */
    int64_t until;  /* 0: the length follows from the number of refusals */
    /* group: decision group of the rejected decision; serial: latest decision group of the
     * cluster */
    uint64_t group, serial;
    int64_t now;
};

static uint64_t refusal_node_word(const struct columns *k, uint32_t node) {
    return (uint64_t)k->c[C_NODE_GEN].u32[node] << 32 | node;
}

static int32_t note_job(struct columns *k, const struct note *n, uint32_t *rejects) {
    uint32_t cost = job_cost(k, n->job);
    if (cost == NO_ROW) return LSCHED_E_NOMEM;
    uint32_t count = k->c[C_COST_REJECTS].u32[cost];
    set_u64(k, C_COST_REJECT_NODE, cost, refusal_node_word(k, n->node));
    if (count == 0 || n->group > k->c[C_COST_REJECT_WAVE].u64[cost]) {
        if (count < UINT32_MAX) count++;
        set_u32(k, C_COST_REJECTS, cost, count);
        set_u64(k, C_COST_REJECT_WAVE, cost, n->serial);
        set_i64(k, C_COST_REJECT_AT, cost, n->now);
        if (count % LIMIT_REFUSAL_NODES == 0)
            set_i64(k, C_COST_REJECT_UNTIL, cost,
                    time_after_at_most(n->now, 2 * refusal_length(count / LIMIT_REFUSAL_NODES)));
    }
    *rejects = count;
    return LSCHED_OK;
}

/* Counts the refusal in the head. counted: 1 if the head's current streak has counted this node
 * already. */
static void note_head(struct columns *k, const struct note *n, uint32_t head, uint32_t rejects,
                      int counted) {
    uint32_t count = k->c[C_REFUSAL_COUNT].u32[head], streak = k->c[C_REFUSAL_STREAK].u32[head];
    if (n->group <= k->c[C_REFUSAL_WAVE].u64[head])
        return; /* this decision was made before the shape was refused everywhere */
    /* Only this job is refused: the orchestrator has confirmed equal jobs. */
    if (rejects > LIMIT_REFUSAL_NODES && count == 0) return;
    if (streak == 0 || k->c[C_REFUSAL_REASON].u32[head] != n->reason) {
        streak = 1;
        set_u64(k, C_REFUSAL_SINCE, head, n->serial);
        string_set(k, C_REFUSAL_REASON, head, n->reason);
    } else if (!counted) {
        streak++;
    }
    set_i64(k, C_REFUSAL_AT, head, n->now);
    set_u64(k, C_REFUSAL_LAST, head, refusal_node_word(k, n->node));
    string_set(k, C_REFUSAL_WORDS, head, n->words);
    if (streak >= LIMIT_REFUSAL_NODES) {
        streak = 0;
        set_u64(k, C_REFUSAL_WAVE, head, n->serial);
        set_state(k, head, REFUSAL_ACTIVE, count + 1,
                  time_after_at_most(n->now, refusal_length(count + 1)));
    } else if (k->c[C_REFUSAL_STATE].u8[head] == REFUSAL_PROBE) {
        /* the refusal ends at the next cycle, which tries another node */
        set_state(k, head, REFUSAL_ACTIVE, count, n->now);
    }
    set_u32(k, C_REFUSAL_STREAK, head, streak);
}

/* Closes all nodes, because the orchestrator says so. */
static void close_everywhere(struct columns *k, const struct note *n, uint32_t head) {
    uint32_t count = k->c[C_REFUSAL_COUNT].u32[head];
    if (n->group > k->c[C_REFUSAL_WAVE].u64[head]) count++;
    set_u64(k, C_REFUSAL_WAVE, head, n->serial);
    set_u64(k, C_REFUSAL_LAST, head, refusal_node_word(k, n->node));
    set_i64(k, C_REFUSAL_AT, head, n->now);
    set_u32(k, C_REFUSAL_STREAK, head, 0);
    string_set(k, C_REFUSAL_REASON, head, n->reason);
    string_set(k, C_REFUSAL_WORDS, head, n->words);
    set_state(k, head, REFUSAL_ACTIVE, count ? count : 1,
              n->until ? n->until : time_after_at_most(n->now, refusal_length(count)));
}

/* An orchestrator that gives the time asks for the refusal itself. */
static void tell_avoided(struct columns *k, const struct note *n, uint32_t r) {
    if (n->until) return;
    change_feed_note_job(k, LSCHED_CHANGE_AVOIDED, n->job, n->node, 0,
                         k->c[C_REFUSAL_UNTIL].i64[r]);
}

static int32_t note_rows(struct columns *k, const struct note *n, uint32_t rejects) {
    uint32_t r = refusal_find(k, n->of, n->queue, n->shape, n->node);
    int32_t rc = r == NO_ROW ? refusal_make_room(k, n->queue) : LSCHED_OK;
    if (rc != LSCHED_OK) return rc;
    uint32_t head = refusal_find(k, n->of, n->queue, n->shape, NO_ROW);
    if (head == NO_ROW) head = refusal_row_make(k, n->of, n->queue, n->shape, NO_ROW);
    if (head == NO_ROW) return LSCHED_E_NOMEM;
    int known = r != NO_ROW;
    if (!known) {
        r = refusal_row_make(k, n->of, n->queue, n->shape, n->node);
        if (r == NO_ROW) return LSCHED_E_NOMEM;
        add_u32(k, C_REFUSAL_MEMBERS, head, 1);
    }
    rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint64_t wave = k->c[C_REFUSAL_WAVE].u64[r], since = k->c[C_REFUSAL_SINCE].u64[head];
    int counted = known && k->c[C_REFUSAL_STREAK].u32[head] && wave >= since &&
                  k->c[C_REFUSAL_REASON].u32[r] == n->reason;
    if (!known || n->group > wave || n->until) {
        uint32_t count = k->c[C_REFUSAL_COUNT].u32[r];
        if (!known || n->group > wave) count++;
        set_u64(k, C_REFUSAL_WAVE, r, n->serial);
        set_i64(k, C_REFUSAL_AT, r, n->now);
        string_set(k, C_REFUSAL_REASON, r, n->reason);
        string_set(k, C_REFUSAL_WORDS, r, n->words);
        set_state(k, r, REFUSAL_ACTIVE, count,
                  n->until ? n->until : time_after_at_most(n->now, refusal_length(count)));
        tell_avoided(k, n, r);
    }
    rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (n->avoid == LSCHED_AVOID_DEFAULT) note_head(k, n, head, rejects, counted);
    if (n->avoid == LSCHED_AVOID_ANYWHERE) close_everywhere(k, n, head);
    return rc;
}

int refusal_counts(const struct columns *k, uint32_t decision) {
    uint32_t kind = k->c[C_DECISION_KIND].u8[decision];
    return kind == LSCHED_DECIDE_PLACE ||
           (kind == LSCHED_DECIDE_NOMINATE && meta(k, M_LEAVING) > 0);
}

/* Returns the domain that a rejection with these terms closes, NO_ROW if there is none. */
static uint32_t terms_domain(const struct columns *k, uint32_t decision,
                             const struct refusal_terms *terms) {
    uint32_t node = k->c[C_TASK_NODE].u32[k->c[C_DECISION_TASK].u32[decision]];
    if (terms->avoid != LSCHED_AVOID_DOMAIN || node == NO_ROW) return NO_ROW;
    return domain_of_node(k, terms->tree, node, terms->level);
}

uint32_t refusal_domain_nodes(const struct columns *k, uint32_t decision,
                              const struct refusal_terms *terms, uint32_t most) {
    uint32_t root = terms_domain(k, decision, terms), n = 0;
    for (uint32_t d = root; d != NO_ROW && n < most; d = domain_next(k, root, d))
        for (uint32_t x = domain_first_node(k, d); x != NO_ROW && n < most;
             x = domain_next_node(k, d, x))
            n++;
    return n;
}

/* Notes the refusal for each node of the domain. */
static int32_t note_domain(struct columns *k, struct note n, uint32_t root) {
    for (uint32_t d = root; d != NO_ROW; d = domain_next(k, root, d))
        for (uint32_t x = domain_first_node(k, d); x != NO_ROW; x = domain_next_node(k, d, x)) {
            n.node = x;
            steps_add(k, 1);
            int32_t rc = note_rows(k, &n, 0);
            if (rc != LSCHED_OK) return rc;
        }
    return LSCHED_OK;
}

/* Interns a text that can be empty: *row is then NO_ROW. */
static int32_t string_hold(struct columns *k, lsched_text t, uint32_t *row) {
    *row = t.len ? string_get(k, t.ptr, (size_t)t.len) : NO_ROW;
    return t.len && *row == NO_ROW ? LSCHED_E_NOMEM : LSCHED_OK;
}

int32_t refusal_note(struct columns *k, uint32_t decision, lsched_text reason) {
    struct refusal_terms none = {0};
    return refusal_note_terms(k, decision, reason, &none);
}

int32_t refusal_note_terms(struct columns *k, uint32_t decision, lsched_text reason,
                           const struct refusal_terms *terms) {
    uint32_t task = k->c[C_DECISION_TASK].u32[decision], rejects = 0,
             domain = terms_domain(k, decision, terms);
    int nominated = k->c[C_DECISION_KIND].u8[decision] == LSCHED_DECIDE_NOMINATE;
    int for_job = !nominated && terms->avoid == LSCHED_AVOID_DEFAULT;
    struct note n = {.of = nominated ? REFUSAL_OF_NOMINATIONS : REFUSAL_OF_PLACES,
                     .job = k->c[C_TASK_JOB].u32[task],
                     .shape = task_shape(k, task),
                     .node = k->c[C_TASK_NODE].u32[task],
                     .avoid = terms->avoid,
                     .until = terms->until,
                     .group = k->c[C_DECISION_GROUP].u64[decision],
                     .serial = meta(k, M_GROUP_SERIAL),
                     .now = (int64_t)meta(k, M_NOW)};
    n.queue = k->c[C_JOB_QUEUE].u32[n.job];
    int32_t rc = undo_room(k);
    if (!nominated) set_meta(k, M_REFUSAL_NEWS, 1);
    if (rc == LSCHED_OK) rc = index_reserve(k, T_IX_REFUSAL, 2);
    if (rc == LSCHED_OK) rc = table_reserve(k, T_REFUSAL, (uint64_t)table_rows(k, T_REFUSAL) + 2);
    if (rc == LSCHED_OK && !nominated && job_cost(k, n.job) == NO_ROW) rc = LSCHED_E_NOMEM;
    if (rc == LSCHED_OK) rc = string_hold(k, reason, &n.reason);
    if (rc == LSCHED_OK) rc = string_hold(k, terms->words, &n.words);
    if (rc != LSCHED_OK) return rc;
    if (for_job) rc = note_job(k, &n, &rejects);
    if (rc == LSCHED_OK)
        rc = domain == NO_ROW ? note_rows(k, &n, rejects) : note_domain(k, n, domain);
    if (n.reason != NO_ROW) intern_drop(k, T_STRING, n.reason);
    if (n.words != NO_ROW) intern_drop(k, T_STRING, n.words);
    return rc;
}

static void taken(struct columns *k, uint32_t of, uint32_t task) {
    int64_t now = (int64_t)meta(k, M_NOW);
    uint32_t queue = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]], shape = task_shape(k, task);
    uint32_t head = refusal_find(k, of, queue, shape, NO_ROW);
    if (head == NO_ROW) return;
    uint32_t r = refusal_find(k, of, queue, shape, k->c[C_TASK_NODE].u32[task]);
    set_u32(k, C_REFUSAL_STREAK, head, 0);
    set_u64(k, C_REFUSAL_WAVE, head, 0); /* a later rejection counts as a new refusal */
    if (r != NO_ROW) set_u64(k, C_REFUSAL_WAVE, r, 0);
    if (refusal_keeps_away(k, head))
        set_state(k, head, REFUSAL_ACTIVE, 0, now);
    else
        set_state(k, head, REFUSAL_ENDED, 0, 0);
    if (r == NO_ROW)
        head_tidy(k, head);
    else if (refusal_keeps_away(k, r))
        set_state(k, r, REFUSAL_ACTIVE, 0, now);
    else
        refusal_forget(k, r);
}

void refusal_confirmed(struct columns *k, uint32_t task) {
    int nominated = k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED;
    if (refusals_any(k)) taken(k, nominated ? REFUSAL_OF_NOMINATIONS : REFUSAL_OF_PLACES, task);
}

static void refusal_job_clear(struct columns *k, uint32_t job);

void refusal_started(struct columns *k, uint32_t task) {
    uint32_t job = k->c[C_TASK_JOB].u32[task], cost = k->c[C_JOB_COST].u32[job];
    if (cost != NO_ROW && k->c[C_COST_REJECTS].u32[cost]) refusal_job_clear(k, job);
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_PROPOSED) refusal_confirmed(k, task);
}

static void probe(struct columns *k, uint32_t of, uint32_t task, uint64_t group, int64_t now) {
    uint32_t head = refusal_find(k, of, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]],
                                 task_shape(k, task), NO_ROW);
    uint32_t count = head == NO_ROW ? 0 : k->c[C_REFUSAL_COUNT].u32[head];
    if (count == 0 || refusal_keeps_away(k, head)) return;
    set_u64(k, C_REFUSAL_PROBE, head, group);
    set_state(k, head, REFUSAL_PROBE, count, time_after_at_most(now, refusal_length(count)));
}

void refusal_probe(struct columns *k, uint32_t task, uint64_t group, int64_t now) {
    if (!refusals_any(k)) return;
    probe(k, REFUSAL_OF_PLACES, task, group, now);
    if (k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED)
        probe(k, REFUSAL_OF_NOMINATIONS, task, group, now);
}

/* ---- refusals of one job ---- */

int64_t refusal_job_until(const struct columns *k, uint32_t job, int64_t now) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t until = cost == NO_ROW ? 0 : k->c[C_COST_REJECT_UNTIL].i64[cost];
    return until > now ? until : 0;
}

int32_t refusal_park(struct columns *k, uint32_t job, int64_t now) {
    int64_t until = refusal_job_until(k, job, now);
    if (until == 0) return 0;
    struct park_reason why = {.code = LSCHED_WAIT_REFUSED, .limiting_queue = NO_ROW};
    why.need = LIMIT_REFUSAL_NODES;
    why.have = k->c[C_COST_REJECTS].u32[k->c[C_JOB_COST].u32[job]];
    int32_t rc = job_park_alone(k, job, until, &why);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Clears the job's own count of refusals, so that the job is tried like equal jobs. */
static void refusal_job_clear(struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job], b = k->c[C_JOB_BUNDLE].u32[job];
    if (cost == NO_ROW) return;
    set_u32(k, C_COST_REJECTS, cost, 0);
    set_u64(k, C_COST_REJECT_WAVE, cost, 0);
    set_u64(k, C_COST_REJECT_NODE, cost, 0);
    set_i64(k, C_COST_REJECT_AT, cost, 0);
    set_i64(k, C_COST_REJECT_UNTIL, cost, 0);
    touch_job(k, job);
    if (b != NO_ROW && k->c[C_BUNDLE_CODE].u8[b] == LSCHED_WAIT_REFUSED) bundle_wake(k, b);
}

void refusal_reset(struct columns *k, uint32_t job) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job];
    refusal_job_clear(k, job);
    if (!refusals_any(k)) return;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            for (uint32_t of = REFUSAL_OF_PLACES; of <= REFUSAL_OF_NOMINATIONS; of++) {
                uint32_t head = refusal_find(k, of, queue, group_alternative(k, row, a), NO_ROW);
                if (refusal_keeps_away(k, head))
                    set_state(k, head, REFUSAL_ACTIVE, 0, (int64_t)meta(k, M_NOW));
            }
        }
    }
}

/* ---- the end of refusals ---- */

int64_t refusals_next(const struct columns *k) {
    uint32_t r = (uint32_t)meta(k, M_REFUSAL_HEAD);
    int64_t until = r == NO_ROW ? LSCHED_NEVER_US : k->c[C_REFUSAL_UNTIL].i64[r];
    return until < LSCHED_AMOUNT_MAX ? until : LSCHED_NEVER_US;
}

int32_t refusals_end(struct columns *k, int64_t now) {
    while (refusals_next(k) <= now) {
        uint32_t r = (uint32_t)meta(k, M_REFUSAL_HEAD);
        int32_t rc = undo_room(k);
        steps_add(k, 1);
        if (rc == LSCHED_OK) rc = wake_for(k, r);
        if (rc != LSCHED_OK) return rc;
        if (k->c[C_REFUSAL_COUNT].u32[r])
            set_state(k, r, REFUSAL_ENDED, k->c[C_REFUSAL_COUNT].u32[r],
                      k->c[C_REFUSAL_UNTIL].i64[r]);
        else
            refusal_forget(k, r);
    }
    return LSCHED_OK;
}

int32_t refusals_sweep(struct columns *k, int64_t now) {
    if (!refusals_any(k)) return LSCHED_OK;
    steps_add(k, table_rows(k, T_QUEUE));
    EACH_LIVE(k, T_QUEUE, q) {
        for (uint32_t r = k->c[C_QUEUE_REFUSAL].u32[q]; r != NO_ROW;
             r = k->c[C_QUEUE_REFUSAL].u32[q]) {
            if (worth(k, r) != 0 ||
                time_after(k->c[C_REFUSAL_UNTIL].i64[r], LIMIT_REFUSAL_MEMORY_US) > now)
                break;
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            refusal_forget(k, r);
        }
    }
    return LSCHED_OK;
}

int32_t refusals_node_changed(struct columns *k, uint32_t node) {
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t r = k->c[C_NODE_REFUSAL].u32[node], next; r != NO_ROW; r = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        next = k->c[C_REFUSAL_NEXT].u32[r];
        steps_add(k, 1);
        uint32_t head = refusal_head_of(k, r);
        if (refusal_keeps_away(k, head))
            set_state(k, head, REFUSAL_ACTIVE, k->c[C_REFUSAL_COUNT].u32[head], now);
        if (refusal_keeps_away(k, r))
            set_state(k, r, REFUSAL_ACTIVE, 0, now);
        else
            refusal_forget(k, r);
    }
    return LSCHED_OK;
}

int32_t refusals_forget_node(struct columns *k, uint32_t node) {
    while (k->c[C_NODE_REFUSAL].u32[node] != NO_ROW) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        refusal_forget(k, k->c[C_NODE_REFUSAL].u32[node]);
    }
    return undo_room(k);
}

int32_t refusals_forget_queue(struct columns *k, uint32_t queue) {
    while (k->c[C_QUEUE_REFUSAL].u32[queue] != NO_ROW) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        /* all rows of the queue are removed, so MEMBERS of the heads need no update */
        refusal_row_drop(k, k->c[C_QUEUE_REFUSAL].u32[queue]);
    }
    return LSCHED_OK;
}

int32_t refusals_move(struct columns *k, int64_t was, int64_t now) {
    EACH_LIVE(k, T_REFUSAL, r) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        int64_t until = k->c[C_REFUSAL_UNTIL].i64[r];
        if (until > now)
            set_state(k, r, k->c[C_REFUSAL_STATE].u8[r], k->c[C_REFUSAL_COUNT].u32[r],
                      until > was ? time_after_at_most(now, until - was) : now);
    }
    return LSCHED_OK;
}
