/*
 * parse_actions.c -- see parse_actions.h. The file reads reports about tasks, new priorities,
 * removals of objects, options of the cycle, and how the decisions of the cycle are settled.
 */
#include <string.h>

#include "config/read/quantity_reader.h"
#include "config/objects/parse_device_set.h"
#include "config/objects/parse_mig.h"
#include "config/steps/parse_actions.h"
#include "config/steps/parse_running.h"
#include "config/steps/parse_task_refs.h"

/* ---- reports ---- */

struct report_form {
    struct scn_list tasks;
    int64_t at_us;
    lsched_text run;
    struct place_form place;
    struct start_list starts;
};

/* Reads a map of a report. Only the start of a task can name its place. */
static int32_t report_map(struct field_reader *r, uint32_t value, uint32_t event,
                          struct report_form *form) {
    static const struct field fields[] = {
        FIELD(struct report_form, "tasks", read_task_refs, tasks),
        FIELD(struct report_form, "at", read_time, at_us),
        FIELD(struct report_form, "run", read_text, run),
    };
    static const struct field started[] = {
        FIELD(struct report_form, "tasks", read_task_refs, tasks),
        FIELD(struct report_form, "at", read_time, at_us),
        FIELD(struct report_form, "run", read_text, run),
        FIELD(struct report_form, "node", read_text, place.node),
        FIELD(struct report_form, "devices", read_device_words, place.device_words),
        FIELD(struct report_form, "nics", read_device_mask, place.nic_mask),
        FIELD(struct report_form, "numa", read_device_mask, place.numa_mask),
        FIELD(struct report_form, "starts", read_starts, starts),
    };
    int same = 1;
    int32_t code = event == LSCHED_EVENT_STARTED
                       ? READ_MAP(r, value, "a start", started, form, NULL)
                       : READ_MAP(r, value, "a report", fields, form, NULL);
    if (form->starts.n)
        form->place.device_starts = starts_on(&form->starts, form->place.device_words, &same);
    if (!code && !same)
        code = read_expected(r, LSCHED_E_RANGE, value,
                             "in \"starts\" a slice for each of \"devices\"");
    return code;
}

int32_t read_report(struct field_reader *r, uint32_t value, void *step, uint32_t event) {
    struct report_form form;
    memset(&form, 0, sizeof form);
    form.at_us = r->base_us;
    int32_t code = read_is(r, value, YTREE_MAP) ? report_map(r, value, event, &form)
                                                : read_task_refs(r, value, &form.tasks);
    if (!code && form.tasks.n == 0)
        code = read_expected(r, LSCHED_E_TYPE, value, "at least one task");
    if (code) return code;
    struct action *action = step_action_add(r, step, ACTION_REPORT, value);
    if (!action) return LSCHED_E_NOMEM;
    action->variant = event;
    action->at_us = form.at_us;
    action->run = form.run;
    action->place = form.place;
    action->items = form.tasks;
    return 0;
}

struct usage_reader {
    /* must be the first member, because read_amount_key() takes a pointer to the whole struct as a
     * pointer to this list */
    struct scn_list amounts;
    struct scn_list tasks; /* elements are struct task_ref */
};

static int32_t usage_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct usage_reader, "task", read_task_refs, tasks)};
    struct action *action = out;
    struct usage_reader form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "a usage sample", fields, &form, read_amount_key);
    if (!code && (form.tasks.n == 0 || form.amounts.n == 0))
        code = read_expected(r, LSCHED_E_KEY, value, "a usage sample with \"task\" and an amount");
    for (uint32_t t = 0; !code && t < form.tasks.n; t++)
        for (uint32_t k = 0; k < form.amounts.n; k++) {
            struct usage_form *sample =
                read_add(r, &action->items, &action->marks, sizeof *sample, value);
            if (!sample) return LSCHED_E_NOMEM;
            const lsched_amount *amount = (const lsched_amount *)form.amounts.items + k;
            *sample = (struct usage_form){((struct task_ref *)form.tasks.items)[t], amount->kind,
                                          amount->amount};
        }
    return code;
}

int32_t read_usage(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_USAGE, "usage samples", usage_item);
}

/* Reads one report of memory pressure, a map with the keys node, device, task and need. */
static int32_t collision_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {FIELD(struct collision_form, "node", read_text, node),
                                          FIELD(struct collision_form, "device", read_u32, device),
                                          FIELD(struct collision_form, "task", read_task_ref, task),
                                          FIELD(struct collision_form, "need", read_memory, need)};
    struct action *action = out;
    struct collision_form *form = read_add(r, &action->items, &action->marks, sizeof *form, value);
    if (!form) return LSCHED_E_NOMEM;
    int32_t code = READ_MAP(r, value, "a memory pressure report", fields, form, NULL);
    if (!code && !form->node.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "a memory pressure report with \"node\"");
    return code;
}

