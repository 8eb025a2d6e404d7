/* speed_report.c -- see speed_report.h. */
#include "cli/speeds/speed_report.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/json_writer.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"

enum { JOBS_SHOWN = 40, HOLES_SHOWN = 8, CELL_BYTES = 512 };
#define SHARE_SHOWN 0.0005 /* a smaller share is not in the text */

static double report_speed(const struct speed_input *input, size_t row, size_t model) {
    double speed = input->speeds[row * input->n_models + model];
    return speed < 0 ? 1 : speed; /* below 0: it is not known */
}

static double report_rate(const struct speed_report *report, size_t job) {
    const struct speed_input *input = report->input;
    double sum = 0;
    for (size_t m = 0; m < input->n_models; m++)
        sum += report->shares[job * input->n_models + m] *
               report_speed(input, input->list[job].row, m);
    return sum;
}

/* Calls `one` for each speed that a job needs and nobody has measured. Returns their number. */
static size_t report_holes(const struct speed_report *report,
                           void (*one)(void *user, size_t at, const struct speed_row *row,
                                       const char *model),
                           void *user) {
    const struct speed_input *input = report->input;
    bool *used = must_alloc_zero(input->keys.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < input->jobs.n; i++) used[input->list[i].row] = true;
    for (size_t row = 0; row < input->keys.n; row++)
        for (size_t m = 0; used[row] && m < input->n_models; m++) {
            if (input->speeds[row * input->n_models + m] >= 0) continue;
            if (input->rows[row].devices > input->models[m].devices) continue;
            one(user, n++, &input->rows[row], input->names[m]);
        }
    free(used);
    return n;
}

/* ---- JSON ---- */

static void json_hole(void *user, size_t at, const struct speed_row *row, const char *model) {
    struct json *json = user;
    (void)at;
    json_object(json, NULL, JSON_LINE);
    json_text(json, "kind", row->kind.ptr, (size_t)row->kind.len);
    json_uint(json, "devices", row->devices);
    json_string(json, "model", model);
    json_close(json);
}

static void json_job(const struct speed_report *report, size_t i, struct json *json) {
    const struct speed_input *input = report->input;
    const struct speed_row *row = &input->rows[input->list[i].row];
    double rate = report_rate(report, i);
    json_object(json, NULL, JSON_LINE);
    json_text(json, "name", input->jobs.names[i].ptr, (size_t)input->jobs.names[i].len);
    json_text(json, "kind", row->kind.ptr, (size_t)row->kind.len);
    json_uint(json, "devices", row->devices);
    json_fixed(json, "alone", report->alone[i], 6);
    json_fixed(json, "throughput", rate, 6);
    json_fixed(json, "ratio", rate / report->alone[i], 6);
    json_object(json, "shares", JSON_LINE);
    for (size_t m = 0; m < input->n_models; m++)
        json_fixed(json, input->names[m], report->shares[i * input->n_models + m], 6);
    json_close(json);
    if (report->play != NULL) json_fixed(json, "played", report->play->got[i], 6);
    json_close(json);
}

static void json_play(const struct speed_play *play, struct json *json) {
    json_object(json, "rounds", JSON_LINE);
    json_uint(json, "played", play->rounds);
    json_fixed(json, "least", play->least, 6);
    json_uint(json, "starts", play->starts);
    json_uint(json, "moves", play->moves);
    json_uint(json, "idle", play->idle);
    json_close(json);
}

void speed_report_json(const struct speed_report *report) {
    const lsched_speeds_answer *answer = report->answer;
    struct json json;
    json_begin_object(&json, stdout);
    json_string(&json, "policy", report->policy);
    json_uint(&json, "different", answer->different);
    json_bool(&json, "partial", (answer->flags & LSCHED_SPEEDS_PARTIAL) != 0);
    json_fixed(&json, "least", answer->least, 6);
    json_known(&json, "makespan", answer->makespan > 0, answer->makespan, 6);
    json_known(&json, "cost", report->input->priced != 0, answer->cost, 6);
    json_uint(&json, "work", answer->work);
    json_array(&json, "unknown", JSON_LINES);
    report_holes(report, json_hole, &json);
    json_close(&json);
    json_array(&json, "jobs", JSON_LINES);
    for (size_t i = 0; i < report->input->jobs.n; i++) json_job(report, i, &json);
    json_close(&json);
    if (report->play != NULL) json_play(report->play, &json);
    json_end(&json);
}

