/* api_driver.c -- see api_driver.h. */
#include "engine/state/cache_check.h"
#include "support/api_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 300, OPEN_DECISIONS_MAX = 256, NAME_POOL = 12 };

static void broken(const char *what, const struct api_driver *d) {
    fprintf(stderr, "step %u: %s (%s: %s)\n", d->steps, what, lsched_error_name(d->err.code),
            d->err.message);
    abort();
}

#define MUST(condition)                          \
    do {                                         \
        if (!(condition)) broken(#condition, d); \
    } while (0)

/* ---- reading --------------------------------------------------------------------------------- */

static uint8_t byte(struct api_driver *d) {
    return d->at < d->end ? *d->at++ : 0;
}

static uint32_t below(struct api_driver *d, uint32_t n) {
    return byte(d) % n;
}

/* Mostly small multiples of a unit, sometimes what no host should pass. */
static int64_t quantity(struct api_driver *d, int64_t unit) {
    static const int64_t extremes[] = {
        -1, 0, 1, INT64_MIN, INT64_MAX, LSCHED_AMOUNT_MAX, LSCHED_AMOUNT_MAX + 1, INT64_MAX - 1};
    uint8_t b = byte(d);
    return b < 244 ? b * unit : extremes[b % 8];
}

/* A name of the pool, or for one byte in 32 one that is empty, long or odd. */
static lsched_text name(struct api_driver *d, char prefix) {
    static const lsched_text odd[] = {{NULL, 0}, {"x", 0}, {"a\0b", 3}, {NULL, 3}};
    uint8_t b = byte(d);
    if (b >= 248) return odd[b % 4];
    if (d->n_texts == DRIVER_TEXTS) d->n_texts = 0;
    char *text = d->texts[d->n_texts++];
    int n = snprintf(text, DRIVER_TEXT_BYTES, "%c%d", prefix, b % NAME_POOL);
    return b & 128 ? (lsched_text){text, (uint64_t)n} : lsched_cstr(text);
}

/* Options of a batch: any flags, sometimes unknown ones, sometimes none. */
static const lsched_batch_opts *options(struct api_driver *d) {
    uint8_t b = byte(d);
    d->opts = (lsched_batch_opts){sizeof d->opts, b < 250 ? b & 3u : b};
    return b & 64 ? NULL : &d->opts;
}

static void remember(struct api_driver *d, lsched_id id) {
    d->ids[d->n_ids++ % DRIVER_IDS] = id;
}

/* The id of a live object of the kind, one seen lately, or any bits. */
static lsched_id id_of(struct api_driver *d, uint32_t kind, char prefix) {
    uint8_t b = byte(d);
    if (b < 200) {
        char text[DRIVER_TEXT_BYTES];
        int n = snprintf(text, sizeof text, "%c%d", prefix, b % NAME_POOL);
        return lsched_find(d->cluster, kind, (lsched_text){text, (size_t)n});
    }
    if (b < 248) return d->ids[b % DRIVER_IDS];
    uint64_t generation = byte(d);
    return (uint64_t)(b & 7) << 60 | generation << 32 | byte(d);
}

static lsched_id open_decision(struct api_driver *d) {
    uint32_t skip = byte(d);
    if (skip >= 240) return d->ids[skip % DRIVER_IDS];
    uint64_t cursor = 0;
    lsched_id id = lsched_next(d->cluster, LSCHED_KIND_DECISION, &cursor);
    for (uint32_t i = 0; i < skip % 32 && id; i++)
        id = lsched_next(d->cluster, LSCHED_KIND_DECISION, &cursor);
    return id;
}

static const lsched_amount *amounts(struct api_driver *d, uint32_t n) {
    if (d->n_amounts + n > DRIVER_TEXTS) d->n_amounts = 0;
    lsched_amount *list = &d->amounts[d->n_amounts];
    static const int64_t units[] = {1, 500, INT64_C(1) << 30, 250, 1, 1, 1, 1};
    for (uint32_t i = 0; i < n; i++) {
        uint8_t b = byte(d);
        uint32_t kind = 1 + (b + i) % 3;
        if (b >= 224) kind = b & 1 ? LSCHED_RESOURCE_KINDS_MAX + (b >> 1 & 3u) : b % 8u;
        list[i] = (lsched_amount){kind, 0, quantity(d, units[kind % 8])};
    }
    d->n_amounts += n;
    return list;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static uint64_t image(const struct api_driver *d) {
    uint64_t hash = 0;
    MUST(lsched_cluster_hash(d->cluster, LSCHED_HASH_IMAGE, &hash, NULL) == LSCHED_OK);
    return hash;
}

/* What any call must keep to. before: the image before it. */
static int64_t checked(struct api_driver *d, int64_t code, uint64_t before) {
    if (code < 0) {
        MUST(code == d->err.code || d->err.code == 0);
        MUST(code != LSCHED_E_CORRUPT && code != LSCHED_E_VERIFY && code >= LSCHED_E_UNSUPPORTED);
        MUST(code != LSCHED_E_NOMEM || d->memory.failures > d->failures_seen);
        MUST(image(d) == before);
    }
    d->failures_seen = d->memory.failures;
    return code;
}

/* The verifier, without failing allocations. */
static void verify(struct api_driver *d, const lsched_plan *plan) {
    uint64_t fail_at = d->memory.fail_at;
    d->memory.fail_at = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_verify(d->cluster, plan, &err) != LSCHED_OK) {
        d->err = err;
        broken("the verifier objects", d);
    }
    d->memory.fail_at = fail_at;
}

/* ---- operations ------------------------------------------------------------------------------ */

typedef int64_t (*operation)(struct api_driver *d);

static lsched_node_desc a_node(struct api_driver *d, uint32_t i) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = name(d, 'n');
    uint8_t b = byte(d);
    node.n_capacity = b % 3;
    node.capacity = amounts(d, node.n_capacity);
    node.state = b == 255 ? 9 : b & 64 ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    d->labels[i] = (lsched_label){LSCHED_TEXT("rack"), name(d, 'r')};
    node.labels = &d->labels[i];
    node.n_labels = b & 1;
    d->devices[i] = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    d->devices[i].count = b & 8 ? below(d, 18) : 4;
    d->devices[i].model = name(d, 'm');
    d->devices[i].memory_bytes = b & 16 ? quantity(d, INT64_C(1) << 30) : INT64_C(16) << 30;
    d->devices[i].share_mode = b >> 5 & 1;
    node.devices = &d->devices[i];
    node.n_devices = b >> 1 & 1;
    return node;
}