int32_t read_memory_pressure(struct field_reader *r, uint32_t value, void *out) {
    struct action *action = step_action_add(r, out, ACTION_COLLISION, value);
    if (!action) return LSCHED_E_NOMEM;
    return read_is(r, value, YTREE_MAP)
               ? collision_item(r, value, action)
               : read_items(r, value, "memory pressure reports", collision_item, action);
}

/* ---- jobs, queues, nodes that exist ---- */

static int32_t priority_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct action *action = out;
    lsched_job_update *form = read_add(r, &action->items, &action->marks, sizeof *form, key);
    if (!form) return LSCHED_E_NOMEM;
    *form = (lsched_job_update)LSCHED_JOB_UPDATE_INIT;
    form->set = LSCHED_JOB_SET_PRIORITY | LSCHED_JOB_SET_AGAIN;
    int32_t code = read_text(r, key, &form->name);
    if (!code) code = read_i32(r, value, &form->priority);
    return code ? code : 1;
}

/* Reads a map from job names to new priorities, such as {llm: 80, other: 10}. */
int32_t read_priority(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_UPDATE_JOBS, "jobs", priority_key);
}

/* Reads the end of a hold or a refusal: a time after the step's, or "never". The call judges a
 * date, which does not count from the step. */
static int32_t read_until(struct field_reader *r, uint32_t value, void *until_us) {
    int64_t *us = until_us;
    int32_t code = 0;
    if (read_is_word(r, value, "never"))
        *us = LSCHED_NEVER_US;
    else
        code = read_time(r, value, us);
    size_t len = 0;
    const char *text = code ? "" : read_chars(r, value, &len);
    if (!code && *us <= r->base_us && !(len > 4 && text[4] == '-'))
        code = read_expected(r, LSCHED_E_RANGE, value,
                             "a time after the step's, such as 10m, which counts from the step");
    return code;
}

/* Reads one hold, a map with the keys name, until and reason. `name` can be several names. */
static int32_t hold_item(struct field_reader *r, uint32_t value, void *out) {
    struct hold_form {
        struct scn_list names;
        lsched_job_hold hold;
    } form = {.hold = LSCHED_JOB_HOLD_INIT};
    static const struct field fields[] = {
        FIELD(struct hold_form, "name", read_names, names),
        FIELD(struct hold_form, "until", read_until, hold.until_us),
        FIELD(struct hold_form, "reason", read_text, hold.reason)};
    struct action *action = out;
    int32_t code = READ_MAP(r, value, "a hold", fields, &form, NULL);
    if (!code && form.names.n == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "a hold with a name");
    for (uint32_t i = 0; !code && i < form.names.n; i++) {
        lsched_job_hold *hold = read_add(r, &action->items, &action->marks, sizeof *hold, value);
        if (!hold) return LSCHED_E_NOMEM;
        *hold = form.hold;
        hold->name = ((const lsched_text *)form.names.items)[i];
    }
    return code;
}

int32_t read_hold(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_HOLD_JOBS, "holds", hold_item);
}

int32_t read_removal(struct field_reader *r, uint32_t value, void *step, uint32_t kind) {
    struct scn_list names = {NULL, 0, 0};
    int32_t code = read_names(r, value, &names);
    if (code) return code;
    struct action *action = step_action_add(r, step, (enum action_kind)kind, value);
    if (!action) return LSCHED_E_NOMEM;
    action->items = names;
    return 0;
}

/* ---- remembered ids and hashes ---- */

static int32_t memo_object(struct field_reader *r, uint32_t value, void *out, uint32_t kind) {
    struct memo_form *memo = out;
    memo->kind = kind;
    return read_text(r, value, &memo->object);
}

static int32_t memo_decision(struct field_reader *r, uint32_t value, void *out) {
    struct memo_form *memo = out;
    memo->kind = MEMO_DECISION;
    int32_t code = read_task_ref(r, value, &memo->task);
    if (!code && memo->task.last != memo->task.first)
        code = read_expected(r, LSCHED_E_TYPE, value, "one task such as llm/0");
    return code;
}

static int32_t memo_hash(struct field_reader *r, uint32_t value, void *out) {
    /* words for the kinds of hashes, in the order of LSCHED_HASH_* */
    static const char *const words[] = {"image", "meaning"};
    struct memo_form *memo = out;
    memo->kind = MEMO_HASH;
    return read_word(r, value, words, 2, &memo->which);
}

