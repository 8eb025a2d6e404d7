/*
 * openb_trace.c -- see openb_trace.h. The reader refuses values that the library would also refuse
 * later, because only the reader knows the line and the column.
 */
#include "cli/traces/openb_trace.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/input/csv_reader.h"

/* These limits are far above the size of any machine, and far below values with which a sum could
 * overflow. */
#define CPU_MILLI_MAX  ((int64_t)1 << 30)
#define MEMORY_MIB_MAX ((int64_t)1 << 34)
#define WHOLE_GPU      1000

enum { NODE_NAME, NODE_CPU, NODE_MEMORY, NODE_GPUS, NODE_MODEL, NODE_COLUMNS };
static const char *const node_columns[NODE_COLUMNS] = {"sn", "cpu_milli", "memory_mib", "gpu",
                                                       "model"};

enum { TASK_NAME, TASK_CPU, TASK_MEMORY, TASK_GPUS, TASK_MILLI, TASK_SPEC, TASK_COLUMNS };
static const char *const task_columns[TASK_COLUMNS] = {"name",    "cpu_milli", "memory_mib",
                                                       "num_gpu", "gpu_milli", "gpu_spec"};

static int32_t add_node(void *user, const struct csv *csv, const size_t *place, lsched_error *err) {
    struct openb_nodes *nodes = user;
    nodes->items = must_grow(nodes->items, nodes->n, &nodes->capacity, sizeof nodes->items[0]);
    struct openb_node *out = &nodes->items[nodes->n];
    memset(out, 0, sizeof *out);
    int32_t rc = csv_name(csv, place[NODE_NAME], &out->name, err);
    if (rc == 0) rc = csv_number(csv, place[NODE_CPU], 0, CPU_MILLI_MAX, &out->cpu_milli, err);
    if (rc == 0) rc = csv_number(csv, place[NODE_MEMORY], 0, MEMORY_MIB_MAX, &out->memory_mib, err);
    if (rc == 0)
        rc = csv_number(csv, place[NODE_GPUS], 0, LSCHED_DEVICES_PER_NODE_MAX, &out->gpus, err);
    if (rc != 0) return rc;
    const struct csv_field *model = &csv->fields[place[NODE_MODEL]];
    if (out->gpus > 0 && model->len == 0) {
        return csv_error(csv, place[NODE_MODEL], LSCHED_E_SYNTAX, err,
                         "a GPU model (the node has GPUs)");
    }
    out->model = (lsched_text){model->text, model->len};
    out->line = csv->line;
    nodes->n++;
    nodes->gpus += out->gpus;
    return LSCHED_OK;
}

static int32_t read_models(const struct csv *csv, size_t field, struct openb_task *out,
                           lsched_error *err) {
    const struct csv_field *spec = &csv->fields[field];
    out->spec = (lsched_text){spec->text, spec->len};
    for (size_t from = 0; spec->len > 0 && from <= spec->len;) {
        const char *bar = memchr(spec->text + from, '|', spec->len - from);
        size_t to = bar != NULL ? (size_t)(bar - spec->text) : spec->len;
        if (to == from || out->n_models == OPENB_MODELS_MAX) {
            return csv_error(csv, field, LSCHED_E_SYNTAX, err, "up to %d models between '|'",
                             OPENB_MODELS_MAX);
        }
        out->models[out->n_models++] = (lsched_text){spec->text + from, to - from};
        from = to + 1;
    }
    return LSCHED_OK;
}

static int32_t add_task(void *user, const struct csv *csv, const size_t *place, lsched_error *err) {
    struct openb_tasks *tasks = user;
    tasks->items = must_grow(tasks->items, tasks->n, &tasks->capacity, sizeof tasks->items[0]);
    struct openb_task *out = &tasks->items[tasks->n];
    memset(out, 0, sizeof *out);
    int32_t rc = csv_name(csv, place[TASK_NAME], &out->name, err);
    if (rc == 0) rc = csv_number(csv, place[TASK_CPU], 0, CPU_MILLI_MAX, &out->cpu_milli, err);
    if (rc == 0) rc = csv_number(csv, place[TASK_MEMORY], 0, MEMORY_MIB_MAX, &out->memory_mib, err);
    if (rc == 0)
        rc = csv_number(csv, place[TASK_GPUS], 0, LSCHED_DEVICES_PER_NODE_MAX, &out->gpus, err);
    if (rc == 0) rc = csv_number(csv, place[TASK_MILLI], 0, WHOLE_GPU, &out->milli_per_gpu, err);
    if (rc == 0) rc = read_models(csv, place[TASK_SPEC], out, err);
    if (rc != 0) return rc;
    if (out->gpus == 0 && out->milli_per_gpu != 0) {
        return csv_error(csv, place[TASK_MILLI], LSCHED_E_RANGE, err, "0 (num_gpu is 0)");
    }
    if (out->gpus == 1 && out->milli_per_gpu == 0) {
        return csv_error(csv, place[TASK_MILLI], LSCHED_E_RANGE, err, "1 to %d (num_gpu is 1)",
                         WHOLE_GPU);
    }
    if (out->gpus > 1 && out->milli_per_gpu != WHOLE_GPU) {
        return csv_error(csv, place[TASK_MILLI], LSCHED_E_RANGE, err,
                         "%d (only a single GPU may be shared)", WHOLE_GPU);
    }
    tasks->n++;
    tasks->gpu_milli += openb_task_gpu_milli(out);
    return LSCHED_OK;
}

int32_t openb_nodes_read(const char *text, size_t len, struct openb_nodes *out, lsched_error *err) {
    struct csv csv;
    memset(out, 0, sizeof *out);
    int32_t rc = csv_read(&csv, text, len, node_columns, NODE_COLUMNS, add_node, out, err);
    if (rc == 0 && out->gpus == 0)
        rc = error_at(err, LSCHED_E_SYNTAX, csv.line, 1,
                      "expected at least one node with a GPU, got none");
    if (rc < 0) openb_nodes_free(out);
    return rc;
}

int32_t openb_tasks_read(const char *text, size_t len, struct openb_tasks *out, lsched_error *err) {
    struct csv csv;
    memset(out, 0, sizeof *out);
    int32_t rc = csv_read(&csv, text, len, task_columns, TASK_COLUMNS, add_task, out, err);
    if (rc == 0 && out->gpu_milli == 0) {
        rc = error_at(err, LSCHED_E_SYNTAX, csv.line, 1,
                      "expected at least one task that asks for a GPU, got none");
    }
    if (rc < 0) openb_tasks_free(out);
    return rc;
}

bool openb_error_of_node(const struct openb_nodes *nodes, lsched_error *err) {
    if (err->index < 0 || (size_t)err->index >= nodes->n) return false;
    err->line = nodes->items[err->index].line;
    err->column = 1;
    return true;
}

void openb_nodes_free(struct openb_nodes *nodes) {
    free(nodes->items);
    memset(nodes, 0, sizeof *nodes);
}

void openb_tasks_free(struct openb_tasks *tasks) {
    free(tasks->items);
    memset(tasks, 0, sizeof *tasks);
}
