/* test_abi_structs.c -- the size-first rules, for every public structure, through the calls that take it.
 *
 * A host compiled against older headers passes shorter structures, one compiled against newer headers longer ones. For
 * every input structure: a shorter one means defaults, a longer one is accepted with a zero tail only, bytes past the
 * declared size are never read. For every output structure: nothing is written past the declared size.
 * Structures are passed in blocks of exactly their size, so that a sanitizer sees a read past the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"

/* ---- input ----------------------------------------------------------------------------------- */

struct input_case {
    const char *name;
    size_t full;     /* sizeof the structure */
    size_t required; /* what comes after these bytes has a default */
    void (*fill)(void *desc, const struct api_world *w);
    int32_t (*call)(struct api_world *w, const void *desc, size_t elem_size);
};

/* fill_X makes a structure that its call accepts, with everything past `required` at its default. */
#define FILL(what, type, init)                                       \
    static void fill_##what(void *desc, const struct api_world *w) { \
        (void)w;                                                     \
        type value = init;                                           \
        fill_##what##_fields(&value, w);                             \
        memcpy(desc, &value, sizeof value);                          \
    }

static void fill_cluster_opts_fields(lsched_cluster_opts *v, const struct api_world *w) {
    (void)v, (void)w;
}
FILL(cluster_opts, lsched_cluster_opts, LSCHED_CLUSTER_OPTS_INIT)
static int32_t call_cluster_opts(struct api_world *w, const void *desc, size_t elem_size) {
    (void)w, (void)elem_size;
    lsched_cluster *cluster = NULL;
    int32_t code = lsched_cluster_create(desc, &cluster, NULL);
    lsched_cluster_destroy(cluster);
    return code;
}

static struct fault_alloc plain_memory;
static void fill_allocator(void *desc, const struct api_world *w) {
    (void)w;
    lsched_allocator hooks = fault_hooks(&plain_memory);
    memcpy(desc, &hooks, sizeof hooks);
}
static int32_t call_allocator(struct api_world *w, const void *desc, size_t elem_size) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = desc;
    return call_cluster_opts(w, desc ? &opts : NULL, elem_size);
}

static void fill_topology_fields(lsched_topology_desc *v, const struct api_world *w) {
    static const lsched_text levels[] = {LSCHED_TEXT_INIT("row")};
    (void)w;
    v->name = LSCHED_TEXT("rows");
    v->levels = levels;
    v->n_levels = 1;
}
FILL(topology, lsched_topology_desc, LSCHED_TOPOLOGY_DESC_INIT)
static int32_t call_topology(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_topologies_add(w->cluster, desc, 1, elem_size, NULL, NULL, NULL, NULL);
}

static void fill_node_fields(lsched_node_desc *v, const struct api_world *w) {
    (void)w;
    v->name = LSCHED_TEXT("fresh");
}
FILL(node, lsched_node_desc, LSCHED_NODE_DESC_INIT)
static int32_t call_node(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_nodes_add(w->cluster, desc, 1, elem_size, NULL, NULL, NULL, NULL);
}

static void fill_device_fields(lsched_device_desc *v, const struct api_world *w) {
    (void)w;
    v->count = 2;
    v->model = LSCHED_TEXT("A100");
}
FILL(device, lsched_device_desc, LSCHED_DEVICE_DESC_INIT)
static int32_t call_device(struct api_world *w, const void *desc, size_t elem_size) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = LSCHED_TEXT("fresh");
    node.devices = desc;
    node.n_devices = 1;
    node.device_elem_size = (uint32_t)elem_size;
    return call_node(w, &node, sizeof node);
}

static void fill_node_update_fields(lsched_node_update *v, const struct api_world *w) {
    v->node = w->nodes[1];
    v->set = LSCHED_NODE_SET_STATE;
    v->state = LSCHED_NODE_CORDONED;
}
FILL(node_update, lsched_node_update, LSCHED_NODE_UPDATE_INIT)
static int32_t call_node_update(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_nodes_update(w->cluster, desc, 1, elem_size, NULL, NULL, NULL);
}

static void fill_queue_fields(lsched_queue_desc *v, const struct api_world *w) {
    (void)w;
    v->name = LSCHED_TEXT("fresh");
}
FILL(queue, lsched_queue_desc, LSCHED_QUEUE_DESC_INIT)
static int32_t call_queue(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_queues_add(w->cluster, desc, 1, elem_size, NULL, NULL, NULL, NULL);
}

