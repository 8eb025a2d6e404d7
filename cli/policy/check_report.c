/*
 * check_report.c -- see check_report.h.
 *
 * The costs are bounds: each hook is called once for every element, and `score` for every job on
 * every node. A cycle usually costs less, because parked jobs are not tried and full nodes are
 * skipped. A cached result costs as much as its first computation, therefore the bounds ignore the
 * cache.
 */
#include "cli/policy/check_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy/check_errors.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"

/* Value of lsched_policy_opts.instructions_per_cycle if the orchestrator does not set it. */
#define CYCLE_BUDGET UINT64_C(500000000)

/* ---- fields ---- */

enum field_object { FIELD_JOB, FIELD_QUEUE, FIELD_NODE, FIELD_CANDIDATE, FIELD_CLUSTER };
enum field_scope { FIELD_SHAPE, FIELD_CLASS, FIELD_EACH, FIELD_STATE, FIELD_NOW };

static const struct {
    const char *object, *name;
    enum field_object of;
    enum field_scope scope;
} fields[] = {
#define X(object, id, name, type, unit, scope, text) {#object, name, FIELD_##object, FIELD_##scope},
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

/* Returns text such as "12.3 %", and "< 0.01 %" for less than a hundredth of a percent. */
static const char *share_text(uint64_t instructions, char out[32]) {
    double percent = (double)instructions * 100 / (double)CYCLE_BUDGET;
    if (percent < 0.01) return strcpy(out, "< 0.01 %");
    snprintf(out, 32, "%.*f %%", percent < 1 ? 2 : percent < 100 ? 1 : 0, percent);
    return out;
}

/* Returns the number as text with commas, such as "450,000,000". */
static const char *grouped(uint64_t number, char out[32]) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number), to = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) out[to++] = ',';
        out[to++] = digits[i];
    }
    out[to] = '\0';
    return out;
}

/* ---- remarks ---- */

static struct check_remark *remark(struct check_report *report, bool warning, uint32_t line,
                                   uint32_t column) {
    static struct check_remark lost;
    if (report->n_remarks == CHECK_REMARKS_MAX) return &lost;
    struct check_remark *fresh = &report->remarks[report->n_remarks++];
    *fresh = (struct check_remark){.warning = warning, .line = line, .column = column};
    report->n_warnings += warning;
    return fresh;
}

static void take_warning(struct check_report *report, const char *file, const char *message) {
    uint32_t line, column;
    const char *what = error_place(message, file, &line, &column);
    snprintf(remark(report, true, line, column)->text, LSCHED_MESSAGE_BYTES, "%s", what);
}

/* Notes the job fields that keep jobs of equal shape from sharing the results of this hook. */
static void note_sharing(struct check_report *report, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    char why[LSCHED_MESSAGE_BYTES - 100] = "";
    if (info->hook != LSCHED_HOOK_SCORE && info->hook != LSCHED_HOOK_FILTER) return;
    for (size_t i = 0; i < FIELDS; i++) {
        bool own = fields[i].of == FIELD_JOB && fields[i].scope != FIELD_SHAPE;
        if (own && reads(info, i)) append_field(why, sizeof why, i);
    }
    if (why[0] == '\0') return;
    struct check_remark *made = remark(report, false, info->line, info->column);
    snprintf(made->text, sizeof made->text,
             "%s is asked for every job anew, because it reads %s: without that, equal jobs share "
             "answers",
             info->name, why);
}

static void note_refresh(struct check_report *report, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    if (info->hook != LSCHED_HOOK_PRIORITY || !info->reads_now) return;
    struct check_remark *made = remark(report, false, info->line, info->column);
    snprintf(made->text, sizeof made->text,
             "priority is asked for all waiting jobs at each refresh, because its answer depends "
             "on the time");
}

/* Notes that the result of this hook is computed once and kept. Rules that depend on the time
 * belong into `filter` or `limit`, which are called again. */
static void note_once(struct check_report *report, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    bool admit = info->hook == LSCHED_HOOK_ADMIT;
    if ((!admit && info->hook != LSCHED_HOOK_GANG_MINIMUM) || !info->reads_now) return;
    struct check_remark *made = remark(report, false, info->line, info->column);
    snprintf(made->text, sizeof made->text, "%s",
             admit
                 ? "admit reads the time, and what it once let in stays in: a job that still "
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
    struct check_remark *made = remark(report, false, placed ? info->reason_line : info->line,
                                       placed ? info->reason_column : info->column);
    snprintf(made->text, sizeof made->text, "%s runs in Lua: %s", info->name,
             (info->hook & never) != 0 ? "it gives more than a number, or yes and no"
                                       : info->reason);
}

static void note_budget(struct check_report *report) {
    char share[32], budget[32];
    if (report->cycle <= CYCLE_BUDGET) return;
    struct check_remark *made = remark(report, true, 0, 0);
    snprintf(made->text, sizeof made->text,
             "a cycle of this size may need %s of its budget of %s instructions; a hook whose "
             "budget is spent fails in that cycle (option instructions_per_cycle)",
             share_text(report->cycle, share), grouped(CYCLE_BUDGET, budget));
}

static bool has_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' ')) return true;
    return false;
}

