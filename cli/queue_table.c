/*
 * queue_table.c -- see queue_table.h. The tree comes as a list in slot order, which means
 * nothing: it is put in order here, each queue by the names on its way from the root.
 */
#include "queue_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "name_list.h"
#include "plan_view.h"
#include "plan_words.h"
#include "terminal.h"
#include "text_table.h"

struct queue_row {
    lsched_id id;
    lsched_queue_info info;
    size_t depth;
    lsched_text way[LSCHED_QUEUE_DEPTH_MAX]; /* names from the root, its own last */
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
        if (*n == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 16;
            rows = must_resize(rows, capacity * sizeof rows[0]);
        }
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

void queue_table_print(const lsched_cluster *cluster) {
    size_t n = 0;
    struct queue_row *rows = read_rows(cluster, &n);
    uint32_t kind = has_gpus(cluster) ? LSCHED_GPU : LSCHED_CPU;
    struct text_table table;
    printf("\n%s by queue, when this is carried out\n", kind == LSCHED_GPU ? "GPUs" : "CPUs");
    table_begin(&table, "lrrrr");
    table_cell(&table, "queue");
    table_cell(&table, "used");
    table_cell(&table, "guaranteed");
    table_cell(&table, "limit");
    table_cell(&table, "jobs waiting");
    for (size_t i = 0; i < n; i++) {
        const lsched_text *name = &rows[i].way[rows[i].depth];
        int64_t used = 0, quota = 0, limit = LSCHED_UNLIMITED;
        lsched_queue_amount(cluster, rows[i].id, kind, &used, &quota, &limit);
        table_cell(&table, "%*s%.*s", (int)(2 * rows[i].depth), "", (int)name->len, name->ptr);
        amount_cell(&table, used);
        amount_cell(&table, quota);
        amount_cell(&table, limit);
        table_cell(&table, "%" PRIu64, rows[i].info.jobs_pending);
    }
    table_print(&table, stdout, 2, terminal_width(stdout));
    free(rows);
}

static void json_amount(struct json *json, const char *key, int64_t amount) {
    if (amount == LSCHED_UNLIMITED) {
        json_null(json, key);
    } else {
        json_int(json, key, amount);
    }
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