static void fill_queue_update_fields(lsched_queue_update *v, const struct api_world *w) {
    v->queue = w->product;
    v->set = LSCHED_QUEUE_SET_PRIORITY;
    v->priority = 3;
}
FILL(queue_update, lsched_queue_update, LSCHED_QUEUE_UPDATE_INIT)
static int32_t call_queue_update(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_queues_update(w->cluster, desc, 1, elem_size, NULL, NULL, NULL);
}

static const lsched_group_desc *one_gpu(void) {
    static lsched_group_desc group;
    group = api_group(1);
    return &group;
}
static void fill_job_fields(lsched_job_desc *v, const struct api_world *w) {
    (void)w;
    *v = api_job("fresh", one_gpu(), 1);
}
FILL(job, lsched_job_desc, LSCHED_JOB_DESC_INIT)
static int32_t call_job(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_jobs_submit(w->cluster, desc, 1, elem_size, NULL, NULL, NULL, NULL);
}

static void fill_group_fields(lsched_group_desc *v, const struct api_world *w) {
    (void)w;
    *v = api_group(2);
}
FILL(group, lsched_group_desc, LSCHED_GROUP_DESC_INIT)
static int32_t call_group(struct api_world *w, const void *desc, size_t elem_size) {
    lsched_job_desc job = api_job("fresh", desc, 1);
    job.group_elem_size = (uint32_t)elem_size;
    return call_job(w, &job, sizeof job);
}

static void fill_selector_fields(lsched_selector *v, const struct api_world *w) {
    (void)w;
    v->key = LSCHED_TEXT("zone");
}
FILL(selector, lsched_selector, LSCHED_SELECTOR_INIT)
static int32_t call_selector(struct api_world *w, const void *desc, size_t elem_size) {
    lsched_group_desc group = api_group(1);
    group.selectors = desc;
    group.n_selectors = 1;
    group.selector_elem_size = (uint32_t)elem_size;
    return call_group(w, &group, sizeof group);
}

static void fill_demand(void *desc, const struct api_world *w) {
    (void)w;
    lsched_demand_step step = {.size = sizeof step, .kind = LSCHED_GPU};
    memcpy(desc, &step, sizeof step);
}
static int32_t call_demand(struct api_world *w, const void *desc, size_t elem_size) {
    lsched_group_desc group = api_group(1);
    group.demand = desc;
    group.n_demand = 1;
    group.demand_elem_size = (uint32_t)elem_size;
    return call_group(w, &group, sizeof group);
}

static void fill_event_fields(lsched_task_event *v, const struct api_world *w) {
    v->event = LSCHED_EVENT_STARTED;
    v->job = w->open;
}
FILL(event, lsched_task_event, LSCHED_TASK_EVENT_INIT)
static int32_t call_event(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_tasks_report(w->cluster, desc, 1, elem_size, NULL, NULL, NULL);
}

static void fill_import_fields(lsched_task_import *v, const struct api_world *w) {
    v->job = w->later;
    v->node = w->nodes[0];
}
FILL(import, lsched_task_import, LSCHED_TASK_IMPORT_INIT)
static int32_t call_import(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_tasks_import(w->cluster, desc, 1, elem_size, NULL, NULL, NULL);
}

static void fill_usage_fields(lsched_usage_sample *v, const struct api_world *w) {
    v->job = w->busy;
    v->kind = LSCHED_GPU;
}
FILL(usage, lsched_usage_sample, LSCHED_USAGE_SAMPLE_INIT)
static int32_t call_usage(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_usage_report(w->cluster, desc, 1, elem_size, NULL, NULL, NULL);
}

static void fill_mix_fields(lsched_mix_entry *v, const struct api_world *w) {
    (void)w;
    v->task = one_gpu();
    v->count = 1;
}
FILL(mix, lsched_mix_entry, LSCHED_MIX_ENTRY_INIT)
static int32_t call_mix(struct api_world *w, const void *desc, size_t elem_size) {
    return lsched_task_mix_set(w->cluster, desc, 1, elem_size, NULL);
}

