/*
 * compare_jobs.c -- compares two policies on one list of jobs, which is the list of the Philly
 * trace or the log of a batch system.
 *
 * Each policy has a simulation of its own in virtual time (job_simulation.h). Three measures say
 * how fair the policy is to queues and users: Jain's fairness index of served / asked over queues,
 * of the mean bounded slowdown over queues, and of the mean bounded slowdown over users.
 *
 *   bounded slowdown   max(1, (end - submission) / max(run time, 10 s)) for each job that ended
 */
#include "cli/compare/compare_jobs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/support/number_text.h"
#include "cli/replay/job_simulation.h"
#include "cli/traces/philly_trace.h"
#include "cli/traces/swf_trace.h"
#include "cli/support/time_text.h"
#include "cli/support/options.h"

#define MINUTE_US  ((int64_t)60000000)
#define SHORTEST_S 10.0 /* shortest run time in the bounded slowdown, in seconds */

struct list_input {
    struct comparison *of;
    struct job_list *list;
    struct job_list philly;
    struct swf_trace swf;
    struct input_file vcs_file;
    int64_t *quotas; /* owned by this struct */
    int64_t units, node_units;
    bool one_queue;
    uint64_t read_jobs;
    struct simulation_result results[SIDES];
};

/* ---- input ---- */

static int read_philly(struct list_input *in) {
    static const char *const words[] = {"by-vc", "one", NULL};
    size_t by = 0;
    const struct compare_args *args = in->of->args;
    lsched_error err = LSCHED_ERROR_INIT;
    in->list = &in->philly;
    int rc = options_choose("compare", "--queues", args->queues, words, &by);
    if (rc != EXIT_OK) return rc;
    in->one_queue = by == 1;
    if (!in->one_queue)
        rc = philly_vcs_open(args->vc, &in->of->file, in->of->file.name, &in->vcs_file, in->list);
    if (rc != EXIT_OK) return rc;
    if (philly_jobs_read(in->of->file.text, in->of->file.len, in->list, &err) < 0)
        return library_error(in->of->file.name, &err);
    in->units = args->capacity != NOT_GIVEN ? args->capacity : 512;
    in->node_units = args->per_node != NOT_GIVEN ? args->per_node : 8;
    return EXIT_OK;
}

static int read_swf(struct list_input *in) {
    static const char *const words[] = {"by-queue", "by-user", "by-group", "one", NULL};
    const struct compare_args *args = in->of->args;
    lsched_error err = LSCHED_ERROR_INIT;
    size_t by = 0;
    int rc = options_choose("compare", "--queues", args->queues, words, &by);
    if (rc != EXIT_OK) return rc;
    in->one_queue = by == 3;
    in->list = &in->swf.list;
    if (swf_read(in->of->file.text, in->of->file.len,
                 in->one_queue ? SWF_BY_QUEUE : (enum swf_queues)by, false, &in->swf, &err) < 0)
        return library_error(in->of->file.name, &err);
    in->units = in->swf.max_procs > 0 ? in->swf.max_procs : in->swf.max_nodes;
    if (args->capacity != NOT_GIVEN) {
        in->units = args->capacity;
    } else if (in->units == 0) {
        complain("%s: the header has neither MaxProcs nor MaxNodes; --capacity N says how many "
                 "processors there are",
                 in->of->file.name);
        return EXIT_INPUT;
    }
    in->node_units = args->per_node;
    /* all nodes get the same number of processors; if the processors cannot be divided so, each
     * node has one */
    if (in->node_units == NOT_GIVEN) {
        int64_t nodes = in->swf.max_nodes;
        in->node_units = nodes > 0 && in->units % nodes == 0 ? in->units / nodes : 1;
    }
    return EXIT_OK;
}

