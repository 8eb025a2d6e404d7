/* supply.c -- see supply.h. */
#include "model/supplies/supply.h"

#include "model/news/queue_news.h"
#include "model/shapes/domain.h"
#include "model/store/steps.h"

#include <assert.h>

enum { LEVELS = LSCHED_TOPOLOGY_LEVELS_MAX };

/* ---- places ---- */

/* Returns the first place at the domain, and the place that follows; NO_ROW at the end. */
static uint32_t first_at(const struct columns *k, uint32_t domain) {
    return k->c[C_DOMAIN_SUPPLIES].u32[domain] - 1u; /* NO_ROW is 0 - 1 */
}
static uint32_t next_at(const struct columns *k, uint32_t place) {
    return k->c[C_PLACE_NEXT].u32[place] - 1u;
}

static uint32_t supply_place_of(const struct columns *k, uint32_t supply, uint32_t domain) {
    uint32_t p = first_at(k, domain);
    while (p != NO_ROW && k->c[C_PLACE_SUPPLY].u32[p] != supply) p = next_at(k, p);
    return p;
}

uint32_t supply_place(const struct columns *k, uint32_t supply, uint32_t domain) {
    return domain == NO_ROW ? k->c[C_SUPPLY_ROOT].u32[supply] : supply_place_of(k, supply, domain);
}

/* Writes the values that name the domain to *b, the widest level first. */
static void supply_put_path(const struct columns *k, uint32_t domain, struct bytes *b) {
    uint32_t up[LEVELS], n = 0;
    for (uint32_t d = domain; d != NO_ROW; d = k->c[C_DOMAIN_PARENT].u32[d]) up[n++] = d;
    while (n-- > 0) bytes_text(b, text_of(k, k->c[C_DOMAIN_NAME].u32[up[n]]));
}

static uint32_t place_new(struct columns *k, uint32_t supply, uint32_t domain) {
    struct bytes b;
    bytes_init(&b, k->alloc);
    if (domain != NO_ROW) supply_put_path(k, domain, &b);
    uint32_t path = b.failed || undo_room(k) != LSCHED_OK ? NO_ROW : text_new(k, b.p, b.n);
    bytes_close(&b);
    uint32_t p = path == NO_ROW ? NO_ROW : row_new(k, T_PLACE);
    if (p == NO_ROW) return NO_ROW;
    set_u32(k, C_PLACE_SUPPLY, p, supply);
    set_u32(k, C_PLACE_PATH, p, path);
    set_i64(k, C_PLACE_AMOUNT, p, LSCHED_UNLIMITED);
    set_u32(k, C_PLACE_DOMAIN, p, domain);
    set_u32(k, C_PLACE_TOPOLOGY, p,
            domain == NO_ROW ? NO_ROW : k->c[C_DOMAIN_TOPOLOGY].u32[domain]);
    set_u32(k, C_PLACE_LEVELS, p, domain == NO_ROW ? 0 : k->c[C_DOMAIN_LEVEL].u32[domain] + 1);
    return p;
}

int32_t supply_add(struct columns *k, lsched_text name, uint64_t tag, int64_t amount) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t text = text_new(k, name.ptr, (size_t)name.len);
    uint32_t s = text == NO_ROW ? NO_ROW : row_new(k, T_SUPPLY);
    if (s == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SUPPLY_NAME, s, text);
    set_u64(k, C_SUPPLY_TAG, s, tag);
    uint32_t root = place_new(k, s, NO_ROW);
    if (root == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SUPPLY_ROOT, s, root);
    supply_place_set(k, root, amount, 0);
    return LSCHED_OK;
}

static int64_t need_of(const struct columns *k, uint32_t shape, uint32_t supply) {
    const struct supply_need *needs = shape_supplies(k, shape);
    for (uint32_t i = 0; i < shape_n_supplies(k, shape); i++)
        if (needs[i].supply == supply) return needs[i].amount;
    return 0;
}

struct supply_count {
    int64_t used, coming;
};