static void fill_policy_opts_fields(lsched_policy_opts *v, const struct api_world *w) {
    (void)v, (void)w;
}
FILL(policy_opts, lsched_policy_opts, LSCHED_POLICY_OPTS_INIT)
static int32_t call_policy_opts(struct api_world *w, const void *desc, size_t elem_size) {
    (void)elem_size;
    static const char text[] = "return { api = 1, name = \"plain\" }";
    return lsched_policy_load(w->cluster, LSCHED_TEXT("plain.lua"),
                              (lsched_text){text, sizeof text - 1}, desc, NULL);
}

static void fill_schedule_opts_fields(lsched_schedule_opts *v, const struct api_world *w) {
    v->now_us = w->now_us + 1;
}
FILL(schedule_opts, lsched_schedule_opts, LSCHED_SCHEDULE_OPTS_INIT)
static int32_t call_schedule_opts(struct api_world *w, const void *desc, size_t elem_size) {
    (void)elem_size;
    lsched_plan *plan = NULL;
    int32_t code = lsched_schedule(w->cluster, desc, &plan, NULL);
    lsched_plan_destroy(plan);
    return code;
}

static void fill_report_fields(lsched_settle_report *v, const struct api_world *w) {
    (void)v, (void)w;
}
FILL(report, lsched_settle_report, LSCHED_SETTLE_REPORT_INIT)
static int32_t call_report(struct api_world *w, const void *desc, size_t elem_size) {
    (void)elem_size;
    lsched_settlement s = {sizeof s, LSCHED_OUTCOME_CONFIRMED, w->proposed, {NULL, 0}, NULL};
    return lsched_settle(w->cluster, &s, 1, sizeof s, NULL, (void *)(uintptr_t)desc, NULL, NULL);
}

static const struct input_case inputs[] = {
    {"cluster_opts", sizeof(lsched_cluster_opts), 8, fill_cluster_opts, call_cluster_opts},
    {"allocator", sizeof(lsched_allocator), sizeof(lsched_allocator), fill_allocator,
     call_allocator},
    {"topology_desc", sizeof(lsched_topology_desc), offsetof(lsched_topology_desc, tag),
     fill_topology, call_topology},
    {"node_desc", sizeof(lsched_node_desc), offsetof(lsched_node_desc, capacity), fill_node,
     call_node},
    {"device_desc", sizeof(lsched_device_desc), offsetof(lsched_device_desc, memory_bytes),
     fill_device, call_device},
    {"node_update", sizeof(lsched_node_update), offsetof(lsched_node_update, capacity),
     fill_node_update, call_node_update},
    {"queue_desc", sizeof(lsched_queue_desc), offsetof(lsched_queue_desc, parent), fill_queue,
     call_queue},
    {"queue_update", sizeof(lsched_queue_update),
     offsetof(lsched_queue_update, reclaim_min_runtime_us), fill_queue_update, call_queue_update},
    {"job_desc", sizeof(lsched_job_desc), offsetof(lsched_job_desc, priority), fill_job, call_job},
    {"group_desc", sizeof(lsched_group_desc), offsetof(lsched_group_desc, selectors), fill_group,
     call_group},
    {"selector", sizeof(lsched_selector), offsetof(lsched_selector, values), fill_selector,
     call_selector},
    {"demand_step", sizeof(lsched_demand_step), 8, fill_demand, call_demand},
    {"task_event", sizeof(lsched_task_event), offsetof(lsched_task_event, task_index), fill_event,
     call_event},
    {"task_import", sizeof(lsched_task_import), offsetof(lsched_task_import, device_mask),
     fill_import, call_import},
    {"usage_sample", sizeof(lsched_usage_sample), offsetof(lsched_usage_sample, amount), fill_usage,
     call_usage},
    {"mix_entry", sizeof(lsched_mix_entry), sizeof(lsched_mix_entry), fill_mix, call_mix},
    {"policy_opts", sizeof(lsched_policy_opts), 8, fill_policy_opts, call_policy_opts},
    {"schedule_opts", sizeof(lsched_schedule_opts), offsetof(lsched_schedule_opts, work_budget),
     fill_schedule_opts, call_schedule_opts},
    {"settle_report", sizeof(lsched_settle_report), 8, fill_report, call_report},
};
enum { INPUTS = sizeof inputs / sizeof inputs[0], TAIL = 24 };

