/* api_driver.c -- see api_driver.h. */
#include "engine/state/cache_check.h"
#include "support/api_driver.h"
#include "support/draw.h"
#include "support/settling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 300 };

/* ---- checks ---------------------------------------------------------------------------------- */

/* What any call must keep to. before: the image before it. */
static int64_t checked(struct api_driver *d, int64_t code, uint64_t before) {
    if (code < 0) {
        MUST(code == d->err.code || d->err.code == 0);
        MUST(code != LSCHED_E_CORRUPT && code != LSCHED_E_VERIFY && code >= LSCHED_E_UNSUPPORTED);
        MUST(code != LSCHED_E_NOMEM || d->memory.failures > d->failures_seen);
        MUST(draw_image(d) == before);
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
        draw_broken("the verifier objects", d);
    }
    d->memory.fail_at = fail_at;
}

/* ---- operations ------------------------------------------------------------------------------ */

typedef int64_t (*operation)(struct api_driver *d);

static lsched_node_desc a_node(struct api_driver *d, uint32_t i) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = draw_name(d, 'n');
    uint8_t b = draw_byte(d);
    node.n_capacity = b % 3;
    node.capacity = draw_amounts(d, node.n_capacity);
    node.state = b == 255 ? 9 : b & 64 ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    d->labels[i] = (lsched_label){LSCHED_TEXT("rack"), draw_name(d, 'r')};
    node.labels = &d->labels[i];
    node.n_labels = b & 1;
    d->devices[i] = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    d->devices[i].count = b & 8 ? draw_below(d, 18) : 4;
    d->devices[i].model = draw_name(d, 'm');
    d->devices[i].memory_bytes = b & 16 ? draw_quantity(d, INT64_C(1) << 30) : INT64_C(16) << 30;
    d->devices[i].share_mode = b >> 5 & 1;
    node.devices = &d->devices[i];
    node.n_devices = b >> 1 & 1;
    return node;
}

static int64_t op_nodes_add(struct api_driver *d) {
    lsched_node_desc nodes[3];
    lsched_id ids[3] = {0};
    uint32_t n = 1 + draw_below(d, 3);
    const lsched_batch_opts *opts = draw_options(d);
    for (uint32_t i = 0; i < n; i++) nodes[i] = a_node(d, i);
    int64_t code =
        lsched_nodes_add(d->cluster, nodes, n, sizeof nodes[0], opts, ids, NULL, &d->err);
    for (uint32_t i = 0; i < n && code > 0; i++) draw_remember(d, ids[i]);
    return code;
}

static int64_t op_nodes_update(struct api_driver *d) {
    lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
    update.node = draw_id(d, LSCHED_KIND_NODE, 'n');
    update.set = draw_byte(d) & 63u;
    if (update.set & 32u) {
        update.set = (update.set & 31u) | LSCHED_NODE_SET_ABSENCE;
        update.leaves_us = (int64_t)draw_below(d, 100) * 1000000;
        update.back_us = (int64_t)draw_below(d, 200) * 1000000;
        update.leaves_every_us = (int64_t)draw_below(d, 3) * 100000000;
    }
    update.state = draw_below(d, 3);
    update.n_capacity = draw_below(d, 3);
    update.capacity = draw_amounts(d, update.n_capacity);
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_nodes_update(d->cluster, &update, 1, sizeof update, opts, NULL, &d->err);
}

static int64_t op_nodes_remove(struct api_driver *d) {
    lsched_id ids[2];
    for (int i = 0; i < 2; i++) ids[i] = draw_id(d, LSCHED_KIND_NODE, 'n');
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_nodes_remove(d->cluster, ids, 1 + (draw_byte(d) & 1), opts, NULL, &d->err);
}