static int64_t op_nodes_add(struct api_driver *d) {
    lsched_node_desc nodes[3];
    lsched_id ids[3] = {0};
    uint32_t n = 1 + below(d, 3);
    const lsched_batch_opts *opts = options(d);
    for (uint32_t i = 0; i < n; i++) nodes[i] = a_node(d, i);
    int64_t code =
        lsched_nodes_add(d->cluster, nodes, n, sizeof nodes[0], opts, ids, NULL, &d->err);
    for (uint32_t i = 0; i < n && code > 0; i++) remember(d, ids[i]);
    return code;
}

static int64_t op_nodes_update(struct api_driver *d) {
    lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
    update.node = id_of(d, LSCHED_KIND_NODE, 'n');
    update.set = byte(d) & 63u;
    if (update.set & 32u) {
        update.set = (update.set & 31u) | LSCHED_NODE_SET_ABSENCE;
        update.leaves_us = (int64_t)below(d, 100) * 1000000;
        update.back_us = (int64_t)below(d, 200) * 1000000;
        update.leaves_every_us = (int64_t)below(d, 3) * 100000000;
    }
    update.state = below(d, 3);
    update.n_capacity = below(d, 3);
    update.capacity = amounts(d, update.n_capacity);
    const lsched_batch_opts *opts = options(d);
    return lsched_nodes_update(d->cluster, &update, 1, sizeof update, opts, NULL, &d->err);
}

static int64_t op_nodes_remove(struct api_driver *d) {
    lsched_id ids[2];
    for (int i = 0; i < 2; i++) ids[i] = id_of(d, LSCHED_KIND_NODE, 'n');
    const lsched_batch_opts *opts = options(d);
    return lsched_nodes_remove(d->cluster, ids, 1 + (byte(d) & 1), opts, NULL, &d->err);
}

