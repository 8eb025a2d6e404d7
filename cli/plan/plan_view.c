/*
 * plan_view.c -- see plan_view.h. The table has columns for the costs of evictions only if the plan
 * has evictions, moves or nominations.
 */
#include "cli/plan/plan_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/name_list.h"
#include "cli/support/number_text.h"
#include "cli/plan/plan_lines.h"
#include "cli/plan/plan_words.h"
#include "cli/plan/queue_table.h"
#include "cli/plan/reservation_table.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"
#include "cli/support/cli_errors.h"

enum { JOBS_SHOWN = 3, NODES_SHOWN = 6, REASON_BYTES = 512, DEVICE_LIST_BYTES = 512 };

/* Returns the devices of a set as text, such as "0-3,6", or "-" if the set is empty. Writes the
 * text to `out` and returns `out`. */
static const char *device_list(const uint64_t *device_words, char out[DEVICE_LIST_BYTES]) {
    const uint32_t n_devices = 64 * LSCHED_DEVICE_WORDS;
    size_t len = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < n_devices; i++) {
        if (!device_set_holds(device_words, i)) continue;
        uint32_t last = i;
        while (last + 1 < n_devices && device_set_holds(device_words, last + 1)) last++;
        const char *comma = len > 0 ? "," : "";
        int n = last > i ? snprintf(out + len, DEVICE_LIST_BYTES - len, "%s%u-%u", comma, i, last)
                         : snprintf(out + len, DEVICE_LIST_BYTES - len, "%s%u", comma, i);
        len += (size_t)n;
        i = last;
    }
    return out[0] != '\0' ? out : strcpy(out, "-");
}

/* Does the same for a mask of devices, network cards or NUMA nodes. */
static const char *mask_list(uint32_t mask, char out[DEVICE_LIST_BYTES]) {
    return device_list((const uint64_t[LSCHED_DEVICE_WORDS]){mask}, out);
}

/* Returns the word that the table shows for a kind of decision. The word for SUSPEND is "swap out",
 * which says more than the name in the API. */
static const char *action_word(uint32_t kind) {
    return kind == LSCHED_DECIDE_SUSPEND ? "swap out" : lsched_decision_kind_name(kind);
}

static void gpus_cell(struct text_table *table, const lsched_decision *decision) {
    char number[32];
    uint32_t devices = decision_devices(decision);
    if (devices == 0) {
        table_cell(table, "-");
    } else {
        int64_t milli = (int64_t)decision->device_milli * devices;
        table_cell(table, "%s", milli_text(milli, number));
    }
}

/* ---- evictions and their costs ---- */

/* Prints the time until the decision takes effect, such as "in 30s". The cell is empty if the
 * decision takes effect at once. */
static void when_cell(struct text_table *table, int64_t at_us, int64_t now_us) {
    char span[TIME_TEXT_BYTES];
    table_cell(table, at_us > now_us ? "in %s" : "%s",
               at_us > now_us ? span_format(at_us - now_us, span) : "");
}

/* Prints the cost of an eviction. If the policy has the hook `victim`, the cost is the value of
 * this hook, which has a unit of the policy's own. Otherwise the cost is the lost work plus the
 * restart, in GPU time. */
static void cost_cell(struct text_table *table, const lsched_decision *decision, double cost,
                      bool own_unit) {
    if (!decision_stops(decision->kind) || decision->reason >= LSCHED_FOR_STALE_GANG) {
        /* the decision does not stop a task for another job, therefore the library computed no
         * cost */
        table_cell(table, "%s", "");
    } else if (own_unit) {
        table_cell(table, "%g", cost / 1048576);
    } else if (cost >= 3600000) {
        table_cell(table, "%.1f GPU-hours", cost / 3600000);
    } else {
        table_cell(table, "%.1f GPU-minutes", cost / 60000);
    }
}