static lsched_queue_desc a_queue(struct api_driver *d) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = draw_name(d, 'q');
    uint8_t b = draw_byte(d);
    if (b & 1) queue.parent_name = draw_name(d, 'q');
    if ((b & 3) == 2) queue.parent = draw_id(d, LSCHED_KIND_QUEUE, 'q');
    queue.priority = b >> 6;
    queue.n_quota = b >> 2 & 1;
    queue.quota = draw_amounts(d, queue.n_quota);
    queue.n_limit = b >> 3 & 1;
    queue.limit = draw_amounts(d, queue.n_limit);
    queue.n_weight = b >> 4 & 1;
    queue.weight_milli = draw_amounts(d, queue.n_weight);
    return queue;
}

static int64_t op_queues_add(struct api_driver *d) {
    lsched_queue_desc queues[3];
    lsched_id ids[3] = {0};
    uint32_t n = 1 + draw_below(d, 3);
    for (uint32_t i = 0; i < n; i++) queues[i] = a_queue(d);
    const lsched_batch_opts *opts = draw_options(d);
    int64_t code =
        lsched_queues_add(d->cluster, queues, n, sizeof queues[0], opts, ids, NULL, &d->err);
    for (uint32_t i = 0; i < n && code >= 0; i++) draw_remember(d, ids[i]);
    return code;
}

static int64_t op_queues_update(struct api_driver *d) {
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.queue = draw_id(d, LSCHED_KIND_QUEUE, 'q');
    lsched_queue_desc queue = a_queue(d);
    u.set = (uint32_t)draw_byte(d) | (uint32_t)draw_byte(d) << 8;
    u.quota = queue.quota, u.n_quota = queue.n_quota;
    u.limit = queue.limit, u.n_limit = queue.n_limit;
    u.weight_milli = queue.weight_milli, u.n_weight = queue.n_weight;
    u.lend_limit = queue.lend_limit, u.n_lend_limit = queue.n_lend_limit;
    u.priority = queue.priority, u.flags = queue.flags, u.jobs_max = queue.jobs_max;
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_queues_update(d->cluster, &u, 1, sizeof u, opts, NULL, &d->err);
}

static int64_t op_queues_remove(struct api_driver *d) {
    lsched_id ids[2];
    for (int i = 0; i < 2; i++) ids[i] = draw_id(d, LSCHED_KIND_QUEUE, 'q');
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_queues_remove(d->cluster, ids, 1 + (draw_byte(d) & 1), opts, NULL, &d->err);
}

static lsched_group_desc a_group(struct api_driver *d, uint32_t index) {
    static const char *const levels[] = {NULL, "zone", "rack", "moon"};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    uint8_t b = draw_byte(d);
    group.parent = index ? b % (index + (b == 255)) : 0;
    group.max_count = draw_below(d, 10);
    uint8_t least = draw_byte(d);
    group.min_count = least < 200 ? least % (group.max_count + 1)
                      : least & 1 ? LSCHED_MIN_NONE
                                  : least;
    group.min_groups = b >> 5 & 1;
    group.n_request = b >> 6;
    group.request = draw_amounts(d, group.n_request);
    uint8_t wish = draw_byte(d);
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
    job.name = draw_name(d, 'j');
    job.queue_name = draw_name(d, 'q');
    uint8_t b = draw_byte(d);
    job.priority = b & 3;
    job.flags = b >> 2 & 7;
    job.duration_us = draw_quantity(d, 1000000);
    job.submit_us = draw_quantity(d, 1000000);
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
    uint32_t n = 1 + draw_below(d, 3);
    const lsched_batch_opts *opts = draw_options(d);
    d->selector = (lsched_selector)LSCHED_SELECTOR_INIT;
    d->selector.key = LSCHED_TEXT("rack");
    d->selector_value = draw_name(d, 'r');
    d->selector.values = &d->selector_value;
    d->selector.n_values = draw_byte(d) & 1;
    for (uint32_t i = 0; i < n; i++) jobs[i] = a_job(d);
    int64_t code =
        lsched_jobs_submit(d->cluster, jobs, n, sizeof jobs[0], opts, ids, NULL, &d->err);
    for (uint32_t i = 0; i < n && code > 0; i++) draw_remember(d, ids[i]);
    return code;
}