static lsched_queue_desc a_queue(struct api_driver *d) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = name(d, 'q');
    uint8_t b = byte(d);
    if (b & 1) queue.parent_name = name(d, 'q');
    if ((b & 3) == 2) queue.parent = id_of(d, LSCHED_KIND_QUEUE, 'q');
    queue.priority = b >> 6;
    queue.n_quota = b >> 2 & 1;
    queue.quota = amounts(d, queue.n_quota);
    queue.n_limit = b >> 3 & 1;
    queue.limit = amounts(d, queue.n_limit);
    queue.n_weight = b >> 4 & 1;
    queue.weight_milli = amounts(d, queue.n_weight);
    return queue;
}

static int64_t op_queues_add(struct api_driver *d) {
    lsched_queue_desc queues[3];
    lsched_id ids[3] = {0};
    uint32_t n = 1 + below(d, 3);
    for (uint32_t i = 0; i < n; i++) queues[i] = a_queue(d);
    const lsched_batch_opts *opts = options(d);
    int64_t code =
        lsched_queues_add(d->cluster, queues, n, sizeof queues[0], opts, ids, NULL, &d->err);
    for (uint32_t i = 0; i < n && code >= 0; i++) remember(d, ids[i]);
    return code;
}

static int64_t op_queues_update(struct api_driver *d) {
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.queue = id_of(d, LSCHED_KIND_QUEUE, 'q');
    lsched_queue_desc queue = a_queue(d);
    u.set = (uint32_t)byte(d) | (uint32_t)byte(d) << 8;
    u.quota = queue.quota, u.n_quota = queue.n_quota;
    u.limit = queue.limit, u.n_limit = queue.n_limit;
    u.weight_milli = queue.weight_milli, u.n_weight = queue.n_weight;
    u.lend_limit = queue.lend_limit, u.n_lend_limit = queue.n_lend_limit;
    u.priority = queue.priority, u.flags = queue.flags, u.jobs_max = queue.jobs_max;
    const lsched_batch_opts *opts = options(d);
    return lsched_queues_update(d->cluster, &u, 1, sizeof u, opts, NULL, &d->err);
}

static int64_t op_queues_remove(struct api_driver *d) {
    lsched_id ids[2];
    for (int i = 0; i < 2; i++) ids[i] = id_of(d, LSCHED_KIND_QUEUE, 'q');
    const lsched_batch_opts *opts = options(d);
    return lsched_queues_remove(d->cluster, ids, 1 + (byte(d) & 1), opts, NULL, &d->err);
}

static lsched_group_desc a_group(struct api_driver *d, uint32_t index) {
    static const char *const levels[] = {NULL, "zone", "rack", "moon"};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    uint8_t b = byte(d);
    group.parent = index ? b % (index + (b == 255)) : 0;
    group.max_count = below(d, 10);
    uint8_t least = byte(d);
    group.min_count = least < 200 ? least % (group.max_count + 1)
                      : least & 1 ? LSCHED_MIN_NONE
                                  : least;
    group.min_groups = b >> 5 & 1;
    group.n_request = b >> 6;
    group.request = amounts(d, group.n_request);
    uint8_t wish = byte(d);
    group.required_level = lsched_cstr(wish >= 192 ? levels[wish & 3] : NULL);
    group.preferred_level = lsched_cstr(wish >= 128 ? levels[wish >> 2 & 3] : NULL);
    if (wish & 16) group.selectors = &d->selector, group.n_selectors = 1;
    if (wish & 32) group.gpu_devices = wish & 3;
    if (wish & 64) group.max_tasks_per_node = wish & 15;
    if (wish & 128) group.flags = b & 1;
    if (b & 16) group.members = least & 1 ? LSCHED_NO_MEMBERS : least % (group.max_count + 1);
    return group;
}

static lsched_job_desc a_job(struct api_driver *d) {
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = name(d, 'j');
    job.queue_name = name(d, 'q');
    uint8_t b = byte(d);
    job.priority = b & 3;
    job.flags = b >> 2 & 7;
    job.duration_us = quantity(d, 1000000);
    job.submit_us = quantity(d, 1000000);
    uint32_t first = d->n_groups;
    job.n_groups = b < 160 ? 1 : 1 + b % 4;
    job.groups = &d->groups[first];
    for (uint32_t i = 0; i < job.n_groups; i++) {
        d->groups[first + i] = a_group(d, i);
        int inner = job.n_groups > 1 && i == 0;
        if (inner && !(b & 64)) d->groups[first] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    }
    d->n_groups += job.n_groups;
    return job;
}