struct outcome {
    int32_t code;
    int changed; /* the image of the cluster is another one */
    uint64_t meaning;
};

/* Makes a world and calls with a block of `block` bytes that declares `declared` bytes; `pad` fills what lies past the
 * declared size or past what this version knows. */
static struct outcome run_input(const struct input_case *c, size_t block, size_t declared,
                                int pad) {
    struct api_world w;
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    size_t whole = block > c->full ? block : c->full;
    unsigned char *filled = calloc(1, whole);
    unsigned char *exact = malloc(block ? block : 1);
    assert_non_null(filled);
    assert_non_null(exact);
    c->fill(filled, &w);
    size_t from = declared < c->full ? declared : c->full;
    if (from < whole) memset(filled + from, pad, whole - from);
    memcpy(exact, filled, block);
    uint32_t size = (uint32_t)declared;
    memcpy(exact, &size, block < sizeof size ? block : sizeof size);

    uint64_t image = api_image(w.cluster);
    struct outcome got = {.code = c->call(&w, exact, block)};
    got.changed = api_image(w.cluster) != image;
    got.meaning = api_meaning(w.cluster);
    if (got.code < 0 && got.changed) fail_msg("%s: a refused call changed the cluster", c->name);
    api_world_drop(&w);
    free(exact);
    free(filled);
    return got;
}

static void a_structure_of_this_version_is_accepted(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        int32_t code = run_input(c, c->full, c->full, 0).code;
        if (code < 0) fail_msg("%s: %s", c->name, lsched_error_name(code));
    }
}

static void missing_fields_take_their_default(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        uint64_t meaning = run_input(c, c->full, c->full, 0).meaning;
        for (size_t size = c->required; size < c->full; size += 8) {
            struct outcome got = run_input(c, size, size, 0);
            if (got.code < 0)
                fail_msg("%s of %zu bytes: %s", c->name, size, lsched_error_name(got.code));
            if (got.meaning != meaning)
                fail_msg("%s of %zu bytes: not the defaults", c->name, size);
        }
    }
}

/* The stride is that of the array, the size that of the element: what lies between is not the library's. */
static void bytes_past_the_declared_size_are_not_read(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        uint64_t meaning = run_input(c, c->full, c->full, 0).meaning;
        for (size_t size = c->required; size < c->full; size += 8) {
            struct outcome got = run_input(c, c->full, size, 0xee);
            if (got.code < 0)
                fail_msg("%s of %zu bytes: %s", c->name, size, lsched_error_name(got.code));
            if (got.meaning != meaning)
                fail_msg("%s of %zu bytes: read past its size", c->name, size);
        }
    }
}

/* Whatever it makes of a structure without its required fields, it stays within the block. */
static void a_stump_is_refused_or_accepted_but_not_overread(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        for (size_t size = 8; size < inputs[i].required; size += 8) {
            run_input(&inputs[i], size, size, 0);
        }
    }
}

static void a_size_below_the_size_field_is_an_error(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        for (size_t size = 0; size < sizeof(uint32_t); size++) {
            struct outcome got = run_input(&inputs[i], inputs[i].full, size, 0);
            if (got.code != LSCHED_E_SIZE) {
                fail_msg("%s of size %zu: %s", inputs[i].name, size, lsched_error_name(got.code));
            }
        }
    }
}

static void a_longer_structure_needs_a_zero_tail(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        uint64_t meaning = run_input(c, c->full, c->full, 0).meaning;
        struct outcome zero = run_input(c, c->full + TAIL, c->full + TAIL, 0);
        struct outcome other = run_input(c, c->full + TAIL, c->full + TAIL, 1);
        if (zero.code < 0) fail_msg("%s, zero tail: %s", c->name, lsched_error_name(zero.code));
        if (zero.meaning != meaning) fail_msg("%s, zero tail: another meaning", c->name);
        if (other.code != LSCHED_E_SIZE)
            fail_msg("%s, other tail: %s", c->name, lsched_error_name(other.code));
    }
}

static int is_batch(const struct input_case *c) {
    return c->call != call_cluster_opts && c->call != call_allocator &&
           c->call != call_policy_opts && c->call != call_schedule_opts && c->call != call_report;
}

