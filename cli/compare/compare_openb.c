/*
 * compare_openb.c -- compares two policies that fill the openb cluster with the same tasks in the
 * same order (openb_replay.h). No task ends or waits. Therefore the comparison shows on which nodes
 * the tasks are placed, which tasks are dropped, and how many GPUs are partly free.
 */
#include "cli/compare/compare_openb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/replay/openb_replay.h"
#include "cli/input/xz_input.h"

#define ARRIVAL_US ((int64_t)1000000)
#define NOWHERE    UINT32_MAX

struct openb_input {
    struct comparison *of;
    struct input_file nodes_file;
    struct openb_nodes nodes;
    struct openb_tasks tasks;
    struct openb_mix mix;
    uint32_t *arrivals; /* owned by this struct */
    size_t n_arrivals;
    struct replay_result results[SIDES];
};

/* ---- input ---- */

static int read_nodes(struct openb_input *in) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc =
        input_read_or_beside(in->of->args->nodes, in->of->file.name, "nodes.csv", &in->nodes_file);
    if (rc == EXIT_OK &&
        openb_nodes_read(in->nodes_file.text, in->nodes_file.len, &in->nodes, &err) < 0)
        rc = library_error(in->nodes_file.name, &err);
    return rc;
}

static int read_input(struct openb_input *in) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (openb_tasks_read(in->of->file.text, in->of->file.len, &in->tasks, &err) < 0)
        return library_error(in->of->file.name, &err);
    int rc = read_nodes(in);
    if (rc == EXIT_OK) openb_mix_make(&in->tasks, &in->mix);
    return rc;
}

/* ---- playing ---- */

static int play(void *input, size_t side, const struct plan_watch *watch) {
    struct openb_input *in = input;
    const struct compare_args *args = in->of->args;
    lsched_error err = LSCHED_ERROR_INIT;
    struct replay replay = {.nodes = &in->nodes,
                            .tasks = &in->tasks,
                            .policy = &in->of->policies[side],
                            .step = comparison_step,
                            .user = in->of,
                            .watch = watch,
                            .arrivals_max = args->jobs != NOT_GIVEN ? (size_t)args->jobs : 0};
    in->of->side_now = side;
    if (in->arrivals == NULL)
        in->arrivals = openb_arrivals(&replay, (uint64_t)args->seed, &in->n_arrivals);
    if (openb_replay(&replay, &in->mix, (uint64_t)args->seed, &in->results[side], &err) < 0) {
        progress_hide(&in->of->progress);
        if (openb_error_of_node(&in->nodes, &err)) return library_error(in->nodes_file.name, &err);
        return policy_source_error(&in->of->policies[side], in->of->file.name, &err);
    }
    comparison_step(in->of, 1, 1);
    return EXIT_OK;
}

/* ---- results ---- */

static void percent_of(struct comparison *of, const struct openb_input *in, const char *key,
                       const char *label, size_t mark) {
    double a = in->results[SIDE_A].unallocated_percent[mark];
    double b = in->results[SIDE_B].unallocated_percent[mark];
    struct measure *measure = comparison_measure(of, key, label, MEASURE_PERCENT, a, b);
    measure->known[SIDE_A] = a >= 0;
    measure->known[SIDE_B] = b >= 0;
}

static void measure_sides(struct openb_input *in) {
    struct comparison *of = in->of;
    const struct replay_result *a = &in->results[SIDE_A], *b = &in->results[SIDE_B];
#define ADD(key, label, unit, field, scale) \
    comparison_measure(of, key, label, unit, (double)a->field / (scale), (double)b->field / (scale))
    ADD("placed", "tasks with a place", MEASURE_COUNT, placed, 1);
    ADD("dropped", "tasks without", MEASURE_COUNT, dropped, 1);
    ADD("dropped_gpus", "GPUs that these asked for", MEASURE_HOURS, dropped_gpu_milli, 1000);
    percent_of(of, in, "unallocated_percent_100", "GPUs unallocated when 100 % are asked for",
               MARK_100);
    percent_of(of, in, "unallocated_percent_130", "GPUs unallocated when 130 % are asked for",
               MARK_130);
    ADD("free_gpus", "GPUs free at the end", MEASURE_HOURS, free_gpu_milli, 1000);
    ADD("free_gpus_on_used_nodes", "  on nodes that hold something", MEASURE_HOURS,
        free_on_used_milli, 1000);
    ADD("gpus_in_pieces", "GPUs of which a part is free", MEASURE_COUNT, gpus_in_pieces, 1);
    ADD("nodes_used", "nodes that hold something", MEASURE_COUNT, nodes_used, 1);
#undef ADD
}

