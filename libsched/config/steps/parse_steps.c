/*
 * parse_steps.c -- reads `events:`, the steps after the initial state. Each has a time, changes, a
 * cycle and expectations.
 *
 * Changes are made in the order of the text. The cycle follows them, then the settling of its
 * decisions, then the checks, wherever in the step these keys are written.
 */
#include <string.h>

#include "config/objects/scenario_parts.h"

static int32_t step_ignore(struct field_reader *r, uint32_t value, void *out) {
    (void)r;
    (void)value;
    (void)out;
    return 0;
}

static int32_t step_partial(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    step->step->batch_flags = wanted ? LSCHED_BATCH_PARTIAL : 0;
    return code;
}

static const struct field step_fields[] = {
    {"at", step_ignore, 0}, /* step_time() has read it before, because other times count from it */
    {"submit", read_jobs, 0},
    {"start", read_start, 0},
    {"finish", read_finish, 0},
    {"fail", read_fail, 0},
    {"usage", read_usage, 0},
    {"collision", read_collision, 0},
    {"priority", read_priority, 0},
    {"running", read_running, 0},
    {"cordon", read_cordon, 0},
    {"uncordon", read_uncordon, 0},
    {"drain", read_drain, 0},
    {"add_nodes", read_nodes, 0},
    {"update_nodes", read_update_nodes, 0},
    {"remove_nodes", read_remove_nodes, 0},
    {"add_queues", read_queues, 0},
    {"update_queues", read_update_queues, 0},
    {"remove_queues", read_remove_queues, 0},
    {"remove_jobs", read_remove_jobs, 0},
    {"task_mix", read_task_mix, 0},
    {"policy", read_policy, 0},
    {"remember", read_remember, 0},
    {"reload", read_reload, 0},
    {"interrupt", read_interrupt, 0},
    {"partial", step_partial, 0},
    {"schedule", read_schedule, 0},
    {"settle", read_settle, 0},
    {"expect", read_expect, 0},
    {"expect_error", read_expect_error, 0},
};

/* Reads the time of a step: the value of its key `at`, or the time of the step before. */
static int32_t step_time(struct field_reader *r, uint32_t value, int64_t *at_us) {
    const struct ytree_node *node = ytree_at(&r->tree, value);
    uint32_t key = node->kind == YTREE_MAP ? node->first : 0;
    int64_t before = *at_us;
    r->base_us = r->scenario->start_us;
    for (uint32_t left = node->kind == YTREE_MAP ? node->n : 0; left > 0; left--) {
        uint32_t item = r->tree.nodes[key].next;
        size_t len;
        if (strcmp(read_chars(r, key, &len), "at") == 0) {
            int32_t code = read_time(r, item, at_us);
            if (code) return code;
            if (*at_us < before)
                return read_expected(r, LSCHED_E_TIME, item, "a time not before the last step");
        }
        key = r->tree.nodes[item].next;
    }
    r->base_us = *at_us;
    return 0;
}

int32_t read_finish_step(struct field_reader *r, uint32_t value, struct step_reader *reader) {
    struct step *step = reader->step;
    uint32_t settles = step->settle_mode == SETTLE_LISTED;
    if (reader->explicit_cycle)
        step->cycle = reader->explicit_cycle == 2;
    else if (step->error.present)
        step->cycle = step->actions.n == 0 && !settles;
    else
        step->cycle = step->actions.n > 0 || !settles;
    if (!step->error.present || reader->is_initial) return 0;
    if (step->actions.n + settles > 1)
        return complain_at(&r->complain, LSCHED_E_KEY, step->error.mark,
                           "expected one change in a step with \"expect_error\", got %u",
                           step->actions.n + settles);
    if (step->actions.n + settles + step->cycle == 0)
        return read_expected(r, LSCHED_E_KEY, value, "a change or a cycle beside \"expect_error\"");
    return 0;
}

struct events_reader {
    int64_t at_us;
};

static int32_t event_item(struct field_reader *r, uint32_t value, void *out) {
    struct events_reader *events = out;
    int32_t code = step_time(r, value, &events->at_us);
    if (code) return code;
    struct step *step = read_add(r, &r->scenario->steps, NULL, sizeof *step, value);
    if (!step) return LSCHED_E_NOMEM;
    step->mark = read_mark(r, value);
    step->at_us = events->at_us;
    step->schedule = (lsched_schedule_opts)LSCHED_SCHEDULE_OPTS_INIT;
    step->schedule.now_us = events->at_us;
    step->schedule_mark = step->mark;
    step->settle_mark = step->mark;
    step->settle_mode = r->scenario->settle_mode;
    struct step_reader reader = {step, step->mark, 0, 0};
    code = read_map(r, value, "an event", step_fields, sizeof step_fields / sizeof *step_fields,
                    &reader, NULL);
    return code ? code : read_finish_step(r, value, &reader);
}

int32_t read_events(struct field_reader *r, uint32_t value, void *out) {
    struct events_reader events = {r->scenario->start_us};
    (void)out;
    return read_items(r, value, "events", event_item, &events);
}
