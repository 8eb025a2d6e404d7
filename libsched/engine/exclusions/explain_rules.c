/*
 * explain_rules.c -- see explain_rules.h. Cost: O(nodes); the text about affinity rules of other
 * jobs also reads all jobs, and the nodes of the places that the tasks of those with such rules
 * keep, for a place once for each run of tasks there.
 */
#include "engine/exclusions/explain_rules.h"

#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "engine/state/cycle_state.h"

/* ---- nodes ---- */

enum { TAINTS_COUNTED = 16 };

struct unwelcome {
    uint32_t tainted, unwanted, full, n;
    lsched_taint taint[TAINTS_COUNTED];
    uint32_t nodes[TAINTS_COUNTED];
};

static void count_taint(struct unwelcome *u, const lsched_taint *t) {
    uint32_t i = 0;
    u->tainted++;
    while (i < u->n &&
           (text_order(u->taint[i].key, t->key) || text_order(u->taint[i].value, t->value)))
        i++;
    if (i == TAINTS_COUNTED) return;
    if (i == u->n) {
        u->taint[u->n] = *t;
        u->nodes[u->n++] = 0;
    }
    u->nodes[i]++;
}

static struct unwelcome explain_rules_look_at_all(const struct columns *k, uint32_t shape) {
    struct unwelcome u = {.n = 0};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        lsched_taint taint;
        if (!row_is_live(k, T_NODE, n)) continue;
        int why = rules_judge(k, n, shape, &taint);
        uint32_t most = k->c[C_CLASS_TASKS_MAX].u32[k->c[C_NODE_CLASS].u32[n]];
        if (why == RULES_TAINTED) count_taint(&u, &taint);
        u.unwanted += why == RULES_UNWANTED;
        u.full += why == RULES_ALLOW && most && k->c[C_NODE_TASKS].u32[n] >= most &&
                  k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY && node_able(k, n, shape);
    }
    return u;
}

static uint32_t commonest(const struct unwelcome *u) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < u->n; i++) {
        int c = text_order(u->taint[i].key, u->taint[best].key);
        if (c == 0) c = text_order(u->taint[i].value, u->taint[best].value);
        if (u->nodes[i] > u->nodes[best] || (u->nodes[i] == u->nodes[best] && c < 0)) best = i;
    }
    return best;
}

/* Writes the commonest taint, and how many nodes or devices carry others. */
static void put_taint(const struct unwelcome *u, struct text_out *o) {
    uint32_t most = commonest(u), others = u->tainted - u->nodes[most];
    text_put(o, " taint %s", shown(u->taint[most].key).text);
    if (u->taint[most].value.len) text_put(o, "=%s", shown(u->taint[most].value).text);
    text_put(o, " that it does not tolerate");
    if (others) text_put(o, ", %u more carr%s others", others, others == 1 ? "ies" : "y");
}

void explain_rules_put_tainted_devices(const struct columns *k, uint32_t shape,
                                       struct text_out *o) {
    struct unwelcome u = {.n = 0};
    uint32_t only = NO_ROW, nodes = 0, asked = k->c[C_SHAPE_DEVICES].u32[shape];
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && asked; n++) {
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_TAINTED].u8[n] == 0) continue;
        uint32_t before = u.tainted, first = k->c[C_NODE_DEVICE_FIRST].u32[n];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[n]; i++) {
            lsched_taint taint;
            if (rules_taints_judge(k, device_taints_row(k, first + i), shape, &taint))
                count_taint(&u, &taint);
        }
        if (u.tainted == before) continue;
        only = n;
        nodes++;
    }
    if (u.tainted == 0) return;
    uint32_t most = u.nodes[commonest(&u)];
    text_put(o, "; %u", most);
    if (nodes == 1) text_put(o, " of %u", k->c[C_NODE_N_DEVICES].u8[only]);
    text_put(o, " device%s", nodes == 1 || most != 1 ? "s" : "");
    if (nodes == 1) text_put(o, " of %s", shown_name(k, k->c[C_NODE_NAME].u32[only]).text);
    text_put(o, most == 1 ? " carries" : " carry");
    put_taint(&u, o);
}