static int64_t op_jobs_remove(struct api_driver *d) {
    lsched_id ids[2];
    for (int i = 0; i < 2; i++) ids[i] = draw_id(d, LSCHED_KIND_JOB, 'j');
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_jobs_remove(d->cluster, ids, 1 + (draw_byte(d) & 1), opts, NULL, &d->err);
}

/* Holds and releases of jobs. A chosen byte can be a time before the clock, soon, or no end. */
static int64_t hold_or_release(struct api_driver *d, lsched_id job, uint8_t b, uint64_t state) {
    static const lsched_text reasons[] = {
        {NULL, 0}, LSCHED_TEXT_INIT("why"), {NULL, 3}, {"a\0b", 3}};
    const lsched_batch_opts *opts = draw_options(d);
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
        after[i].job = draw_id(d, LSCHED_KIND_JOB, 'j');
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
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_jobs_update(d->cluster, &u, 1, sizeof u, opts, NULL, &d->err);
}

/* Bits of the state decide between updates, a hold and a release, so that old inputs keep
 * their meaning. */
static int64_t op_jobs_update(struct api_driver *d) {
    const uint64_t state = draw_image(d);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = draw_id(d, LSCHED_KIND_JOB, 'j');
    uint8_t b = draw_byte(d);
    if (state & 2) return hold_or_release(d, u.job, b, state);
    if (state & 8) return gate_update(d, u.job, b);
    u.priority = (int32_t)b - 128;
    u.set = LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN;
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_jobs_update(d->cluster, &u, 1, sizeof u, opts, NULL, &d->err);
}

/* Keeps the plan for a later answer. NULL: none. */
static void keep_plan(struct api_driver *d, lsched_plan *plan) {
    lsched_plan_destroy(d->plan);
    d->plan = plan;
    d->plan_is_foreign = 0;
}

static int64_t op_schedule(struct api_driver *d) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    uint8_t b = draw_byte(d);
    opts.now_us = d->now_us + (b < 250 ? b * INT64_C(700000) : -1);
    opts.flags = b & 3;
    uint8_t bounds = draw_byte(d);
    opts.work_budget = bounds & 1 ? bounds : 0;
    opts.decisions_max = bounds & 2 ? bounds >> 2 : 0;
    if ((draw_image(d) & 12) == 0) opts.proposal_life_us = (1 + bounds) * INT64_C(300000);
    if ((draw_image(d) & 16) == 0)
        opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE;
    lsched_plan *plan = NULL;
    int64_t code = lsched_schedule(d->cluster, &opts, &plan, &d->err);
    MUST((code < 0) == (plan == NULL));
    if (plan) {
        d->now_us = opts.now_us > d->now_us ? opts.now_us : d->now_us;
        verify(d, plan);
        for (size_t i = 0; i < lsched_plan_size(plan) && i < 4; i++)
            draw_remember(d, lsched_plan_at(plan, i)->id);
        char text[160];
        for (size_t i = 0; i < lsched_plan_waiting_size(plan) && i < 8; i++) {
            const lsched_waiting *record = lsched_plan_waiting_at(plan, i);
            int64_t length = lsched_waiting_text(d->cluster, record, text, sizeof text, NULL);
            MUST(length > 0 || length == LSCHED_E_NOMEM);
        }
    }
    if (plan) keep_plan(d, plan);
    return code;
}

static int64_t op_tasks_report(struct api_driver *d) {
    lsched_task_event events[4];
    size_t n = 1 + draw_below(d, 4);
    int names_runs = (draw_image(d) & 32) != 0; /* a bit of the state, as above */
    for (size_t i = 0; i < n; i++) {
        events[i] = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
        events[i].job = draw_id(d, LSCHED_KIND_JOB, 'j');
        uint8_t b = draw_byte(d);
        events[i].event = b == 255 ? 0 : 1 + b % 3;
        events[i].task_index = b >> 4;
        if (names_runs) events[i].run = d->ids[b % DRIVER_IDS];
        int64_t at_us = b & 8 ? draw_quantity(d, 100000) : 0;
        events[i].at_us = at_us > 0 && at_us < 100000000 ? d->now_us + at_us : at_us;
    }
    const lsched_batch_opts *opts = draw_options(d);
    int64_t code =
        lsched_tasks_report(d->cluster, events, n, sizeof events[0], opts, NULL, &d->err);
    lsched_cluster_stats stats = {.size = sizeof stats};
    MUST(lsched_cluster_stats_get(d->cluster, &stats, NULL) == LSCHED_OK);
    if (stats.now_us > d->now_us) d->now_us = stats.now_us;
    return code;
}