static void an_element_does_not_reach_past_its_stride(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        if (!is_batch(c)) continue;
        struct outcome got = run_input(c, c->full, c->full + TAIL, 0);
        if (got.code != LSCHED_E_SIZE) fail_msg("%s: %s", c->name, lsched_error_name(got.code));
    }
}

static void a_stride_of_0_is_the_size_of_the_first_element(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        if (!is_batch(c)) continue;
        uint64_t meaning = run_input(c, c->full, c->full, 0).meaning;
        struct api_world w;
        assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
        uint64_t desc[64];
        assert_true(c->full <= sizeof desc);
        c->fill(desc, &w);
        int32_t code = c->call(&w, desc, 0);
        if (code < 0) fail_msg("%s: %s", c->name, lsched_error_name(code));
        assert_true(api_meaning(w.cluster) == meaning);
        api_world_drop(&w);
    }
}

static void null_is_an_error_where_there_is_no_default(void **state) {
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        const struct input_case *c = &inputs[i];
        int optional = c->call == call_cluster_opts || c->call == call_allocator ||
                       c->call == call_policy_opts || c->call == call_report;
        struct api_world w;
        assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
        uint64_t image = api_image(w.cluster);
        int32_t code = c->call(&w, NULL, c->full);
        if (optional ? code < 0 : code != LSCHED_E_NULL) {
            fail_msg("%s: %s", c->name, lsched_error_name(code));
        }
        if (!optional) assert_true(api_image(w.cluster) == image);
        api_world_drop(&w);
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

struct output_case {
    const char *name;
    size_t full;
    int32_t (*get)(struct api_world *w, void *out);
};

static lsched_plan *plan_of(struct api_world *w) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = w->now_us;
    lsched_plan *plan = NULL;
    return lsched_schedule(w->cluster, &opts, &plan, NULL) < 0 ? NULL : plan;
}

static int32_t get_stats(struct api_world *w, void *out) {
    return lsched_cluster_stats_get(w->cluster, out, NULL);
}
static int32_t get_node(struct api_world *w, void *out) {
    return lsched_node_get(w->cluster, w->nodes[0], out, NULL);
}
static int32_t get_queue(struct api_world *w, void *out) {
    return lsched_queue_get(w->cluster, w->research, out, NULL);
}
static int32_t get_job(struct api_world *w, void *out) {
    return lsched_job_get(w->cluster, w->busy, out, NULL);
}
static int32_t get_task(struct api_world *w, void *out) {
    uint64_t cursor = 0;
    return lsched_tasks_next(w->cluster, w->busy, 0, &cursor, out, NULL);
}
static int32_t get_policy(struct api_world *w, void *out) {
    return lsched_policy_get(w->cluster, out, NULL);
}
static int32_t get_plan_info(struct api_world *w, void *out) {
    lsched_plan *plan = plan_of(w);
    if (!plan) return LSCHED_E_STATE;
    int32_t code = lsched_plan_get(plan, out, NULL);
    lsched_plan_destroy(plan);
    return code;
}
static int32_t get_waiting(struct api_world *w, void *out) {
    int64_t length = lsched_explain(w->cluster, w->later, NULL, 0, out, NULL);
    return length < 0 ? (int32_t)length : LSCHED_OK;
}
static int32_t get_error(struct api_world *w, void *out) {
    int32_t code = lsched_jobs_remove(w->cluster, &w->gone_job, 1, NULL, NULL, out);
    return code == LSCHED_E_STALE ? LSCHED_OK : code;
}

static const struct output_case outputs[] = {
    {"cluster_stats", sizeof(lsched_cluster_stats), get_stats},
    {"node_info", sizeof(lsched_node_info), get_node},
    {"queue_info", sizeof(lsched_queue_info), get_queue},
    {"job_info", sizeof(lsched_job_info), get_job},
    {"task_info", sizeof(lsched_task_info), get_task},
    {"policy_info", sizeof(lsched_policy_info), get_policy},
    {"plan_info", sizeof(lsched_plan_info), get_plan_info},
    {"waiting", sizeof(lsched_waiting), get_waiting},
    {"error", sizeof(lsched_error), get_error},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0], CANARY = 0xa5 };

