/*
 * check_report.c -- see check_report.h.
 *
 * The costs are upper bounds. They assume that a cycle calls each hook once for every job or queue,
 * and the hooks `score` and `filter` once for every job and every node. A cycle usually costs less,
 * because it does not try parked jobs and skips full nodes. The bounds ignore that results are
 * cached, because the library counts a cached result with the instructions of its first
 * computation.
 */
#include "cli/policy/check_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy/check_errors.h"
#include "cli/support/number_text.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"

/* default of lsched_policy_opts.instructions_per_cycle, which is in force if the orchestrator does
 * not set that member */
#define CYCLE_BUDGET UINT64_C(500000000)

/* ---- fields ---- */

enum field_object { FIELD_JOB, FIELD_QUEUE, FIELD_NODE, FIELD_CANDIDATE, FIELD_CLUSTER };
enum field_scope { FIELD_SHAPE, FIELD_CLASS, FIELD_EACH, FIELD_STATE, FIELD_NOW };
enum field_type { FIELD_NUMBER, FIELD_BOOL, FIELD_TEXT, FIELD_LABELS };

static const struct {
    const char *object, *name;
    enum field_object of;
    enum field_scope scope;
    enum field_type type;
} fields[] = {
#define X(number, object, id, name, type, unit, scope, text) \
    [number] = {#object, name, FIELD_##object, FIELD_##scope, FIELD_##type},
#include <libsched/fields.def>
#undef X
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool reads(const lsched_policy_hook_info *info, size_t field) {
    return field < 128 && (info->fields_read[field / 64] >> field % 64 & 1) != 0;
}

static void append(char *out, size_t cap, const char *format, const char *a, const char *b) {
    size_t len = strlen(out);
    snprintf(out + len, cap - len, format, len > 0 ? ", " : "", a, b);
}

static void lower(char *out, const char *word) {
    size_t i = 0;
    for (; word[i] != '\0'; i++)
        out[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
    out[i] = '\0';
}

static void append_field(char *out, size_t cap, size_t field) {
    char object[16];
    lower(object, fields[field].object);
    append(out, cap, "%s%s.%s", object, fields[field].name);
}

/* ---- costs ---- */

static uint64_t times(uint64_t a, uint64_t b) {
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static void count_elements(const struct check_size *size, struct check_hook *hook) {
    char *asked = hook->asked;
    size_t cap = sizeof hook->asked;
    switch (hook->info.hook) {
    case LSCHED_HOOK_QUOTA:
    case LSCHED_HOOK_WEIGHT:
    case LSCHED_HOOK_LIMIT:
    case LSCHED_HOOK_QUEUE_ORDER:
        hook->elements = size->queues;
        snprintf(asked, cap, "%" PRIu64 " queues", size->queues);
        break;
    case LSCHED_HOOK_FILTER:
    case LSCHED_HOOK_SCORE:
        hook->elements = times(size->jobs, size->nodes);
        snprintf(asked, cap, "%" PRIu64 " jobs x %" PRIu64 " nodes", size->jobs, size->nodes);
        break;
    case LSCHED_HOOK_VICTIM:
        hook->elements = size->jobs;
        snprintf(asked, cap, "%" PRIu64 " candidates", size->jobs);
        break;
    case LSCHED_HOOK_PIPELINE:
        hook->elements = 1;
        snprintf(asked, cap, "the cycle");
        break;
    default: hook->elements = size->jobs; snprintf(asked, cap, "%" PRIu64 " jobs", size->jobs);
    }
}

/* Writes the instructions as a percentage of CYCLE_BUDGET to `out`, such as "12.3 %", or "< 0.01 %"
 * for any smaller value. Returns `out`. */
static const char *share_text(uint64_t instructions, char out[32]) {
    double percent = (double)instructions * 100 / (double)CYCLE_BUDGET;
    if (percent < 0.01) return strcpy(out, "< 0.01 %");
    snprintf(out, 32, "%.*f %%", percent < 1 ? 2 : percent < 100 ? 1 : 0, percent);
    return out;
}

/* ---- remarks ---- */

static void remark(struct check_report *report, bool warning, uint32_t line, uint32_t column,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

static void remark(struct check_report *report, bool warning, uint32_t line, uint32_t column,
                   const char *format, ...) {
    va_list args;
    if (report->n_remarks == CHECK_REMARKS_MAX) return;
    struct check_remark *fresh = &report->remarks[report->n_remarks++];
    *fresh = (struct check_remark){.warning = warning, .line = line, .column = column};
    report->n_warnings += warning;
    va_start(args, format);
    vsnprintf(fresh->text, sizeof fresh->text, format, args);
    va_end(args);
}

static void take_warning(struct check_report *report, const char *file, const char *message) {
    uint32_t line, column;
    const char *what = error_place(message, file, &line, &column);
    remark(report, true, line, column, "%s", what);
}

/* True if few jobs of equal shape are equal in the field, or if the field changes with each placed
 * task. By other fields of jobs the library finds the jobs that can share results. */
static bool tells_jobs_apart(size_t i) {
    return fields[i].of == FIELD_JOB && fields[i].scope == FIELD_EACH &&
           (fields[i].type == FIELD_TEXT || strcmp(fields[i].name, "submitted") == 0 ||
            strcmp(fields[i].name, "tasks_placed") == 0);
}

/* Adds a note about the job fields that the hook reads and that differ between jobs of equal shape,
 * and about the time. Because of these, jobs of equal shape cannot share results of the hook, and
 * each job pays for all nodes. */
static void note_sharing(struct check_report *report, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    char why[LSCHED_MESSAGE_BYTES - 100] = "", each[32], cost[32];
    bool timed = false;
    if (info->hook != LSCHED_HOOK_SCORE && info->hook != LSCHED_HOOK_FILTER) return;
    for (size_t i = 0; i < FIELDS; i++) {
        bool now = fields[i].scope == FIELD_NOW;
        if ((now || tells_jobs_apart(i)) && reads(info, i)) append_field(why, sizeof why, i);
        timed |= now && reads(info, i);
    }
    if (info->reads_now && !timed) append(why, sizeof why, "%s%s%s", "now", "");
    if (why[0] == '\0') return;
    remark(report, false, info->line, info->column,
           "%s is called for every job, because it reads %s; otherwise one call would "
           "serve all equal jobs. Each job that is tried costs up to %s calls, one for each node, "
           "and %s instructions",
           info->name, why, count_text(report->size.nodes, each),
           count_text(times(hook->each, report->size.nodes), cost));
}

static void note_refresh(struct check_report *report, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    bool ranks = info->hook == LSCHED_HOOK_PREEMPT_PRIORITY;
    if ((!ranks && info->hook != LSCHED_HOOK_PRIORITY) || !info->reads_now) return;
    remark(report, false, info->line, info->column,
           "%s is called for all %sjobs at each refresh, because its result depends on the time",
           info->name, ranks ? "" : "waiting ");
}

/* Adds a note if the hook reads the time, but is called only once for each job. Rules that depend
 * on the time must be in the hooks `filter` or `limit`, because the library calls these hooks
 * again. */
static void note_once(struct check_report *report, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    bool admit = info->hook == LSCHED_HOOK_ADMIT;
    if ((!admit && info->hook != LSCHED_HOOK_GANG_MINIMUM) || !info->reads_now) return;
    remark(report, false, info->line, info->column, "%s",
           admit ? "admit reads the time, and what it once let in stays in: a job that still "
                   "waits when the time is over starts all the same; filter and limit are asked "
                   "again"
                 : "gang_minimum reads the time, and is asked once, when the job comes: its answer "
                   "does not change later");
}

static void note_lifting(struct check_report *report, const struct check_hook *hook) {
    static const uint32_t never = LSCHED_HOOK_ADMIT | LSCHED_HOOK_QUOTA | LSCHED_HOOK_LIMIT |
                                  LSCHED_HOOK_PLACEMENT | LSCHED_HOOK_PIPELINE;
    const lsched_policy_hook_info *info = &hook->info;
    bool placed = info->reason_line > 0;
    if (info->lifted || info->reason[0] == '\0') return;
    remark(report, false, placed ? info->reason_line : info->line,
           placed ? info->reason_column : info->column, "%s runs in Lua: %s", info->name,
           (info->hook & never) != 0 ? "its result is more than a number, or true or false"
                                     : info->reason);
}

static void note_budget(struct check_report *report) {
    char share[32], budget[32];
    if (report->cycle <= CYCLE_BUDGET) return;
    remark(report, true, 0, 0,
           "a cycle of this size may need %s of its budget of %s instructions; a hook whose "
           "budget is spent fails in that cycle (option instructions_per_cycle)",
           share_text(report->cycle, share), count_text(CYCLE_BUDGET, budget));
}

static bool has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' ')) return true;
    return false;
}

static void warn_pipeline(struct check_report *report, const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info, NULL);
    if ((info.hooks & LSCHED_HOOK_PIPELINE) != 0 || has_word(info.pipeline, "allocate") ||
        has_word(info.pipeline, "ts-dpbp") || has_word(info.pipeline, "backfill"))
        return;
    remark(report, true, 0, 0,
           "the pipeline has none of 'allocate', 'ts-dpbp' and 'backfill': only jobs that get room "
           "by eviction are placed");
}

static void note_fallback(struct check_report *report, const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info, NULL);
    if (!(info.hooks & LSCHED_HOOK_SCORE) || strcmp(info.placement, "binpack") == 0) return;
    remark(report, false, 0, 0, "placement '%s' is used only in a cycle in which score fails",
           info.placement);
}