static int cut_list(struct list_input *in) {
    const struct compare_args *args = in->of->args;
    /* this return cannot happen, because the readers refuse an empty list */
    if (in->list->n_jobs == 0) return EXIT_INPUT;
    int64_t days[2] = {0, JOB_DAYS_MAX}, first_us = in->list->jobs[0].submit_us;
    int rc = job_list_days("compare", args->window_days, days);
    if (rc != EXIT_OK) return rc;
    in->read_jobs = in->list->n_jobs;
    job_list_cut(in->list, first_us + days[0] * JOB_DAY_US, first_us + days[1] * JOB_DAY_US,
                 args->jobs != NOT_GIVEN ? (size_t)args->jobs : 0);
    if (in->list->n_jobs > 0) return EXIT_OK;
    complain("%s: no job was submitted in days %s after the first", in->of->file.name,
             args->window_days);
    return EXIT_INPUT;
}

static int check_size(const struct list_input *in) {
    bool gpus = in->of->kind == TRACE_PHILLY;
    /* this check is the first, because the size of a node can follow from the number of units */
    if (in->units < 1 || in->units > JOB_UNITS_MAX)
        return usage_error("compare", "--capacity: expected 1 to %d %ss, got %" PRId64,
                           JOB_UNITS_MAX, in->of->unit, in->units);
    int64_t most = gpus ? LSCHED_DEVICES_PER_NODE_MAX : JOB_UNITS_MAX;
    if (in->node_units < 1 || in->node_units > most) {
        return usage_error("compare", "--per-node: expected 1 to %" PRId64 ", got %" PRId64, most,
                           in->node_units);
    }
    if (in->units % in->node_units != 0) {
        return usage_error("compare",
                           "--capacity: expected a multiple of %" PRId64
                           ", the %ss of a node (--per-node), got %" PRId64,
                           in->node_units, in->of->unit, in->units);
    }
    return EXIT_OK;
}

static int read_input(struct list_input *in) {
    int rc = in->of->kind == TRACE_PHILLY ? read_philly(in) : read_swf(in);
    if (rc == EXIT_OK) rc = check_size(in);
    if (rc == EXIT_OK) rc = cut_list(in);
    if (rc == EXIT_OK && in->of->kind == TRACE_PHILLY && !in->one_queue) {
        in->quotas = must_alloc(in->list->n_queues * sizeof in->quotas[0]);
        simulation_quotas(in->list, in->units, in->quotas);
    }
    return rc;
}

/* Returns the number of queues that the cluster gets. */
static size_t count_queues(const struct list_input *in) {
    size_t n = 0;
    if (in->one_queue) return 1;
    for (size_t i = 0; i < in->list->n_queues; i++) n += in->quotas == NULL || in->quotas[i] > 0;
    return n;
}

/* ---- playing ---- */

/* Adds the names of the jobs to the name table in the order of the list. Therefore the index of a
 * job's name is equal to the index of the job in the list. */
static void name_jobs(struct list_input *in) {
    char name[32];
    in->of->n_job_numbers = in->list->n_jobs;
    in->of->job_numbers = must_alloc(in->list->n_jobs * sizeof in->of->job_numbers[0]);
    for (size_t i = 0; i < in->list->n_jobs; i++) {
        in->of->job_numbers[i] = in->list->jobs[i].number;
        int len = snprintf(name, sizeof name, "job-%08zu", i);
        name_table_add(&in->of->names.jobs, (lsched_text){name, (uint64_t)len});
    }
}