/* Prints why a task that is warned will end. */
static void end_cell(struct text_table *table, uint32_t reason) {
    table_cell(table, "%s",
               reason == LSCHED_FOR_TIME_LIMIT  ? "reaches its time limit then"
               : reason == LSCHED_FOR_ALLOWANCE ? "is stopped then, its allowance is spent"
                                                : "its node leaves then");
}

static void why_cell(struct text_table *table, const lsched_decision *decision,
                     const char *for_jobs) {
    const char *reason = reason_word(decision->reason);
    if (decision->kind == LSCHED_DECIDE_WARN) {
        end_cell(table, decision->reason);
    } else if (decision->reason == LSCHED_FOR_STALE_GANG) {
        table_cell(table, "its gang is below its minimum");
    } else if (decision->reason == LSCHED_FOR_TIME_LIMIT) {
        table_cell(table, "ran for longer than it may");
    } else if (decision->reason == LSCHED_FOR_IDLE) {
        table_cell(table, "is idle");
    } else if (decision->reason == LSCHED_FOR_DRAIN) {
        table_cell(table, "has to leave its node");
    } else if (decision->reason == LSCHED_FOR_ALLOWANCE) {
        table_cell(table, "its allowance is spent");
    } else if (decision->reason == LSCHED_FOR_SPEED) {
        table_cell(table, "runs faster there");
    } else if (for_jobs != NULL) {
        table_cell(table, "%s for %s", reason, for_jobs);
    } else if (decision->reason == LSCHED_FOR_CONSOLIDATE) {
        table_cell(table, "%s, to free whole nodes", reason);
    } else {
        table_cell(table, "%s", reason != NULL ? reason : "");
    }
}

static bool has_own_costs(const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info, NULL);
    return (info.hooks & LSCHED_HOOK_VICTIM) != 0;
}

/* ---- by job ---- */

struct job_table {
    struct text_table table;
    const lsched_scenario_cycle *cycle;
    bool costs,         /* true if the table has columns for the costs of evictions */
        own_costs;      /* true if the hook `victim` of the policy computes the costs */
    lsched_text *names; /* owned by this struct; space for the names in one line of the table */
};

/* Prints the nodes of the decisions in a line. The cell of a move also has the target nodes. */
static void nodes_cell(struct job_table *t, const struct plan_entry *line, size_t n) {
    const lsched_cluster *cluster = t->cycle->cluster;
    for (size_t i = 0; i < n; i++) t->names[i] = name_of(cluster, line[i].decision->node);
    char *nodes = name_list(t->names, n, NODES_SHOWN);
    if (line->decision->kind == LSCHED_DECIDE_MIGRATE) {
        for (size_t i = 0; i < n; i++) t->names[i] = name_of(cluster, line[i].decision->to_node);
        char *to = name_list(t->names, n, NODES_SHOWN);
        table_cell(&t->table, "%s to %s", nodes, to);
        free(to);
    } else {
        table_cell(&t->table, "%s", nodes);
    }
    free(nodes);
}

static void cost_cells(struct job_table *t, const struct plan_entry *line, size_t n) {
    double cost = 0;
    int64_t at_us = 0;
    char *for_jobs = NULL;
    for (size_t i = 0; i < n; i++) {
        cost += (double)line[i].decision->cost;
        if (line[i].decision->at_us > at_us) at_us = line[i].decision->at_us;
        t->names[i] = line[i].for_job;
    }
    when_cell(&t->table, at_us, t->cycle->now_us);
    cost_cell(&t->table, line->decision, cost, t->own_costs);
    if (line->decision->for_job != 0) for_jobs = name_list(t->names, n, JOBS_SHOWN);
    why_cell(&t->table, line->decision, for_jobs);
    free(for_jobs);
}

static void jobs_row(struct job_table *t, const struct plan_entry *line, size_t n) {
    for (size_t i = 0; i < n; i++) t->names[i] = line[i].job;
    char *jobs = name_list(t->names, n, JOBS_SHOWN);
    table_cell(&t->table, "%s%s", plan_line_is_below(line) ? "  " : "",
               action_word(line->decision->kind));
    table_cell(&t->table, "%s", jobs);
    table_cell(&t->table, "%zu", n);
    gpus_cell(&t->table, line->decision);
    if (t->costs) cost_cells(t, line, n);
    nodes_cell(t, line, n);
    free(jobs);
}