static void warn_victim(struct check_report *report, const lsched_cluster *cluster) {
    static const char *const stop[] = {"reclaim", "preempt", "consolidate"};
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info, NULL);
    if (!(info.hooks & LSCHED_HOOK_VICTIM) || (info.hooks & LSCHED_HOOK_PIPELINE)) return;
    for (size_t i = 0; i < sizeof stop / sizeof stop[0]; i++)
        if (has_word(info.pipeline, stop[i])) return;
    remark(report, true, 0, 0,
           "victim is never called: the pipeline names no action that stops work for "
           "others (reclaim, preempt, consolidate)");
}

static int by_place(const void *a, const void *b) {
    const struct check_remark *x = a, *y = b;
    if (x->warning != y->warning) return y->warning - x->warning;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* ---- making the report ---- */

static void read_hook(const struct check_size *size, struct check_hook *hook) {
    bool timed = false;
    for (size_t i = 0; i < FIELDS; i++) {
        if (!reads(&hook->info, i)) continue;
        append_field(hook->reads, sizeof hook->reads, i);
        timed |= fields[i].scope == FIELD_NOW;
    }
    if (hook->info.reads_now && !timed)
        append(hook->reads, sizeof hook->reads, "%s%s%s", "now", "");
    hook->each = hook->info.lifted ? (hook->info.ops + 3) / 4 : hook->info.instructions;
    count_elements(size, hook);
}

void check_report_make(const lsched_cluster *cluster, const char *file,
                       const struct check_size *size, struct check_report *out) {
    const char *message;
    memset(out, 0, sizeof *out);
    out->size = *size;
    for (uint32_t i = 0; (message = lsched_policy_warnings_at(cluster, i)) != NULL; i++)
        take_warning(out, file, message);
    warn_pipeline(out, cluster);
    warn_victim(out, cluster);
    note_fallback(out, cluster);
    for (uint32_t i = 0; i < CHECK_HOOKS_MAX; i++) {
        struct check_hook *hook = &out->hooks[out->n_hooks];
        hook->info.size = sizeof hook->info;
        if (lsched_policy_hooks_at(cluster, i, &hook->info, NULL) < 0) break;
        out->n_hooks++;
        read_hook(size, hook);
        uint64_t cost = times(hook->each, hook->elements);
        out->cycle = out->cycle > UINT64_MAX - cost ? UINT64_MAX : out->cycle + cost;
        note_lifting(out, hook);
        note_sharing(out, hook);
        note_refresh(out, hook);
        note_once(out, hook);
    }
    note_budget(out);
    qsort(out->remarks, out->n_remarks, sizeof out->remarks[0], by_place);
}

void check_report_warn(struct check_report *report, const char *text) {
    remark(report, true, 0, 0, "%s", text);
    qsort(report->remarks, report->n_remarks, sizeof report->remarks[0], by_place);
}

/* ---- printing the report ---- */

static void print_hooks(const struct check_report *report) {
    struct text_table table;
    char number[32];
    if (report->n_hooks == 0) return;
    table_begin(&table, "lrlrlrrl");
    TABLE_WORDS(&table, "hook", "line", "runs", "each", "at most, in a cycle", "instructions",
                "of budget", "reads");
    for (size_t i = 0; i < report->n_hooks; i++) {
        const struct check_hook *hook = &report->hooks[i];
        uint64_t cost = times(hook->each, hook->elements);
        table_cell(&table, "%s", hook->info.name);
        table_cell(&table, "%" PRIu32, hook->info.line);
        table_cell(&table, "%s", hook->info.lifted ? "lifted" : "in Lua");
        table_cell(&table, "%" PRIu64, hook->each);
        table_cell(&table, "%s", hook->asked);
        table_cell(&table, "%s", count_text(cost, number));
        table_cell(&table, "%s", share_text(cost, number));
        table_cell(&table, "%s", hook->reads[0] != '\0' ? hook->reads : "-");
    }
    printf("\n");
    table_print(&table, stdout, 2, terminal_width(stdout));
    char budget[32], share[32];
    printf("\n  all of it once: %s of %s instructions, %s\n", count_text(report->cycle, number),
           count_text(CYCLE_BUDGET, budget), share_text(report->cycle, share));
}

void check_report_print(const struct check_report *report, const char *file) {
    print_hooks(report);
    if (report->n_remarks > 0) printf("\n");
    for (size_t i = 0; i < report->n_remarks; i++) {
        const struct check_remark *made = &report->remarks[i];
        printf("%s:", file);
        if (made->line > 0) printf("%" PRIu32 ":", made->line);
        if (made->column > 0) printf("%" PRIu32 ":", made->column);
        printf(" %s: %s\n", made->warning ? "warning" : "note", made->text);
    }
}

static void reads_json(struct json *json, const lsched_policy_hook_info *info) {
    json_array(json, "reads", JSON_LINE);
    for (size_t i = 0; i < FIELDS; i++) {
        char name[64] = "";
        if (!reads(info, i)) continue;
        append_field(name, sizeof name, i);
        json_string(json, NULL, name);
    }
    json_close(json);
    json_bool(json, "reads_now", info->reads_now != 0);
}

/* Writes the reason why the hook is not compiled; writes null for a compiled hook. */
static void not_compiled_json(struct json *json, const char *key,
                              const lsched_policy_hook_info *info) {
    if (info->lifted) {
        json_null(json, key);
        return;
    }
    json_object(json, key, JSON_LINE);
    json_uint(json, "line", info->reason_line);
    json_uint(json, "column", info->reason_column);
    json_string(json, "message", info->reason);
    json_close(json);
}

static void hook_json(struct json *json, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    json_object(json, NULL, JSON_LINE);
    json_string(json, "hook", info->name);
    json_uint(json, "line", info->line);
    json_uint(json, "column", info->column);
    json_bool(json, "compiled", info->lifted != 0);
    not_compiled_json(json, "not_compiled", info);
    /* old spellings of "compiled" and "not_compiled" */
    json_bool(json, "lifted", info->lifted != 0);
    not_compiled_json(json, "not_lifted", info);
    json_uint(json, "instructions_each", hook->each);
    json_uint(json, "elements", hook->elements);
    json_uint(json, "instructions", times(hook->each, hook->elements));
    reads_json(json, info);
    json_close(json);
}

static void remarks_json(struct json *json, const char *key, const struct check_report *report,
                         bool warnings) {
    json_array(json, key, JSON_LINES);
    for (size_t i = 0; i < report->n_remarks; i++) {
        const struct check_remark *made = &report->remarks[i];
        if (made->warning != warnings) continue;
        json_object(json, NULL, JSON_LINE);
        json_uint(json, "line", made->line);
        json_uint(json, "column", made->column);
        json_string(json, "message", made->text);
        json_close(json);
    }
    json_close(json);
}

void check_report_json(struct json *json, const struct check_report *report) {
    json_array(json, "hook_details", JSON_LINES);
    for (size_t i = 0; i < report->n_hooks; i++) hook_json(json, &report->hooks[i]);
    json_close(json);
    json_object(json, "cost", JSON_LINE);
    json_uint(json, "nodes", report->size.nodes);
    json_uint(json, "jobs", report->size.jobs);
    json_uint(json, "queues", report->size.queues);
    json_uint(json, "instructions", report->cycle);
    json_uint(json, "budget", CYCLE_BUDGET);
    json_close(json);
    remarks_json(json, "warnings", report, true);
    remarks_json(json, "notes", report, false);
}