static int play(void *input, size_t side, const struct plan_watch *watch) {
    struct list_input *in = input;
    const struct compare_args *args = in->of->args;
    lsched_error err = LSCHED_ERROR_INIT;
    struct simulation_setup setup = {
        .list = in->list,
        .policy = &in->of->policies[side],
        .kind = in->of->kind == TRACE_PHILLY ? LSCHED_GPU : LSCHED_CPU,
        .units = in->units,
        .node_units = (uint32_t)in->node_units,
        .quota_units = in->quotas,
        .one_queue = in->one_queue,
        .overtake = !args->strict,
        .known_durations = args->known_durations,
        .estimates = !args->known_durations,
        .verify = args->verify,
        .may_end_waiting = true,
        .protect_us = args->protect_minutes * MINUTE_US,
        .checkpoint_us = args->checkpoint_minutes * MINUTE_US,
        .release_us = args->release_seconds * 1000000,
        .watch = watch,
        .step = comparison_step,
        .user = in->of,
    };
    in->of->side_now = side;
    int32_t rc = job_simulation(&setup, &in->results[side], &err);
    if (rc < 0) progress_hide(&in->of->progress);
    if (rc < 0) return policy_source_error(setup.policy, in->of->file.name, &err);
    comparison_step(in->of, 1, 1);
    return EXIT_OK;
}

/* ---- measures ---- */

/* the sum and the number of values for each queue or each user */
struct means {
    double *sums, *counts; /* owned by this struct */
    size_t n;
};

static void means_begin(struct means *means, size_t n) {
    means->n = n;
    means->sums = must_alloc(n * sizeof(double));
    means->counts = must_alloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++) means->sums[i] = means->counts[i] = 0;
}

/* Returns Jain's fairness index of the means of all queues or users that have a value. Frees the
 * memory of *means. */
static double means_end(struct means *means) {
    size_t n = 0;
    for (size_t i = 0; i < means->n; i++)
        if (means->counts[i] > 0) means->sums[n++] = means->sums[i] / means->counts[i];
    double index = jain_index(means->sums, n);
    free(means->sums);
    free(means->counts);
    return index;
}

struct side_numbers {
    struct metric_summary wait, slowdown;
    double queues_jain, users_jain;
    uint64_t unfinished, dropped;
    double lost_hours;
};

static double slowdown(const struct listed_job *job, const struct job_outcome *outcome) {
    double run_s = (double)job->duration_us * 1e-6;
    double there_s = (double)(outcome->end_us - job->submit_us) * 1e-6;
    double ratio = there_s / (run_s > SHORTEST_S ? run_s : SHORTEST_S);
    return ratio > 1 ? ratio : 1;
}

static struct side_numbers numbers_of(struct list_input *in, size_t side) {
    struct side_numbers out = {0};
    const struct job_list *list = in->list;
    struct simulation_result *result = &in->results[side];
    struct metric_samples slowdowns = {must_alloc(list->n_jobs * sizeof(double)), 0};
    struct means queues, users;
    means_begin(&queues, list->n_queues);
    means_begin(&users, list->n_users);
    for (size_t i = 0; i < list->n_jobs; i++) {
        const struct listed_job *job = &list->jobs[i];
        const struct job_outcome *outcome = &result->outcomes[i];
        out.dropped += outcome->dropped;
        out.lost_hours += (double)outcome->lost_us * 1e-6 / 3600 * job->units;
        if (outcome->end_us == LSCHED_NEVER_US) {
            out.unfinished += !outcome->dropped;
            continue;
        }
        double value = slowdown(job, outcome);
        slowdowns.seconds[slowdowns.n++] = value;
        queues.sums[job->queue] += value;
        queues.counts[job->queue]++;
        if (list->n_users == 0) continue;
        users.sums[job->user] += value;
        users.counts[job->user]++;
    }
    out.wait = metric_summarize(&result->measure.waits);
    out.slowdown = metric_summarize(&slowdowns);
    out.queues_jain = means_end(&queues);
    out.users_jain = means_end(&users);
    free(slowdowns.seconds);
    return out;
}