static void print_by_job(FILE *out, const lsched_scenario_cycle *cycle,
                         const struct plan_lines *lines) {
    struct job_table t = {.cycle = cycle,
                          .costs = plan_lines_have_times(lines),
                          .own_costs = has_own_costs(cycle->cluster)};
    t.names = must_alloc((lines->n + 1) * sizeof t.names[0]);
    table_begin(&t.table, t.costs ? "llrrlrll" : "llrrl");
    TABLE_WORDS(&t.table, "action", "job", "tasks", "GPUs each");
    if (t.costs) TABLE_WORDS(&t.table, "when", t.own_costs ? "cost" : "work lost", "why");
    table_cell(&t.table, "nodes");
    for (size_t i = 0; i < lines->n;) {
        size_t end = plan_line_end(lines, i);
        jobs_row(&t, lines->entries + i, end - i);
        i = end;
    }
    table_print(&t.table, out, 2, terminal_width(out));
    free(t.names);
}

/* ---- by task ---- */

/* columns of the table that are printed only if at least one decision has a value for the column */
struct task_columns {
    bool costs, mig, recut, numa, nics;
};

static struct task_columns task_columns_of(const lsched_scenario_cycle *cycle, bool costs) {
    struct task_columns has = {.costs = costs};
    for (size_t i = 0; i < lsched_plan_size(cycle->plan); i++) {
        const lsched_decision *decision = lsched_plan_at(cycle->plan, i);
        has.mig |= decision_is_mig(cycle->cluster, decision);
        has.recut |= decision->recut_mask != 0;
        has.numa |= decision->numa_mask != 0;
        has.nics |= decision->nic_mask != 0;
    }
    return has;
}

/* Prints the MIG instances of a decision with their profile and first memory slice, such as
 * "1g.10gb@6". "1g.10gb@0,4" means two instances on two devices, one at slice 0 and one at slice 4.
 * The profile of a nomination is not known yet, therefore its cell is such as "@0". */
static void mig_cell(struct text_table *table, const lsched_cluster *cluster,
                     const lsched_decision *decision) {
    char starts[LSCHED_MIG_INDEXES_MAX * 3] = "";
    size_t len = 0;
    if (!decision_is_mig(cluster, decision)) {
        table_cell(table, "-");
        return;
    }
    const char *profile = decision_profile(cluster, decision);
    for (uint32_t i = 0; i < LSCHED_MIG_INDEXES_MAX; i++) {
        if (!device_set_holds(decision->device_words, i)) continue;
        len += (size_t)snprintf(starts + len, sizeof starts - len, "%s%u", len > 0 ? "," : "",
                                decision_start(decision, i));
    }
    table_cell(table, "%s@%s", profile != NULL ? profile : "", starts);
}

static void inside_cells(struct text_table *table, const lsched_cluster *cluster,
                         const lsched_decision *decision, const struct task_columns *has) {
    char list[DEVICE_LIST_BYTES];
    if (has->mig) mig_cell(table, cluster, decision);
    if (has->recut) table_cell(table, "%s", mask_list(decision->recut_mask, list));
    if (has->numa) table_cell(table, "%s", mask_list(decision->numa_mask, list));
    if (has->nics) table_cell(table, "%s", mask_list(decision->nic_mask, list));
}

/* Prints the row of one decision. `group` counts the decision groups in the order of the plan, from
 * 1. */