/* Adds what the tasks of one node hold of the supply to *sum. */
static void count_node(const struct columns *k, uint32_t supply, uint32_t node,
                       struct supply_count *sum) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t leaf = k->c[C_TASK_LEAF].u32[t], job = k->c[C_TASK_JOB].u32[t];
        uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], k->c[C_LEAF_GROUP].u32[leaf]);
        uint32_t shape = group_alternative(k, row, k->c[C_LEAF_ALTERNATIVE].u8[leaf]);
        int64_t need = shape_n_supplies(k, shape) ? need_of(k, shape, supply) : 0;
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        steps_add(k, 1);
        if (state == LSCHED_TASK_NOMINATED) {
            sum->coming -= need;
            continue;
        }
        sum->used += need;
        if (state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t]) sum->coming += need;
    }
}

/* Sets the sums of a new place at the domain. Each word is written once, so that the undo log
 * needs no room for each task. */
static void count_below(struct columns *k, uint32_t place, uint32_t domain) {
    uint32_t supply = k->c[C_PLACE_SUPPLY].u32[place];
    struct supply_count sum = {0, 0};
    for (uint32_t d = domain; d != NO_ROW; d = domain_next(k, domain, d))
        for (uint32_t n = domain_first_node(k, d); n != NO_ROW; n = domain_next_node(k, d, n))
            count_node(k, supply, n, &sum);
    if (sum.used) set_i64(k, C_PLACE_USED, place, sum.used);
    if (sum.coming) set_i64(k, C_PLACE_COMING, place, sum.coming);
}

static void put_at(struct columns *k, uint32_t place, uint32_t domain) {
    set_u32(k, C_PLACE_DOMAIN, place, domain);
    set_u32(k, C_PLACE_NEXT, place, k->c[C_DOMAIN_SUPPLIES].u32[domain]);
    set_u32(k, C_DOMAIN_SUPPLIES, domain, place + 1);
}

int32_t supply_place_add(struct columns *k, uint32_t supply, uint32_t domain, uint32_t *place) {
    *place = place_new(k, supply, domain);
    if (*place == NO_ROW) return LSCHED_E_NOMEM;
    put_at(k, *place, domain);
    count_below(k, *place, domain);
    return LSCHED_OK;
}

/* Notes that jobs which wait for a supply can find more of it, or that nominations lost theirs. */
static void has_more(struct columns *k) {
    if (!meta(k, M_SUPPLY_NEWS)) set_meta(k, M_SUPPLY_NEWS, 1);
}

void supply_place_set(struct columns *k, uint32_t place, int64_t amount, int64_t foreign) {
    int64_t was = k->c[C_PLACE_AMOUNT].i64[place], was_foreign = k->c[C_PLACE_FOREIGN].i64[place];
    int grew = amount == LSCHED_UNLIMITED ||
               (was != LSCHED_UNLIMITED && amount - foreign > was - was_foreign);
    if (grew) evict_news(k); /* victims on a node below can be worth their end now */
    set_i64(k, C_PLACE_AMOUNT, place, amount);
    set_i64(k, C_PLACE_FOREIGN, place, foreign);
    has_more(k);
}

/* ---- what is left ---- */

int64_t supply_left(const struct columns *k, uint32_t place, enum supply_when when) {
    int64_t amount = k->c[C_PLACE_AMOUNT].i64[place], coming = k->c[C_PLACE_COMING].i64[place];
    if (amount == LSCHED_UNLIMITED || when == SUPPLY_IN_ALL) return amount;
    int64_t left = amount - k->c[C_PLACE_FOREIGN].i64[place] - k->c[C_PLACE_USED].i64[place];
    return when == SUPPLY_LATER || coming < 0 ? left + coming : left;
}

static int supply_lacks(const struct columns *k, uint32_t place, int64_t need,
                        enum supply_when when, struct supply_lack *lack) {
    int64_t left = supply_left(k, place, when);
    if (need <= left) return 0;
    if (lack) *lack = (struct supply_lack){place, need, left > 0 ? left : 0};
    return 1;
}

/* Returns the need of n tasks, at most 2^62. */
static int64_t need_of_tasks(int64_t need, int64_t n) {
    return need > LSCHED_AMOUNT_MAX / n ? LSCHED_AMOUNT_MAX : need * n;
}