static int64_t op_jobs_submit(struct api_driver *d) {
    lsched_job_desc jobs[3];
    lsched_id ids[3] = {0};
    uint32_t n = 1 + below(d, 3);
    const lsched_batch_opts *opts = options(d);
    d->selector = (lsched_selector)LSCHED_SELECTOR_INIT;
    d->selector.key = LSCHED_TEXT("rack");
    d->selector_value = name(d, 'r');
    d->selector.values = &d->selector_value;
    d->selector.n_values = byte(d) & 1;
    for (uint32_t i = 0; i < n; i++) jobs[i] = a_job(d);
    int64_t code =
        lsched_jobs_submit(d->cluster, jobs, n, sizeof jobs[0], opts, ids, NULL, &d->err);
    for (uint32_t i = 0; i < n && code > 0; i++) remember(d, ids[i]);
    return code;
}

static int64_t op_jobs_remove(struct api_driver *d) {
    lsched_id ids[2];
    for (int i = 0; i < 2; i++) ids[i] = id_of(d, LSCHED_KIND_JOB, 'j');
    const lsched_batch_opts *opts = options(d);
    return lsched_jobs_remove(d->cluster, ids, 1 + (byte(d) & 1), opts, NULL, &d->err);
}

/* Holds and releases of jobs. A chosen byte can be a time before the clock, soon, or no end. */
static int64_t hold_or_release(struct api_driver *d, lsched_id job, uint8_t b, uint64_t state) {
    static const lsched_text reasons[] = {
        {NULL, 0}, LSCHED_TEXT_INIT("why"), {NULL, 3}, {"a\0b", 3}};
    const lsched_batch_opts *opts = options(d);
    if (state & 4) return lsched_jobs_release(d->cluster, &job, 1, opts, NULL, &d->err);
    lsched_job_hold hold = LSCHED_JOB_HOLD_INIT;
    hold.job = job;
    hold.reason = reasons[b >> 6];
    hold.until_us = (b & 7) == 0   ? 0
                    : (b & 7) == 7 ? LSCHED_NEVER_US
                                   : d->now_us + ((b & 63) - 6) * INT64_C(1000000);
    return lsched_jobs_hold(d->cluster, &hold, 1, sizeof hold, opts, NULL, &d->err);
}

/* Other dependencies, another begin or another expiry of a job. A chosen byte can name the job itself,
 * a time that is over, and an event that does not exist. */
static int64_t gate_update(struct api_driver *d, lsched_id job, uint8_t b) {
    lsched_dependency after[2] = {LSCHED_DEPENDENCY_INIT, LSCHED_DEPENDENCY_INIT};
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    for (uint32_t i = 0; i < 2; i++) {
        after[i].job = id_of(d, LSCHED_KIND_JOB, 'j');
        after[i].after = (uint32_t)(b >> i) % 5u;
        after[i].delay_us = (b & 8) ? 0 : (b & 63) * INT64_C(1000000);
        if ((b & 48) == 48) { /* an event of which the time is known */
            after[i].job = b & 4 ? after[i].job : 0;
            after[i].name = lsched_cstr("gone");
            after[i].happened_us = b & 64 ? LSCHED_NEVER_US : d->now_us;
        }
    }
    u.job = job;
    u.set = b & 1   ? LSCHED_JOB_SET_DEPENDENCIES
            : b & 2 ? LSCHED_JOB_SET_EXPIRY
                    : LSCHED_JOB_SET_BEGIN | LSCHED_JOB_SET_EXPIRY;
    u.dependencies = after;
    u.n_dependencies = (b >> 1) % 3u;
    u.on_never = (b >> 6) % 3u;
    u.begin_us = d->now_us + ((b & 63) - 6) * INT64_C(1000000);
    u.expires_us = u.begin_us + (b >> 6) * INT64_C(20000000);
    if (u.begin_us < 0) u.begin_us = 0;
    if (u.expires_us < 0) u.expires_us = 0;
    const lsched_batch_opts *opts = options(d);
    return lsched_jobs_update(d->cluster, &u, 1, sizeof u, opts, NULL, &d->err);
}

