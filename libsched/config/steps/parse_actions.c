/*
 * parse_actions.c -- reads what a step does to tasks, jobs and decisions that exist: reports,
 * priorities, removals, the cycle, and how the decisions of the cycle are settled.
 */
#include <string.h>

#include "config/read/name_range.h"
#include "config/objects/scenario_parts.h"

/* ---- tasks by name ---- */

static int task_digits(const char *text, size_t n, uint32_t *out) {
    uint32_t value = 0;
    if (n < 1 || n > 9) return 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *out = value;
    return 1;
}

/* Splits a reference such as "llm/3" or "llm/0-7" into the job and its tasks. Any other text is
 * the name of a job and means all of its tasks. The job name may hold a range in brackets. */
static void task_split(const char *text, size_t len, size_t *job_len, uint32_t *first,
                       uint32_t *last) {
    size_t slash = len;
    while (slash > 0 && text[slash - 1] != '/') slash--;
    const char *dash = slash > 0 ? memchr(text + slash, '-', len - slash) : NULL;
    size_t middle = dash ? (size_t)(dash - text) : len;
    *job_len = len;
    *first = 0;
    *last = TASK_REF_ALL;
    if (slash == 0 || slash == 1 || !task_digits(text + slash, middle - slash, first)) {
        *first = 0;
        return;
    }
    *last = *first;
    if (dash && (!task_digits(text + middle + 1, len - middle - 1, last) || *last < *first)) {
        *first = 0;
        *last = TASK_REF_ALL;
        return;
    }
    *job_len = slash - 1;
}

static int32_t task_range(struct field_reader *r, uint32_t value, struct name_range *jobs,
                          struct task_ref *ref) {
    size_t len, job_len;
    if (!read_is(r, value, YTREE_SCALAR))
        return read_expected(r, LSCHED_E_TYPE, value, "a task such as llm/0");
    const char *text = read_chars(r, value, &len);
    task_split(text, len, &job_len, &ref->first, &ref->last);
    ref->mark = read_mark(r, value);
    const char *wrong = len == 0 ? "it is empty" : name_range_parse(jobs, text, job_len);
    if (!wrong) return 0;
    return complain_at(&r->complain, LSCHED_E_SYNTAX, ref->mark,
                       "expected a job or task such as llm, llm/0 or llm/0-3, got %s: %s",
                       read_got(r, value).text, wrong);
}

int32_t read_task_ref(struct field_reader *r, uint32_t value, struct task_ref *out) {
    struct name_range jobs = {0};
    int32_t code = task_range(r, value, &jobs, out);
    if (!code && jobs.count > 1) code = read_expected(r, LSCHED_E_TYPE, value, "one job");
    return code ? code : read_range_name(r, &jobs, 0, &out->job);
}

static int32_t task_ref_item(struct field_reader *r, uint32_t value, void *list) {
    struct name_range jobs = {0};
    struct task_ref ref = {{NULL, 0}, 0, 0, {0, 0}};
    int32_t code = task_range(r, value, &jobs, &ref);
    if (!code) code = read_budget(r, value, jobs.count);
    for (uint64_t i = 0; !code && i < jobs.count; i++) {
        struct task_ref *item = read_add(r, list, NULL, sizeof *item, value);
        if (!item) return LSCHED_E_NOMEM;
        code = read_range_name(r, &jobs, i, &ref.job);
        *item = ref;
    }
    return code;
}

int32_t read_task_refs(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, task_ref_item, list);
}

/* ---- reports ---- */

struct report_form {
    struct scn_list tasks;
    int64_t at_us;
};

static int32_t read_report(struct field_reader *r, uint32_t value, struct step_reader *step,
                           uint32_t event) {
    static const struct field fields[] = {
        FIELD(struct report_form, "tasks", read_task_refs, tasks),
        FIELD(struct report_form, "at", read_time, at_us),
    };
    struct report_form form = {{NULL, 0, 0}, r->base_us};
    int32_t code =
        read_is(r, value, YTREE_MAP)
            ? read_map(r, value, "a report", fields, sizeof fields / sizeof *fields, &form, NULL)
            : read_task_refs(r, value, &form.tasks);
    if (!code && form.tasks.n == 0)
        code = read_expected(r, LSCHED_E_TYPE, value, "at least one task");
    if (code) return code;
    struct action *action = read_action(r, step->step, ACTION_REPORT, value);
    if (!action) return LSCHED_E_NOMEM;
    action->variant = event;
    action->at_us = form.at_us;
    action->items = form.tasks;
    return 0;
}

