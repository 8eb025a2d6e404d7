/*
 * random_waits.h -- nobody waits in vain: after a whole cycle, no job waits that one more task
 * would serve and for which some node has room that nobody could dispute.
 *
 * What wakes a parked job is the engine's most delicate part: a wake-up that is lost shows in no
 * count and no verifier, since a cluster that places nothing is consistent. The check is one-sided:
 * it looks at jobs of one group that need one task to start or to grow, and at room that is plain:
 * whole free devices of one model.
 */
#ifndef TESTS_RANDOM_WAITS_H
#define TESTS_RANDOM_WAITS_H

#include "property/random_checks.h"

/* Does the job want exactly one more task next. */
static inline int wants_one_task(const struct world *w, const struct world_job *job,
                                 const lsched_job_info *info) {
    const lsched_group_desc *d = &job->groups[0];
    uint32_t held = info->tasks_placed + info->tasks_done;
    uint32_t min = random_sizes_min(job, 0);
    if (d->n_device_requests) return 0; /* devices one by one do not say */
    if (d->n_slices) return 0;          /* nor nodes */
    if (d->gpu_memory_bytes && w->has_models)
        return 0; /* what it counts in a part is not its share */
    if (job->desc.n_groups != 1 || d->required_level.len || held >= random_sizes_max(job, 0))
        return 0;
    if (job->desc.flags & LSCHED_JOB_NON_PREEMPTIBLE) return 0; /* may be kept to the guarantee */
    return held >= min || min - held == 1;
}

static inline int within_limits(const struct world *w, const lsched_cluster *c,
                                const struct world_job *job) {
    const lsched_group_desc *d = &job->groups[0];
    for (uint32_t q = job->queue; q != WORLD_QUEUES; q = w->queues[q].parent) {
        lsched_id id = find_by(c, LSCHED_KIND_QUEUE, w->queues[q].name);
        for (uint32_t i = 0; i < d->n_request; i++) {
            int64_t used = 0;
            int64_t limit = 0;
            lsched_queue_amount(c, id, d->request[i].kind, &used, NULL, &limit, NULL);
            if (limit != LSCHED_UNLIMITED && used + d->request[i].amount > limit) return 0;
        }
    }
    return 1;
}

static inline int labels_match(const struct world_node *node, const lsched_group_desc *d) {
    if (d->n_selectors == 0) return 1;
    if (node->desc.n_labels < 3) return 0; /* no disk label */
    if (d->selectors[0].n_values == 0) return 1;
    lsched_text want = d->selectors[0].values[0];
    return want.len == node->labels[2].value.len &&
           memcmp(want.ptr, node->labels[2].value.ptr, want.len) == 0;
}

/* Devices of one model that are wholly free and have the memory asked for; of shareable ones for
 * a part. */
static inline uint32_t free_devices(const lsched_cluster *c, lsched_id id,
                                    const struct world_node *node, const lsched_group_desc *d,
                                    const char *model, int part) {
    uint32_t index = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < node->desc.n_devices; i++) {
        const lsched_device_desc *device = &node->devices[i];
        for (uint32_t k = 0; k < device->count; k++, index++) {
            lsched_device_info is = {.size = sizeof is};
            if (lsched_device_get(c, id, index, &is, NULL) < 0) return 0;
            if (is.free_milli != 1000 || is.memory_free_bytes < d->gpu_memory_bytes) continue;
            if (device->share_mode == LSCHED_SHARING_MIG) continue;
            if (part && device->share_mode != LSCHED_SHARING_FRACTION) continue;
            n += is.model.len == strlen(model) && memcmp(is.model.ptr, model, is.model.len) == 0;
        }
    }
    return n;
}

/* May every queue of the path use so much more of the part: a number of world_parts[]. */
static inline int part_within_limits(const struct world *w, const lsched_cluster *c, uint32_t queue,
                                     uint32_t model, int64_t milli) {
    for (uint32_t q = queue; w->has_models && q != WORLD_QUEUES; q = w->queues[q].parent) {
        int64_t used = 0;
        int64_t limit = 0;
        lsched_queue_amount(c, find_by(c, LSCHED_KIND_QUEUE, w->queues[q].name),
                            LSCHED_RESOURCE_KINDS_MAX + model, &used, NULL, &limit, NULL);
        if (limit != LSCHED_UNLIMITED && used + milli > limit) return 0;
    }
    return 1;
}

