/*
 * pack_instances.c -- runs `lsched pack` on instances of the temporal bin packing problem, which
 * are files or members of archives. The result of a single instance is printed with a chart of its
 * load over time. The results of several instances are printed as a table with sums.
 */
#include "cli/packing/pack_instances.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/json_writer.h"
#include "cli/packing/pack_report.h"
#include "cli/packing/pack_tbpp.h"
#include "cli/input/row_scan.h"
#include "cli/support/number_text.h"
#include "cli/input/tar_entries.h"
#include "cli/support/text_table.h"

struct instance {
    char *name; /* owned by this struct */
    const char *text;
    size_t len;
    uint32_t n_items;
    struct pack_result result; /* result.places is freed after it is printed */
};

struct instance_list {
    struct instance *items; /* owned by this struct */
    size_t n, capacity;
};

static void add_instance(struct instance_list *list, const char *name, const char *text,
                         size_t len) {
    list->items = must_grow(list->items, list->n, &list->capacity, sizeof list->items[0]);
    list->items[list->n++] =
        (struct instance){.name = must_copy(name, strlen(name)), .text = text, .len = len};
}

static int gather(const struct pack_run *run, struct instance_list *list) {
    for (size_t i = 0; i < run->n_files; i++) {
        const struct input_file *file = &run->files[i];
        struct tar_entry entry;
        size_t at = 0, before = list->n;
        int rc = 0;
        if (!tar_is(file->text, file->len)) {
            add_instance(list, file->name, file->text, file->len);
            continue;
        }
        while ((rc = tar_next(file->text, file->len, &at, &entry)) == 1)
            add_instance(list, entry.name, entry.text, entry.len);
        if (rc == 0 && list->n > before) continue;
        complain("%s: %s", file->name,
                 rc < 0 ? "the archive is damaged" : "an archive without files");
        return EXIT_INPUT;
    }
    return EXIT_OK;
}

static void print_one(const struct pack_run *run, const struct instance *instance,
                      const struct pack_input *input) {
    char n[32];
    printf("%s: %s item%s, bins of %g\n\n", instance->name, count_text(instance->n_items, n),
           plural(instance->n_items), (double)input->capacity[0] / (double)MILLION);
    pack_report_print(run, &instance->result);
    pack_report_chart(run, &input->problem, &instance->result, true);
    if (run->args->items) pack_report_items(&input->problem, &instance->result, true);
}

static void print_json(const struct pack_run *run, const struct instance *instance,
                       const lsched_pack_problem *problem, struct json *json) {
    json_object(json, NULL, JSON_LINES);
    json_string(json, "file", instance->name);
    json_string(json, "kind", "tbpp");
    json_uint(json, "n_items", instance->n_items);
    pack_report_json(json, &instance->result);
    if (run->args->items) pack_report_items_json(json, problem, &instance->result);
    json_close(json);
}

static int read_instance(const struct pack_run *run, const struct instance *instance,
                         struct pack_input *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (pack_tbpp_read(instance->text, instance->len, run->bins, out, &err) == 0) return EXIT_OK;
    return library_error(instance->name, &err);
}

/* Reads all instances before the first instance is packed or printed, to find errors early. */
static int check_instances(const struct pack_run *run, const struct instance_list *list) {
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < list->n; i++) {
        struct pack_input input = {.items = NULL};
        rc = read_instance(run, &list->items[i], &input);
        pack_input_free(&input);
    }
    return rc;
}

/* Packs an instance, and prints the parts of its result that do not depend on other instances. */
static int pack_instance(struct pack_run *run, struct instance *instance, bool alone,
                         struct json *json) {
    struct pack_input input = {.items = NULL};
    int rc = read_instance(run, instance, &input);
    run->label = instance->name;
    if (rc == EXIT_OK)
        rc = pack_run_solve(run, instance->name, &input.problem, input.origins, &run->wish,
                            &instance->result);
    instance->n_items = input.problem.n_items;
    if (rc == EXIT_OK && alone) rc = pack_report_svg(run, &input.problem, &instance->result, true);
    if (rc == EXIT_OK && run->args->json) print_json(run, instance, &input.problem, json);
    if (rc == EXIT_OK && !run->args->json && alone) print_one(run, instance, &input);
    free(instance->result.places);
    instance->result.places = NULL;
    pack_input_free(&input);
    return rc;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Adds the cells of one row to the table. with_gap is true if the plan places all items; only such
 * a plan has a gap. */
static void result_cells(struct text_table *table, uint64_t items, uint64_t bins, uint64_t least,
                         bool with_gap, double seconds) {
    char a[32], b[32], c[32];
    table_cell(table, "%s", count_text(items, a));
    table_cell(table, "%s", count_text(bins, b));
    table_cell(table, "%s", count_text(least, c));
    if (with_gap && least > 0) {
        table_cell(table, "%.2f", pack_report_gap((double)bins, (double)least));
    } else {
        table_cell(table, "-");
    }
    table_cell(table, "%.2f", seconds);
}

static void print_many(const struct instance_list *list) {
    struct text_table table;
    uint64_t items = 0, bins = 0, least = 0, left_out = 0, proved = 0;
    double seconds = 0, most = 0;
    table_begin(&table, "lrrrrrl");
    TABLE_WORDS(&table, "instance", "items", "bins", "bound", "gap %", "s", "");
    for (size_t i = 0; i < list->n; i++) {
        const struct instance *instance = &list->items[i];
        const lsched_pack_info *info = &instance->result.info;
        double s = (double)instance->result.core_ns * 1e-9;
        table_cell(&table, "%s", last_part(instance->name));
        result_cells(&table, instance->n_items, info->bins, info->lower_bound_bins,
                     info->left_out == 0, s);
        table_cell(&table, "%s", info->proved ? "proved" : "");
        items += instance->n_items, bins += info->bins, least += info->lower_bound_bins;
        left_out += info->left_out, proved += info->proved != 0, seconds += s;
        if (s > most) most = s;
    }
    table_cell(&table, "sum of %zu", list->n);
    result_cells(&table, items, bins, least, left_out == 0, seconds);
    table_cell(&table, "%" PRIu64 " proved", proved);
    table_print(&table, stdout, 0, 0);
    printf("\nthe slowest took %.2f s", most);
    if (left_out > 0) printf("; %" PRIu64 " items are left out", left_out);
    printf("\n");
}

int pack_instances_run(struct pack_run *run) {
    struct instance_list list = {.items = NULL};
    struct json json;
    int rc = gather(run, &list);
    if (rc == EXIT_OK) rc = check_instances(run, &list);
    bool alone = list.n == 1;
    if (rc == EXIT_OK && !alone && run->args->svg != NULL)
        rc = usage_error("pack", "--svg: expected one instance, got %zu", list.n);
    run->of = list.n;
    progress_begin(&run->progress, run->args->progress, run->args->no_progress, 1000 * list.n);
    if (rc == EXIT_OK && run->args->json) {
        json_begin(&json, stdout);
        if (!alone) json_array(&json, NULL, JSON_LINES);
    }
    for (size_t i = 0; rc == EXIT_OK && i < list.n; i++)
        rc = pack_instance(run, &list.items[i], alone, &json);
    progress_hide(&run->progress);
    if (rc == EXIT_OK && run->args->json) json_end(&json);
    if (rc == EXIT_OK && !run->args->json && !alone) print_many(&list);
    for (size_t i = 0; i < list.n; i++) free(list.items[i].name);
    free(list.items);
    return rc;
}