/* Returns an array with the node of each arriving task, in order of arrival. The node is NOWHERE if
 * the task was dropped. The caller frees the array. */
static uint32_t *places(const struct openb_input *in, size_t side) {
    const struct plan_rows *log = &in->of->log[side];
    uint32_t *node = must_alloc(in->n_arrivals * sizeof node[0]);
    for (size_t i = 0; i < in->n_arrivals; i++) node[i] = NOWHERE;
    for (size_t i = 0; i < log->n; i++) {
        int64_t arrival = log->items[i].now_us / ARRIVAL_US;
        if (log->items[i].kind == ROW_START) node[arrival] = log->items[i].node;
    }
    return node;
}

static char *place_text(const struct openb_input *in, uint32_t node) {
    if (node == NOWHERE) return must_copy("no place", 8);
    lsched_text name = in->of->names.nodes.names[node];
    return must_copy(name.ptr, (size_t)name.len);
}

static void keep_arrival(struct openb_input *in, size_t at, const uint32_t node[SIDES]) {
    const struct openb_task *task = &in->tasks.items[in->arrivals[at]];
    struct compared_job job = {.weight = (double)openb_task_gpu_milli(task)};
    char name[32];
    int len = snprintf(name, sizeof name, "arrival-%06zu", at);
    job.name = must_copy(name, (size_t)len);
    job.queue = must_copy(task->name.ptr, (size_t)task->name.len);
    snprintf(job.size, sizeof job.size, task->milli_per_gpu % 1000 == 0 ? "%.0f" : "%.2f",
             (double)openb_task_gpu_milli(task) / 1000);
    for (size_t side = 0; side < SIDES; side++) job.place[side] = place_text(in, node[side]);
    comparison_keep(in->of, &job);
}

static void compare_arrivals(struct openb_input *in) {
    struct comparison *of = in->of;
    uint32_t *a = places(in, SIDE_A), *b = places(in, SIDE_B);
    of->jobs_compared = in->results[SIDE_A].arrivals;
    for (size_t i = 0; i < of->jobs_compared; i++) {
        uint32_t node[SIDES] = {a[i], b[i]};
        of->elsewhere += a[i] != b[i] && a[i] != NOWHERE && b[i] != NOWHERE;
        if ((a[i] == NOWHERE) == (b[i] == NOWHERE)) continue;
        of->jobs_differ++;
        keep_arrival(in, i, node);
    }
    free(a);
    free(b);
}

static void head(struct openb_input *in) {
    struct comparison *of = in->of;
    snprintf(of->heading[0], sizeof of->heading[0],
             "%s: %zu tasks, of which %" PRIu64 " arrive, some more than once; seed %" PRId64,
             of->file.name, in->tasks.n, in->results[SIDE_A].arrivals, of->args->seed);
    snprintf(of->heading[1], sizeof of->heading[1], "%" PRId64 " GPUs on %zu nodes", in->nodes.gpus,
             in->nodes.n);
}

static void compare_results(void *input) {
    struct openb_input *in = input;
    measure_sides(in);
    compare_arrivals(in);
}

int compare_openb(struct comparison *of) {
    struct openb_input in = {.of = of};
    of->unit = "GPU";
    of->what = "task";
    int rc = read_input(&in);
    if (rc == EXIT_OK) {
        const struct comparison_trace trace = {&in, play, &in.results[SIDE_A].plans_hash,
                                               compare_results};
        rc = comparison_play(of, &trace);
        if (rc == EXIT_OK) head(&in);
    }
    openb_mix_free(&in.mix);
    openb_nodes_free(&in.nodes);
    openb_tasks_free(&in.tasks);
    input_free(&in.nodes_file);
    free(in.arrivals);
    return rc;
}