static int32_t memo_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD_KEY_WITH("node", memo_object, MEMO_NODE),
        FIELD_KEY_WITH("queue", memo_object, MEMO_QUEUE),
        FIELD_KEY_WITH("job", memo_object, MEMO_JOB),
        FIELD_KEY("decision", memo_decision),
        FIELD_KEY("hash", memo_hash),
    };
    struct action *action = out;
    struct memo_form *memo = read_add(r, &action->items, &action->marks, sizeof *memo, key);
    if (!memo) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &memo->name);
    if (!code && ytree_at(&r->tree, value)->n != 1)
        code = read_expected(r, LSCHED_E_TYPE, value, "one thing to remember, such as {node: a}");
    if (!code) code = READ_MAP(r, value, "what is remembered", fields, memo, NULL);
    return code ? code : 1;
}

/* Reads a map from new names to the id or hash that is remembered under each name. For example,
 * {old: {node: a}, before: {hash: image}} remembers the id of node a as "old" and the image hash as
 * "before". */
int32_t read_remember(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_REMEMBER, "names", memo_key);
}

int32_t read_reload(struct field_reader *r, uint32_t value, void *out) {
    /* words for the kinds of reloads, in the order of enum reload_kind */
    static const char *const words[] = {"clone", "save"};
    uint32_t which = 0;
    int32_t code = read_word(r, value, words, 2, &which);
    if (code) return code;
    struct action *action = step_action_add(r, out, ACTION_RELOAD, value);
    if (!action) return LSCHED_E_NOMEM;
    action->variant = which;
    return 0;
}

int32_t read_interrupt(struct field_reader *r, uint32_t value, void *out) {
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    if (code || !wanted) return code;
    return step_action_add(r, out, ACTION_INTERRUPT, value) ? 0 : LSCHED_E_NOMEM;
}

/* ---- the cycle ---- */

static int32_t read_decision_kind(struct field_reader *r, uint32_t value, void *kinds) {
    const uint32_t known = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT |
                           1u << LSCHED_DECIDE_RESIZE | 1u << LSCHED_DECIDE_WARN;
    const char *words[32];
    uint32_t bits[32], n = 0, which = 0;
    for (uint32_t kind = 0; kind < 32; kind++) {
        if (!(known >> kind & 1)) continue;
        words[n] = lsched_decision_kind_name(kind);
        bits[n++] = 1u << kind;
    }
    int32_t code = read_word(r, value, words, n, &which);
    if (!code) *(uint32_t *)kinds |= bits[which];
    return code;
}

static int32_t read_decision_kinds(struct field_reader *r, uint32_t value, void *kinds) {
    return read_one_or_items(r, value, read_decision_kind, kinds);
}

/* Reads the key `schedule`: true or false (whether the step runs a cycle), or a map with options of
 * the cycle. */
int32_t read_schedule(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_schedule_opts, "work_budget", read_u64, work_budget),
        FIELD(lsched_schedule_opts, "decisions_max", read_u32, decisions_max),
        FIELD_WITH(lsched_schedule_opts, "verify", read_flag, LSCHED_SCHEDULE_VERIFY, flags),
        FIELD_WITH(lsched_schedule_opts, "all_waiting", read_flag, LSCHED_SCHEDULE_ALL_WAITING,
                   flags),
        FIELD(lsched_schedule_opts, "now", read_time, now_us),
        FIELD(lsched_schedule_opts, "moves_max", read_u32, moves_max),
        FIELD(lsched_schedule_opts, "release", read_duration, release_us),
        FIELD(lsched_schedule_opts, "decisions", read_decision_kinds, decision_kinds),
        FIELD(lsched_schedule_opts, "proposal_life", read_duration, proposal_life_us),
        FIELD(lsched_schedule_opts, "warn_before", read_duration, warn_before_us),
    };
    struct step_reader *step = out;
    uint32_t wanted = 1;
    int32_t code = read_is(r, value, YTREE_MAP)
                       ? READ_MAP(r, value, "a cycle", fields, &step->step->schedule, NULL)
                       : read_bool(r, value, &wanted);
    step->explicit_cycle = wanted ? 2 : 1;
    step->step->schedule_mark = read_mark(r, value);
    return code;
}

/* ---- settling decisions ---- */

int32_t read_settle_mode(struct field_reader *r, uint32_t value, void *out) {
    /* words for the modes, in the order of enum settle_mode */
    static const char *const words[] = {"auto", "confirm", "manual"};
    return read_word(r, value, words, 3, out);
}

/* Returns the kinds of decisions that a word such as "evictions" names, as a set of bits 1 <<
 * LSCHED_DECIDE_EVICT and so on. Returns 0 if the value is not such a word. */
