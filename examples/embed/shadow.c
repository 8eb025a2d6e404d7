/* shadow.c -- try a policy on live work without letting it decide: the cluster follows the policy
 * in force; a clone of each moment gets the candidate and plans the same cycle in a second thread.
 * Where the two plans differ is printed.
 *
 * A clone has the ids of its original, so decisions are compared by ids. What the candidate
 * decided is thrown away with the next clone: nothing of it reaches the cluster. The hot path
 * pays for the clone only, and its memory is used again. */
#include <libsched/libsched.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define START_US  INT64_C(1700000000000000)
#define MINUTE_US INT64_C(60000000)

struct shadow {
    lsched_cluster *clone; /* the thread's until it is joined */
    const char *candidate; /* a ready-made policy; your own: its text */
    int64_t now_us;
    lsched_plan *plan;
    int32_t code;
    lsched_error err;
};

static void *plan_beside(void *argument) {
    struct shadow *s = argument;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = s->now_us;
    s->code = lsched_policy_load(s->clone, lsched_cstr(s->candidate), (lsched_text){NULL, 0}, NULL,
                                 &s->err);
    if (s->code >= 0) s->code = lsched_schedule(s->clone, &opts, &s->plan, &s->err);
    return NULL;
}

/* Is the decision in the plan: the same thing, with the same task, on the same node. */
static int has(const lsched_plan *plan, const lsched_decision *wanted) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == wanted->kind && d->job == wanted->job &&
            d->task_index == wanted->task_index && d->node == wanted->node)
            return 1;
    }
    return 0;
}

/* Prints the decisions of a plan that the other does not have. */
static int print_missing(const lsched_cluster *cluster, const lsched_plan *plan,
                         const lsched_plan *other, const char *who) {
    static const char *const kinds[] = {"?", "start", "claim", "stop", "move"};
    int printed = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (has(other, d)) continue;
        size_t job_len = 0, node_len = 0;
        const char *job = lsched_name(cluster, d->job, &job_len);
        const char *node = lsched_name(cluster, d->node, &node_len);
        printf("  %s: %s %.*s/%" PRIu32 " on %.*s\n", who, d->kind <= 4 ? kinds[d->kind] : "?",
               (int)job_len, job, d->task_index, (int)node_len, node);
        printed++;
    }
    return printed;
}

/* Equal hashes: equal decisions and reasons, nothing to look for. */
static int compare(const lsched_cluster *cluster, const lsched_plan *plan,
                   const struct shadow *shadow) {
    lsched_plan_info here = {.size = sizeof here}, there = {.size = sizeof there};
    lsched_plan_get(plan, &here, NULL);
    lsched_plan_get(shadow->plan, &there, NULL);
    if (there.policy_error != LSCHED_OK)
        printf("  candidate fails: %s\n", lsched_plan_policy_error(shadow->plan));
    if (here.plan_hash == there.plan_hash) return 0;
    return print_missing(cluster, plan, shadow->plan, "in force") +
           print_missing(cluster, shadow->plan, plan, "candidate");
}

/* A cycle of the orchestrator with its shadow. Returns how many decisions differ, or an error. */
static int32_t cycle(lsched_cluster *cluster, struct shadow *shadow, int64_t now_us,
                     lsched_error *err) {
    pthread_t thread;
    lsched_plan *plan = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = shadow->now_us = now_us;
    int32_t code = lsched_cluster_clone(cluster, &shadow->clone, err); /* before the cycle */
    if (code < 0) return code;
    if (pthread_create(&thread, NULL, plan_beside, shadow) != 0) return LSCHED_E_STATE;
    code = lsched_schedule(cluster, &opts, &plan, err); /* the plan that counts: carry it out ... */
    pthread_join(thread, NULL);                         /* ... and look at the other later */
    if (code >= 0) code = shadow->code;
    if (code >= 0) code = compare(cluster, plan, shadow);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        lsched_settlement answer = {
            .size = sizeof answer, .outcome = how, .decision = lsched_plan_at(plan, i)->id};
        lsched_settle(cluster, &answer, 1, sizeof answer, NULL, NULL, NULL, err);
    }
    lsched_plan_destroy(shadow->plan);
    lsched_plan_destroy(plan);
    shadow->plan = NULL;
    return code;
}

static int32_t submit(lsched_cluster *cluster, const char *name, int64_t duration_us,
                      int64_t submit_us, lsched_error *err) {
    lsched_amount needs = {LSCHED_GPU, 0, 8000};
    lsched_group_desc task = {sizeof task, .request = &needs, .n_request = 1};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name), job.queue_name = LSCHED_TEXT("research");
    job.groups = &task, job.n_groups = 1;
    job.duration_us = duration_us, job.submit_us = submit_us;
    return lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
}

int main(void) {
    lsched_cluster *cluster = NULL;
    struct shadow shadow = {.candidate = "shortest-first", .err = LSCHED_ERROR_INIT};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    node.name = LSCHED_TEXT("gpu-1"), node.devices = &gpus, node.n_devices = 1;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0 ||
        lsched_policy_load(cluster, LSCHED_TEXT("fifo"), (lsched_text){NULL, 0}, NULL, &err) < 0 ||
        lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0 ||
        lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0 ||
        submit(cluster, "train", 600 * MINUTE_US, START_US - 2, &err) < 0 ||
        submit(cluster, "test", 5 * MINUTE_US, START_US - 1, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("first cycle:\n");
    int32_t first = cycle(cluster, &shadow, START_US, &err); /* train starts; test would */
    printf("second cycle:\n");
    int32_t second = cycle(cluster, &shadow, START_US + MINUTE_US, &err); /* both: no room */
    lsched_cluster_destroy(shadow.clone);
    lsched_cluster_destroy(cluster);
    return first == 2 && second == 0 ? 0 : 1;
}