static inline int devices_fit(const struct world *w, const lsched_cluster *c, lsched_id id,
                              const struct world_node *node, const struct world_job *job,
                              int64_t milli) {
    const lsched_group_desc *d = &job->groups[0];
    uint32_t need = milli < 1000 ? 1 : (uint32_t)(milli / 1000);
    for (uint32_t m = 0; m < 2; m++) {
        if (!part_within_limits(w, c, job->queue, m, milli)) continue;
        const char *model = world_models[m];
        if (d->n_device_models && memcmp(d->device_models[0].ptr, model, strlen(model)) != 0)
            continue;
        if (free_devices(c, id, node, d, model, milli < 1000) >= need) return 1;
    }
    return 0;
}

/* Does a curve lie above those that are there, below what the rest leaves. */
static inline int daily_demand_fits(const struct seen *seen, uint32_t node, uint32_t kind,
                                    int64_t capacity, const struct random_day *day) {
    for (uint32_t q = 0; q < DAY_QUARTERS; q++)
        if (seen->node_used[node][kind] + seen->node_day[node][kind][q] + day->use[kind][q] >
            capacity)
            return 0;
    return 1;
}

/* Has the node as many tasks of the job's only group as it may have. */
static inline int has_all_it_may(const struct seen *seen, const struct world *w,
                                 const struct world_node *node, const struct world_job *job) {
    uint32_t held = 0, max = job->groups[0].max_tasks_per_node;
    for (uint32_t i = 0; i < seen->n; i++)
        held += &w->jobs[seen->task[i].job] == job && is_placed(seen->task[i].state) &&
                seen->task[i].node == (uint32_t)(node - w->nodes);
    return max && held >= max;
}

static inline int fits_plainly(const struct world *w, const lsched_cluster *c,
                               const struct world_node *node, const struct world_job *job,
                               const struct seen *seen) {
    const lsched_group_desc *d = &job->groups[0];
    lsched_id id = find_by(c, LSCHED_KIND_NODE, node->name);
    if (w->has_exclusive || random_rules_matter(&node->desc, &job->desc, d))
        return 0; /* room is not plain */
    if (has_all_it_may(seen, w, node, job)) return 0;
    if (!node->live || node->desc.state != LSCHED_NODE_READY || !labels_match(node, d)) return 0;
    for (uint32_t kind = 1; kind <= (w->has_nic ? 4u : 3u); kind++) {
        int64_t free_amount = -1;
        int64_t capacity = 0;
        lsched_node_amount(c, id, kind, &capacity, &free_amount, NULL);
        if (free_amount < 0) return 0; /* inherited excess: takes nothing */
        for (uint32_t i = 0; i < d->n_request; i++) {
            if (d->request[i].kind != kind) continue;
            int daily = random_day_has(d, &job->days[0], kind);
            if (daily && !daily_demand_fits(seen, (uint32_t)(node - w->nodes), kind, capacity,
                                            &job->days[0]))
                return 0;
            if (!daily && d->request[i].amount > free_amount) return 0;
            uint32_t part = kind == LSCHED_GPU ? 2 : kind == LSCHED_CPU ? 3 : WORLD_PARTS;
            if (part < WORLD_PARTS && node->desc.n_labels == 3 &&
                node->labels[2].value.ptr[0] == 's' &&
                !part_within_limits(w, c, job->queue, part, d->request[i].amount))
                return 0;
            if (kind == LSCHED_GPU && !devices_fit(w, c, id, node, job, d->request[i].amount))
                return 0;
        }
    }
    return 1;
}

static inline void check_nobody_waits_in_vain(const struct where *at, const struct world *w,
                                              lsched_cluster *c) {
    static struct seen seen; /* large; tests have one thread */
    see_all(at, w, c, &seen);
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        const struct world_job *job = &w->jobs[j];
        lsched_id id = find_by(c, LSCHED_KIND_JOB, job->name);
        lsched_job_info info = {.size = sizeof info};
        char why[1000] = "";
        if (!job->live || lsched_job_get(c, id, &info, NULL) < 0) continue;
        if (info.hold_until_us) continue; /* a hold by the host */
        if (!wants_one_task(w, job, &info) || !within_limits(w, c, job)) continue;
        for (uint32_t n = 0; n < w->n_nodes; n++) {
            if (!fits_plainly(w, c, &w->nodes[n], job, &seen)) continue;
            lsched_waiting record = {.size = sizeof record};
            lsched_explain(c, id, why, sizeof why, &record, NULL);
            if (strstr(why, "planned")) break; /* it may not take what is planned for others */
            if (record.code == LSCHED_WAIT_REFUSED && record.until_us > w->now_us)
                break; /* test_refusals_random.c judges these */
            if (record.code == LSCHED_WAIT_BACKOFF || record.code == LSCHED_WAIT_RETRIES) break;
            CHECK(at, 0, "node %s has room, parked %u: %s", w->nodes[n].name, info.parked, why);
        }
    }
}

#endif