static void measure_sides(struct list_input *in) {
    struct comparison *of = in->of;
    const struct job_metrics *a = &in->results[SIDE_A].measure, *b = &in->results[SIDE_B].measure;
    struct side_numbers x = numbers_of(in, SIDE_A), y = numbers_of(in, SIDE_B);
    bool queues = count_queues(in) > 1, gpus = of->kind == TRACE_PHILLY;
#define ADD(key, label, unit, left, right) \
    comparison_measure(of, key, label, unit, (double)(left), (double)(right))
#define ADD_NUMBER(key, label, unit, member) ADD(key, label, unit, x.member, y.member)
    ADD_NUMBER("wait_mean_s", "wait, mean", MEASURE_SECONDS, wait.mean);
    ADD_NUMBER("wait_median_s", "wait, median", MEASURE_SECONDS, wait.p50);
    ADD_NUMBER("wait_p95_s", "wait, 95 of 100 jobs", MEASURE_SECONDS, wait.p95);
    ADD_NUMBER("wait_max_s", "wait, longest", MEASURE_SECONDS, wait.max);
    ADD_NUMBER("slowdown_mean", "bounded slowdown, mean", MEASURE_RATIO, slowdown.mean);
    ADD_NUMBER("slowdown_median", "bounded slowdown, median", MEASURE_RATIO, slowdown.p50);
    ADD_NUMBER("slowdown_p95", "bounded slowdown, 95 of 100", MEASURE_RATIO, slowdown.p95);
    if (a->span.to_us > a->span.from_us)
        ADD("utilization_percent", gpus ? "GPUs in use" : "processors in use", MEASURE_PERCENT,
            job_metrics_used(a, &a->span), job_metrics_used(b, &b->span));
    ADD("end_s", "until the last job ended", MEASURE_SECONDS,
        (double)(a->end_us - a->span.from_us) / 1e6, (double)(b->end_us - b->span.from_us) / 1e6);
    if (queues) {
        ADD("jain_served_queues", "fair to queues: served of asked", MEASURE_INDEX,
            job_metrics_jain(a), job_metrics_jain(b));
        ADD_NUMBER("jain_slowdown_queues", "fair to queues: slowdown", MEASURE_INDEX, queues_jain);
    }
    if (in->list->n_users > 1)
        ADD_NUMBER("jain_slowdown_users", "fair to users: slowdown", MEASURE_INDEX, users_jain);
    ADD("evictions", "evictions", MEASURE_COUNT, a->evictions, b->evictions);
    ADD("moves", "moves", MEASURE_COUNT, a->moves, b->moves);
    ADD_NUMBER("lost_hours", gpus ? "GPU-hours lost" : "processor-hours lost", MEASURE_HOURS,
               lost_hours);
    ADD_NUMBER("unfinished", "jobs unfinished", MEASURE_COUNT, unfinished);
#undef ADD_NUMBER
#undef ADD
}

/* ---- jobs ---- */

static int64_t wait_of(const struct listed_job *job, const struct job_outcome *outcome) {
    return outcome->start_us != LSCHED_NEVER_US ? outcome->start_us - job->submit_us
                                                : LSCHED_NEVER_US;
}

static void compare_job(struct list_input *in, uint32_t at) {
    const struct listed_job *job = &in->list->jobs[at];
    struct compared_job out = {0};
    for (size_t side = 0; side < SIDES; side++) {
        const struct job_outcome *outcome = &in->results[side].outcomes[at];
        if (outcome->dropped) return;
        out.wait_us[side] = wait_of(job, outcome);
        out.evictions[side] = outcome->evictions;
    }
    in->of->jobs_compared++;
    if (out.wait_us[SIDE_A] == out.wait_us[SIDE_B]) return;
    in->of->jobs_differ++;
    out.weight = fabs((double)out.wait_us[SIDE_A] - (double)out.wait_us[SIDE_B]);
    if (in->of->n_jobs == (size_t)in->of->args->show &&
        out.weight <= in->of->jobs[in->of->n_jobs - 1].weight)
        return;
    lsched_text queue = in->list->queues[job->queue].name;
    out.name = comparison_job_name(in->of, at);
    if (count_queues(in) > 1) out.queue = must_copy(queue.ptr, (size_t)queue.len);
    snprintf(out.size, sizeof out.size, "%" PRIu32, job->units);
    comparison_keep(in->of, &out);
}