int supply_cluster_has(const struct columns *k, uint32_t shape, int64_t n, enum supply_when when,
                       struct supply_lack *lack) {
    uint32_t supplies = shape_n_supplies(k, shape);
    const struct supply_need *needs = supplies ? shape_supplies(k, shape) : NULL;
    for (uint32_t i = 0; i < supplies; i++) {
        uint32_t root = k->c[C_SUPPLY_ROOT].u32[needs[i].supply];
        int64_t need = need_of_tasks(needs[i].amount, n), used = k->c[C_PLACE_USED].i64[root];
        if (supply_lacks(k, root, need, when, lack)) return 0;
        if (need <= LSCHED_AMOUNT_MAX / 2 - used) continue; /* sums stay in range without a limit */
        if (lack) *lack = (struct supply_lack){root, need, LSCHED_AMOUNT_MAX / 2 - used};
        return 0;
    }
    return 1;
}

int supply_domains_have(const struct columns *k, uint32_t shape, uint32_t node,
                        enum supply_when when, struct supply_lack *lack) {
    uint32_t supplies = shape_n_supplies(k, shape), found = 0;
    const struct supply_need *needs = supplies ? shape_supplies(k, shape) : NULL;
    for (uint32_t t = 0; supplies && t < table_rows(k, T_TOPOLOGY) && !found; t++)
        for (uint32_t d = k->c[C_NODE_DOMAIN0 + t].u32[node]; d != NO_ROW;
             d = k->c[C_DOMAIN_PARENT].u32[d])
            for (uint32_t p = first_at(k, d); p != NO_ROW; p = next_at(k, p))
                for (uint32_t i = 0; i < supplies; i++)
                    if (needs[i].supply == k->c[C_PLACE_SUPPLY].u32[p] &&
                        supply_lacks(k, p, needs[i].amount, when, lack)) {
                        if (!lack) return 0;
                        found = 1;
                    }
    return !found;
}

int supply_place_is_above(const struct columns *k, uint32_t place, uint32_t node) {
    uint32_t domain = k->c[C_PLACE_DOMAIN].u32[place];
    if (k->c[C_PLACE_LEVELS].u32[place] == 0) return 1;
    return domain != NO_ROW && domain_contains(k, domain, node);
}

/* True if the place will have less than nothing left when releasing tasks are gone. */
static int is_over(const struct columns *k, uint32_t place) {
    return supply_left(k, place, SUPPLY_LATER) < 0;
}

int supply_any_is_over(const struct columns *k) {
    uint32_t p = 0;
    while (p < table_rows(k, T_PLACE) && !is_over(k, p)) p++;
    return p < table_rows(k, T_PLACE);
}

int supply_is_over(const struct columns *k, uint32_t node, uint32_t shape) {
    const struct supply_need *needs = shape_supplies(k, shape);
    for (uint32_t i = 0; i < shape_n_supplies(k, shape); i++)
        for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++)
            if (k->c[C_PLACE_SUPPLY].u32[p] == needs[i].supply && is_over(k, p) &&
                supply_place_is_above(k, p, node))
                return 1;
    return 0;
}

/* ---- use ---- */

static void charge_place(struct columns *k, uint32_t place, int64_t need, int now, int later) {
    if (now) add_i64(k, C_PLACE_USED, place, now * need);
    if (now != later) add_i64(k, C_PLACE_COMING, place, (now - later) * need);
    if (now < 0 || later < 0) has_more(k);
    /* what is nominated can have lost its supply: the next cycle looks */
    if (later > 0 && meta(k, M_NOMINATED) && is_over(k, place)) has_more(k);
}

void supply_charge(struct columns *k, uint32_t node, uint32_t shape, int now, int later) {
    const uint32_t supplies = shape_n_supplies(k, shape);
    const struct supply_need *needs = shape_supplies(k, shape);
    for (uint32_t i = 0; i < supplies; i++) {
        charge_place(k, k->c[C_SUPPLY_ROOT].u32[needs[i].supply], needs[i].amount, now, later);
        for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++)
            for (uint32_t d = k->c[C_NODE_DOMAIN0 + t].u32[node]; d != NO_ROW;
                 d = k->c[C_DOMAIN_PARENT].u32[d]) {
                uint32_t p = supply_place_of(k, needs[i].supply, d);
                if (p != NO_ROW) charge_place(k, p, needs[i].amount, now, later);
            }
    }
}