void explain_rules_put_unwelcome(const struct columns *k, uint32_t shape, struct text_out *o) {
    if (!k->c[C_SHAPE_RULES].u8[shape] && table_live(k, T_TAINTS) == 0 && !rules_bound_tasks(k))
        return;
    struct unwelcome u = explain_rules_look_at_all(k, shape);
    if (u.tainted) {
        uint32_t nodes = u.nodes[commonest(&u)];
        text_put(o, "; %u node%s", nodes, nodes == 1 ? " carries" : "s carry");
        put_taint(&u, o);
    }
    explain_rules_put_tainted_devices(k, shape, o);
    if (u.unwanted)
        text_put(o, "; %u node%s not allowed by its required terms", u.unwanted,
                 u.unwanted == 1 ? " is" : "s are");
    if (u.full)
        text_put(o, "; %u node%s as many tasks at a time as %s may", u.full,
                 u.full == 1 ? " holds" : "s hold", u.full == 1 ? "it" : "they");
}

/* ---- affinity rules about jobs ---- */

static void put_labels(struct reader r, struct text_out *o) {
    uint32_t n = reader_u32(&r);
    if (n == 0) text_put(o, "any labels");
    for (uint32_t i = 0; i < n; i++) {
        lsched_text key = reader_text(&r), value = reader_text(&r);
        text_put(o, "%s%s=%s", i ? ", " : "", shown(key).text, shown(value).text);
    }
}

/* True if the node has room for a task of the shape now. */
static int takes_now(const struct columns *k, uint32_t node, uint32_t shape) {
    return row_is_live(k, T_NODE, node) && k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY &&
           node_able(k, node, shape) && node_fits(k, node, shape);
}

/* Writes how many nodes with room are in no domain of the level: a task that wants a domain for
 * itself does not go there. */
static void put_outside(const struct columns *k, const struct job_term *t, uint32_t shape,
                        struct text_out *o) {
    uint32_t n = 0;
    for (uint32_t i = 0; t->level != NO_ROW && i < table_rows(k, T_NODE); i++)
        n += takes_now(k, i, shape) && domain_of_node(k, t->topology, i, t->level) == NO_ROW;
    if (n)
        text_put(o, ", and %u node%s with room %s in no %s", n, n == 1 ? "" : "s",
                 n == 1 ? "is" : "are", shown(topology_level_key(k, t->topology, t->level)).text);
}

static void put_term(const struct columns *k, const struct job_term *t, uint32_t shape,
                     struct text_out *o) {
    lsched_text level = {"node", 4};
    if (t->level != NO_ROW) level = topology_level_key(k, t->topology, t->level);
    if (t->apart == RULE_EXCLUSIVE) {
        text_put(o, "only to a %s without tasks of other jobs", shown(level).text);
        put_outside(k, t, shape, o);
        return;
    }
    text_put(o, t->apart ? "apart from jobs with " : "near a job with ");
    put_labels(t->labels, o);
    text_put(o, " (%s %s)", t->apart ? "another" : "in one", shown(level).text);
}

/* A job whose required anti-affinity rules exclude the waiting job, and how: RULE_APART or
 * RULE_EXCLUSIVE. in_way: 1 if one of the places that it keeps has room for a task. */
struct apart_keeper {
    uint32_t job, apart;
    int in_way;
};

/* True if a node of the place that the task keeps by the rule has room for a task of the shape. */
static int keeps_room(const struct columns *k, const struct job_term *t, uint32_t task,
                      uint32_t shape) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (node == NO_ROW || t->level == NO_ROW) return node != NO_ROW && takes_now(k, node, shape);
    uint32_t root = domain_of_node(k, t->topology, node, t->level);
    for (uint32_t d = root; d != NO_ROW; d = domain_next(k, root, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW; n = domain_next_node(k, d, n))
            if (takes_now(k, n, shape)) return 1;
    return 0;
}

/* True if one of the tasks of the leaf keeps a place with room by the rule. Tasks that are one
 * after the other in one place are one question. */
static int leaf_keeps_room(const struct columns *k, const struct job_term *t, uint32_t leaf,
                           uint32_t shape) {
    uint32_t asked = NO_ROW;
    for (uint32_t i = k->c[C_LEAF_TASK_FIRST].u32[leaf]; i != NO_ROW;
         i = k->c[C_TASK_NEXT].u32[i]) {
        uint32_t place = k->c[C_TASK_NODE].u32[i];
        if (place != NO_ROW && t->level != NO_ROW)
            place = domain_of_node(k, t->topology, place, t->level);
        if (place == NO_ROW || place == asked) continue;
        if (keeps_room(k, t, i, shape)) return 1;
        asked = place;
    }
    return 0;
}

/* Fills `apart` and `in_way` for the rules of the keeper's placed tasks against a job with these
 * labels. apart: 0 if none of the rules excludes it. */
