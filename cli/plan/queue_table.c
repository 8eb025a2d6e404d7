/*
 * queue_table.c -- see queue_table.h. The library lists queues in the order of their rows, which
 * has no meaning for a user. Therefore this file sorts the queues by the names on the path from the
 * root.
 */
#include "cli/plan/queue_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/support/name_list.h"
#include "cli/support/number_text.h"
#include "cli/plan/plan_words.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"
#include "cli/support/cli_errors.h"

struct queue_row {
    lsched_id id;
    lsched_queue_info info;
    size_t depth;
    /* names of the queues on the path from the root to this queue */
    lsched_text way[LSCHED_QUEUE_DEPTH_MAX];
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
    lsched_queue_get(cluster, id, &row->info, NULL);
    for (lsched_id at = id; at != 0 && n < LSCHED_QUEUE_DEPTH_MAX;) {
        lsched_queue_info info = {.size = sizeof info};
        upwards[n++] = name_of(cluster, at);
        if (lsched_queue_get(cluster, at, &info, NULL) < 0) break;
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

static void amount_cell(struct text_table *table, int64_t milli) {
    char number[32];
    table_cell(table, "%s", milli == LSCHED_UNLIMITED ? "-" : milli_text(milli, number));
}

/* ---- guarantees and fair shares ---- */

static lsched_queue_share share_of(const lsched_cluster *cluster, lsched_id queue, uint32_t kind) {
    lsched_queue_share share = {.size = sizeof share};
    if (lsched_queue_share_get(cluster, queue, kind, &share, NULL) < 0)
        share = (lsched_queue_share){
            .size = sizeof share, .fair_share = LSCHED_UNLIMITED, .limit = LSCHED_UNLIMITED};
    return share;
}

/* the shares of all queues, and the columns that the table needs for them */
struct shares {
    lsched_queue_share *of; /* owned by this struct; one entry for each row of the table */
    bool guarantees;        /* true if the policy computes guarantees and fair shares */
    bool differ;            /* true if the guarantee of at least one queue differs from its quota */
    bool held;              /* true if at least one queue has unused quota that it does not lend */
};

static struct shares read_shares(const lsched_cluster *cluster, const struct queue_row *rows,
                                 size_t n, uint32_t kind) {
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
        if (lsched_node_get(cluster, id, &info, NULL) == LSCHED_OK &&
            info.state == LSCHED_NODE_READY &&
            lsched_node_amount(cluster, id, kind, &capacity, NULL, NULL) == LSCHED_OK)
            sum += capacity;
    }
    return sum;
}

/* Prints a line if the quotas of sibling queues add up to more than the guarantee of their parent,
 * which is rows[at]. If at == n, the siblings are the root queues, and their quotas are compared
 * with the capacity of the cluster. */
static void print_excess(FILE *out, const lsched_cluster *cluster, const struct queue_row *rows,
                         const struct shares *shares, size_t n, size_t at, uint32_t kind) {
    int64_t sum = 0, basis = at < n ? shares->of[at].guarantee : capacity_of(cluster, kind);
    lsched_id parent = at < n ? rows[at].id : 0;
    const char *unit = kind == LSCHED_GPU ? "GPUs" : "CPUs";
    char promised[32], there[32];
    for (size_t i = 0; i < n; i++)
        if (rows[i].info.parent == parent) sum = add(sum, shares->of[i].quota);
    if (sum == LSCHED_UNLIMITED || basis == LSCHED_UNLIMITED || sum <= basis) return;
    if (at < n && basis == 0) return; /* lsched_queue_warnings() says why, and what to do */
    milli_text(sum, promised);
    milli_text(basis, there);
    if (at == n) {
        fprintf(out,
                "  the quotas of all queues add up to %s %s, but there are only %s: a queue "
                "that holds no more than its quota keeps what it has\n",
                promised, unit, there);
        return;
    }
    const lsched_text *name = &rows[at].way[rows[at].depth];
    fprintf(out,
            "  the quotas below %.*s add up to %s %s, but its guarantee is %s: each "
            "quota is scaled down in proportion\n",
            (int)name->len, name->ptr, promised, unit, there);
}

/* ---- the table ---- */

static void print_head(struct text_table *table, const struct shares *shares) {
    /* the first column is left-aligned, all other columns have numbers */
    static const char align[] = "lrrrrrrrr";
    size_t columns = 5 + shares->differ + 2u * shares->guarantees + shares->held;
    table_begin(table, align);
    table->columns = columns;
    TABLE_WORDS(table, "queue", "used");
    if (shares->differ) table_cell(table, "quota");
    table_cell(table, shares->guarantees ? "guaranteed" : "quota");
    if (shares->guarantees) TABLE_WORDS(table, "fair share", "asked for");
    if (shares->held) table_cell(table, "not lent");
    TABLE_WORDS(table, "limit", "jobs waiting");
}

static void print_row(struct text_table *table, const lsched_cluster *cluster,
                      const struct queue_row *row, const struct shares *shares,
                      const lsched_queue_share *share, uint32_t kind) {
    const lsched_text *name = &row->way[row->depth];
    int64_t used = 0, quota = 0;
    lsched_queue_amount(cluster, row->id, kind, &used, &quota, NULL, NULL);
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

void queue_table_print(FILE *out, const lsched_cluster *cluster) {
    size_t n = 0;
    struct queue_row *rows = read_rows(cluster, &n);
    uint32_t kind = cluster_has_gpus(cluster) ? LSCHED_GPU : LSCHED_CPU;
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

static void json_rights(struct json *json, const lsched_cluster *cluster, lsched_id queue,
                        uint32_t kind) {
    if (kind >= LSCHED_RESOURCE_KINDS_MAX)
        return; /* a resource part has a quota and a limit, but no fair share */
    lsched_queue_share share = share_of(cluster, queue, kind);
    json_int_unless(json, "guarantee", share.guarantee, LSCHED_UNLIMITED);
    json_int_unless(json, "fair_share", share.fair_share, LSCHED_UNLIMITED);
    json_int(json, "demand", share.demand);
    json_int(json, "non_preemptible_use", share.used_core);
    json_int(json, "used_core", share.used_core); /* old spelling of "non_preemptible_use" */
    json_int(json, "not_lent", share.hold);
    json_int(json, "hold", share.hold); /* the old spelling of "not_lent" */
    json_int(json, "decayed_ppm", share.decayed_ppm);
    json_int_unless(json, "limit_now", share.limit, LSCHED_UNLIMITED);
}

static void json_queue(struct json *json, const lsched_cluster *cluster,
                       const struct queue_row *row) {
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
    for (uint32_t kind = LSCHED_CPU; kind < LSCHED_RESOURCE_KINDS_MAX + LSCHED_RESOURCE_PARTS_MAX;
         kind++) {
        const char *kind_name = lsched_resource_name(cluster, kind);
        int64_t used = 0, quota = 0, limit = LSCHED_UNLIMITED;
        if (!kind_name) continue;
        if (lsched_queue_amount(cluster, row->id, kind, &used, &quota, &limit, NULL) < 0) break;
        json_object(json, kind_name, JSON_LINE);
        json_int(json, "used", used);
        json_int_unless(json, "quota", quota, LSCHED_UNLIMITED);
        json_int_unless(json, "limit", limit, LSCHED_UNLIMITED);
        json_rights(json, cluster, row->id, kind);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

void queue_table_json(struct json *json, const lsched_cluster *cluster) {
    size_t n = 0;
    struct queue_row *rows = read_rows(cluster, &n);
    json_array(json, "queues", JSON_LINES);
    for (size_t i = 0; i < n; i++) json_queue(json, cluster, &rows[i]);
    json_close(json);
    free(rows);
}