/* Bits of the state decide between updates, a hold and a release, so that old inputs keep
 * their meaning. */
static int64_t op_jobs_update(struct api_driver *d) {
    const uint64_t state = image(d);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = id_of(d, LSCHED_KIND_JOB, 'j');
    uint8_t b = byte(d);
    if (state & 2) return hold_or_release(d, u.job, b, state);
    if (state & 8) return gate_update(d, u.job, b);
    u.priority = (int32_t)b - 128;
    u.set = LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN;
    const lsched_batch_opts *opts = options(d);
    return lsched_jobs_update(d->cluster, &u, 1, sizeof u, opts, NULL, &d->err);
}

static int64_t op_schedule(struct api_driver *d) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    uint8_t b = byte(d);
    opts.now_us = d->now_us + (b < 250 ? b * INT64_C(700000) : -1);
    opts.flags = b & 3;
    uint8_t bounds = byte(d);
    opts.work_budget = bounds & 1 ? bounds : 0;
    opts.decisions_max = bounds & 2 ? bounds >> 2 : 0;
    if ((image(d) & 12) == 0) opts.proposal_life_us = (1 + bounds) * INT64_C(300000);
    lsched_plan *plan = NULL;
    int64_t code = lsched_schedule(d->cluster, &opts, &plan, &d->err);
    MUST((code < 0) == (plan == NULL));
    if (plan) {
        d->now_us = opts.now_us > d->now_us ? opts.now_us : d->now_us;
        verify(d, plan);
        for (size_t i = 0; i < lsched_plan_size(plan) && i < 4; i++)
            remember(d, lsched_plan_at(plan, i)->id);
        char text[160];
        for (size_t i = 0; i < lsched_plan_waiting_size(plan) && i < 8; i++) {
            const lsched_waiting *record = lsched_plan_waiting_at(plan, i);
            int64_t length = lsched_waiting_text(d->cluster, record, text, sizeof text, NULL);
            MUST(length > 0 || length == LSCHED_E_NOMEM);
        }
    }
    lsched_plan_destroy(plan);
    return code;
}

static int64_t op_settle(struct api_driver *d) {
    lsched_settlement s[6];
    size_t n = 1 + below(d, 6);
    for (size_t i = 0; i < n; i++) {
        s[i] = (lsched_settlement){sizeof s[i], 0, open_decision(d), {NULL, 0}, NULL};
        uint8_t b = byte(d);
        s[i].outcome = b == 255 ? 7 : b & 1 ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
        if (b & 2) s[i].reason = name(d, 'w');
    }
    const lsched_batch_opts *opts = options(d);
    lsched_id withdrawn[4];
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    report.withdrawn = withdrawn;
    report.withdrawn_capacity = 4;
    return lsched_settle(d->cluster, s, n, sizeof s[0], opts, &report, NULL, &d->err);
}

/* Everything that was proposed is confirmed, so that long chains are reached. */
static int64_t op_confirm_all(struct api_driver *d) {
    lsched_settlement s[OPEN_DECISIONS_MAX];
    size_t n = 0;
    uint64_t cursor = 0;
    for (lsched_id id; n < OPEN_DECISIONS_MAX &&
                       (id = lsched_next(d->cluster, LSCHED_KIND_DECISION, &cursor)) != 0;) {
        if (lsched_decision_state(d->cluster, id, NULL) != LSCHED_DECISION_PROPOSED) continue;
        s[n++] = (lsched_settlement){sizeof s[0], LSCHED_OUTCOME_CONFIRMED, id, {NULL, 0}, NULL};
    }
    return lsched_settle(d->cluster, s, n, sizeof s[0], NULL, NULL, NULL, &d->err);
}