static int64_t op_tasks_import(struct api_driver *d) {
    lsched_task_import import = LSCHED_TASK_IMPORT_INIT;
    import.job = draw_id(d, LSCHED_KIND_JOB, 'j');
    import.node_name = draw_name(d, 'n');
    uint8_t b = draw_byte(d);
    import.task_index = b & 15;
    import.device_mask = b & 128 ? draw_byte(d) : 0;
    import.start_us = draw_quantity(d, 1000);
    if (draw_image(d) & 32) import.run = d->ids[b % DRIVER_IDS]; /* as in a report */
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_tasks_import(d->cluster, &import, 1, sizeof import, opts, NULL, &d->err);
}

/* Bits of the state decide between usage and resizes, so that old inputs keep their meaning. */
static int64_t op_usage_report(struct api_driver *d) {
    if (draw_image(d) & 16) return settling_resize(d);
    lsched_usage_sample sample = LSCHED_USAGE_SAMPLE_INIT;
    sample.job = draw_id(d, LSCHED_KIND_JOB, 'j');
    sample.task_index = draw_below(d, 4);
    sample.kind = draw_below(d, 6);
    sample.amount = draw_quantity(d, 10);
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_usage_report(d->cluster, &sample, 1, sizeof sample, opts, NULL, &d->err);
}

static int64_t op_task_mix_set(struct api_driver *d) {
    lsched_group_desc groups[2] = {a_group(d, 0), LSCHED_GROUP_DESC_INIT};
    lsched_mix_entry mix[2];
    for (int i = 0; i < 2; i++) {
        mix[i] = (lsched_mix_entry){
            .size = sizeof mix[i], .task = &groups[i], .count = draw_quantity(d, 1)};
    }
    return lsched_task_mix_set(d->cluster, mix, draw_below(d, 3), sizeof mix[0], &d->err);
}

static int64_t op_topologies_add(struct api_driver *d) {
    static const lsched_text levels[] = {LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("rack")};
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    topology.name = draw_name(d, 't');
    topology.levels = levels;
    topology.n_levels = draw_below(d, 3);
    const lsched_batch_opts *opts = draw_options(d);
    return lsched_topologies_add(d->cluster, &topology, 1, sizeof topology, opts, NULL, NULL,
                                 &d->err);
}

static int64_t op_resource_add(struct api_driver *d) {
    lsched_text text = draw_name(d, 'x');
    return lsched_resource_add(d->cluster, text, &d->err);
}

static int64_t op_resource_add_part(struct api_driver *d) {
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.name = draw_name(d, 'x');
    part.model = draw_name(d, 'm');
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
    const char *text = texts[draw_below(d, sizeof texts / sizeof texts[0])];
    return lsched_policy_load(d->cluster, LSCHED_TEXT("fuzz.lua"), lsched_cstr(text), &opts,
                              &d->err);
}

static int64_t op_explain(struct api_driver *d) {
    char text[64];
    lsched_waiting record = {.size = sizeof record};
    return lsched_explain(d->cluster, draw_id(d, LSCHED_KIND_JOB, 'j'), text, sizeof text, &record,
                          &d->err);
}

