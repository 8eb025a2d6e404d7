/*
 * shadow_watch.c -- see shadow_watch.h.
 */
#include "cli/compare/shadow_watch.h"

#include <stdlib.h>
#include <string.h>

void shadow_begin(struct shadow *shadow, const struct policy_source *candidate,
                  struct plan_names *names, size_t shown_max) {
    memset(shadow, 0, sizeof *shadow);
    shadow->candidate = candidate;
    shadow->names = names;
    shadow->shown_max = shown_max;
    shadow->plans_hash = 0xcbf29ce484222325u;
}

/* Destroys the clone before the replay's cluster is destroyed, because both use the same
 * allocator. */
static void drop_clone(void *user) {
    struct shadow *shadow = user;
    lsched_cluster_destroy(shadow->clone);
    shadow->clone = NULL;
}

void shadow_end(struct shadow *shadow) {
    drop_clone(shadow);
    for (size_t side = 0; side < 2; side++) plan_rows_free(&shadow->rows[side]);
    for (size_t i = 0; i < shadow->n_shown; i++) {
        free(shadow->shown[i].text[0]);
        free(shadow->shown[i].text[1]);
    }
    free(shadow->shown);
    free(shadow->job_differs);
    memset(shadow, 0, sizeof *shadow);
}

/* Lets the candidate plan on a clone of the cluster, which has the state before the cycle. */
static int32_t plan_beside(void *user, const lsched_cluster *cluster,
                           const lsched_schedule_opts *opts, lsched_error *err) {
    struct shadow *shadow = user;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    int32_t rc = lsched_cluster_clone(cluster, &shadow->clone, err);
    if (rc >= 0) rc = policy_source_load(shadow->candidate, shadow->clone, err);
    if (rc >= 0) rc = lsched_schedule(shadow->clone, opts, &plan, err);
    if (rc < 0) return rc;
    lsched_plan_get(plan, &info, NULL);
    shadow->plans_hash = (shadow->plans_hash ^ info.plan_hash) * 0x100000001b3u;
    if (info.policy_error != LSCHED_OK && shadow->cycles_failed++ == 0)
        strncpy(shadow->failure, lsched_plan_policy_error(plan), sizeof shadow->failure - 1);
    shadow->rows[1].n = 0;
    plan_rows_add(&shadow->rows[1], shadow->names, shadow->clone, plan);
    lsched_plan_destroy(plan);
    return LSCHED_OK;
}

/* Marks a job as different in at least one cycle. Returns true if the job was not marked before. */
static bool mark_job(struct shadow *shadow, uint32_t job) {
    if (job >= shadow->n_job_differs) {
        size_t n = 2 * (size_t)job + 64;
        shadow->job_differs = must_resize(shadow->job_differs, n * sizeof(bool));
        memset(shadow->job_differs + shadow->n_job_differs, 0,
               (n - shadow->n_job_differs) * sizeof(bool));
        shadow->n_job_differs = n;
    }
    bool is_new = !shadow->job_differs[job];
    shadow->job_differs[job] = true;
    shadow->jobs_differ += is_new;
    return is_new;
}

static void found(void *user, const struct job_difference *difference) {
    struct shadow *shadow = user;
    shadow->differences[difference->what]++;
    if (!mark_job(shadow, difference->job) || shadow->n_shown == shadow->shown_max) return;
    shadow->shown = must_resize(shadow->shown, (shadow->n_shown + 1) * sizeof shadow->shown[0]);
    struct shadow_difference *out = &shadow->shown[shadow->n_shown++];
    *out = (struct shadow_difference){.now_us = shadow->last_us,
                                      .cycle = shadow->cycles,
                                      .job = difference->job,
                                      .what = difference->what};
    for (size_t side = 0; side < 2; side++)
        out->text[side] =
            plan_rows_text(difference->rows[side], difference->n[side], shadow->names);
}

static void compare(void *user, const lsched_cluster *cluster, const lsched_plan *plan) {
    struct shadow *shadow = user;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    shadow->last_us = info.now_us;
    shadow->rows[0].n = 0;
    plan_rows_add(&shadow->rows[0], shadow->names, cluster, plan);
    for (size_t side = 0; side < 2; side++) shadow->decisions[side] += shadow->rows[side].n;
    size_t differ = plan_rows_compare(shadow->rows[0].items, shadow->rows[0].n,
                                      shadow->rows[1].items, shadow->rows[1].n, found, shadow);
    shadow->cycles_differ += differ > 0;
    shadow->cycles++;
}

struct plan_watch shadow_watch(struct shadow *shadow) {
    return (struct plan_watch){
        .user = shadow, .before = plan_beside, .after = compare, .end = drop_clone};
}
