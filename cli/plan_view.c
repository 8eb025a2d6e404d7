/*
 * plan_view.c -- a plan on a terminal. A plan has a decision per task; people think in jobs, so
 * by default equal tasks of a job are one line, in the order in which the plan first speaks of
 * them.
 */
#include "plan_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "name_list.h"
#include "plan_words.h"
#include "queue_table.h"
#include "terminal.h"
#include "text_table.h"
#include "time_text.h"

enum { JOBS_SHOWN = 3, NODES_SHOWN = 6, REASON_BYTES = 512 };

const char *device_list(uint32_t mask, char out[64]) {
    size_t len = 0;
    out[0] = '\0';
    for (int i = 0; i < 32; i++) {
        if ((mask >> i & 1) == 0) continue;
        int last = i;
        while (last < 31 && (mask >> (last + 1) & 1) != 0) last++;
        const char *comma = len > 0 ? "," : "";
        int n = last > i ? snprintf(out + len, 64 - len, "%s%d-%d", comma, i, last)
                         : snprintf(out + len, 64 - len, "%s%d", comma, i);
        len += (size_t)n;
        i = last;
    }
    return out[0] != '\0' ? out : strcpy(out, "-");
}

const char *milli_text(int64_t milli, char out[32]) {
    int len = snprintf(out, 32, "%" PRId64 ".%03d", milli / 1000, abs((int)(milli % 1000)));
    while (out[len - 1] == '0') out[--len] = '\0';
    if (out[len - 1] == '.') out[--len] = '\0';
    return out;
}

static int devices_of(const lsched_decision *decision) {
    return __builtin_popcount(decision->device_mask);
}

/* ---- by job ---------------------------------------------------------------------------------- */

struct ranked {
    const lsched_decision *decision;
    lsched_text job;
    size_t prefix; /* of the job's name: jobs that differ in their number share a line */
    size_t at;     /* in the plan */
    size_t first;  /* at of the first decision like it */
};

/* Decisions that share a line. */
static int compare_kind(const struct ranked *a, const struct ranked *b) {
    const lsched_decision *x = a->decision, *y = b->decision;
    if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
    int order = a->prefix > 0 ? memcmp(a->job.ptr, b->job.ptr, a->prefix) : 0;
    if (order != 0) return order;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->group_index != y->group_index) return x->group_index < y->group_index ? -1 : 1;
    if (x->device_milli != y->device_milli) return x->device_milli < y->device_milli ? -1 : 1;
    return devices_of(x) - devices_of(y);
}

static int compare_at(size_t a, size_t b) {
    return (a > b) - (a < b);
}

static int by_kind(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    int order = compare_kind(x, y);
    return order != 0 ? order : compare_at(x->at, y->at);
}

static int by_first(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    return x->first != y->first ? compare_at(x->first, y->first) : compare_at(x->at, y->at);
}

static struct ranked *rank(const lsched_scenario_cycle *cycle, size_t n) {
    struct ranked *ranked = must_alloc(n * sizeof ranked[0]);
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *decision = lsched_plan_decision(cycle->plan, i);
        lsched_text job = name_of(cycle->cluster, decision->job);
        ranked[i] = (struct ranked){decision, job, name_prefix(&job), i, i};
    }
    qsort(ranked, n, sizeof ranked[0], by_kind);
    for (size_t i = 1; i < n; i++) {
        if (compare_kind(&ranked[i - 1], &ranked[i]) == 0) ranked[i].first = ranked[i - 1].first;
    }
    qsort(ranked, n, sizeof ranked[0], by_first);
    return ranked;
}

static void gpus_cell(struct text_table *table, const lsched_decision *decision) {
    char number[32];
    if (decision->device_mask == 0) {
        table_cell(table, "-");
    } else {
        int64_t milli = (int64_t)decision->device_milli * devices_of(decision);
        table_cell(table, "%s", milli_text(milli, number));
    }
}

/* names: room for n. */
static void jobs_row(struct text_table *table, const lsched_cluster *cluster,
                     const struct ranked *ranked, size_t n, lsched_text *names) {
    const lsched_decision *decision = ranked[0].decision;
    for (size_t i = 0; i < n; i++) names[i] = ranked[i].job;
    char *jobs = name_list(names, n, JOBS_SHOWN);
    for (size_t i = 0; i < n; i++) names[i] = name_of(cluster, ranked[i].decision->node);
    char *nodes = name_list(names, n, NODES_SHOWN);
    table_cell(table, "%s", decision_word(decision->kind));
    table_cell(table, "%s", jobs);
    table_cell(table, "%zu", n);
    gpus_cell(table, decision);
    table_cell(table, "%s", nodes);
    free(jobs);
    free(nodes);
}

