/*
 * parse_steps.c -- see parse_steps.h. A step has a time and can have changes, a cycle and
 * expectations.
 *
 * The runner carries out the changes of a step in the order of the text. It then runs the cycle,
 * settles the decisions of the cycle, and makes the checks. The places of the keys `schedule`,
 * `settle` and `expect` in the text do not matter.
 */
#include <string.h>

#include "config/objects/parse_jobs.h"
#include "config/objects/parse_devices.h"
#include "config/objects/parse_nodes.h"
#include "config/objects/parse_policy.h"
#include "config/objects/parse_queues.h"
#include "config/objects/parse_reservations.h"
#include "config/objects/parse_allowances.h"
#include "config/objects/parse_supplies.h"
#include "config/objects/parse_tasks.h"
#include "config/read/quantity_reader.h"
#include "config/steps/parse_actions.h"
#include "config/steps/parse_expect.h"
#include "config/steps/parse_resize.h"
#include "config/steps/parse_running.h"
#include "config/steps/parse_steps.h"

static int32_t step_partial(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    step->step->batch_flags = wanted ? LSCHED_BATCH_PARTIAL : 0;
    return code;
}

/* Reads the key `adopt`: true or false. */
static int32_t step_adopt(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    return read_bool(r, value, &step->step->adopt);
}

static const struct field step_fields[] = {
    /* step_time() has read the time before, because other times in the step are offsets from it */
    FIELD_KEY("at", read_ignore),
    FIELD_KEY("submit", read_jobs),
    FIELD_KEY_WITH("start", read_report, LSCHED_EVENT_STARTED),
    FIELD_KEY_WITH("finish", read_report, LSCHED_EVENT_ENDED),
    FIELD_KEY_WITH("fail", read_report, LSCHED_EVENT_FAILED),
    FIELD_KEY("usage", read_usage),
    FIELD_KEY("memory_pressure", read_memory_pressure),
    FIELD_KEY("priority", read_priority),
    FIELD_KEY("update_jobs", read_update_jobs),
    FIELD_KEY("running", read_running),
    FIELD_KEY("resize", read_resize),
    FIELD_KEY_WITH("cordon", read_node_state, LSCHED_NODE_CORDONED),
    FIELD_KEY_WITH("uncordon", read_node_state, LSCHED_NODE_READY),
    FIELD_KEY_WITH("drain", read_node_state, LSCHED_NODE_DRAINING),
    FIELD_KEY("add_nodes", read_nodes),
    FIELD_KEY("update_nodes", read_update_nodes),
    FIELD_KEY("update_devices", read_update_devices),
    FIELD_KEY("foreign_use", read_foreign_use),
    FIELD_KEY("update_supplies", read_update_supplies),
    FIELD_KEY_WITH("remove_nodes", read_removal, ACTION_REMOVE_NODES),
    FIELD_KEY("add_queues", read_queues),
    FIELD_KEY("allowances", read_allowances),
    FIELD_KEY("user_allowances", read_user_allowances),
    FIELD_KEY("reservations", read_reservations),
    FIELD_KEY_WITH("end_reservations", read_removal, ACTION_END_RESERVATIONS),
    FIELD_KEY("update_queues", read_update_queues),
    FIELD_KEY_WITH("remove_queues", read_removal, ACTION_REMOVE_QUEUES),
    FIELD_KEY_WITH("remove_jobs", read_removal, ACTION_REMOVE_JOBS),
    FIELD_KEY_WITH("complete", read_removal, ACTION_COMPLETE_JOBS),
    FIELD_KEY("hold", read_hold),
    FIELD_KEY_WITH("release", read_removal, ACTION_RELEASE_JOBS),
    FIELD_KEY("task_mix", read_task_mix),
    FIELD_KEY("policy", read_policy),
    FIELD_KEY("remember", read_remember),
    FIELD_KEY("reload", read_reload),
    FIELD_KEY("interrupt", read_interrupt),
    FIELD_KEY("partial", step_partial),
    FIELD_KEY("adopt", step_adopt),
    FIELD_KEY("schedule", read_schedule),
    FIELD_KEY("settle", read_settle),
    FIELD_KEY("expect", read_expect),
    FIELD_KEY("expect_error", read_expect_error),
};

/* Reads the time of a step, which is the value of its key `at`. A step without this key has the
 * time of the previous step. */
static int32_t step_time(struct field_reader *r, uint32_t value, int64_t *at_us) {
    uint32_t at = read_find(r, value, "at");
    int64_t before = *at_us;
    r->base_us = r->scenario->start_us;
    int32_t code = at ? read_time(r, at, at_us) : 0;
    if (code) return code;
    if (*at_us < before)
        return read_expected(r, LSCHED_E_TIME, at, "a time not before the last step");
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

static int32_t event_item(struct field_reader *r, uint32_t value, void *out) {
    const int64_t *at_us = out;
    int32_t code = step_time(r, value, out);
    if (code) return code;
    struct step *step = read_add(r, &r->scenario->steps, NULL, sizeof *step, value);
    if (!step) return LSCHED_E_NOMEM;
    step->mark = read_mark(r, value);
    step->at_us = *at_us;
    step->schedule = (lsched_schedule_opts)LSCHED_SCHEDULE_OPTS_INIT;
    step->schedule.now_us = *at_us;
    step->schedule_mark = step->mark;
    step->settle_mark = step->mark;
    step->settle_mode = r->scenario->settle_mode;
    struct step_reader reader = {step, step->mark, 0, 0};
    code = READ_MAP(r, value, "an event", step_fields, &reader, NULL);
    return code ? code : read_finish_step(r, value, &reader);
}

int32_t read_events(struct field_reader *r, uint32_t value, void *out) {
    int64_t at_us = r->scenario->start_us;
    (void)out;
    return read_items(r, value, "events", event_item, &at_us);
}