static int64_t op_tasks_report(struct api_driver *d) {
    lsched_task_event events[4];
    size_t n = 1 + below(d, 4);
    for (size_t i = 0; i < n; i++) {
        events[i] = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
        events[i].job = id_of(d, LSCHED_KIND_JOB, 'j');
        uint8_t b = byte(d);
        events[i].event = b == 255 ? 0 : 1 + b % 3;
        events[i].task_index = b >> 4;
        int64_t at_us = b & 8 ? quantity(d, 100000) : 0;
        events[i].at_us = at_us > 0 && at_us < 100000000 ? d->now_us + at_us : at_us;
    }
    const lsched_batch_opts *opts = options(d);
    int64_t code =
        lsched_tasks_report(d->cluster, events, n, sizeof events[0], opts, NULL, &d->err);
    lsched_cluster_stats stats = {.size = sizeof stats};
    MUST(lsched_cluster_stats_get(d->cluster, &stats, NULL) == LSCHED_OK);
    if (stats.now_us > d->now_us) d->now_us = stats.now_us;
    return code;
}

static int64_t op_tasks_import(struct api_driver *d) {
    lsched_task_import import = LSCHED_TASK_IMPORT_INIT;
    import.job = id_of(d, LSCHED_KIND_JOB, 'j');
    import.node_name = name(d, 'n');
    uint8_t b = byte(d);
    import.task_index = b & 15;
    import.device_mask = b & 128 ? byte(d) : 0;
    import.start_us = quantity(d, 1000);
    const lsched_batch_opts *opts = options(d);
    return lsched_tasks_import(d->cluster, &import, 1, sizeof import, opts, NULL, &d->err);
}

static int64_t op_usage_report(struct api_driver *d) {
    lsched_usage_sample sample = LSCHED_USAGE_SAMPLE_INIT;
    sample.job = id_of(d, LSCHED_KIND_JOB, 'j');
    sample.task_index = below(d, 4);
    sample.kind = below(d, 6);
    sample.amount = quantity(d, 10);
    const lsched_batch_opts *opts = options(d);
    return lsched_usage_report(d->cluster, &sample, 1, sizeof sample, opts, NULL, &d->err);
}

static int64_t op_task_mix_set(struct api_driver *d) {
    lsched_group_desc groups[2] = {a_group(d, 0), LSCHED_GROUP_DESC_INIT};
    lsched_mix_entry mix[2];
    for (int i = 0; i < 2; i++) {
        mix[i] =
            (lsched_mix_entry){.size = sizeof mix[i], .task = &groups[i], .count = quantity(d, 1)};
    }
    return lsched_task_mix_set(d->cluster, mix, below(d, 3), sizeof mix[0], &d->err);
}

static int64_t op_topologies_add(struct api_driver *d) {
    static const lsched_text levels[] = {LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("rack")};
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    topology.name = name(d, 't');
    topology.levels = levels;
    topology.n_levels = below(d, 3);
    const lsched_batch_opts *opts = options(d);
    return lsched_topologies_add(d->cluster, &topology, 1, sizeof topology, opts, NULL, NULL,
                                 &d->err);
}

static int64_t op_resource_add(struct api_driver *d) {
    lsched_text text = name(d, 'x');
    return lsched_resource_add(d->cluster, text, &d->err);
}

static int64_t op_resource_add_part(struct api_driver *d) {
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.name = name(d, 'x');
    part.model = name(d, 'm');
    return lsched_resource_add_part(d->cluster, &part, &d->err);
}

static int64_t op_policy_load(struct api_driver *d) {
    static const char *const texts[] = {
        "return { api = 1, name = 'plain' }",
        "return { api = 1, name = 'p', priority = function(job, queue) return job.priority + job.waiting end }",
        "return { api = 1, name = 's', placement = 'spread', score = function(job, node) return -node.gpu_free end }",
        "return { api = 1, name = 'a', admit = function(job, queue) return job.gpu < 2, 'too large' end }",
        "return { api = 1, name = 'f', filter = function(job, node) return node.name ~= 'n1' end }",
        "return { api = 1, name = 'l', priority = function(job, queue) while true do end end }",
        "return { api = 1, name = 'e', score = function(job, node) return nil + 1 end }",
        "return { api = 1, name = 'q', quota = function(queue, now) return { gpu = 2 }, now + 10 end }",
        "return { api = 1, name = 'w', weight = function(queue) return queue.priority + 0.5 end }",
        "return { api = 1,",
    };
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.instructions_per_call = 20000;
    opts.instructions_per_cycle = 200000;
    const char *text = texts[below(d, sizeof texts / sizeof texts[0])];
    return lsched_policy_load(d->cluster, LSCHED_TEXT("fuzz.lua"), lsched_cstr(text), &opts,
                              &d->err);
}