static void print_by_job(const lsched_scenario_cycle *cycle, size_t n) {
    struct text_table table;
    struct ranked *ranked = rank(cycle, n);
    lsched_text *names = must_alloc(n * sizeof names[0]);
    table_begin(&table, "llrrl");
    table_cell(&table, "action");
    table_cell(&table, "job");
    table_cell(&table, "tasks");
    table_cell(&table, "GPUs each");
    table_cell(&table, "nodes");
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && ranked[end].first == ranked[i].first) end++;
        jobs_row(&table, cycle->cluster, ranked + i, end - i, names);
        i = end;
    }
    table_print(&table, stdout, 2, terminal_width(stdout));
    free(names);
    free(ranked);
}

/* ---- by task --------------------------------------------------------------------------------- */

static void print_by_task(const lsched_scenario_cycle *cycle, size_t n) {
    struct text_table table;
    table_begin(&table, "llrlrl");
    table_cell(&table, "action");
    table_cell(&table, "job");
    table_cell(&table, "task");
    table_cell(&table, "node");
    table_cell(&table, "GPUs");
    table_cell(&table, "devices");
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *decision = lsched_plan_decision(cycle->plan, i);
        lsched_text job = name_of(cycle->cluster, decision->job),
                    node = name_of(cycle->cluster, decision->node);
        char devices[64];
        table_cell(&table, "%s", decision_word(decision->kind));
        table_cell(&table, "%.*s", (int)job.len, job.ptr);
        table_cell(&table, "%u", decision->task_index);
        table_cell(&table, "%.*s", (int)node.len, node.ptr);
        gpus_cell(&table, decision);
        table_cell(&table, "%s", device_list(decision->device_mask, devices));
    }
    table_print(&table, stdout, 2, terminal_width(stdout));
}

/* ---- waiting, and the whole ------------------------------------------------------------------ */

static void print_waiting(const lsched_scenario_cycle *cycle) {
    size_t n = lsched_plan_waiting_size(cycle->plan);
    uint64_t jobs = 0;
    for (size_t i = 0; i < n; i++) jobs += lsched_plan_waiting(cycle->plan, i)->jobs;
    if (n == 0) return;
    printf("\n%" PRIu64 " job%s wait%s\n", jobs, jobs == 1 ? "" : "s", jobs == 1 ? "s" : "");
    struct text_table table;
    table_begin(&table, "lll");
    table_cell(&table, "job");
    table_cell(&table, "queue");
    table_cell(&table, "why");
    for (size_t i = 0; i < n; i++) {
        const lsched_waiting *waiting = lsched_plan_waiting(cycle->plan, i);
        lsched_text job = name_of(cycle->cluster, waiting->job),
                    queue = name_of(cycle->cluster, waiting->queue);
        char why[REASON_BYTES] = "";
        lsched_waiting_text(cycle->cluster, waiting, why, sizeof why);
        if (waiting->jobs > 1) {
            table_cell(&table, "%.*s and %" PRIu64 " more", (int)job.len, job.ptr,
                       waiting->jobs - 1);
        } else {
            table_cell(&table, "%.*s", (int)job.len, job.ptr);
        }
        table_cell(&table, "%.*s", (int)queue.len, queue.ptr);
        table_cell(&table, "%s", why);
    }
    table_print(&table, stdout, 2, terminal_width(stdout));
}

static void print_flag(void *user, const char *word) {
    (void)user;
    printf(", %s", word);
}

static void print_summary(const lsched_scenario_cycle *cycle, const lsched_plan_info *info) {
    char wake[TIME_TEXT_BYTES];
    printf("\nplan %016" PRIx64, info->plan_hash);
    plan_flag_words(info->flags, print_flag, NULL);
    printf("; %" PRIu64 " job%s tried, %" PRIu64 " node%s scored\n", info->jobs_tried,
           info->jobs_tried == 1 ? "" : "s", info->nodes_scored,
           info->nodes_scored == 1 ? "" : "s");
    if (info->policy_error != LSCHED_OK)
        printf("the policy failed: %s\n", lsched_plan_policy_error(cycle->plan));
    if (info->next_wake_us == LSCHED_NEVER_US) {
        printf("next cycle: after an event\n");
    } else if (info->next_wake_us <= info->now_us) {
        printf("next cycle: at once, work is left over\n");
    } else {
        printf("next cycle: after an event, or in %s\n",
               span_format(info->next_wake_us - info->now_us, wake));
    }
}

void plan_print(const lsched_scenario_cycle *cycle, bool every_task) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_info_get(cycle->plan, &info);
    size_t n = lsched_plan_size(cycle->plan);
    printf("%zu decision%s\n", n, n == 1 ? "" : "s");
    if (n > 0 && every_task) print_by_task(cycle, n);
    if (n > 0 && !every_task) print_by_job(cycle, n);
    print_waiting(cycle);
    queue_table_print(cycle->cluster);
    print_summary(cycle, &info);
}