/* ---- the whole comparison ---- */

static void head(struct list_input *in) {
    struct comparison *of = in->of;
    const struct job_list *list = in->list;
    char from[TIME_TEXT_BYTES], to[TIME_TEXT_BYTES], cut[64] = "";
    uint64_t dropped = in->results[SIDE_A].measure.dropped;
    if (list->n_jobs < in->read_jobs) snprintf(cut, sizeof cut, " of %" PRIu64, in->read_jobs);
    snprintf(of->heading[0], sizeof of->heading[0],
             "%s: %zu%s job%s, %.10s to %.10s; %" PRIu64 " too large for %s", of->file.name,
             list->n_jobs, cut, plural(list->n_jobs), time_format(list->jobs[0].submit_us, from),
             time_format(list->jobs[list->n_jobs - 1].submit_us, to), dropped,
             in->quotas != NULL ? "their quota" : "the cluster");
    size_t queues = count_queues(in);
    snprintf(of->heading[1], sizeof of->heading[1],
             "%" PRId64 " %ss on %" PRId64 " node%s, %zu queue%s%s", in->units, of->unit,
             in->units / in->node_units, in->units == in->node_units ? "" : "s", queues,
             plural(queues), of->args->strict ? ", strictly first come, first served in each" : "");
}

/* Adds a heading line about unusual properties of a batch system's log. */
static void head_log(struct list_input *in) {
    const struct swf_trace *swf = &in->swf;
    struct comparison *of = in->of;
    char *line = of->heading[HEADING_LINES - 1];
    size_t bytes = sizeof of->heading[0], at = 0;
    of->never_ran = swf->never_ran;
    of->repeated = swf->repeated;
    if (swf->never_ran > 0)
        at = (size_t)snprintf(line, bytes, "%" PRIu64 " job%s never ran and %s left out",
                              swf->never_ran, plural(swf->never_ran),
                              swf->never_ran == 1 ? "is" : "are");
    if (swf->repeated > 0)
        snprintf(line + at, bytes - at,
                 "%s%" PRIu64
                 " job%s the number of an earlier job; the first such number is %" PRIu64,
                 at > 0 ? "; " : "", swf->repeated, swf->repeated == 1 ? " has" : "s have",
                 swf->repeated_first);
}

static void compare_results(void *input) {
    struct list_input *in = input;
    measure_sides(in);
    for (uint32_t i = 0; i < in->list->n_jobs; i++) compare_job(in, i);
}

/* Warns if a policy reads job.duration, but the trace gives the policy no durations. Without
 * durations, such a policy decides differently. */
static void warn_of_durations(const struct list_input *in) {
    const struct comparison *of = in->of;
    bool told = of->args->known_durations;
    for (size_t i = 0; i < in->list->n_jobs && !told; i++) told = in->list->jobs[i].estimate_us > 0;
    for (size_t side = 0; side < SIDES && !told; side++)
        if (of->reads_duration[side])
            complain("warning: %s decides by job.duration, which this trace does not tell it; "
                     "--known-durations does",
                     of->policies[side].word);
}

int compare_jobs(struct comparison *of) {
    struct list_input in = {.of = of};
    of->unit = of->kind == TRACE_PHILLY ? "GPU" : "processor";
    int rc = read_input(&in);
    if (rc == EXIT_OK) {
        warn_of_durations(&in);
        name_jobs(&in);
        const struct comparison_trace trace = {&in, play, &in.results[SIDE_A].plans_hash,
                                               compare_results};
        rc = comparison_play(of, &trace);
        if (rc == EXIT_OK) head(&in);
        if (rc == EXIT_OK && of->kind == TRACE_SWF) head_log(&in);
    }
    for (size_t side = 0; side < SIDES; side++) job_simulation_free(&in.results[side]);
    job_list_free(&in.philly);
    swf_free(&in.swf);
    input_free(&in.vcs_file);
    free(in.quotas);
    return rc;
}