static int64_t op_explain(struct api_driver *d) {
    char text[64];
    lsched_waiting record = {.size = sizeof record};
    return lsched_explain(d->cluster, id_of(d, LSCHED_KIND_JOB, 'j'), text, sizeof text, &record,
                          &d->err);
}

/* Reads everything about some id: nothing may crash, whatever it is. */
static int64_t op_look(struct api_driver *d) {
    lsched_id id = id_of(d, LSCHED_KIND_NODE, 'n');
    lsched_node_info node = {.size = sizeof node};
    lsched_queue_info queue = {.size = sizeof queue};
    lsched_job_info job = {.size = sizeof job};
    lsched_task_info task = {.size = sizeof task};
    lsched_device_info device = {.size = sizeof device};
    int64_t amount;
    uint64_t cursor = 0;
    size_t len;
    lsched_node_get(d->cluster, id, &node, NULL);
    lsched_node_amount(d->cluster, id, byte(d), &amount, NULL, NULL);
    lsched_device_get(d->cluster, id, below(d, 20), &device, NULL);
    lsched_queue_get(d->cluster, id, &queue, NULL);
    lsched_queue_amount(d->cluster, id, byte(d), &amount, NULL, NULL, NULL);
    lsched_job_get(d->cluster, id, &job, NULL);
    lsched_name(d->cluster, id, &len);
    while (lsched_tasks_next(d->cluster, 0, id, &cursor, &task, NULL) == 1) {}
    lsched_next_wake(d->cluster);
    return LSCHED_OK;
}

/* Plans on the copy, and adopts the plan. A bit of the state decides, so that old inputs keep their
 * meaning. */
static int64_t adopt_plan_of(struct api_driver *d, lsched_cluster *copy) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL, *adopted = NULL;
    opts.now_us = d->now_us;
    int64_t code = lsched_schedule(copy, &opts, &plan, &d->err);
    if (code >= 0) code = lsched_adopt(d->cluster, plan, NULL, &adopted, &d->err);
    MUST((adopted != NULL) == (code >= 0));
    for (size_t i = 0; i < lsched_adopted_group_size(adopted); i++) {
        const lsched_adopted_group *g = lsched_adopted_group_at(adopted, i);
        MUST((g->result == LSCHED_ADOPT_APPLIED) == (g->group != 0));
    }
    if (code >= 0) MUST(lsched_adopt(d->cluster, plan, NULL, &adopted, NULL) == LSCHED_E_STATE);
    lsched_plan_destroy(adopted);
    lsched_plan_destroy(plan);
    return code;
}

/* Goes on with the copy, so that a copy that only looks right is found out. */
static int64_t op_clone(struct api_driver *d) {
    const uint64_t before = image(d);
    lsched_cluster *copy = NULL;
    int64_t code = lsched_cluster_clone(d->cluster, &copy, &d->err);
    MUST((code < 0) == (copy == NULL));
    if (!copy) return code;
    if (before & 1) {
        code = adopt_plan_of(d, copy);
        lsched_cluster_destroy(copy);
        return code;
    }
    lsched_cluster_destroy(d->cluster);
    d->cluster = copy;
    MUST(image(d) == before);
    return code;
}

struct saved {
    unsigned char *bytes;
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct saved *s = user;
    unsigned char *grown = realloc(s->bytes, s->n + n + 1);
    if (!grown) return 1;
    memcpy(grown + s->n, bytes, n);
    s->bytes = grown;
    s->n += n;
    return 0;
}