static uint32_t settle_kinds(const struct field_reader *r, uint32_t value) {
    static const struct {
        const char *word;
        uint32_t kinds;
    } words[] = {{"all", SETTLE_ALL},
                 {"placements", 1u << LSCHED_DECIDE_PLACE},
                 {"nominations", 1u << LSCHED_DECIDE_NOMINATE},
                 {"evictions", 1u << LSCHED_DECIDE_EVICT},
                 {"moves", 1u << LSCHED_DECIDE_MIGRATE},
                 {"pauses", 1u << LSCHED_DECIDE_PAUSE},
                 {"suspensions", 1u << LSCHED_DECIDE_SUSPEND},
                 {"resumptions", 1u << LSCHED_DECIDE_RESUME},
                 {"checkpoints", 1u << LSCHED_DECIDE_CHECKPOINT},
                 {"resizes", 1u << LSCHED_DECIDE_RESIZE},
                 {"warnings", 1u << LSCHED_DECIDE_WARN}};
    size_t len;
    for (size_t i = 0; read_is(r, value, YTREE_SCALAR) && i < sizeof words / sizeof *words; i++)
        if (strcmp(read_chars(r, value, &len), words[i].word) == 0) return words[i].kinds;
    return 0;
}

static int32_t settle_add(struct field_reader *r, uint32_t value, void *out, uint32_t what) {
    struct step *step = out;
    struct scn_list tasks = {NULL, 0, 0};
    uint32_t kinds = settle_kinds(r, value);
    int32_t code = kinds ? 0 : read_task_refs(r, value, &tasks);
    uint32_t n = kinds ? 1 : tasks.n;
    for (uint32_t i = 0; !code && i < n; i++) {
        struct settle_item *item = read_add(r, &step->settle, NULL, sizeof *item, value);
        if (!item) return LSCHED_E_NOMEM;
        item->what = what;
        item->kinds = kinds;
        if (!kinds) item->task = ((struct task_ref *)tasks.items)[i];
        item->task.mark = read_mark(r, value);
    }
    return code;
}

struct reject_form {
    struct step *step;
    lsched_text reason;
    lsched_refusal refusal;
};

static int32_t reject_avoid(struct field_reader *r, uint32_t value, void *avoid) {
    /* words in the order of LSCHED_AVOID_* */
    static const char *const words[] = {"default", "node", "domain", "anywhere"};
    return read_word(r, value, words, 4, avoid);
}

static int32_t reject_job(struct field_reader *r, uint32_t value, void *out) {
    struct reject_form *form = out;
    return settle_add(r, value, form->step, SETTLE_DO_REJECT);
}

/* Reads one entry of `reject`: tasks, a word for a kind of decisions, or {job: ..., reason:
 * ...}. */
static int32_t reject_one(struct field_reader *r, uint32_t value, void *step) {
    static const struct field fields[] = {
        FIELD_KEY("job", reject_job),
        FIELD(struct reject_form, "reason", read_text, reason),
        FIELD(struct reject_form, "avoid", reject_avoid, refusal.avoid),
        FIELD(struct reject_form, "until", read_until, refusal.until_us),
        FIELD(struct reject_form, "topology", read_text, refusal.topology),
        FIELD(struct reject_form, "level", read_text, refusal.level),
        FIELD(struct reject_form, "words", read_text, refusal.words)};
    struct reject_form form = {step, {NULL, 0}, LSCHED_REFUSAL_INIT};
    uint32_t first = form.step->settle.n;
    if (!read_is(r, value, YTREE_MAP)) return settle_add(r, value, step, SETTLE_DO_REJECT);
    int32_t code = READ_MAP(r, value, "a refusal", fields, &form, NULL);
    if (!code && form.step->settle.n == first)
        code = read_expected(r, LSCHED_E_TYPE, value, "a job");
    for (uint32_t i = first; !code && i < form.step->settle.n; i++) {
        struct settle_item *item = (struct settle_item *)form.step->settle.items + i;
        item->reason = form.reason;
        item->refusal = form.refusal;
    }
    return code;
}

static int32_t settle_reject(struct field_reader *r, uint32_t value, void *step) {
    return read_one_or_items(r, value, reject_one, step);
}

/* Reads a settle mode such as "manual", or a map {confirm: ..., reject: ..., start: ..., stop:
 * ...}. Each value of the map is "all", a word for a kind of decisions, or tasks. */
int32_t read_settle(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {FIELD_KEY_WITH("confirm", settle_add, SETTLE_DO_CONFIRM),
                                          FIELD_KEY("reject", settle_reject),
                                          FIELD_KEY_WITH("start", settle_add, SETTLE_DO_START),
                                          FIELD_KEY_WITH("stop", settle_add, SETTLE_DO_STOP)};
    struct step_reader *step = out;
    step->step->settle_mark = read_mark(r, value);
    if (!read_is(r, value, YTREE_MAP)) return read_settle_mode(r, value, &step->step->settle_mode);
    step->step->settle_mode = SETTLE_LISTED;
    return READ_MAP(r, value, "what becomes of decisions", fields, step->step, NULL);
}
