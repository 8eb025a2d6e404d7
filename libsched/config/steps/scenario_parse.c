/*
 * scenario_parse.c -- reads the top-level keys of a scenario, and has the public calls that create,
 * query and destroy a scenario.
 *
 * The text can have the top-level keys in any order, therefore the file reads them in several
 * passes. The first passes read the keys on which other keys depend, such as resource kinds, start
 * and topology. The next pass reads the initial state, and the last pass reads the events.
 */
#include <string.h>

#include "base/call_args.h"
#include "config/read/name_range.h"
#include "config/objects/parse_jobs.h"
#include "config/objects/parse_nodes.h"
#include "config/objects/parse_policy.h"
#include "config/objects/parse_pools.h"
#include "config/objects/parse_queues.h"
#include "config/objects/parse_reservations.h"
#include "config/objects/parse_allowances.h"
#include "config/objects/parse_supplies.h"
#include "config/objects/parse_tasks.h"
#include "config/read/quantity_reader.h"
#include "config/steps/parse_actions.h"
#include "config/steps/parse_expect.h"
#include "config/steps/parse_running.h"
#include "config/steps/parse_steps.h"

enum {
    SCENARIO_DEPTH = 48,
    SCENARIO_TEXT_BYTES = 64 << 20,
    SCENARIO_VALUES = 4000000,
    SCENARIO_ELEMENTS = 4000000
};

/* ---- keys that are not actions ---- */

static int32_t top_other(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    (void)r;
    (void)key;
    (void)value;
    (void)out;
    return 1;
}

static int32_t top_start(struct field_reader *r, uint32_t value, void *out) {
    (void)out;
    return read_time(r, value, &r->scenario->start_us);
}

static int32_t top_settle(struct field_reader *r, uint32_t value, void *out) {
    (void)out;
    return read_settle_mode(r, value, &r->scenario->settle_mode);
}

static int32_t top_title(struct field_reader *r, uint32_t value, void *out) {
    lsched_text title;
    (void)out;
    return read_text(r, value, &title);
}

static int32_t top_resource(struct field_reader *r, uint32_t value, void *out) {
    struct action *action = out;
    struct lsched_scenario *s = r->scenario;
    lsched_text *name = read_add(r, &action->items, &action->marks, sizeof *name, value);
    int32_t code = name ? read_text(r, value, name) : LSCHED_E_NOMEM;
    if (code) return code;
    if (read_kind_named(r, name->ptr))
        return read_expected(r, LSCHED_E_EXISTS, value,
                             "a resource kind that is not there already");
    if (s->n_kinds == SCENARIO_KINDS)
        return read_expected(r, LSCHED_E_LIMIT, value, "fewer resource kinds");
    s->kinds[s->n_kinds++] = name->ptr;
    return 0;
}

static int32_t top_resources(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_RESOURCES, "resource kinds", top_resource);
}

static int32_t top_cluster(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct lsched_scenario, "memory_limit", read_memory, memory_limit_bytes),
        FIELD(struct lsched_scenario, "open_decisions_max", read_count, open_decisions_max),
        FIELD(struct lsched_scenario, "verify", read_bool, verify_every_plan),
    };
    (void)out;
    return READ_MAP(r, value, "the cluster", fields, r->scenario, NULL);
}

/* ---- the passes ---- */

static const struct field top_first[] = {
    FIELD_KEY("start", top_start),   FIELD_KEY("resources", top_resources),
    FIELD_KEY("pools", read_pools),  FIELD_KEY("topology", read_topologies),
    FIELD_KEY("settle", top_settle), FIELD_KEY("cluster", top_cluster),
};

static const struct field top_second[] = {FIELD_KEY("resource_parts", read_parts)};

static const struct field top_state[] = {
    FIELD_KEY("title", top_title),
    FIELD_KEY("start", read_ignore),
    FIELD_KEY("settle", read_ignore),
    FIELD_KEY("cluster", read_ignore),
    FIELD_KEY("resources", read_ignore),
    FIELD_KEY("resource_parts", read_ignore),
    FIELD_KEY("topology", read_ignore),
    FIELD_KEY("pools", read_ignore),
    FIELD_KEY("supplies", read_supplies),
    FIELD_KEY("nodes", read_nodes),
    FIELD_KEY("update_supplies", read_update_supplies),
    FIELD_KEY("queues", read_queues),
    FIELD_KEY("allowances", read_allowances),
    FIELD_KEY("user_allowances", read_user_allowances),
    FIELD_KEY("reservations", read_reservations),
    FIELD_KEY("jobs", read_jobs),
    FIELD_KEY("running", read_running),
    FIELD_KEY("policy", read_policy),
    FIELD_KEY("task_mix", read_task_mix),
    FIELD_KEY("schedule", read_schedule),
    FIELD_KEY("expect", read_expect),
    FIELD_KEY("expect_error", read_expect_error),
    FIELD_KEY("events", read_ignore),
};