static int64_t op_save_and_load(struct api_driver *d) {
    const uint64_t before = image(d);
    struct saved saved = {NULL, 0};
    int64_t code = lsched_cluster_save(d->cluster, append, &saved, &d->err);
    lsched_allocator hooks = fault_hooks(&d->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    opts.open_decisions_max = OPEN_DECISIONS_MAX;
    lsched_cluster *loaded = NULL;
    if (code >= 0) code = lsched_cluster_load(&opts, saved.bytes, saved.n, &loaded, &d->err);
    free(saved.bytes);
    if (!loaded) return code;
    lsched_cluster_destroy(d->cluster);
    d->cluster = loaded;
    MUST(image(d) == before);
    return code;
}

/* One bit changes on the way: refused, or the same cluster. */
static int64_t op_load_damaged(struct api_driver *d) {
    struct saved saved = {NULL, 0};
    int64_t code = lsched_cluster_save(d->cluster, append, &saved, &d->err);
    if (code >= 0 && saved.n > 0) {
        size_t at = byte(d);
        for (int i = 0; i < 2; i++) at = at << 8 | byte(d);
        at %= saved.n;
        saved.bytes[at] ^= (unsigned char)(1u << below(d, 8));
        lsched_cluster *loaded = NULL;
        uint64_t hash = 0;
        if (lsched_cluster_load(NULL, saved.bytes, saved.n, &loaded, NULL) >= 0) {
            lsched_cluster_hash(loaded, LSCHED_HASH_IMAGE, &hash, NULL);
            MUST(hash == image(d)); /* a byte that means nothing */
        }
        lsched_cluster_destroy(loaded);
    }
    free(saved.bytes);
    return code;
}

static int64_t op_interrupt(struct api_driver *d) {
    lsched_interrupt(d->cluster);
    return LSCHED_OK;
}

static int64_t op_fail_allocations(struct api_driver *d) {
    uint8_t b = byte(d);
    d->memory.fail_at = d->memory.calls + 1 + (b & 127);
    d->memory.fail_period = b & 128 ? 1 + below(d, 16) : 0;
    return LSCHED_OK;
}

static int64_t op_memory_is_back(struct api_driver *d) {
    d->memory.fail_at = 0;
    verify(d, NULL);
    return LSCHED_OK;
}

/* Repeated ones are meant to be met more often. */
static const operation operations[] = {
    op_nodes_add,
    op_queues_add,
    op_jobs_submit,
    op_schedule,
    op_settle,
    op_tasks_report,
    op_jobs_submit,
    op_schedule,
    op_confirm_all,
    op_tasks_report,
    op_resource_add_part,
    op_jobs_submit,
    op_nodes_update,
    op_nodes_remove,
    op_queues_update,
    op_queues_remove,
    op_jobs_remove,
    op_jobs_update,
    op_tasks_import,
    op_usage_report,
    op_topologies_add,
    op_resource_add,
    op_policy_load,
    op_explain,
    op_look,
    op_clone,
    op_save_and_load,
    op_load_damaged,
    op_interrupt,
    op_fail_allocations,
    op_memory_is_back,
    op_task_mix_set,
};

/* ---- the loop -------------------------------------------------------------------------------- */

void api_driver_begin(struct api_driver *d, const uint8_t *data, size_t size) {
    memset(d, 0, sizeof *d);
    d->at = data;
    d->end = data ? data + size : data;
    d->now_us = INT64_C(1700000000000000);
    lsched_allocator hooks = fault_hooks(&d->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    opts.open_decisions_max = OPEN_DECISIONS_MAX;
    d->err = (lsched_error)LSCHED_ERROR_INIT;
    MUST(lsched_cluster_create(&opts, &d->cluster, &d->err) == LSCHED_OK);
    cache_check_on(d->cluster);
}

int api_driver_step(struct api_driver *d) {
    if (d->at == d->end || d->steps == STEPS_MAX) return 0;
    d->steps++;
    d->n_groups = d->n_amounts = d->n_texts = 0;
    d->err = (lsched_error)LSCHED_ERROR_INIT;
    const uint64_t before = image(d);
    operation op = operations[below(d, sizeof operations / sizeof operations[0])];
    checked(d, op(d), before);
    return 1;
}

void api_driver_end(struct api_driver *d) {
    d->memory.fail_at = 0;
    verify(d, NULL);
    lsched_cluster_destroy(d->cluster);
    MUST(d->memory.live_blocks == 0 && d->memory.live_bytes == 0);
    MUST(d->memory.wrong_sizes == 0);
}
