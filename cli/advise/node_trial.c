/* node_trial.c -- see node_trial.h. */
#include "cli/advise/node_trial.h"

#include <stdlib.h>
#include <string.h>

#include "cli/advise/money.h"
#include "cli/support/name_list.h"

/* ---- what the cluster has ---- */

int64_t node_trial_rate(const struct node_trials *trials, const struct node_offer *offer) {
    return offer->price_micro + money_of_power(offer->power_milliwatt, trials->opts.energy_micro);
}

static char *model_of(const lsched_cluster *cluster, lsched_id id, const lsched_node_info *info) {
    lsched_device_info device = {.size = sizeof device};
    if (info->n_devices == 0 || lsched_device_get(cluster, id, 0, &device, NULL) < 0)
        return must_copy("cpu", 3);
    return must_copy(device.model.ptr, device.model.len);
}

static int compare_own(const void *a, const void *b) {
    return name_compare(&((const struct own_node *)a)->name, &((const struct own_node *)b)->name);
}

static int32_t read_own(struct node_trials *trials, const lsched_cluster *cluster,
                        lsched_error *err) {
    uint64_t cursor = 0;
    size_t capacity = 0;
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0;) {
        lsched_description *description = NULL;
        int32_t rc = lsched_describe(cluster, id, &description, err);
        if (rc < 0) return rc;
        const lsched_node_desc *desc = lsched_description_node(description);
        trials->own = must_grow(trials->own, trials->n_own, &capacity, sizeof trials->own[0]);
        struct own_node *node = &trials->own[trials->n_own++];
        *node = (struct own_node){.id = id,
                                  .info = {.size = sizeof node->info},
                                  .text = must_copy(desc->name.ptr, desc->name.len),
                                  .price_micro = desc->price_micro_per_hour,
                                  .power_milliwatt = desc->power_milliwatt};
        node->name = (lsched_text){node->text, desc->name.len};
        if (node->price_micro > MONEY_PER_HOUR_MAX) node->price_micro = MONEY_PER_HOUR_MAX;
        if (node->power_milliwatt > MONEY_MILLIWATT_MAX)
            node->power_milliwatt = MONEY_MILLIWATT_MAX;
        node->rate_micro =
            node->price_micro + money_of_power(node->power_milliwatt, trials->opts.energy_micro);
        lsched_description_destroy(description);
        rc = lsched_node_get(cluster, id, &node->info, err);
        if (rc < 0) return rc;
        node->used = node->info.n_tasks > 0;
        node->model = model_of(cluster, id, &node->info);
    }
    if (trials->n_own > 0) qsort(trials->own, trials->n_own, sizeof trials->own[0], compare_own);
    return LSCHED_OK;
}

/* A job waits if it has fewer tasks than its minimum, or none. */
static void read_job(struct node_trials *trials, lsched_id id, const lsched_job_info *info) {
    struct played_job *job = &trials->jobs[trials->n_jobs++];
    uint32_t least = info->tasks_min > 0 ? info->tasks_min : 1;
    *job = (struct played_job){.id = id, .run_us = info->duration_us};
    if (job->run_us == 0) job->run_us = info->time_limit_us;
    if (info->tasks_running > 0) job->since_us = info->running_since_us;
    job->awaited = job->since_us == 0 && info->tasks_placed < least;
    trials->n_waiting += job->awaited;
    trials->n_unknown += job->run_us == 0;
}

/* True if the policy stops jobs at their time limits. */
static bool enforces_limits(const lsched_cluster *cluster) {
    lsched_policy_info policy = {.size = sizeof policy};
    return lsched_policy_get(cluster, &policy, NULL) >= 0 &&
           strstr(policy.pipeline, "evict-overdue") != NULL;
}

static struct job_facts facts_of(const lsched_job_info *info, bool limits) {
    return (struct job_facts){
        .from_us = info->begin_us > info->submit_us ? info->begin_us : info->submit_us,
        .until_us = info->expires_us > 0 ? info->expires_us : LSCHED_NEVER_US,
        .limit_us = limits && info->time_limit_us > 0 ? info->time_limit_us : LSCHED_NEVER_US,
        .firm = (info->flags & LSCHED_JOB_NON_PREEMPTIBLE) != 0,
        .never_starts = true};
}