/* ---- domains that end and begin ---- */

enum { LOST_RECORDS = 2 }; /* undo records that supply_node_left() writes for each place */

int32_t supply_node_leaves(struct columns *k, uint32_t node, struct supply_leaving *out) {
    size_t places = 0;
    out->n = 0;
    if (table_rows(k, T_SUPPLY) == 0) return undo_room(k);
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++)
        for (uint32_t d = k->c[C_NODE_DOMAIN0 + t].u32[node]; d != NO_ROW;
             d = k->c[C_DOMAIN_PARENT].u32[d]) {
            if (first_at(k, d) == NO_ROW || k->c[C_DOMAIN_NODES].u32[d] > 1) continue;
            out->domain[out->n] = d;
            out->first[out->n++] = first_at(k, d);
            for (uint32_t p = first_at(k, d); p != NO_ROW; p = next_at(k, p)) places++;
        }
    return undo_room_for(k, places * LOST_RECORDS);
}

void supply_node_left(struct columns *k, const struct supply_leaving *was) {
    uint64_t lost = 0;
    for (uint32_t i = 0; i < was->n; i++) {
        assert(!row_is_live(k, T_DOMAIN, was->domain[i]));
        for (uint32_t p = was->first[i], next; p != NO_ROW; p = next) {
            next = next_at(k, p);
            set_u32(k, C_PLACE_DOMAIN, p, NO_ROW);
            set_u32(k, C_PLACE_NEXT, p, 0);
            lost++;
        }
    }
    if (lost) set_meta(k, M_SUPPLY_LOST, meta(k, M_SUPPLY_LOST) + lost);
}

/* True if the place is one of the domain, whose values are in *path. */
static int is_of(const struct columns *k, uint32_t place, uint32_t domain,
                 const struct bytes *path) {
    lsched_text have = text_of(k, k->c[C_PLACE_PATH].u32[place]);
    return k->c[C_PLACE_DOMAIN].u32[place] == NO_ROW &&
           k->c[C_PLACE_LEVELS].u32[place] == k->c[C_DOMAIN_LEVEL].u32[domain] + 1 &&
           k->c[C_PLACE_TOPOLOGY].u32[place] == k->c[C_DOMAIN_TOPOLOGY].u32[domain] &&
           have.len == path->n && memcmp(have.ptr, path->p, path->n) == 0;
}

static int32_t join_domain(struct columns *k, uint32_t domain) {
    struct bytes path;
    bytes_init(&path, k->alloc);
    supply_put_path(k, domain, &path);
    int32_t rc = path.failed ? LSCHED_E_NOMEM : LSCHED_OK;
    steps_add(k, table_rows(k, T_PLACE));
    for (uint32_t p = 0; p < table_rows(k, T_PLACE) && rc == LSCHED_OK; p++) {
        if (!is_of(k, p, domain, &path)) continue;
        rc = undo_room(k);
        if (rc != LSCHED_OK) break;
        put_at(k, p, domain);
        set_meta(k, M_SUPPLY_LOST, meta(k, M_SUPPLY_LOST) - 1);
    }
    bytes_close(&path);
    return rc;
}

int32_t supply_node_joined(struct columns *k, uint32_t node) {
    for (uint32_t t = 0; t < table_rows(k, T_TOPOLOGY); t++)
        for (uint32_t d = k->c[C_NODE_DOMAIN0 + t].u32[node]; d != NO_ROW;
             d = k->c[C_DOMAIN_PARENT].u32[d]) {
            if (!meta(k, M_SUPPLY_LOST)) return LSCHED_OK;
            int32_t rc = k->c[C_DOMAIN_NODES].u32[d] == 1 ? join_domain(k, d) : LSCHED_OK;
            if (rc != LSCHED_OK) return rc;
        }
    return LSCHED_OK;
}