static void check_output(const struct output_case *c, struct api_world *w,
                         const unsigned char *whole, size_t size) {
    unsigned char *out = malloc(size + TAIL);
    assert_non_null(out);
    memset(out, CANARY, size + TAIL);
    uint32_t declared = (uint32_t)size;
    memcpy(out, &declared, sizeof declared);
    int32_t code = c->get(w, out);
    if (code < 0) fail_msg("%s of %zu bytes: %s", c->name, size, lsched_error_name(code));
    for (size_t i = size; i < size + TAIL; i++) {
        if (out[i] != CANARY) fail_msg("%s of %zu bytes: byte %zu was written", c->name, size, i);
    }
    size_t known = size < c->full ? size : c->full;
    for (size_t i = sizeof declared; i < known; i++) {
        /* a message that is cut ends in NUL where the whole one goes on */
        if (c->get == get_error && i + 1 == known) break;
        if (out[i] != whole[i]) fail_msg("%s of %zu bytes: byte %zu differs", c->name, size, i);
    }
    memcpy(&declared, out, sizeof declared);
    assert_true(declared >= sizeof declared && declared <= size);
    free(out);
}

static void outputs_are_written_up_to_the_declared_size(void **state) {
    (void)state;
    for (size_t i = 0; i < OUTPUTS; i++) {
        const struct output_case *c = &outputs[i];
        struct api_world w;
        assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
        unsigned char *whole = calloc(1, c->full);
        assert_non_null(whole);
        uint32_t full = (uint32_t)c->full;
        memcpy(whole, &full, sizeof full);
        c->get(&w, whole); /* the first plan differs from later ones, so look twice */
        memcpy(whole, &full, sizeof full);
        assert_true(c->get(&w, whole) >= 0);
        for (size_t size = 8; size <= c->full + 16; size += 4) check_output(c, &w, whole, size);
        free(whole);
        api_world_drop(&w);
    }
}

static void an_error_message_ends_in_nul_at_every_size(void **state) {
    (void)state;
    struct api_world w;
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    for (size_t size = offsetof(lsched_error, message) + 1; size <= sizeof(lsched_error); size++) {
        lsched_error err;
        memset(&err, CANARY, sizeof err);
        err.size = (uint32_t)size;
        get_error(&w, &err);
        assert_non_null(memchr(err.message, 0, size - offsetof(lsched_error, message)));
    }
    api_world_drop(&w);
}

static void an_output_without_a_size_is_an_error(void **state) {
    (void)state;
    struct api_world w;
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    for (size_t i = 0; i < OUTPUTS; i++) {
        const struct output_case *c = &outputs[i];
        unsigned char out[sizeof(lsched_policy_info) + TAIL];
        memset(out, 0, sizeof out);
        int32_t code = c->get(&w, out);
        /* an error record that nobody set up fails no call, and nothing is written into it */
        int32_t want = strcmp(c->name, "error") == 0 ? LSCHED_OK : LSCHED_E_SIZE;
        if (code != want) fail_msg("%s of size 0: %s", c->name, lsched_error_name(code));
        for (size_t b = 0; b < sizeof out; b++) assert_int_equal(out[b], 0);
    }
    api_world_drop(&w);
}

static void a_null_output_is_an_error(void **state) {
    (void)state;
    struct api_world w;
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    for (size_t i = 0; i < OUTPUTS; i++) {
        const struct output_case *c = &outputs[i];
        int optional = c->get == get_error || c->get == get_waiting;
        assert_int_equal(c->get(&w, NULL), optional ? LSCHED_OK : LSCHED_E_NULL);
    }
    api_world_drop(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_structure_of_this_version_is_accepted),
        cmocka_unit_test(missing_fields_take_their_default),
        cmocka_unit_test(bytes_past_the_declared_size_are_not_read),
        cmocka_unit_test(a_stump_is_refused_or_accepted_but_not_overread),
        cmocka_unit_test(a_size_below_the_size_field_is_an_error),
        cmocka_unit_test(a_longer_structure_needs_a_zero_tail),
        cmocka_unit_test(an_element_does_not_reach_past_its_stride),
        cmocka_unit_test(a_stride_of_0_is_the_size_of_the_first_element),
        cmocka_unit_test(null_is_an_error_where_there_is_no_default),
        cmocka_unit_test(outputs_are_written_up_to_the_declared_size),
        cmocka_unit_test(an_error_message_ends_in_nul_at_every_size),
        cmocka_unit_test(an_output_without_a_size_is_an_error),
        cmocka_unit_test(a_null_output_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