static int32_t read_jobs(struct node_trials *trials, const lsched_cluster *cluster,
                         lsched_error *err) {
    uint64_t cursor = 0;
    lsched_cluster_stats stats = {.size = sizeof stats};
    int32_t rc = lsched_cluster_stats_get(cluster, &stats, err);
    if (rc < 0) return rc;
    size_t n = (size_t)stats.jobs + 1;
    trials->jobs = must_alloc_zero(n * sizeof trials->jobs[0]);
    trials->played = must_alloc_zero(n * sizeof trials->played[0]);
    trials->facts = must_alloc_zero(n * sizeof trials->facts[0]);
    trials->waits = must_alloc_zero(n * sizeof trials->waits[0]);
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_job_info info = {.size = sizeof info};
        rc = lsched_job_get(cluster, id, &info, err);
        if (rc < 0) return rc;
        read_job(trials, id, &info);
    }
    struct cluster_play play = {.jobs = trials->jobs, .n_jobs = trials->n_jobs};
    cluster_play_sort(&play);
    bool limits = enforces_limits(cluster);
    for (size_t i = 0; i < trials->n_jobs; i++) {
        lsched_job_info info = {.size = sizeof info};
        rc = lsched_job_get(cluster, trials->jobs[i].id, &info, err);
        if (rc < 0) return rc;
        trials->facts[i] = facts_of(&info, limits);
    }
    return LSCHED_OK;
}

/* ---- a trial ---- */

static bool is_wanted(const struct node_trials *trials, const struct node_change *change,
                      size_t offer) {
    const struct node_type *type = &trials->catalogue->types[trials->catalogue->offers[offer].type];
    return offer - type->first < change->counts[trials->catalogue->offers[offer].type];
}

static int32_t remove_unwanted(struct node_trials *trials, const struct node_change *change,
                               lsched_error *err) {
    size_t n = 0, all = trials->catalogue != NULL ? trials->catalogue->n : 0;
    lsched_id *ids = must_alloc((all + 1) * sizeof ids[0]);
    for (size_t i = 0; i < all; i++)
        if (!is_wanted(trials, change, i)) ids[n++] = trials->catalogue->offers[i].id;
    int32_t rc = n > 0 ? lsched_nodes_remove(trials->scratch, ids, n, NULL, NULL, err) : LSCHED_OK;
    free(ids);
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t drain(struct node_trials *trials, const struct node_change *change,
                     lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; change->drained != NULL && i < trials->n_own && rc >= 0; i++) {
        lsched_node_update update = {.size = sizeof update,
                                     .set = LSCHED_NODE_SET_STATE,
                                     .node = trials->own[i].id,
                                     .state = LSCHED_NODE_DRAINING};
        if (change->drained[i])
            rc = lsched_nodes_update(trials->scratch, &update, 1, sizeof update, NULL, NULL, err);
    }
    return rc < 0 ? rc : LSCHED_OK;
}

/* Nodes that boot become ready later. */
static void boot(struct node_trials *trials, const struct node_change *change,
                 struct cluster_play *play) {
    for (size_t i = 0; trials->catalogue != NULL && i < trials->catalogue->n; i++) {
        const struct node_offer *offer = &trials->catalogue->offers[i];
        const struct node_type *type = &trials->catalogue->types[offer->type];
        if (!is_wanted(trials, change, i) || type->boot_us == 0 || type->life_us > 0) continue;
        trials->ready[play->n_ready++] =
            (struct ready_node){.at_us = trials->now_us + type->boot_us, .id = offer->id};
    }
    play->ready = trials->ready;
}