static void task_row(struct text_table *table, const lsched_scenario_cycle *cycle,
                     const lsched_decision *decision, const struct task_columns *has,
                     size_t group) {
    lsched_text job = name_of(cycle->cluster, decision->job),
                node = name_of(cycle->cluster, decision->node);
    char devices[DEVICE_LIST_BYTES];
    if (has->costs) table_cell(table, "%zu", group);
    table_cell(table, "%s", action_word(decision->kind));
    table_cell(table, "%.*s", (int)job.len, job.ptr);
    table_cell(table, "%u", decision->task_index);
    table_cell(table, "%.*s", (int)node.len, node.ptr);
    gpus_cell(table, decision);
    table_cell(table, "%s", device_list(decision->device_words, devices));
    inside_cells(table, cycle->cluster, decision, has);
    if (!has->costs) return;
    when_cell(table, decision->at_us, cycle->now_us);
    cost_cell(table, decision, (double)decision->cost, has_own_costs(cycle->cluster));
    lsched_text for_job = name_of(cycle->cluster, decision->for_job);
    char *for_jobs = decision->for_job != 0 ? must_copy(for_job.ptr, for_job.len) : NULL;
    why_cell(table, decision, for_jobs);
    free(for_jobs);
}

static void print_by_task(FILE *out, const lsched_scenario_cycle *cycle, bool costs) {
    const struct task_columns has = task_columns_of(cycle, costs);
    const struct {
        bool shown;
        char align;
        const char *head;
    } columns[] = {{costs, 'r', "group"},
                   {true, 'l', "action"},
                   {true, 'l', "job"},
                   {true, 'r', "task"},
                   {true, 'l', "node"},
                   {true, 'r', "GPUs"},
                   {true, 'l', "devices"},
                   {has.mig, 'l', "MIG"},
                   {has.recut, 'l', "recut"},
                   {has.numa, 'l', "NUMA"},
                   {has.nics, 'l', "NICs"},
                   {costs, 'l', "when"},
                   {costs, 'r', has_own_costs(cycle->cluster) ? "cost" : "work lost"},
                   {costs, 'l', "why"}};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    _Static_assert((int)COLUMNS <= (int)TABLE_COLUMNS_MAX, "a table holds all columns");
    char align[COLUMNS + 1] = "";
    struct text_table table;
    uint64_t last = 0;
    size_t group = 0, n = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].shown) align[n++] = columns[i].align;
    table_begin(&table, align);
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].shown) table_cell(&table, "%s", columns[i].head);
    for (size_t i = 0; i < lsched_plan_size(cycle->plan); i++) {
        const lsched_decision *decision = lsched_plan_at(cycle->plan, i);
        group += decision->group != last;
        last = decision->group;
        task_row(&table, cycle, decision, &has, group);
    }
    table_print(&table, out, 2, terminal_width(out));
}

/* ---- waiting jobs and totals ---- */

static void print_waiting(FILE *out, const lsched_scenario_cycle *cycle) {
    size_t n = lsched_plan_waiting_size(cycle->plan);
    uint64_t jobs = 0;
    for (size_t i = 0; i < n; i++) jobs += lsched_plan_waiting_at(cycle->plan, i)->jobs;
    if (n == 0) return;
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_cluster_stats_get(cycle->cluster, &stats, NULL);
    /* a plan has wait records only for the jobs that the cycle tried, except if the cycle had the
     * flag LSCHED_SCHEDULE_ALL_WAITING */
    if (jobs < stats.jobs_pending) {
        fprintf(out, "\n%" PRIu64 " of the %" PRIu64 " jobs that wait were tried\n", jobs,
                stats.jobs_pending);
    } else {
        fprintf(out, "\n%" PRIu64 " job%s wait%s\n", jobs, plural(jobs), jobs == 1 ? "s" : "");
    }
    struct text_table table;
    table_begin(&table, "lll");
    TABLE_WORDS(&table, "job", "queue", "why");
    for (size_t i = 0; i < n; i++) {
        const lsched_waiting *waiting = lsched_plan_waiting_at(cycle->plan, i);
        lsched_text job = name_of(cycle->cluster, waiting->job),
                    queue = name_of(cycle->cluster, waiting->queue);
        char why[REASON_BYTES] = "";
        scenario_wait_text(cycle->cluster, waiting, why, sizeof why);
        if (waiting->jobs > 1) {
            table_cell(&table, "%.*s and %" PRIu64 " more", (int)job.len, job.ptr,
                       waiting->jobs - 1);
        } else {
            table_cell(&table, "%.*s", (int)job.len, job.ptr);
        }
        table_cell(&table, "%.*s", (int)queue.len, queue.ptr);
        table_cell(&table, "%s", why);
    }
    table_print(&table, out, 2, terminal_width(out));
}