int32_t read_start(struct field_reader *r, uint32_t value, void *step) {
    return read_report(r, value, step, LSCHED_EVENT_STARTED);
}

int32_t read_finish(struct field_reader *r, uint32_t value, void *step) {
    return read_report(r, value, step, LSCHED_EVENT_ENDED);
}

int32_t read_fail(struct field_reader *r, uint32_t value, void *step) {
    return read_report(r, value, step, LSCHED_EVENT_FAILED);
}

struct usage_reader {
    struct scn_list tasks; /* elements are struct task_ref */
    struct scn_list amounts;
};

static int32_t usage_amount(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct usage_reader *form = out;
    return read_amount_key(r, key, value, &form->amounts);
}

static int32_t usage_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct usage_reader, "task", read_task_refs, tasks)};
    struct action *action = out;
    struct usage_reader form;
    memset(&form, 0, sizeof form);
    int32_t code = read_map(r, value, "a usage sample", fields, 1, &form, usage_amount);
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
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_USAGE, value);
    return action ? read_items(r, value, "usage samples", usage_item, action) : LSCHED_E_NOMEM;
}

/* Reads one memory pressure report {node, device, task, need}, or a list of them. */
static int32_t collision_task(struct field_reader *r, uint32_t value, void *out) {
    return read_task_ref(r, value, out);
}

static int32_t collision_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct collision_form, "node", read_text, node),
        FIELD(struct collision_form, "device", read_u32, device),
        FIELD(struct collision_form, "task", collision_task, task),
        FIELD(struct collision_form, "need", read_memory, need)};
    struct action *action = out;
    struct collision_form *form = read_add(r, &action->items, &action->marks, sizeof *form, value);
    if (!form) return LSCHED_E_NOMEM;
    int32_t code =
        read_map(r, value, "a collision", fields, sizeof fields / sizeof *fields, form, NULL);
    if (!code && !form->node.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "a collision with \"node\"");
    return code;
}

int32_t read_collision(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_COLLISION, value);
    if (!action) return LSCHED_E_NOMEM;
    return read_is(r, value, YTREE_MAP)
               ? collision_item(r, value, action)
               : read_items(r, value, "collisions", collision_item, action);
}

/* ---- jobs, queues, nodes that exist ---- */

static int32_t priority_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct action *action = out;
    struct priority_form *form = read_add(r, &action->items, &action->marks, sizeof *form, key);
    if (!form) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &form->job);
    if (!code) code = read_i32(r, value, &form->priority);
    return code ? code : 1;
}

/* Reads a map of jobs and priorities, such as {llm: 80, other: 10}. */
int32_t read_priority(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_PRIORITY, value);
    return action ? read_map(r, value, "jobs", NULL, 0, action, priority_key) : LSCHED_E_NOMEM;
}

static int32_t read_removal(struct field_reader *r, uint32_t value, struct step_reader *step,
                            enum action_kind kind) {
    struct scn_list names = {NULL, 0, 0};
    int32_t code = read_names(r, value, &names);
    if (code) return code;
    struct action *action = read_action(r, step->step, kind, value);
    if (!action) return LSCHED_E_NOMEM;
    action->items = names;
    return 0;
}

int32_t read_remove_nodes(struct field_reader *r, uint32_t value, void *step) {
    return read_removal(r, value, step, ACTION_REMOVE_NODES);
}

int32_t read_remove_queues(struct field_reader *r, uint32_t value, void *step) {
    return read_removal(r, value, step, ACTION_REMOVE_QUEUES);
}

int32_t read_remove_jobs(struct field_reader *r, uint32_t value, void *step) {
    return read_removal(r, value, step, ACTION_REMOVE_JOBS);
}

/* ---- remembered ids and hashes ---- */

