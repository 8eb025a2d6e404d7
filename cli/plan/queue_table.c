/*
 * queue_table.c -- see queue_table.h. The library lists the queues in the order of their rows,
 * which has no meaning. This file sorts each queue by the names on its path from the root.
 */
#include "cli/plan/queue_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/support/name_list.h"
#include "cli/plan/plan_words.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"

struct queue_row {
    lsched_id id;
    lsched_queue_info info;
    size_t depth;
    lsched_text way[LSCHED_QUEUE_DEPTH_MAX]; /* names from the root to the queue itself */
};

static int by_way(const void *a, const void *b) {
    const struct queue_row *x = a, *y = b;
    size_t both = x->depth < y->depth ? x->depth : y->depth;
    for (size_t i = 0; i <= both; i++) {
        int order = name_compare(&x->way[i], &y->way[i]);
        if (order != 0) return order;
    }
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static void read_row(const lsched_cluster *cluster, lsched_id id, struct queue_row *row) {
    lsched_text upwards[LSCHED_QUEUE_DEPTH_MAX];
    size_t n = 0;
    row->id = id;
    row->info.size = sizeof row->info;
    lsched_queue_get(cluster, id, &row->info);
    for (lsched_id at = id; at != 0 && n < LSCHED_QUEUE_DEPTH_MAX;) {
        lsched_queue_info info = {.size = sizeof info};
        upwards[n++] = name_of(cluster, at);
        if (lsched_queue_get(cluster, at, &info) < 0) break;
        at = info.parent;
    }
    row->depth = n - 1;
    for (size_t i = 0; i < n; i++) row->way[i] = upwards[n - 1 - i];
}

static struct queue_row *read_rows(const lsched_cluster *cluster, size_t *n) {
    struct queue_row *rows = NULL;
    size_t capacity = 0;
    uint64_t cursor = 0;
    lsched_id id;
    *n = 0;
    while ((id = lsched_next(cluster, LSCHED_KIND_QUEUE, &cursor)) != 0) {
        rows = must_grow(rows, *n, &capacity, sizeof rows[0]);
        read_row(cluster, id, &rows[(*n)++]);
    }
    if (*n > 0) qsort(rows, *n, sizeof rows[0], by_way);
    return rows;
}

static bool has_gpus(const lsched_cluster *cluster) {
    uint64_t cursor = 0;
    lsched_id id;
    while ((id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0) {
        lsched_node_info info = {.size = sizeof info};
        if (lsched_node_get(cluster, id, &info) == LSCHED_OK && info.gpu_milli > 0) return true;
    }
    return false;
}

static void amount_cell(struct text_table *table, int64_t milli) {
    char number[32];
    table_cell(table, "%s", milli == LSCHED_UNLIMITED ? "-" : milli_text(milli, number));
}

/* ---- guarantees and fair shares ---- */

static lsched_queue_share share_of(lsched_cluster *cluster, lsched_id queue, uint32_t kind) {
    lsched_queue_share share = {.size = sizeof share};
    if (lsched_queue_share_get(cluster, queue, kind, &share, NULL) < 0)
        share = (lsched_queue_share){
            .size = sizeof share, .fair_share = LSCHED_UNLIMITED, .limit = LSCHED_UNLIMITED};
    return share;
}

/* The shares of the queues, and which columns the table needs. */
struct shares {
    lsched_queue_share *of; /* owned; by row */
    bool guarantees;        /* true if the policy's fair share computes guarantees */
    bool differ;            /* true if some guarantee differs from its quota */
    bool held;              /* true if some queue holds back idle quota that it does not lend */
};

static struct shares read_shares(lsched_cluster *cluster, const struct queue_row *rows, size_t n,
                                 uint32_t kind) {
    struct shares shares = {.of = must_alloc((n + 1) * sizeof shares.of[0])};
    for (size_t i = 0; i < n; i++) {
        const lsched_queue_share *share = &shares.of[i];
        shares.of[i] = share_of(cluster, rows[i].id, kind);
        shares.guarantees |= share->guarantee > 0 || share->fair_share != LSCHED_UNLIMITED;
        shares.differ |= share->guarantee != share->quota;
        shares.held |= share->hold > 0;
    }
    shares.differ &= shares.guarantees;
    return shares;
}

static int64_t add(int64_t a, int64_t b) {
    return a == LSCHED_UNLIMITED || b == LSCHED_UNLIMITED ? LSCHED_UNLIMITED : a + b;
}

static int64_t capacity_of(const lsched_cluster *cluster, uint32_t kind) {
    uint64_t cursor = 0;
    int64_t sum = 0;
    lsched_id id;
    while ((id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0) {
        lsched_node_info info = {.size = sizeof info};
        int64_t capacity = 0;
        if (lsched_node_get(cluster, id, &info) == LSCHED_OK && info.state == LSCHED_NODE_READY &&
            lsched_node_amount(cluster, id, kind, &capacity, NULL) == LSCHED_OK)
            sum += capacity;
    }
    return sum;
}

/* Prints a line if quotas add up to more than there is. rows[at] is the parent of these queues; at
 * == n means the root queues. */
static void print_excess(FILE *out, const lsched_cluster *cluster, const struct queue_row *rows,
                         const struct shares *shares, size_t n, size_t at, uint32_t kind) {
    int64_t sum = 0, basis = at < n ? shares->of[at].guarantee : capacity_of(cluster, kind);
    lsched_id parent = at < n ? rows[at].id : 0;
    const char *unit = kind == LSCHED_GPU ? "GPUs" : "CPUs";
    char promised[32], there[32];
    for (size_t i = 0; i < n; i++)
        if (rows[i].info.parent == parent) sum = add(sum, shares->of[i].quota);
    if (sum == LSCHED_UNLIMITED || basis == LSCHED_UNLIMITED || sum <= basis) return;
    milli_text(sum, promised);
    milli_text(basis, there);
    if (at == n) {
        fprintf(out,
                "  the quotas of all add up to %s %s, and there are %s: who holds no more than its "
                "quota keeps it\n",
                promised, unit, there);
        return;
    }
    const lsched_text *name = &rows[at].way[rows[at].depth];
    fprintf(out,
            "  the quotas below %.*s add up to %s %s, and it is guaranteed %s: each is scaled down "
            "in proportion\n",
            (int)name->len, name->ptr, promised, unit, there);
}

/* ---- the table ---- */

static void print_head(struct text_table *table, const struct shares *shares) {
    /* all columns except the first are numbers */
    static const char align[] = "lrrrrrrrr";
    size_t columns = 5 + shares->differ + 2u * shares->guarantees + shares->held;
    table_begin(table, align);
    table->columns = columns;
    table_cell(table, "queue");
    table_cell(table, "used");
    if (shares->differ) table_cell(table, "quota");
    table_cell(table, shares->guarantees ? "guaranteed" : "quota");
    if (shares->guarantees) table_cell(table, "fair share");
    if (shares->guarantees) table_cell(table, "asked for");
    if (shares->held) table_cell(table, "not lent");
    table_cell(table, "limit");
    table_cell(table, "jobs waiting");
}

static void print_row(struct text_table *table, const lsched_cluster *cluster,
                      const struct queue_row *row, const struct shares *shares,
                      const lsched_queue_share *share, uint32_t kind) {
    const lsched_text *name = &row->way[row->depth];
    int64_t used = 0, quota = 0;
    lsched_queue_amount(cluster, row->id, kind, &used, &quota, NULL);
    table_cell(table, "%*s%.*s", (int)(2 * row->depth), "", (int)name->len, name->ptr);
    amount_cell(table, used);
    if (shares->differ) amount_cell(table, share->quota);
    amount_cell(table, shares->guarantees ? share->guarantee : quota);
    if (shares->guarantees) amount_cell(table, share->fair_share);
    if (shares->guarantees) amount_cell(table, share->demand);
    if (shares->held) amount_cell(table, share->hold);
    amount_cell(table, share->limit);
    table_cell(table, "%" PRIu64, row->info.jobs_pending);
}

void queue_table_print(FILE *out, lsched_cluster *cluster) {
    size_t n = 0;
    struct queue_row *rows = read_rows(cluster, &n);
    uint32_t kind = has_gpus(cluster) ? LSCHED_GPU : LSCHED_CPU;
    struct shares shares = read_shares(cluster, rows, n, kind);
    struct text_table table;
    fprintf(out, "\n%s by queue, when this is carried out\n", kind == LSCHED_GPU ? "GPUs" : "CPUs");
    print_head(&table, &shares);
    for (size_t i = 0; i < n; i++)
        print_row(&table, cluster, &rows[i], &shares, &shares.of[i], kind);
    table_print(&table, out, 2, terminal_width(out));
    for (size_t at = 0; at <= n && shares.guarantees; at++)
        print_excess(out, cluster, rows, &shares, n, at, kind);
    free(shares.of);
    free(rows);
}

/* ---- JSON ---- */

static void json_amount(struct json *json, const char *key, int64_t amount) {
    if (amount == LSCHED_UNLIMITED) {
        json_null(json, key);
    } else {
        json_int(json, key, amount);
    }
}

static void json_rights(struct json *json, lsched_cluster *cluster, lsched_id queue,
                        uint32_t kind) {
    if (kind >= LSCHED_RESOURCE_KINDS_MAX)
        return; /* a resource part has only a quota and a limit */
    lsched_queue_share share = share_of(cluster, queue, kind);
    json_amount(json, "guarantee", share.guarantee);
    json_amount(json, "fair_share", share.fair_share);
    json_int(json, "demand", share.demand);
    json_int(json, "used_core", share.used_core);
    json_int(json, "hold", share.hold);
    json_int(json, "decayed_ppm", share.decayed_ppm);
    json_amount(json, "limit_now", share.limit);
}

static void json_queue(struct json *json, lsched_cluster *cluster, const struct queue_row *row) {
    const lsched_text *name = &row->way[row->depth];
    json_object(json, NULL, JSON_LINE);
    json_text(json, "name", name->ptr, name->len);
    if (row->depth > 0) {
        json_text(json, "parent", row->way[row->depth - 1].ptr, row->way[row->depth - 1].len);
    } else {
        json_null(json, "parent");
    }
    json_uint(json, "jobs", row->info.jobs);
    json_uint(json, "jobs_pending", row->info.jobs_pending);
    json_object(json, "amounts", JSON_LINE);
    for (uint32_t kind = LSCHED_CPU; kind < LSCHED_RESOURCE_KINDS_MAX + LSCHED_RESOURCE_MODELS_MAX;
         kind++) {
        const char *kind_name = lsched_resource_name(cluster, kind);
        int64_t used = 0, quota = 0, limit = LSCHED_UNLIMITED;
        if (!kind_name) continue;
        if (lsched_queue_amount(cluster, row->id, kind, &used, &quota, &limit) < 0) break;
        json_object(json, kind_name, JSON_LINE);
        json_int(json, "used", used);
        json_amount(json, "quota", quota);
        json_amount(json, "limit", limit);
        json_rights(json, cluster, row->id, kind);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

void queue_table_json(struct json *json, lsched_cluster *cluster) {
    size_t n = 0;
    struct queue_row *rows = read_rows(cluster, &n);
    json_array(json, "queues", JSON_LINES);
    for (size_t i = 0; i < n; i++) json_queue(json, cluster, &rows[i]);
    json_close(json);
    free(rows);
}