static void warn_pipeline(struct check_report *report, const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info);
    if ((info.hooks & LSCHED_HOOK_PIPELINE) != 0 || has_word(info.pipeline, "allocate") ||
        has_word(info.pipeline, "ts-dpbp"))
        return;
    struct check_remark *made = remark(report, true, 0, 0);
    snprintf(
        made->text, sizeof made->text,
        "the pipeline has no 'allocate' and no 'ts-dpbp': nothing is placed but what gets room by "
        "eviction");
}

static void note_fallback(struct check_report *report, const lsched_cluster *cluster) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info);
    if (!(info.hooks & LSCHED_HOOK_SCORE) || strcmp(info.placement, "binpack") == 0) return;
    struct check_remark *made = remark(report, false, 0, 0);
    snprintf(made->text, sizeof made->text,
             "placement '%s' has a say only in a cycle in which score fails", info.placement);
}

static void warn_victim(struct check_report *report, const lsched_cluster *cluster) {
    static const char *const stop[] = {"reclaim", "preempt", "consolidate"};
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info);
    if (!(info.hooks & LSCHED_HOOK_VICTIM) || (info.hooks & LSCHED_HOOK_PIPELINE)) return;
    for (size_t i = 0; i < sizeof stop / sizeof stop[0]; i++)
        if (has_word(info.pipeline, stop[i])) return;
    struct check_remark *made = remark(report, true, 0, 0);
    snprintf(made->text, sizeof made->text,
             "victim is never asked: the pipeline names no action that stops work for others "
             "(reclaim, preempt, consolidate)");
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
    for (uint32_t i = 0; (message = lsched_policy_warning(cluster, i)) != NULL; i++)
        take_warning(out, file, message);
    warn_pipeline(out, cluster);
    warn_victim(out, cluster);
    note_fallback(out, cluster);
    for (uint32_t i = 0; i < CHECK_HOOKS_MAX; i++) {
        struct check_hook *hook = &out->hooks[out->n_hooks];
        hook->info.size = sizeof hook->info;
        if (lsched_policy_hook_get(cluster, i, &hook->info) < 0) break;
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
    struct check_remark *made = remark(report, true, 0, 0);
    snprintf(made->text, sizeof made->text, "%s", text);
    qsort(report->remarks, report->n_remarks, sizeof report->remarks[0], by_place);
}

/* ---- printing the report ---- */

static void print_hooks(const struct check_report *report) {
    struct text_table table;
    char number[32];
    if (report->n_hooks == 0) return;
    table_begin(&table, "lrlrlrrl");
    table_cell(&table, "hook");
    table_cell(&table, "line");
    table_cell(&table, "runs");
    table_cell(&table, "each");
    table_cell(&table, "at most, in a cycle");
    table_cell(&table, "instructions");
    table_cell(&table, "of budget");
    table_cell(&table, "reads");
    for (size_t i = 0; i < report->n_hooks; i++) {
        const struct check_hook *hook = &report->hooks[i];
        uint64_t cost = times(hook->each, hook->elements);
        table_cell(&table, "%s", hook->info.name);
        table_cell(&table, "%" PRIu32, hook->info.line);
        table_cell(&table, "%s", hook->info.lifted ? "lifted" : "in Lua");
        table_cell(&table, "%" PRIu64, hook->each);
        table_cell(&table, "%s", hook->asked);
        table_cell(&table, "%s", grouped(cost, number));
        table_cell(&table, "%s", share_text(cost, number));
        table_cell(&table, "%s", hook->reads[0] != '\0' ? hook->reads : "-");
    }
    printf("\n");
    table_print(&table, stdout, 2, terminal_width(stdout));
    char budget[32], share[32];
    printf("\n  all of it once: %s of %s instructions, %s\n", grouped(report->cycle, number),
           grouped(CYCLE_BUDGET, budget), share_text(report->cycle, share));
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

static void hook_json(struct json *json, const struct check_hook *hook) {
    const lsched_policy_hook_info *info = &hook->info;
    json_object(json, NULL, JSON_LINE);
    json_string(json, "hook", info->name);
    json_uint(json, "line", info->line);
    json_uint(json, "column", info->column);
    json_bool(json, "lifted", info->lifted != 0);
    if (info->lifted) {
        json_null(json, "not_lifted");
    } else {
        json_object(json, "not_lifted", JSON_LINE);
        json_uint(json, "line", info->reason_line);
        json_uint(json, "column", info->reason_column);
        json_string(json, "message", info->reason);
        json_close(json);
    }
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