static int32_t memo_node(struct field_reader *r, uint32_t value, void *out) {
    struct memo_form *memo = out;
    memo->kind = MEMO_NODE;
    return read_text(r, value, &memo->object);
}

static int32_t memo_queue(struct field_reader *r, uint32_t value, void *out) {
    struct memo_form *memo = out;
    memo->kind = MEMO_QUEUE;
    return read_text(r, value, &memo->object);
}

static int32_t memo_job(struct field_reader *r, uint32_t value, void *out) {
    struct memo_form *memo = out;
    memo->kind = MEMO_JOB;
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
    /* the words are in the order of LSCHED_HASH_* */
    static const char *const words[] = {"image", "meaning"};
    struct memo_form *memo = out;
    memo->kind = MEMO_HASH;
    return read_word(r, value, words, 2, &memo->which);
}

static int32_t memo_key(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {
        {"node", memo_node, 0},         {"queue", memo_queue, 0}, {"job", memo_job, 0},
        {"decision", memo_decision, 0}, {"hash", memo_hash, 0},
    };
    struct action *action = out;
    struct memo_form *memo = read_add(r, &action->items, &action->marks, sizeof *memo, key);
    if (!memo) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &memo->name);
    if (!code && ytree_at(&r->tree, value)->n != 1)
        code = read_expected(r, LSCHED_E_TYPE, value, "one thing to remember, such as {node: a}");
    if (!code)
        code = read_map(r, value, "what is remembered", fields, sizeof fields / sizeof *fields,
                        memo, NULL);
    return code ? code : 1;
}

/* Reads a map of names and what each name remembers, such as {old: {node: a}, before: {hash:
 * image}}. */
int32_t read_remember(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = read_action(r, step->step, ACTION_REMEMBER, value);
    return action ? read_map(r, value, "names", NULL, 0, action, memo_key) : LSCHED_E_NOMEM;
}

int32_t read_reload(struct field_reader *r, uint32_t value, void *out) {
    /* the words are in the order of enum reload_kind */
    static const char *const words[] = {"clone", "save"};
    struct step_reader *step = out;
    uint32_t which = 0;
    int32_t code = read_word(r, value, words, 2, &which);
    if (code) return code;
    struct action *action = read_action(r, step->step, ACTION_RELOAD, value);
    if (!action) return LSCHED_E_NOMEM;
    action->variant = which;
    return 0;
}

int32_t read_interrupt(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    if (code || !wanted) return code;
    return read_action(r, step->step, ACTION_INTERRUPT, value) ? 0 : LSCHED_E_NOMEM;
}

/* ---- the cycle ---- */

static int32_t schedule_verify(struct field_reader *r, uint32_t value, void *out) {
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    if (wanted) *(uint32_t *)out |= LSCHED_SCHEDULE_VERIFY;
    return code;
}

static int32_t schedule_all_waiting(struct field_reader *r, uint32_t value, void *out) {
    uint32_t wanted = 0;
    int32_t code = read_bool(r, value, &wanted);
    if (wanted) *(uint32_t *)out |= LSCHED_SCHEDULE_ALL_WAITING;
    return code;
}

/* Reads true, false, or a map of options of the cycle. */
int32_t read_schedule(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_schedule_opts, "work_budget", read_u64, work_budget),
        FIELD(lsched_schedule_opts, "decisions_max", read_u32, decisions_max),
        FIELD(lsched_schedule_opts, "verify", schedule_verify, flags),
        FIELD(lsched_schedule_opts, "all_waiting", schedule_all_waiting, flags),
        FIELD(lsched_schedule_opts, "now", read_time, now_us),
        FIELD(lsched_schedule_opts, "moves_max", read_u32, moves_max),
        FIELD(lsched_schedule_opts, "release", read_duration, release_us),
    };
    struct step_reader *step = out;
    uint32_t wanted = 1;
    int32_t code = read_is(r, value, YTREE_MAP)
                       ? read_map(r, value, "a cycle", fields, sizeof fields / sizeof *fields,
                                  &step->step->schedule, NULL)
                       : read_bool(r, value, &wanted);
    step->explicit_cycle = wanted ? 2 : 1;
    step->step->schedule_mark = read_mark(r, value);
    return code;
}