static void watch(struct node_trials *trials, struct cluster_play *play) {
    size_t all = trials->catalogue != NULL ? trials->catalogue->n : 0;
    for (size_t i = 0; i < trials->n_own; i++)
        trials->watched[play->n_nodes++] = (struct watched_node){.id = trials->own[i].id};
    for (size_t i = 0; i < all; i++)
        trials->watched[play->n_nodes++] =
            (struct watched_node){.id = trials->catalogue->offers[i].id, .marks = true};
    play->nodes = trials->watched;
}

/* ---- figures ---- */

static int compare_spans(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The least wait that `percent` of the jobs do not exceed. */
static int64_t quantile(const int64_t *waits, size_t n, size_t percent) {
    size_t rank = (n * percent + 99) / 100;
    return n == 0 ? 0 : waits[rank > 0 ? rank - 1 : 0];
}

static int64_t span_between(int64_t from_us, int64_t to_us) {
    return to_us > from_us ? to_us - from_us : 0;
}

/* The time that a job loses: of runs that were stopped, and of a run with fewer tasks than in the
 * unchanged cluster. */
static int64_t lost_us(const struct job_facts *facts, const struct cluster_play *play,
                       const struct played_job *job) {
    int64_t span_us = 0, lost = job->lost_us;
    double width = cluster_play_width(play, job, &span_us);
    if (job->stopped) lost += play->horizon_us - job->begun_us;
    if (width < facts->width) lost += (int64_t)((double)span_us * (1 - width / facts->width));
    return lost;
}

static void price_wait(struct node_trials *trials, const struct cluster_play *play, size_t i,
                       size_t *n, struct node_figures *out) {
    const struct played_job *job = &trials->played[i];
    const struct job_facts *facts = &trials->facts[i];
    int64_t from_us = facts->from_us > trials->now_us ? facts->from_us : trials->now_us;
    bool started = job->start_us != LSCHED_NEVER_US;
    int64_t last_us = play->horizon_us < facts->until_us ? play->horizon_us : facts->until_us;
    int64_t start_us = started ? job->start_us : last_us;
    int64_t end_us = play->now_us < last_us ? play->now_us : last_us;
    out->started += started;
    out->starved += !started && !facts->never_starts;
    out->wait_micro = money_add(
        out->wait_micro, money_over(trials->opts.value_micro, span_between(from_us, start_us)));
    trials->waits[(*n)++] = started ? span_between(facts->from_us, job->start_us) : LSCHED_NEVER_US;
    if (started && job->run_us > 0)
        end_us = job->end_us != LSCHED_NEVER_US ? job->end_us : play->horizon_us;
    if (end_us > out->end_us) out->end_us = end_us;
}

static void price_waits(struct node_trials *trials, const struct cluster_play *play,
                        struct node_figures *out) {
    size_t n = 0;
    for (size_t i = 0; i < trials->n_jobs; i++) {
        const struct played_job *job = &trials->played[i];
        const struct job_facts *facts = &trials->facts[i];
        out->evicted_jobs += job->evictions > 0;
        out->stranded = out->stranded || job->stopped;
        out->forced = out->forced || (facts->firm && job->evictions > facts->evictions);
        out->wait_micro = money_add(
            out->wait_micro, money_over(trials->opts.value_micro, lost_us(facts, play, job)));
        if (job->awaited) price_wait(trials, play, i, &n, out);
    }
    out->never = n - out->started;
    if (n > 0) qsort(trials->waits, n, sizeof trials->waits[0], compare_spans);
    out->wait_p50_us = quantile(trials->waits, n, 50);
    out->wait_p95_us = quantile(trials->waits, n, 95);
    out->wait_max_us = quantile(trials->waits, n, 100);
}

static void price_added(struct node_trials *trials, const struct node_change *change,
                        const struct cluster_play *play, struct node_figures *out) {
    int64_t paid_us = trials->opts.hold_us;
    for (size_t i = 0; i < trials->n_jobs; i++) {
        const struct played_job *job = &trials->played[i];
        int64_t end_us = job->end_us != LSCHED_NEVER_US ? job->end_us : play->horizon_us;
        if (job->marked && end_us - trials->now_us > paid_us) paid_us = end_us - trials->now_us;
    }
    for (size_t i = 0; trials->catalogue != NULL && i < trials->catalogue->n; i++) {
        const struct node_offer *offer = &trials->catalogue->offers[i];
        if (!is_wanted(trials, change, i)) continue;
        out->used[offer->type] += cluster_play_node(play, offer->id)->used;
        out->added_micro =
            money_add(out->added_micro, money_over(node_trial_rate(trials, offer), paid_us));
    }
}

/* When a task that is on a node at the end of the play leaves it: at the end of the run. */
static int64_t leaves_us(const struct node_trials *trials, const struct cluster_play *play,
                         lsched_id id) {
    const struct played_job *job = cluster_play_job(play, id);
    if (job == NULL || !job->runs) return LSCHED_NEVER_US;
    int64_t run_us = job->run_us > 0 ? job->run_us : LSCHED_NEVER_US;
    int64_t limit_us = trials->facts[job - trials->played].limit_us;
    if (limit_us < run_us) run_us = limit_us;
    if (run_us >= LSCHED_NEVER_US - job->begun_us) return LSCHED_NEVER_US;
    int64_t end_us = job->begun_us + run_us;
    return end_us > play->now_us ? end_us : play->now_us;
}

static int64_t empty_us(const struct node_trials *trials, const struct cluster_play *play,
                        const struct own_node *node) {
    uint64_t cursor = 0;
    int64_t latest_us = cluster_play_node(play, node->id)->left_us;
    lsched_task_info task = {.size = sizeof task};
    while (lsched_tasks_next(trials->scratch, 0, node->id, &cursor, &task, NULL) == 1) {
        int64_t at_us = leaves_us(trials, play, task.job);
        if (at_us > latest_us) latest_us = at_us;
    }
    return latest_us;
}

/* What drained nodes save, less what the others cost beyond the period if the work ends later. */
static void price_drained(struct node_trials *trials, const struct node_change *change,
                          const struct cluster_play *play, struct node_figures *out) {
    int64_t end_us = trials->now_us + trials->period_us;
    int64_t late_us = out->end_us > end_us ? out->end_us - end_us : 0;
    for (size_t i = 0; change->drained != NULL && i < trials->n_own; i++) {
        int64_t rate = trials->own[i].rate_micro;
        if (!change->drained[i]) {
            out->saved_micro = money_add(out->saved_micro, -money_over(rate, late_us));
            continue;
        }
        int64_t from_us = empty_us(trials, play, &trials->own[i]);
        out->kept = out->kept || from_us >= end_us;
        if (from_us < end_us)
            out->saved_micro = money_add(out->saved_micro, money_over(rate, end_us - from_us));
    }
}

static void figures_of(struct node_trials *trials, const struct node_change *change,
                       const struct cluster_play *play, struct node_figures *out) {
    *out = (struct node_figures){.work = play->work, .cut = play->cut, .end_us = trials->now_us};
    if (play->cut) {
        out->total_micro = INT64_MAX;
        return;
    }
    price_waits(trials, play, out);
    price_added(trials, change, play, out);
    price_drained(trials, change, play, out);
    out->total_micro = money_add(money_add(out->wait_micro, out->added_micro), -out->saved_micro);
}

int32_t node_trial_make(struct node_trials *trials, const struct node_change *change,
                        struct node_figures *out, lsched_error *err) {
    if (trials->stopped || trials->work >= trials->opts.budget) {
        trials->stopped = true;
        return 0;
    }
    int32_t rc = lsched_cluster_clone(trials->full, &trials->scratch, err);
    if (rc >= 0) rc = remove_unwanted(trials, change, err);
    if (rc >= 0) rc = drain(trials, change, err);
    if (rc < 0) return rc;
    struct cluster_play play = {.cluster = trials->scratch,
                                .schedule = trials->schedule,
                                .jobs = trials->played,
                                .n_jobs = trials->n_jobs,
                                .now_us = trials->now_us,
                                .horizon_us = trials->now_us + trials->opts.horizon_us,
                                .work_max = trials->opts.budget - trials->work,
                                .to_ends = true};
    memcpy(trials->played, trials->jobs, trials->n_jobs * sizeof trials->played[0]);
    watch(trials, &play);
    boot(trials, change, &play);
    cluster_play_sort(&play);
    rc = cluster_play_run(&play, err);
    if (rc < 0) return rc;
    trials->trials++;
    trials->work += play.work + trials->n_jobs + trials->n_own;
    trials->endless += play.cut_by_cycles;
    if (play.cut && !play.cut_by_cycles) {
        trials->stopped = true;
        return 0;
    }
    figures_of(trials, change, &play, out);
    return 1;
}

/* ---- opening ---- */

static int first_trial(struct node_trials *trials, const char *file) {
    lsched_error err = LSCHED_ERROR_INIT;
    const struct node_change none = {.drained = NULL};
    trials->period_us = trials->opts.hold_us;
    int32_t rc = node_trial_make(trials, &none, &trials->base, &err);
    if (rc < 0) return library_error(file, &err);
    if (rc == 0)
        return usage_error("advise", "--budget: the play of the cluster as it is needs more work");
    if (trials->base.cut)
        return usage_error("advise",
                           "--horizon: the play of the cluster as it is needs more than %d cycles, "
                           "or more than %d at one time; give a shorter horizon, or cycles a "
                           "larger work_budget",
                           CLUSTER_PLAY_CYCLES_MAX, CLUSTER_PLAY_ROUNDS_MAX);
    struct cluster_play play = {.nodes = trials->watched,
                                .horizon_us = trials->now_us + trials->opts.horizon_us};
    for (size_t i = 0; i < trials->n_jobs; i++) {
        const struct played_job *job = &trials->played[i];
        int64_t span_us = 0;
        trials->facts[i].never_starts = job->start_us == LSCHED_NEVER_US;
        trials->facts[i].evictions = job->evictions;
        trials->facts[i].width = cluster_play_width(&play, job, &span_us);
    }
    play.n_nodes = trials->n_own + (trials->catalogue != NULL ? trials->catalogue->n : 0);
    for (size_t i = 0; i < trials->n_own; i++)
        if (cluster_play_node(&play, trials->own[i].id)->used) trials->own[i].used = true;
    return EXIT_OK;
}

int node_trials_open(const struct session *session, const lsched_schedule_opts *schedule,
                     struct catalogue *catalogue, const struct advise_opts *opts,
                     struct node_trials *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    *out = (struct node_trials){
        .opts = *opts, .catalogue = catalogue, .schedule = *schedule, .now_us = schedule->now_us};
    out->schedule.release_us = 1;
    int32_t rc = read_own(out, session->cluster, &err);
    if (rc >= 0) rc = read_jobs(out, session->cluster, &err);
    if (rc >= 0) rc = lsched_cluster_clone(session->cluster, &out->full, &err);
    if (rc < 0) return library_error(session->file.name, &err);
    int code = catalogue != NULL ? catalogue_leave_out(catalogue, session->cluster) : EXIT_OK;
    if (code != EXIT_OK) return code;
    size_t offers = catalogue != NULL ? catalogue->n : 0;
    out->watched = must_alloc_zero((out->n_own + offers + 1) * sizeof out->watched[0]);
    out->ready = must_alloc_zero((offers + 1) * sizeof out->ready[0]);
    if (catalogue != NULL) code = catalogue_add(catalogue, out->full, out->now_us);
    return code == EXIT_OK ? first_trial(out, session->file.name) : code;
}

void node_trials_close(struct node_trials *trials) {
    for (size_t i = 0; i < trials->n_own; i++) {
        free(trials->own[i].text);
        free(trials->own[i].model);
    }
    free(trials->own);
    free(trials->jobs);
    free(trials->played);
    free(trials->facts);
    free(trials->waits);
    free(trials->watched);
    free(trials->ready);
    lsched_cluster_destroy(trials->scratch);
    lsched_cluster_destroy(trials->full);
}
