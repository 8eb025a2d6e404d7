/* unused_kinds.c -- see unused_kinds.h. */
#include "engine/explain/unused_kinds.h"

#include "base/padded_names.h"
#include "engine/exclusions/explain_subject.h"
#include "engine/explain/near_word.h"
#include "model/shapes/shape_part.h"

/* Names of a table, and what the cluster has of them. */
struct uses {
    const char *table;
    struct padded_names names;
    uint32_t used; /* one bit for each name that something has */
    uint32_t any;  /* 1 if something has a name at all */
};

/* Visits names that the cluster has: notes them in `uses` or, if `near` is not NULL, offers those
 * that the table lacks. */
static void unused_kinds_meet(struct uses *u, struct near_word *near, lsched_text name) {
    uint32_t known = padded_find(&u->names, name);
    if (name.len == 0) return;
    u->any = 1;
    if (known) u->used |= 1u << (known - 1);
    if (near && !known) near_word_offer(near, name);
}

static void meet_models(const struct columns *k, struct uses *u, struct near_word *near) {
    uint32_t latest = NO_ROW;
    EACH_LIVE(k, T_NODE, node) {
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
            uint32_t model = k->c[C_DEVICE_MODEL].u32[first + i];
            if (model != latest)
                unused_kinds_meet(u, near, text_of(k, intern_text(k, T_STRING, model)));
            latest = model;
        }
    }
}

static void meet_kinds(const struct columns *k, struct uses *u, struct near_word *near) {
    EACH_LIVE(k, T_JOB, job) {
        u->any = 1;
        break;
    }
    EACH_LIVE(k, T_SHAPE, shape) {
        struct reader part;
        if (shape_part(k, shape, SHAPE_PART_WORK, &part))
            unused_kinds_meet(u, near, reader_text(&part));
    }
}

/* Writes which of the names nothing has. meet: visits the names that the cluster has; is: what the
 * names are, who lacks them, and what to do. */
static void put_unused(const struct columns *k, struct uses *u, struct text_out *o,
                       void (*meet)(const struct columns *, struct uses *, struct near_word *),
                       const char *const is[3]) {
    struct near_word near = {.rank = 0};
    uint32_t n = 0, first = 0;
    meet(k, u, NULL);
    for (uint32_t i = u->any ? u->names.n : 0; i-- > 0;) {
        if (u->used >> i & 1) continue;
        first = i;
        n++;
    }
    if (n == 0) return;
    near.want = padded_text(&u->names, first);
    meet(k, u, &near);
    text_put(o, "%s names the %s '%s'", u->table, is[0], shown(near.want).text);
    if (n > 1) text_put(o, " and %u more", n - 1);
    text_put(o, ", which %s", is[1]);
    if (near.rank) text_put(o, " (there is '%s')", shown(near.best).text);
    text_put(o, ": %s\n", is[2]);
}

static void put_kinds(const struct columns *k, const char *table, struct padded_names names,
                      uint32_t others, struct text_out *o) {
    static const char *const is[] = {"kind of work", "no job names",
                                     "write kinds as work_kind of the jobs does"};
    struct uses u = {table, names, others ? 1u << (others - 1) : 0, 0};
    put_unused(k, &u, o, meet_kinds, is);
}

/* Offers the kinds of a table. */
static void offer_kinds(struct near_word *near, const struct padded_names *names) {
    for (uint32_t i = 0; i < names->n; i++) near_word_offer(near, padded_text(names, i));
}

/* Writes which kind of work a job names and neither table has: the first one by its bytes. */
static void put_unknown_kind(const struct columns *k, struct padded_names slow,
                             struct padded_names speeds, struct text_out *o) {
    lsched_text first = {0};
    EACH_LIVE(k, T_SHAPE, shape) {
        struct reader part;
        if (!shape_part(k, shape, SHAPE_PART_WORK, &part)) continue;
        lsched_text kind = reader_text(&part);
        if (kind.len == 0 || padded_find(&slow, kind) || padded_find(&speeds, kind)) continue;
        if (first.len == 0 || text_order(kind, first) < 0) first = kind;
    }
    if (first.len == 0) return;
    struct near_word near = {.want = first};
    offer_kinds(&near, &slow);
    offer_kinds(&near, &speeds);
    text_put(o, "a job names the kind of work '%s', which no table of the policy has",
             shown(first).text);
    if (near.rank) text_put(o, " (there is '%s')", shown(near.best).text);
    text_put(o, ": its tasks count as those that name no kind\n");
}

static void put_prices(const struct columns *k, struct text_out *o) {
    uint32_t priced = 0, bare = 0, first = NO_ROW;
    EACH_LIVE(k, T_NODE, node) {
        if (k->c[C_NODE_N_DEVICES].u8[node] == 0) continue;
        priced += k->c[C_NODE_PRICE].i64[node] > 0;
        if (k->c[C_NODE_PRICE].i64[node] > 0) continue;
        if (bare++ == 0 || name_before(k, C_NODE_NAME, node, first)) first = node;
    }
    if (bare == 0) return;
    if (priced == 0) {
        text_put(o,
                 "speeds.prefer is 'price', and no node with devices has a price, so that speeds "
                 "alone count: state the prices, or write prefer = \"speed\"\n");
        return;
    }
    uint32_t model = k->c[C_DEVICE_MODEL].u32[k->c[C_NODE_DEVICE_FIRST].u32[first]];
    lsched_text name = text_of(k, intern_text(k, T_STRING, model));
    text_put(o, "speeds.prefer is 'price', and %s with devices %s no price, such as '%s'",
             counted(bare, "node").text, bare == 1 ? "has" : "have", shown_node(k, first).text);
    if (name.len) text_put(o, " with devices of '%s'", shown(name).text);
    text_put(o, ", so that %s before the %s with one: state the price of each node\n",
             bare == 1 ? "it comes" : "they come", counted(priced, "node").text);
}

void unused_kinds_report(const struct lsched_cluster *c, struct text_out *o) {
    static const char *const models[] = {
        "model", "no node has",
        "write models as the nodes do; a device whose model has no number counts as 1.0"};
    const struct policy *p = &c->policy.policy;
    const struct speed_table *speeds = &p->desc.speeds;
    const struct contention_table *slow = &p->desc.contention;
    if (!p->ops) return;
    struct padded_names slow_names = PADDED_NAMES(slow->name, slow->n);
    struct padded_names speed_names = PADDED_NAMES(speeds->name, speeds->n);
    put_kinds(&c->k, "contention.slowdown", slow_names, slow->others, o);
    put_kinds(&c->k, "speeds.speed", speed_names, speeds->others, o);
    if (slow->n + speeds->n > 0) put_unknown_kind(&c->k, slow_names, speed_names, o);
    struct uses u = {"speeds.speed", PADDED_NAMES(speeds->model, speeds->n_models), 0, 0};
    put_unused(&c->k, &u, o, meet_models, models);
    if (speeds->n && speeds->by_price) put_prices(&c->k, o);
}