/* ---- settling decisions ---- */

int32_t read_settle_mode(struct field_reader *r, uint32_t value, void *out) {
    /* the words are in the order of enum settle_mode */
    static const char *const words[] = {"auto", "confirm", "manual"};
    return read_word(r, value, words, 3, out);
}

/* Returns the kinds of decisions that a word such as "evictions" names, as bits; 0 for any other
 * text. */
static uint32_t settle_kinds(const struct field_reader *r, uint32_t value) {
    static const struct {
        const char *word;
        uint32_t kinds;
    } words[] = {{"all", SETTLE_ALL},
                 {"placements", 1u << LSCHED_PLACE},
                 {"nominations", 1u << LSCHED_NOMINATE},
                 {"evictions", 1u << LSCHED_EVICT},
                 {"moves", 1u << LSCHED_MIGRATE},
                 {"pauses", 1u << LSCHED_PAUSE},
                 {"suspensions", 1u << LSCHED_SUSPEND},
                 {"resumptions", 1u << LSCHED_RESUME}};
    size_t len;
    for (size_t i = 0; read_is(r, value, YTREE_SCALAR) && i < sizeof words / sizeof *words; i++)
        if (strcmp(read_chars(r, value, &len), words[i].word) == 0) return words[i].kinds;
    return 0;
}

static int32_t settle_add(struct field_reader *r, uint32_t value, struct step *step,
                          uint32_t what) {
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

static int32_t settle_confirm(struct field_reader *r, uint32_t value, void *step) {
    return settle_add(r, value, step, SETTLE_DO_CONFIRM);
}

struct reject_form {
    struct step *step;
    lsched_text reason;
};

static int32_t reject_job(struct field_reader *r, uint32_t value, void *out) {
    struct reject_form *form = out;
    return settle_add(r, value, form->step, SETTLE_DO_REJECT);
}

static int32_t reject_reason(struct field_reader *r, uint32_t value, void *out) {
    struct reject_form *form = out;
    return read_text(r, value, &form->reason);
}

/* Reads one rejection: a task, a kind of decisions, or {job: ..., reason: ...}. */
static int32_t reject_one(struct field_reader *r, uint32_t value, void *step) {
    static const struct field fields[] = {{"job", reject_job, 0}, {"reason", reject_reason, 0}};
    struct reject_form form = {step, {NULL, 0}};
    uint32_t first = form.step->settle.n;
    if (!read_is(r, value, YTREE_MAP)) return settle_add(r, value, step, SETTLE_DO_REJECT);
    int32_t code =
        read_map(r, value, "a refusal", fields, sizeof fields / sizeof *fields, &form, NULL);
    if (!code && form.step->settle.n == first)
        code = read_expected(r, LSCHED_E_TYPE, value, "a job");
    for (uint32_t i = first; !code && i < form.step->settle.n; i++)
        ((struct settle_item *)form.step->settle.items)[i].reason = form.reason;
    return code;
}

static int32_t settle_reject(struct field_reader *r, uint32_t value, void *step) {
    return read_one_or_items(r, value, reject_one, step);
}

static int32_t settle_start(struct field_reader *r, uint32_t value, void *step) {
    return settle_add(r, value, step, SETTLE_DO_START);
}

static int32_t settle_stop(struct field_reader *r, uint32_t value, void *step) {
    return settle_add(r, value, step, SETTLE_DO_STOP);
}

/* Reads a mode, or {confirm: ..., reject: ..., start: ..., stop: ...}, where each value is "all",
 * a kind of decisions, or tasks. */
int32_t read_settle(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {{"confirm", settle_confirm, 0},
                                          {"reject", settle_reject, 0},
                                          {"start", settle_start, 0},
                                          {"stop", settle_stop, 0}};
    struct step_reader *step = out;
    step->step->settle_mark = read_mark(r, value);
    if (!read_is(r, value, YTREE_MAP)) return read_settle_mode(r, value, &step->step->settle_mode);
    step->step->settle_mode = SETTLE_LISTED;
    return read_map(r, value, "what becomes of decisions", fields, sizeof fields / sizeof *fields,
                    step->step, NULL);
}
