/* refusal_wait.c -- see refusal_wait.h. */
#include "engine/waits/refusal_wait.h"

#include "engine/state/transaction.h"
#include "model/demand/job_counts.h"
#include "model/jobs/bundle.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"
#include "model/nodes/node_count.h"

static void refusal_wait_diagnose(struct lsched_cycle *cy, const struct ask *a) {
    cy->turn.why.code = LSCHED_WAIT_REFUSED;
    cy->turn.why.group = a->group;
    cy->turn.why.shape = a->shape;
    act_name_scarcest(cy, a->shape);
    cy->turn.why.have = 0;
}

int refusal_wait_is_everywhere(struct lsched_cycle *cy, const struct ask *a) {
    if (!refusal_everywhere(cy->k, a->queue, a->shape, (int)cy->turn.later)) return 0;
    refusal_wait_diagnose(cy, a);
    return 1;
}

/* True if the node could take a task of the shape now, except that the node itself refuses the
 * shape. */
static int only_refuses(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node) {
    return row_is_live(k, T_NODE, node) && k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY &&
           refusal_by_node(k, queue, shape, node, 0) && node_able(k, node, shape) &&
           node_fits(k, node, shape);
}

int refusal_wait_has_room(struct lsched_cycle *cy, const struct ask *a, uint32_t domain) {
    const struct columns *k = cy->k;
    if (!refusal_known(k, a->queue, a->shape, 0)) return 0;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!only_refuses(k, a->queue, a->shape, n) ||
            (domain != NO_ROW && domain_of_node(k, k->c[C_DOMAIN_TOPOLOGY].u32[domain], n,
                                                k->c[C_DOMAIN_LEVEL].u32[domain]) != domain))
            continue;
        refusal_wait_diagnose(cy, a);
        return 1;
    }
    return 0;
}

int refusal_wait_lets_evict(const struct columns *k, uint32_t b) {
    uint32_t row = group_row(k, k->c[C_BUNDLE_SHAPE].u32[b], k->c[C_BUNDLE_GROUP].u32[b]);
    if (k->c[C_BUNDLE_LIST].u8[b] == PARKED_UNTIL) return 0; /* the job is in backoff */
    for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++)
        if (!refusal_everywhere(k, k->c[C_BUNDLE_QUEUE].u32[b], group_alternative(k, row, a), 1))
            return 1;
    return 0;
}

void refusal_wait_commit(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    if (!refusals_any(k)) return;
    for (uint32_t i = cy->turn.fresh_mark; i < cy->decisions.n_fresh; i++) {
        uint32_t d = cy->decisions.fresh[i], kind = k->c[C_DECISION_KIND].u8[d];
        if (kind == LSCHED_DECIDE_PLACE || kind == LSCHED_DECIDE_NOMINATE)
            refusal_probe(cy->k, k->c[C_DECISION_TASK].u32[d], cy->turn.group_serial, cy->now);
    }
}

/* ---- nominations ---- */

static int is_in_vain(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED &&
           refusal_stops_nomination(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]],
                                    task_shape(k, task), k->c[C_TASK_NODE].u32[task]);
}

int32_t refusal_wait_nominations(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || !meta(k, M_REFUSAL_NEWS)) return rc;
    set_meta(k, M_REFUSAL_NEWS, 0);
    if (!meta(k, M_NOMINATED)) return LSCHED_OK;
    steps_add(k, table_rows(k, T_TASK));
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t) || !is_in_vain(k, t)) continue;
        rc = withdraw_decision(cy, t, LSCHED_BECAUSE_REFUSAL);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_meta(k, M_CLAIM_LOST, 1);
    }
    return LSCHED_OK;
}

/* ---- what keeps a job waiting ---- */

static uint32_t node_of_word(const struct columns *k, uint64_t word) {
    uint32_t node = (uint32_t)word;
    return word && row_is_live(k, T_NODE, node) && k->c[C_NODE_GEN].u32[node] == word >> 32
               ? node
               : NO_ROW;
}

/* True if the refusal in `row` ends before the refusal in *best. If both end at the same time, the
 * refusal of the node with the earlier name counts as first. */
static int ends_first(const struct columns *k, uint32_t row, uint32_t node,
                      const struct refusal_wait *best) {
    int64_t until = k->c[C_REFUSAL_UNTIL].i64[row];
    if (best->by == REFUSAL_WAIT_NONE || until != best->until)
        return best->by == REFUSAL_WAIT_NONE || until < best->until;
    return text_compare(k, k->c[C_NODE_NAME].u32[node], k->c[C_NODE_NAME].u32[best->node]) < 0;
}