static void look_at_keeper(const struct columns *k, struct apart_keeper *of, struct reader labels,
                           uint32_t shape) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[of->job]; l != NO_ROW && !of->in_way;
         l = k->c[C_LEAF_NEXT].u32[l]) {
        struct reader at = {NULL, NULL, 0};
        uint32_t left = 0, other = leaf_shape(k, of->job, k->c[C_LEAF_GROUP].u32[l]);
        struct job_term t;
        while (k->c[C_LEAF_PLACED].u32[l] && !of->in_way &&
               rules_next_term(k, other, &at, &left, &t)) {
            if (!t.apart || t.weight || !rules_labels_within(t.labels, labels)) continue;
            of->in_way = leaf_keeps_room(k, &t, l, shape);
            if (of->in_way || !of->apart) of->apart = t.apart;
        }
    }
}

/* Returns the job whose anti-affinity rules keep the job off a place with room; if none does, one
 * whose rules exclude it; of several jobs, the first by name. Its job is NO_ROW if there is none.
 */
static struct apart_keeper who_keeps_apart(const struct columns *k, uint32_t job, uint32_t shape) {
    struct apart_keeper best = {.job = NO_ROW};
    for (uint32_t j = 0; meta(k, M_APART) && j < table_rows(k, T_JOB); j++) {
        struct apart_keeper it = {.job = j};
        if (!row_is_live(k, T_JOB, j) || j == job) continue;
        look_at_keeper(k, &it, rules_labels_of(k, job), shape);
        if (it.apart == 0 || it.in_way < best.in_way) continue;
        if (it.in_way > best.in_way || name_before(k, C_JOB_NAME, j, best.job)) best = it;
    }
    return best;
}

/* Writes advice for a gang that requires affinity to its own labels. The first task of such a gang
 * can be placed in a domain where the other tasks find no room. */
static void put_own(const struct columns *k, const struct job_term *t, struct text_out *o) {
    lsched_text level = topology_level_key(k, t->topology, t->level);
    text_put(o,
             "; its own tasks are placed one after the other: to keep all of them in one %s ask "
             "for a required topology level",
             shown(level).text);
}

void explain_rules_put_neighbours(const struct columns *k, const lsched_waiting *w,
                                  struct text_out *o) {
    uint32_t job = (uint32_t)w->job, shape = waiting_shape(k, w), left, n = 0;
    struct reader at = {NULL, NULL, 0};
    struct reader labels = rules_labels_of(k, job);
    struct job_term t, own = {.level = NO_ROW};
    if (w->need > 1)
        text_put(o, "%" PRId64 " of the %" PRId64 " members that are needed find a place; ",
                 w->have, w->need);
    text_put(o, "there is room only on nodes that terms about jobs do not allow");
    while (rules_next_term(k, shape, &at, &left, &t)) {
        if (t.weight) continue;
        text_put(o, n++ ? ", " : ": it goes ");
        put_term(k, &t, shape, o);
        if (!t.apart && t.level != NO_ROW && rules_labels_within(t.labels, labels)) own = t;
    }
    if (own.level != NO_ROW && w->need > 1) put_own(k, &own, o);
    struct apart_keeper other = who_keeps_apart(k, job, shape);
    if (other.job == NO_ROW) return;
    text_put(o, n ? "; " : ": ");
    text_put(o,
             other.apart == RULE_EXCLUSIVE ? "%s shares its place with no other job"
                                           : "%s keeps apart from it",
             shown_job(k, other.job).text);
}

/* ---- tasks that must leave their node ---- */

void explain_rules_must_leave(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t n = 0;
    int64_t first = LSCHED_NEVER_US;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[e->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            int placed = meta(k, M_STOPPERS) && task_placed(k->c[C_TASK_STATE].u8[t]);
            int64_t at = placed ? rules_task_gone_by(k, t) : LSCHED_NEVER_US;
            n += at != LSCHED_NEVER_US;
            if (at < first) first = at;
        }
    if (n == 0) return;
    PUT_LINE(e->o, "leaves",
             "%u task%s on a node that drains, or on a node or device with a taint that stops %s; ",
             n, n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
    if (!pipeline_has(e->c, "drain")) {
        text_put(e->o, "the policy has no action \"drain\": it stays\n");
        return;
    }
    if (first <= e->now)
        text_put(e->o, "it goes as soon as it may be disturbed\n");
    else
        text_put(e->o, "it may stay until %s\n", shown_moment(first, e->now).text);
}
