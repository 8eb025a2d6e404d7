/*
 * reservation_table.c -- see reservation_table.h. The library lists reservations in no particular
 * order. Therefore this file sorts them by their names.
 */
#include "cli/plan/reservation_table.h"

#include <stdlib.h>

#include "cli/plan/plan_words.h"
#include "cli/support/cli_errors.h"
#include "cli/support/name_list.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

enum { NODES_SHOWN = 8 }; /* names and ranges of names in a cell */

static int by_text(const void *a, const void *b) {
    return name_compare(a, b);
}

static int by_name(const void *a, const void *b) {
    const lsched_reservation_info *x = a, *y = b;
    return name_compare(&x->name, &y->name);
}

static lsched_reservation_info *read_reservations(const lsched_cluster *cluster, size_t *n) {
    lsched_reservation_info *all = NULL, next = LSCHED_RESERVATION_INFO_INIT;
    size_t capacity = 0;
    uint64_t cursor = 0;
    *n = 0;
    while (lsched_reservations_next(cluster, &cursor, &next, NULL) > 0) {
        all = must_grow(all, *n, &capacity, sizeof all[0]);
        all[(*n)++] = next;
    }
    if (*n > 0) qsort(all, *n, sizeof all[0], by_name);
    return all;
}

/* Returns the names of the reservation's nodes in their order. The caller frees the list. */
static lsched_text *node_names(const lsched_cluster *cluster, const lsched_reservation_info *of,
                               size_t *n) {
    lsched_text *names = must_alloc((of->n_nodes + 1) * sizeof names[0]);
    uint64_t cursor = 0;
    lsched_id node = 0;
    *n = 0;
    while (*n < of->n_nodes &&
           lsched_reservation_nodes_next(cluster, of->name, &cursor, &node, NULL) > 0)
        names[(*n)++] = name_of(cluster, node);
    qsort(names, *n, sizeof names[0], by_text);
    return names;
}

/* ---- the table ---- */

static void window_cells(struct text_table *table, const lsched_reservation_info *of,
                         int64_t now_us) {
    char text[TIME_TEXT_BYTES], span[TIME_TEXT_BYTES];
    if (of->next_start_us <= now_us)
        table_cell(table, "now");
    else
        table_cell(table, "%s", time_format(of->next_start_us, text));
    table_cell(table, "%s", time_format(of->next_end_us, text));
    if (of->every_us == 0)
        table_cell(table, "once");
    else
        table_cell(table, "every %s", span_format(of->every_us, span));
}

void reservation_table_print(FILE *out, const lsched_cluster *cluster, int64_t now_us) {
    size_t n = 0;
    lsched_reservation_info *all = read_reservations(cluster, &n);
    struct text_table table;
    if (n == 0) return;
    table_begin(&table, "llllll");
    TABLE_WORDS(&table, "reservation", "for queue", "from", "until", "repeats", "nodes");
    for (size_t i = 0; i < n; i++) {
        size_t n_names = 0;
        lsched_text *names = node_names(cluster, &all[i], &n_names),
                    queue = name_of(cluster, all[i].queue);
        char *list = name_list(names, n_names, NODES_SHOWN);
        table_cell(&table, "%.*s", (int)all[i].name.len, all[i].name.ptr);
        table_cell(&table, "%.*s", (int)queue.len, queue.ptr);
        window_cells(&table, &all[i], now_us);
        table_cell(&table, "%s", list);
        free(list);
        free(names);
    }
    fprintf(out, "\nNodes that are kept for a queue\n");
    table_print(&table, out, 2, terminal_width(out));
    free(all);
}

/* ---- JSON ---- */

static void json_reservation(struct json *json, const lsched_cluster *cluster,
                             const lsched_reservation_info *of) {
    size_t n = 0;
    lsched_text *names = node_names(cluster, of, &n), queue = name_of(cluster, of->queue);
    json_object(json, NULL, JSON_LINE);
    json_text(json, "name", of->name.ptr, of->name.len);
    json_text(json, "queue", queue.ptr, queue.len);
    json_int(json, "from_us", of->next_start_us);
    json_int_unless(json, "until_us", of->next_end_us, LSCHED_NEVER_US);
    json_int(json, "every_us", of->every_us);
    json_array(json, "nodes", JSON_LINE);
    for (size_t i = 0; i < n; i++) json_text(json, NULL, names[i].ptr, names[i].len);
    json_close(json);
    json_close(json);
    free(names);
}

void reservation_table_json(struct json *json, const lsched_cluster *cluster) {
    size_t n = 0;
    lsched_reservation_info *all = read_reservations(cluster, &n);
    json_array(json, "reservations", JSON_LINES);
    for (size_t i = 0; i < n; i++) json_reservation(json, cluster, &all[i]);
    json_close(json);
    free(all);
}