static const struct field top_last[] = {FIELD_KEY("events", read_events)};

#define PASS(r, fields, step, other) READ_MAP(r, 0, "a scenario", fields, step, other)

/* Sorts the actions of the initial state by enum action_kind. The runner carries out the actions in
 * this order. */
static void top_sort_actions(struct step *step) {
    struct action *actions = step->actions.items;
    for (uint32_t i = 1; i < step->actions.n; i++)
        for (uint32_t k = i; k > 0 && actions[k - 1].kind > actions[k].kind; k--) {
            struct action swap = actions[k];
            actions[k] = actions[k - 1];
            actions[k - 1] = swap;
        }
}

static int32_t top_read(struct field_reader *r) {
    struct lsched_scenario *s = r->scenario;
    /* the index is LSCHED_CPU and so on */
    static const char *const own_kinds[] = {"", "cpu", "memory", "gpu"};
    struct step step, *first = read_add(r, &s->steps, NULL, sizeof *first, 0);
    struct step_reader reader = {&step, read_mark(r, 0), 1, 0};
    if (!first) return LSCHED_E_NOMEM;
    /* the step is a local variable, because *first moves when the events are added to the list */
    memset(&step, 0, sizeof step);
    memcpy(s->kinds, own_kinds, sizeof own_kinds);
    s->n_kinds = LSCHED_GPU + 1;
    int32_t code = PASS(r, top_first, &reader, top_other);
    if (!code) code = PASS(r, top_second, &reader, top_other);
    if (code) return code;
    step.mark = reader.mark;
    step.schedule_mark = step.settle_mark = reader.mark;
    step.at_us = r->base_us = s->start_us;
    step.schedule = (lsched_schedule_opts)LSCHED_SCHEDULE_OPTS_INIT;
    step.schedule.now_us = s->start_us;
    step.settle_mode = s->settle_mode;
    code = PASS(r, top_state, &reader, NULL);
    if (!code) code = read_finish_step(r, 0, &reader);
    top_sort_actions(&step);
    *scn_step(s, 0) = step;
    return code ? code : PASS(r, top_last, &reader, top_other);
}

/* ---- public calls ---- */

static int32_t scenario_take_opts(const lsched_scenario_opts *opts, lsched_scenario_opts *out,
                                  const struct complain *c) {
    memset(out, 0, sizeof *out);
    int32_t code = complain_take_opts(c, opts, out, sizeof *out);
    if (!code && out->reserved_zero)
        code = complain_at(c, LSCHED_E_INVAL, (struct mark){0, 0},
                           "expected reserved_zero to be 0, got another value");
    return code;
}

static struct lsched_scenario *scenario_new(struct alloc *alloc, const char *file_name) {
    struct lsched_scenario *s = alloc_zero(alloc, sizeof *s);
    if (!s) return NULL;
    s->alloc = *alloc;
    scn_memory_init(&s->memory, &s->alloc);
    s->file = scn_memory_text(&s->memory, file_name, strlen(file_name));
    if (s->file) return s;
    lsched_scenario_destroy(s);
    return NULL;
}

static int32_t scenario_read(struct lsched_scenario *s, const lsched_scenario_opts *opts,
                             const char *text, size_t len, const struct complain *complain) {
    struct ytree_limits limits = {opts->text_bytes_max ? opts->text_bytes_max : SCENARIO_TEXT_BYTES,
                                  opts->values_max ? opts->values_max : SCENARIO_VALUES,
                                  opts->depth_max ? opts->depth_max : SCENARIO_DEPTH};
    static const struct field_home *const homes[] = {&job_home, &group_home, NULL};
    struct field_reader r;
    memset(&r, 0, sizeof r);
    int32_t code = ytree_read(&r.tree, &s->alloc, &limits, text, len, complain);
    if (code) return code;
    r.complain = *complain;
    r.scenario = s;
    r.memory = &s->memory;
    r.homes = homes;
    r.elements_left = opts->elements_max ? opts->elements_max : SCENARIO_ELEMENTS;
    code = top_read(&r);
    ytree_drop(&r.tree);
    return code;
}

/* length of the buffer for the name of a scenario's file, which is cut off if it is longer */
#define FILE_NAME_BYTES 4096