static const struct refusal_wait no_refusal = {REFUSAL_WAIT_NONE, NO_ROW, NO_ROW, 0, 0,
                                               LSCHED_NEVER_US};

/* Describes the refusal in `row`. nodes: number of nodes that refused; node: the node that refused
 * last. */
static struct refusal_wait refusal_in(const struct columns *k, uint32_t row, enum refusal_by by,
                                      uint32_t node, uint32_t nodes) {
    return (struct refusal_wait){
        by, row, node, nodes, k->c[C_REFUSAL_AT].i64[row], k->c[C_REFUSAL_UNTIL].i64[row]};
}

static struct refusal_wait look_at_nodes(const struct columns *k, uint32_t queue, uint32_t shape) {
    struct refusal_wait r = no_refusal;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!only_refuses(k, queue, shape, n)) continue;
        uint32_t row = refusal_find(k, REFUSAL_OF_PLACES, queue, shape, n), nodes = r.nodes + 1;
        if (ends_first(k, row, n, &r)) r = refusal_in(k, row, REFUSAL_WAIT_NODE, n, 0);
        r.nodes = nodes;
    }
    return r;
}

static struct refusal_wait by_head(const struct columns *k, uint32_t head) {
    return refusal_in(k, head, REFUSAL_WAIT_SHAPE, node_of_word(k, k->c[C_REFUSAL_LAST].u64[head]),
                      k->c[C_REFUSAL_MEMBERS].u32[head]);
}

static struct refusal_wait look_at_shape(const struct columns *k, uint32_t queue, uint32_t shape) {
    uint32_t head = refusal_find(k, REFUSAL_OF_PLACES, queue, shape, NO_ROW);
    if (head == NO_ROW) return no_refusal;
    return refusal_keeps_away(k, head) ? by_head(k, head) : look_at_nodes(k, queue, shape);
}

static void keep_first(struct refusal_wait *best, struct refusal_wait r) {
    if (r.by != REFUSAL_WAIT_NONE && (best->by == REFUSAL_WAIT_NONE || r.until < best->until))
        *best = r;
}

struct refusal_wait refusal_wait_of(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], cost = k->c[C_JOB_COST].u32[job],
             grow = group_row(k, k->c[C_JOB_SHAPE].u32[job], group);
    struct refusal_wait best = no_refusal;
    int64_t until = refusal_job_until(k, job, (int64_t)meta(k, M_NOW));
    if (until) {
        uint32_t node = node_of_word(k, k->c[C_COST_REJECT_NODE].u64[cost]);
        uint32_t row = node == NO_ROW ? NO_ROW
                                      : refusal_find(k, REFUSAL_OF_PLACES, queue,
                                                     leaf_shape(k, job, group), node);
        return (struct refusal_wait){REFUSAL_WAIT_JOB,
                                     row,
                                     node,
                                     k->c[C_COST_REJECTS].u32[cost],
                                     k->c[C_COST_REJECT_AT].i64[cost],
                                     until};
    }
    for (uint32_t a = 0; refusals_any(k) && a < k->c[C_GROUP_N_ALTERNATIVES].u32[grow]; a++) {
        keep_first(&best, look_at_shape(k, queue, group_alternative(k, grow, a)));
    }
    return best;
}

/* Several refusals can keep tasks of the shape from a nomination on the node. Returns the time at
 * which the last of these refusals ends; 0 if there is none. */
static int64_t nominations_from(const struct columns *k, uint32_t queue, uint32_t shape,
                                uint32_t node) {
    int64_t until = 0;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= REFUSAL_OF_NOMINATIONS; of++) {
        uint32_t rows[] = {refusal_find(k, of, queue, shape, node),
                           refusal_find(k, of, queue, shape, NO_ROW)};
        for (int i = 0; i < 2; i++)
            if (refusal_keeps_away(k, rows[i]) && k->c[C_REFUSAL_UNTIL].i64[rows[i]] > until)
                until = k->c[C_REFUSAL_UNTIL].i64[rows[i]];
    }
    return until;
}

int64_t refusal_wait_move_until(struct lsched_cycle *cy, uint32_t releasing) {
    const struct columns *k = cy->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[releasing]],
             shape = task_shape(k, releasing);
    int64_t until = LSCHED_NEVER_US;
    if (!refusal_known(k, queue, shape, 1)) return until;
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && !cy->spend.stop; n++) {
        act_spend(cy, 1);
        steps_add(k, 1);
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY ||
            !node_able(k, n, shape) || !node_fits_later(k, n, shape))
            continue;
        int64_t from = nominations_from(k, queue, shape, n);
        if (from && from < until) until = from;
    }
    return until;
}

/* Finds the refusal that keeps tasks of the shape from a nomination, and writes it to *best. A
 * refusal everywhere counts before a refusal of a single node that could hold a task of the shape.
 * Of several such refusals, the function takes the one that ends first. */