/* Reads everything about some id: nothing may crash, whatever it is. */
static int64_t op_look(struct api_driver *d) {
    lsched_id id = draw_id(d, LSCHED_KIND_NODE, 'n');
    lsched_node_info node = {.size = sizeof node};
    lsched_queue_info queue = {.size = sizeof queue};
    lsched_job_info job = {.size = sizeof job};
    lsched_task_info task = {.size = sizeof task};
    lsched_device_info device = {.size = sizeof device};
    int64_t amount;
    uint64_t cursor = 0;
    size_t len;
    lsched_node_get(d->cluster, id, &node, NULL);
    lsched_node_amount(d->cluster, id, draw_byte(d), &amount, NULL, NULL);
    lsched_device_get(d->cluster, id, draw_below(d, 20), &device, NULL);
    lsched_queue_get(d->cluster, id, &queue, NULL);
    lsched_queue_amount(d->cluster, id, draw_byte(d), &amount, NULL, NULL, NULL);
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
        MUST((g->result == LSCHED_ADOPTION_APPLIED) == (g->group != 0));
    }
    if (code >= 0) MUST(lsched_adopt(d->cluster, plan, NULL, &adopted, NULL) == LSCHED_E_STATE);
    lsched_plan_destroy(adopted);
    lsched_plan_destroy(plan);
    return code;
}

/* Goes on with the copy, so that a copy that only looks right is found out. */
static int64_t op_clone(struct api_driver *d) {
    const uint64_t before = draw_image(d);
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
    d->plan_is_foreign = 1;
    MUST(draw_image(d) == before);
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
    const uint64_t before = draw_image(d);
    struct saved saved = {NULL, 0};
    int64_t code = lsched_cluster_save(d->cluster, append, &saved, &d->err);
    lsched_allocator hooks = fault_hooks(&d->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    opts.open_decisions_max = DRIVER_OPEN;
    lsched_cluster *loaded = NULL;
    if (code >= 0) code = lsched_cluster_load(&opts, saved.bytes, saved.n, &loaded, &d->err);
    free(saved.bytes);
    if (!loaded) return code;
    lsched_cluster_destroy(d->cluster);
    d->cluster = loaded;
    d->plan_is_foreign = 1;
    MUST(draw_image(d) == before);
    return code;
}

/* One bit changes on the way: refused, or the same cluster. */
static int64_t op_load_damaged(struct api_driver *d) {
    struct saved saved = {NULL, 0};
    int64_t code = lsched_cluster_save(d->cluster, append, &saved, &d->err);
    if (code >= 0 && saved.n > 0) {
        size_t at = draw_byte(d);
        for (int i = 0; i < 2; i++) at = at << 8 | draw_byte(d);
        at %= saved.n;
        saved.bytes[at] ^= (unsigned char)(1u << draw_below(d, 8));
        lsched_cluster *loaded = NULL;
        uint64_t hash = 0;
        if (lsched_cluster_load(NULL, saved.bytes, saved.n, &loaded, NULL) >= 0) {
            lsched_cluster_hash(loaded, LSCHED_HASH_IMAGE, &hash, NULL);
            MUST(hash == draw_image(d)); /* a byte that means nothing */
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
    uint8_t b = draw_byte(d);
    d->memory.fail_at = d->memory.calls + 1 + (b & 127);
    d->memory.fail_period = b & 128 ? 1 + draw_below(d, 16) : 0;
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
    settling_some,
    op_tasks_report,
    op_jobs_submit,
    op_schedule,
    settling_all,
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
    opts.open_decisions_max = DRIVER_OPEN;
    d->err = (lsched_error)LSCHED_ERROR_INIT;
    MUST(lsched_cluster_create(&opts, &d->cluster, &d->err) == LSCHED_OK);
    cache_check_on(d->cluster);
}

int api_driver_step(struct api_driver *d) {
    if (d->at == d->end || d->steps == STEPS_MAX) return 0;
    d->steps++;
    d->n_groups = d->n_amounts = d->n_texts = 0;
    d->err = (lsched_error)LSCHED_ERROR_INIT;
    const uint64_t before = draw_image(d);
    operation op = operations[draw_below(d, sizeof operations / sizeof operations[0])];
    checked(d, op(d), before);
    return 1;
}

void api_driver_end(struct api_driver *d) {
    d->memory.fail_at = 0;
    verify(d, NULL);
    keep_plan(d, NULL);
    lsched_cluster_destroy(d->cluster);
    MUST(d->memory.live_blocks == 0 && d->memory.live_bytes == 0);
    MUST(d->memory.wrong_sizes == 0);
}