static void print_flag(void *user, const char *word) {
    fprintf(user, ", %s", word);
}

static void print_summary(FILE *out, const lsched_scenario_cycle *cycle,
                          const lsched_plan_info *info) {
    char wake[TIME_TEXT_BYTES];
    fprintf(out, "\nplan %016" PRIx64, info->plan_hash);
    plan_flag_words(info->flags, print_flag, out);
    fprintf(out, "; %" PRIu64 " job%s tried, %" PRIu64 " node%s scored\n", info->jobs_tried,
            plural(info->jobs_tried), info->nodes_scored, plural(info->nodes_scored));
    const char *line;
    for (size_t i = 0; (line = lsched_plan_log_at(cycle->plan, i)) != NULL; i++)
        fprintf(out, "policy says: %s\n", line);
    if (info->next_wake_us == LSCHED_NEVER_US) {
        fprintf(out, "next cycle: after an event\n");
    } else if (info->next_wake_us <= info->now_us) {
        fprintf(out, "next cycle: at once, %s\n",
                info->flags & LSCHED_PLAN_PARTIAL
                    ? "work is left over"
                    : "because room or an entitlement may have become available");
    } else {
        fprintf(out, "next cycle: after an event, or in %s\n",
                span_format(info->next_wake_us - info->now_us, wake));
    }
}

/* Prints the number of decisions, such as "5 decisions". If not all decisions are placements, also
 * prints the number of decisions of each kind. */
static void print_total(FILE *out, const lsched_scenario_cycle *cycle,
                        const struct plan_lines *lines) {
    size_t n = lsched_plan_size(cycle->plan), parts = 0;
    size_t withdrawn = lsched_plan_withdrawn_size(cycle->plan);
    const struct {
        size_t n;
        const char *what;
    } counts[] = {{lines->placed, "placed"},
                  {lines->nominated, "nominated"},
                  {lines->evicted, "evicted"},
                  {lines->moved, "moved"},
                  {lines->paused, "paused"},
                  {lines->swapped_out, "swapped out"},
                  {lines->resumed, "resumed"},
                  {lines->checkpoints, "asked for a checkpoint"},
                  {lines->resizes, "resized"},
                  {lines->warnings, "warned"},
                  {withdrawn, "of earlier cycles withdrawn"}};
    fprintf(out, "%zu decision%s", n, plural(n));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].n == 0 || (lines->placed == n && withdrawn == 0)) continue;
        fprintf(out, "%s%zu %s", parts++ > 0 ? ", " : ": ", counts[i].n, counts[i].what);
    }
    fprintf(out, "\n");
}

void plan_print(FILE *out, const lsched_scenario_cycle *cycle, bool every_task) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(cycle->plan, &info, NULL);
    struct plan_lines lines;
    plan_lines_make(cycle, &lines);
    print_total(out, cycle, &lines);
    /* the failure of the policy is printed first, because the cycle made its decisions without the
     * policy */
    if (info.policy_error != LSCHED_OK)
        fprintf(out, "the policy failed: %s\n", lsched_plan_policy_error(cycle->plan));
    if (lines.n > 0 && every_task) print_by_task(out, cycle, plan_lines_have_times(&lines));
    if (lines.n > 0 && !every_task) print_by_job(out, cycle, &lines);
    print_waiting(out, cycle);
    queue_table_print(out, cycle->cluster);
    reservation_table_print(out, cycle->cluster, cycle->now_us);
    print_summary(out, cycle, &info);
    plan_lines_free(&lines);
}