static void look_at_nominations(const struct columns *k, uint32_t queue, uint32_t shape,
                                struct refusal_wait *best) {
    if (!refusal_known(k, queue, shape, 1)) return;
    for (uint32_t of = REFUSAL_OF_PLACES; of <= REFUSAL_OF_NOMINATIONS; of++) {
        uint32_t head = refusal_find(k, of, queue, shape, NO_ROW);
        if (refusal_keeps_away(k, head)) keep_first(best, by_head(k, head));
    }
    if (best->by != REFUSAL_WAIT_NONE) return;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || !refusal_by_node(k, queue, shape, n, 1) ||
            !node_able(k, n, shape))
            continue;
        for (uint32_t of = REFUSAL_OF_PLACES; of <= REFUSAL_OF_NOMINATIONS; of++) {
            uint32_t row = refusal_find(k, of, queue, shape, n);
            if (!refusal_keeps_away(k, row) || !ends_first(k, row, n, best)) continue;
            *best = refusal_in(k, row, REFUSAL_WAIT_NODE, n, 1);
        }
    }
}

struct refusal_wait refusal_wait_of_nominations(const struct columns *k, uint32_t job) {
    struct refusal_wait best = no_refusal;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t g = 0; refusals_any(k) && g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            struct refusal_wait r = no_refusal;
            look_at_nominations(k, queue, group_alternative(k, row, a), &r);
            keep_first(&best, r);
        }
    }
    return best;
}

/* True if `tasks` tasks of the shape fit when all releasing tasks are gone, and the tasks cannot
 * be nominated for that room because nominations are refused: at least one node that refuses
 * nominations has room for a task. */
static int fits_when_gone(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t tasks) {
    uint32_t seats = 0, n = table_rows(k, T_NODE);
    int refuses = 0, leaves = 0;
    if (refusal_find(k, REFUSAL_OF_NOMINATIONS, queue, shape, NO_ROW) == NO_ROW) return 0;
    steps_add(k, n);
    for (uint32_t node = 0; node < n; node++) {
        if (!row_is_live(k, T_NODE, node) || k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY ||
            refusal_by_node(k, queue, shape, node, 0) || !node_able(k, node, shape))
            continue;
        uint32_t later = node_count_above(k, node, shape, DEVICE_LATER);
        seats = later < tasks - seats ? seats + later : tasks;
        refuses |= later > 0 && refusal_by_node(k, queue, shape, node, 1);
        leaves |= later > node_count_above(k, node, shape, DEVICE_NOW);
    }
    return refuses && leaves && seats >= tasks;
}

int refusal_wait_room_comes(const struct columns *k, uint32_t job) {
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job];
    int grows = job_satisfied(k, job), comes = 0;
    if (!refusals_any(k)) return 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++) {
        uint32_t row = group_row(k, shape, g), held, min = k->c[C_GROUP_MIN].u32[row];
        if (k->c[C_GROUP_CHILDREN].u32[row]) continue;
        held = job_leaf_held(k, job, g);
        uint32_t lacks = grows ? held < group_members(k, row) : min > held ? min - held : 0;
        if (lacks == 0) continue;
        int enough = fits_when_gone(k, queue, leaf_shape(k, job, g), lacks);
        if (!enough && !grows) return 0;
        comes |= enough;
    }
    return comes;
}

static void refusal_wait_end(const struct columns *k, const struct refusal_wait *r,
                             lsched_waiting *w) {
    w->until_us = r->until < LSCHED_AMOUNT_MAX ? r->until : LSCHED_NEVER_US;
    w->near_node = r->node == NO_ROW ? 0 : id_make(k, LSCHED_KIND_NODE, r->node);
}

/* Fills the record if only nominations are refused, and returns 1. The job then waits for room,
 * and nothing is evicted for it. Returns 0 if no nomination is refused. */
static int tell_nominations(const struct columns *k, lsched_waiting *w) {
    struct refusal_wait r = refusal_wait_of_nominations(k, (uint32_t)w->job);
    if (r.by == REFUSAL_WAIT_NONE) return 0;
    w->code = LSCHED_WAIT_ROOM;
    w->evict_code = LSCHED_NO_VICTIM_REFUSED;
    refusal_wait_end(k, &r, w);
    return 1;
}

void refusal_wait_tell(const struct columns *k, lsched_waiting *w) {
    struct refusal_wait r = refusal_wait_of(k, (uint32_t)w->job, w->task_group);
    if (r.by == REFUSAL_WAIT_NONE && tell_nominations(k, w)) return;
    refusal_wait_end(k, &r, w);
    w->have = r.nodes;
    w->need = LIMIT_REFUSAL_NODES;
}