/* Copies the name of the scenario's file to `to`, and returns `to`. */
static const char *scenario_file_name(lsched_text file, char to[FILE_NAME_BYTES]) {
    file = arg_text(file);
    if (file.len == 0) file = LSCHED_TEXT("scenario");
    size_t n = file.len < FILE_NAME_BYTES ? (size_t)file.len : FILE_NAME_BYTES - 1;
    memcpy(to, file.ptr, n);
    to[n] = 0;
    return to;
}

int32_t scn_parse_from(const lsched_scenario_opts *opts, lsched_text text, lsched_text file_name,
                       int64_t start_us, lsched_scenario **out, lsched_error *err) {
    char name[FILE_NAME_BYTES];
    struct complain complain = {scenario_file_name(file_name, name), err};
    lsched_scenario_opts taken;
    struct alloc alloc;
    if (!out || (!text.ptr && text.len && text.len != LSCHED_NUL_TERMINATED))
        return complain_at(&complain, LSCHED_E_NULL, (struct mark){0, 0},
                           "expected a pointer, got NULL");
    *out = NULL;
    int32_t code = scenario_take_opts(opts, &taken, &complain);
    if (code) return code;
    code = alloc_init(&alloc, taken.allocator, taken.memory_limit_bytes);
    if (code)
        return complain_at(&complain, code, (struct mark){0, 0},
                           "expected an allocator with all its functions, got %s",
                           lsched_error_text(code));
    struct lsched_scenario *s = scenario_new(&alloc, complain.file);
    if (!s)
        return complain_at(&complain, LSCHED_E_NOMEM, (struct mark){0, 0},
                           "out of memory while reading");
    text = arg_text(text);
    s->start_us = start_us;
    code = scenario_read(s, &taken, text.ptr, (size_t)text.len, &complain);
    if (code) {
        lsched_scenario_destroy(s);
        return code;
    }
    *out = s;
    return LSCHED_OK;
}

int32_t lsched_scenario_parse(const lsched_scenario_opts *opts, lsched_text text,
                              lsched_text file_name, lsched_scenario **out, lsched_error *err) {
    return scn_parse_from(opts, text, file_name, 0, out, err);
}

void lsched_scenario_destroy(lsched_scenario *scenario) {
    if (!scenario) return;
    struct alloc alloc = scenario->alloc;
    scenario->memory.alloc = &alloc;
    scn_memory_drop(&scenario->memory);
    alloc_free(&alloc, scenario, sizeof *scenario);
}

int32_t lsched_scenario_get(const lsched_scenario *scenario, lsched_scenario_info *out,
                            lsched_error *err) {
    lsched_scenario_info full = {.size = sizeof full};
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!scenario || !out) return fail(err, LSCHED_E_NULL, "scenario or out is NULL");
    full.steps = scenario->steps.n;
    full.topologies = scenario->n_topologies;
    full.nodes = scenario->n_nodes;
    full.queues = scenario->n_queues;
    full.jobs = scenario->n_jobs;
    for (uint32_t i = 0; i < scenario->steps.n; i++)
        full.expectations += scn_step(scenario, i)->checks.n;
    full.start_us = scenario->start_us;
    full.memory_bytes = scenario->alloc.bytes;
    full.notes = scenario->notes.n;
    rc = arg_out(out, &full, (uint32_t)sizeof full);
    return rc == LSCHED_OK
               ? rc
               : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
}

size_t lsched_scenario_notes_size(const lsched_scenario *scenario) {
    return scenario ? scenario->notes.n : 0;
}

const char *lsched_scenario_notes_at(const lsched_scenario *scenario, size_t i) {
    if (!scenario || i >= scenario->notes.n) return NULL;
    return ((const char *const *)scenario->notes.items)[i];
}

int32_t lsched_scenario_cluster_opts(const lsched_scenario *scenario, lsched_cluster_opts *opts) {
    lsched_cluster_opts full;
    if (!scenario || !opts) return LSCHED_E_NULL;
    int32_t rc = arg_struct(&full, sizeof full, opts, 0, "cluster options", NULL);
    if (rc != LSCHED_OK) return rc;
    if (scenario->memory_limit_bytes) full.memory_limit_bytes = scenario->memory_limit_bytes;
    if (scenario->open_decisions_max) full.open_decisions_max = scenario->open_decisions_max;
    if (scenario->verify_every_plan) full.verify_every_plan = 1;
    return arg_out(opts, &full, (uint32_t)sizeof full);
}

int32_t lsched_scenario_schedule_opts(const lsched_scenario *scenario, lsched_schedule_opts *opts) {
    if (!scenario || !opts) return LSCHED_E_NULL;
    const struct step *first = scenario->steps.items;
    int32_t rc = arg_out(opts, &first->schedule, (uint32_t)sizeof first->schedule);
    return rc == LSCHED_OK ? (int32_t)first->cycle : rc;
}