/* ---- text ---- */

static void text_hole(void *user, size_t at, const struct speed_row *row, const char *model) {
    (void)user;
    if (at == 0) printf("\nNobody has measured these speeds, which count as 1.0:\n");
    if (at < HOLES_SHOWN)
        printf("  %.*s, %u device%s, on %s\n", (int)row->kind.len, row->kind.ptr, row->devices,
               plural(row->devices), model);
}

/* Writes the shares of a job, such as "v100 0.75, k80 0.25". */
static const char *text_shares(const struct speed_report *report, size_t job,
                               char out[CELL_BYTES]) {
    const struct speed_input *input = report->input;
    size_t at = 0;
    out[0] = 0;
    for (size_t m = 0; m < input->n_models && at < CELL_BYTES; m++) {
        double share = report->shares[job * input->n_models + m];
        if (share < SHARE_SHOWN) continue;
        int n = snprintf(out + at, CELL_BYTES - at, "%s%s %.3f", at > 0 ? ", " : "",
                         input->names[m], share);
        at += n > 0 ? (size_t)n : 0;
    }
    return out;
}

static void text_jobs(const struct speed_report *report) {
    const struct speed_input *input = report->input;
    bool played = report->play != NULL;
    struct text_table table;
    char shares[CELL_BYTES];
    table_begin(&table, played ? "llrrrrrl" : "llrrrrl");
    TABLE_WORDS(&table, "job", "kind", "devices", "alone", "gets", "times");
    if (played) TABLE_WORDS(&table, "played");
    TABLE_WORDS(&table, "part of the time");
    for (size_t i = 0; i < input->jobs.n && i < JOBS_SHOWN; i++) {
        const struct speed_row *row = &input->rows[input->list[i].row];
        double rate = report_rate(report, i);
        table_cell(&table, "%.*s", (int)input->jobs.names[i].len, input->jobs.names[i].ptr);
        table_cell(&table, "%.*s", (int)row->kind.len, row->kind.ptr);
        table_cell(&table, "%u", row->devices);
        table_cell(&table, "%.3f", report->alone[i]);
        table_cell(&table, "%.3f", rate);
        table_cell(&table, "%.3f", rate / report->alone[i]);
        if (played) table_cell(&table, "%.3f", report->play->got[i]);
        table_cell(&table, "%s", text_shares(report, i, shares));
    }
    table_print(&table, stdout, 2, 0);
    if (input->jobs.n > JOBS_SHOWN)
        printf("  and %zu more jobs; --json prints all\n", input->jobs.n - JOBS_SHOWN);
}

void speed_report_text(const struct speed_report *report) {
    const lsched_speeds_answer *answer = report->answer;
    size_t jobs = report->input->jobs.n;
    printf("%zu job%s, policy %s: each job gets at least %.3f times what it has alone\n", jobs,
           plural(jobs), report->policy, answer->least);
    if (answer->makespan > 0) printf("The last job ends after %.3f.\n", answer->makespan);
    if (answer->cost > 0) printf("The shares cost %.3f in a unit of time.\n", answer->cost);
    if (answer->flags & LSCHED_SPEEDS_PARTIAL)
        printf("The work ended first: other shares may be better.\n");
    printf("\n");
    text_jobs(report);
    size_t holes = report_holes(report, text_hole, NULL);
    if (holes > HOLES_SHOWN) printf("  and %zu more; --json names all\n", holes - HOLES_SHOWN);
    if (report->play == NULL) return;
    const struct speed_play *play = report->play;
    printf("\n%llu round%s: each job got at least %.3f times what it has alone, with %llu start%s, "
           "%llu of them from another model; %.3f devices were idle on average\n",
           (unsigned long long)play->rounds, plural(play->rounds), play->least,
           (unsigned long long)play->starts, plural(play->starts), (unsigned long long)play->moves,
           (double)play->idle / (double)play->rounds);
}