/* Writes the time of the next try. A refusal without an end lasts until the node changes. */
static void put_until(struct text_out *o, int64_t until, int64_t now) {
    if (until < LSCHED_AMOUNT_MAX)
        put_time(o, until, now);
    else
        text_put(o, " when the node changes");
}

/* Writes ", n3 the last 2 min ago, class 'x'". */
static void put_last(const struct columns *k, const struct refusal_wait *r, const char *which,
                     int64_t now, struct text_out *o) {
    if (r->node != NO_ROW) {
        text_put(o, ", ");
        put_name(k, o, k->c[C_NODE_NAME].u32[r->node]);
        text_put(o, "%s", which);
    }
    text_put(o, " ");
    put_span(o, now > r->at ? now - r->at : 0);
    text_put(o, " ago");
    uint32_t reason = r->row == NO_ROW ? NO_ROW : k->c[C_REFUSAL_REASON].u32[r->row],
             words = r->row == NO_ROW ? NO_ROW : k->c[C_REFUSAL_WORDS].u32[r->row];
    if (reason != NO_ROW) {
        text_put(o, ", class '");
        put_name(k, o, intern_text(k, T_STRING, reason));
        text_put(o, "'");
    }
    if (words == NO_ROW) return;
    text_put(o, ": ");
    put_name(k, o, intern_text(k, T_STRING, words));
}

void refusal_wait_put(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct refusal_wait r = refusal_wait_of(k, (uint32_t)w->job, w->task_group);
    int probe = r.by == REFUSAL_WAIT_SHAPE && k->c[C_REFUSAL_STATE].u8[r.row] == REFUSAL_PROBE;
    if (r.by == REFUSAL_WAIT_NODE) {
        text_put(o, "node ");
        put_name(k, o, k->c[C_NODE_NAME].u32[r.node]);
        text_put(o, " has room, but the orchestrator refused such a task there");
        r.node = NO_ROW; /* the node is already in the text */
        put_last(k, &r, "", now, o);
        if (r.nodes > 1) text_put(o, ", and %u more do", r.nodes - 1);
        text_put(o, "; it is tried there again");
    } else if (r.by == REFUSAL_WAIT_SHAPE) {
        text_put(o, "%s refused such tasks%s", counted(r.nodes, "node").text,
                 r.nodes == 1 ? "" : " one after another");
        put_last(k, &r, " the last", now, o);
        text_put(
            o, probe
                   ? "; one such task is tried first, and the others when that one is accepted, or"
                   : "; such tasks are tried again");
    } else {
        text_put(o, "refused %s%s", counted(r.nodes, "time").text, r.nodes == 1 ? "" : " in a row");
        put_last(k, &r, " the last", now, o);
        text_put(o, "; it is tried again");
    }
    put_until(o, r.until, now);
}

void refusal_wait_put_nominations(const struct columns *k, const lsched_waiting *w,
                                  struct text_out *o) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct refusal_wait r = refusal_wait_of_nominations(k, (uint32_t)w->job);
    int nominated = r.row != NO_ROW && k->c[C_REFUSAL_OF].u8[r.row] == REFUSAL_OF_NOMINATIONS;
    int probe = r.by == REFUSAL_WAIT_SHAPE && k->c[C_REFUSAL_STATE].u8[r.row] == REFUSAL_PROBE;
    const char *what = nominated ? "nominations for room that comes free" : "such tasks";
    /* the refusals have ended since the search */
    if (r.by != REFUSAL_WAIT_SHAPE && !nominated && r.node == NO_ROW) {
        text_put(o, "nodes refused such tasks until now; the next cycle can stop work for it");
        return;
    }
    if (r.by == REFUSAL_WAIT_SHAPE) {
        text_put(o, "no work is stopped for it, because %u node%s refused %s", r.nodes,
                 r.nodes == 1 ? "" : "s", what);
        put_last(k, &r, " the last", now, o);
    } else if (nominated && refusal_wait_room_comes(k, (uint32_t)w->job)) {
        text_put(o, "no other work is stopped for it, because enough room comes free where its "
                    "nominations were refused");
        put_last(k, &r, "", now, o);
    } else {
        text_put(o, "no work is stopped for it on node ");
        put_name(k, o, k->c[C_NODE_NAME].u32[r.node]);
        text_put(o, ", which refused %s", what);
        r.node = NO_ROW; /* the node is already in the text */
        put_last(k, &r, "", now, o);
    }
    text_put(o, probe ? "; another task is tried first, and this one when the orchestrator accepts "
                        "that one, or"
                      : "; that is tried again");
    put_until(o, r.until, now);
}
