/*
 * compare_report.c -- see compare_report.h. The table of measures has a column for policy A, a
 * column for policy B, and a column for the differences.
 */
#include "cli/compare/compare_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/support/json_writer.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

static const char *const trace_names[TRACE_KINDS] = {"philly", "swf", "openb", "scenario"};

static const char *const difference_words[ROW_DIFFERENCES] = {
    [DIFFERS_STARTS_A] = "starts under A only",    [DIFFERS_STARTS_B] = "starts under B only",
    [DIFFERS_NODES] = "starts, but elsewhere",     [DIFFERS_STOPS_A] = "is stopped under A only",
    [DIFFERS_STOPS_B] = "is stopped under B only", [DIFFERS_CLAIMS] = "waits for other room",
};
static const char *const difference_keys[ROW_DIFFERENCES] = {
    [DIFFERS_STARTS_A] = "starts_a_only", [DIFFERS_STARTS_B] = "starts_b_only",
    [DIFFERS_NODES] = "starts_elsewhere", [DIFFERS_STOPS_A] = "stopped_a_only",
    [DIFFERS_STOPS_B] = "stopped_b_only", [DIFFERS_CLAIMS] = "waits_for_other_room",
};

/* ---- tables ---- */

static void value_cell(struct text_table *table, const struct measure *measure, size_t side) {
    char text[TIME_TEXT_BYTES];
    double value = measure->value[side];
    if (!measure->known[side]) {
        table_cell(table, "-");
        return;
    }
    switch (measure->unit) {
    case MEASURE_COUNT: table_cell(table, "%.0f", value); break;
    case MEASURE_SECONDS: table_cell(table, "%s", span_short(value, text)); break;
    case MEASURE_PERCENT: table_cell(table, "%.2f %%", value); break;
    case MEASURE_RATIO: table_cell(table, "%.*f", value < 100 ? 2 : 0, value); break;
    case MEASURE_INDEX: table_cell(table, "%.3f", value); break;
    case MEASURE_HOURS: table_cell(table, "%.*f", value < 100 ? 1 : 0, value); break;
    }
}

/* Prints a number with its sign. A number that is rounded to zero has no sign. */
static void signed_cell(struct text_table *table, double value, int decimals, const char *unit) {
    double least = decimals == 0 ? 0.5 : decimals == 1 ? 0.05 : decimals == 2 ? 0.005 : 0.0005;
    bool nothing = value < least && value > -least;
    table_cell(table, nothing ? "%.*f%s" : "%+.*f%s", decimals, nothing ? 0.0 : value, unit);
}

static void difference_cell(struct text_table *table, const struct measure *measure) {
    char text[TIME_TEXT_BYTES];
    double a = measure->value[SIDE_A], b = measure->value[SIDE_B];
    if (!measure->known[SIDE_A] || !measure->known[SIDE_B]) {
        table_cell(table, "-");
    } else if (a == b) {
        table_cell(table, "same");
    } else if (measure->unit == MEASURE_PERCENT) {
        signed_cell(table, b - a, 2, " points");
    } else if (measure->unit == MEASURE_INDEX) {
        signed_cell(table, b - a, 3, "");
    } else if (measure->unit == MEASURE_COUNT) {
        signed_cell(table, b - a, 0, "");
    } else if (a == 0 && measure->unit == MEASURE_SECONDS) {
        table_cell(table, "+%s", span_short(b, text));
    } else if (a == 0) {
        signed_cell(table, b, 1, "");
    } else if (b / a >= 10) {
        table_cell(table, "x %.0f", b / a);
    } else {
        signed_cell(table, 100 * (b - a) / a, 1, " %");
    }
}

/* Warns if the number of unfinished jobs is different under A and B. In this case the mean waits
 * and slowdowns are means over different jobs, and cannot be compared directly. */
static void warn_of_unfinished(const struct comparison *of) {
    for (size_t i = 0; i < of->n_measures; i++) {
        const struct measure *measure = &of->measures[i];
        bool counts =
            strcmp(measure->key, "unfinished") == 0 || strcmp(measure->key, "unstarted") == 0;
        if (counts && measure->value[SIDE_A] != measure->value[SIDE_B])
            printf("\nWaits are of jobs that started, slowdowns of jobs that ended: here these "
                   "are not the same jobs on both sides.\n");
    }
}

static void print_measures(const struct comparison *of) {
    struct text_table table;
    if (of->n_measures == 0) return;
    printf("\n");
    table_begin(&table, "lrrr");
    table_cell(&table, "%s", "");
    table_cell(&table, "A: %s", of->policies[SIDE_A].word);
    table_cell(&table, "B: %s", of->policies[SIDE_B].word);
    table_cell(&table, "B against A");
    for (size_t i = 0; i < of->n_measures; i++) {
        table_cell(&table, "%s", of->measures[i].label);
        for (size_t side = 0; side < SIDES; side++) value_cell(&table, &of->measures[i], side);
        difference_cell(&table, &of->measures[i]);
    }
    table_print(&table, stdout, 0, 0);
}

static void print_first(const struct comparison *of) {
    char at[TIME_TEXT_BYTES];
    struct text_table table;
    if (!of->differs) {
        printf("\nThe plans are the same: every %s starts on the same nodes at the same time.\n",
               of->what);
        return;
    }
    printf("\nThe plans first differ at %s, over %" PRIu64 " %s%s%s\n",
           time_format(of->first_us, at), of->first_jobs, of->what, plural(of->first_jobs),
           of->n_first < of->first_jobs ? "; the first of them:" : ":");
    table_begin(&table, "lll");
    TABLE_WORDS(&table, of->what, "A", "B");
    for (size_t i = 0; i < of->n_first; i++) {
        table_cell(&table, "%s", of->first[i].job);
        for (size_t side = 0; side < SIDES; side++)
            table_cell(&table, "%s", of->first[i].text[side]);
    }
    table_print(&table, stdout, 2, 0);
}

static void wait_cell(struct text_table *table, int64_t wait_us) {
    char text[TIME_TEXT_BYTES];
    if (wait_us == LSCHED_NEVER_US) {
        table_cell(table, "never started");
    } else {
        table_cell(table, "%s", span_short((double)wait_us * 1e-6, text));
    }
}

static void wait_cells(struct text_table *table, const struct compared_job *job) {
    char text[TIME_TEXT_BYTES];
    bool both = job->wait_us[SIDE_A] != LSCHED_NEVER_US && job->wait_us[SIDE_B] != LSCHED_NEVER_US;
    double apart_s = (double)job->wait_us[SIDE_B] * 1e-6 - (double)job->wait_us[SIDE_A] * 1e-6;
    for (size_t side = 0; side < SIDES; side++) wait_cell(table, job->wait_us[side]);
    if (both) {
        table_cell(table, "%s%s", apart_s > 0 ? "+" : "", span_short(apart_s, text));
    } else {
        table_cell(table, "-");
    }
    table_cell(table, "%" PRIu32 " / %" PRIu32, job->evictions[SIDE_A], job->evictions[SIDE_B]);
}

static void print_job(struct text_table *table, const struct compared_job *job, bool queues,
                      bool places) {
    table_cell(table, "%s", job->name);
    if (queues) table_cell(table, "%s", job->queue != NULL ? job->queue : "-");
    table_cell(table, "%s", job->size);
    if (!places) wait_cells(table, job);
    for (size_t side = 0; places && side < SIDES; side++) table_cell(table, "%s", job->place[side]);
}

static void print_jobs(const struct comparison *of) {
    bool places = of->kind == TRACE_OPENB, queues = of->n_jobs > 0 && of->jobs[0].queue != NULL;
    struct text_table table;
    if (of->elsewhere > 0)
        printf("\n%" PRIu64 " %ss have a place under both, but on another node.\n", of->elsewhere,
               of->what);
    if (of->n_jobs == 0) return;
    printf("\n%" PRIu64 " of %" PRIu64 " %ss %s; those that differ most:\n", of->jobs_differ,
           of->jobs_compared, of->what,
           places ? "have a place under one policy only" : "wait longer or shorter");
    table_begin(&table, places ? "llrll" : queues ? "llrrrrr" : "lrrrrr");
    table_cell(&table, "%s", of->what);
    if (queues) table_cell(&table, places ? "in the list" : "queue");
    table_cell(&table, "%ss", of->unit);
    table_cell(&table, places ? "A" : "wait under A");
    table_cell(&table, places ? "B" : "under B");
    if (!places) TABLE_WORDS(&table, "B against A", "evicted");
    for (size_t i = 0; i < of->n_jobs; i++) print_job(&table, &of->jobs[i], queues, places);
    table_print(&table, stdout, 2, 0);
}

static void print_shadow(const struct comparison *of) {
    const struct shadow *shadow = &of->shadow;
    struct text_table table;
    char at[TIME_TEXT_BYTES];
    printf("\nThe plans of A are carried out: %s. B: %s planned the same %" PRIu64
           " cycles beside it, each on a clone.\n",
           of->policies[SIDE_A].word, of->policies[SIDE_B].word, shadow->cycles);
    printf("In %" PRIu64 " of them (%.1f %%) B would decide otherwise, with %" PRIu64 " %s%s.\n",
           shadow->cycles_differ,
           shadow->cycles > 0 ? 100.0 * (double)shadow->cycles_differ / (double)shadow->cycles : 0,
           shadow->jobs_differ, of->what, plural(shadow->jobs_differ));
    if (shadow->cycles_failed > 0)
        printf("In %" PRIu64 " of them B failed and fell back; first: %s\n", shadow->cycles_failed,
               shadow->failure);
    if (shadow->cycles_differ == 0) return;
    printf("\n");
    table_begin(&table, "lr");
    table_cell(&table, "a %s", of->what);
    table_cell(&table, "times");
    for (size_t i = 0; i < ROW_DIFFERENCES; i++) {
        if (shadow->differences[i] == 0) continue;
        table_cell(&table, "%s", difference_words[i]);
        table_cell(&table, "%" PRIu64, shadow->differences[i]);
    }
    table_print(&table, stdout, 2, 0);
    printf("\nThe first differences, each %s once:\n", of->what);
    table_begin(&table, "lrlll");
    TABLE_WORDS(&table, "at", "cycle", of->what, "A does", "B would");
    for (size_t i = 0; i < shadow->n_shown; i++) {
        const struct shadow_difference *line = &shadow->shown[i];
        char *name = comparison_job_name(of, line->job);
        table_cell(&table, "%s", time_format(line->now_us, at));
        table_cell(&table, "%" PRIu64, line->cycle);
        table_cell(&table, "%s", name);
        free(name);
        for (size_t side = 0; side < SIDES; side++) table_cell(&table, "%s", line->text[side]);
    }
    table_print(&table, stdout, 2, 0);
}

void compare_report_print(struct comparison *of) {
    for (size_t i = 0; i < HEADING_LINES; i++)
        if (of->heading[i][0] != '\0') printf("%s\n", of->heading[i]);
    for (size_t side = 0; side < SIDES; side++)
        if (of->ended_early[side] != NULL)
            printf("\nUnder %c the scenario ends early, for an event makes no sense there:\n  %s\n",
                   side == SIDE_A ? 'A' : 'B', of->ended_early[side]);
    print_measures(of);
    warn_of_unfinished(of);
    if (of->shadowed) print_shadow(of);
    if (of->n_measures > 0) print_first(of);
    print_jobs(of);
}

/* ---- JSON ---- */

static void json_number(struct json *json, const char *key, const struct measure *measure,
                        size_t side) {
    json_fixed(json, key, measure->known[side] ? measure->value[side] : NAN,
               measure->unit == MEASURE_COUNT ? 0 : 4);
}

static void json_measures(struct json *json, const struct comparison *of) {
    json_object(json, "measures", JSON_LINES);
    for (size_t i = 0; i < of->n_measures; i++) {
        json_object(json, of->measures[i].key, JSON_LINE);
        json_number(json, "a", &of->measures[i], SIDE_A);
        json_number(json, "b", &of->measures[i], SIDE_B);
        json_close(json);
    }
    json_close(json);
}

static void json_first(struct json *json, const struct comparison *of) {
    char at[TIME_TEXT_BYTES];
    if (!of->differs) {
        json_null(json, "first_difference");
        return;
    }
    json_object(json, "first_difference", JSON_LINES);
    json_string(json, "at", time_format(of->first_us, at));
    json_int(json, "at_us", of->first_us);
    json_uint(json, "jobs_differ", of->first_jobs);
    json_array(json, "jobs", JSON_LINES);
    for (size_t i = 0; i < of->n_first; i++) {
        json_object(json, NULL, JSON_LINE);
        json_string(json, "job", of->first[i].job);
        json_string(json, "a", of->first[i].text[SIDE_A]);
        json_string(json, "b", of->first[i].text[SIDE_B]);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void json_jobs(struct json *json, const struct comparison *of) {
    bool places = of->kind == TRACE_OPENB;
    json_uint(json, "jobs_compared", of->jobs_compared);
    json_uint(json, "jobs_differ", of->jobs_differ);
    if (places) json_uint(json, "elsewhere", of->elsewhere);
    json_array(json, "jobs", JSON_LINES);
    for (size_t i = 0; i < of->n_jobs; i++) {
        const struct compared_job *job = &of->jobs[i];
        json_object(json, NULL, JSON_LINE);
        json_string(json, "job", job->name);
        json_string(json, places ? "listed" : "queue", job->queue);
        json_string(json, "size", job->size);
        for (size_t side = 0; side < SIDES; side++) {
            if (places) {
                json_string(json, side == SIDE_A ? "a" : "b", job->place[side]);
                continue;
            }
            bool never = job->wait_us[side] == LSCHED_NEVER_US;
            json_fixed(json, side == SIDE_A ? "wait_s_a" : "wait_s_b",
                       never ? NAN : (double)job->wait_us[side] * 1e-6, 3);
            json_uint(json, side == SIDE_A ? "evictions_a" : "evictions_b", job->evictions[side]);
        }
        json_close(json);
    }
    json_close(json);
}

static void json_shadow(struct json *json, const struct comparison *of) {
    const struct shadow *shadow = &of->shadow;
    if (!of->shadowed) {
        json_null(json, "shadow");
        return;
    }
    json_object(json, "shadow", JSON_LINES);
    json_uint(json, "cycles", shadow->cycles);
    json_uint(json, "cycles_differ", shadow->cycles_differ);
    json_uint(json, "cycles_failed", shadow->cycles_failed);
    json_string(json, "failure", shadow->cycles_failed > 0 ? shadow->failure : NULL);
    json_uint(json, "jobs_differ", shadow->jobs_differ);
    json_uint(json, "decisions_a", shadow->decisions[SIDE_A]);
    json_uint(json, "decisions_b", shadow->decisions[SIDE_B]);
    json_object(json, "differences", JSON_LINE);
    for (size_t i = 0; i < ROW_DIFFERENCES; i++)
        json_uint(json, difference_keys[i], shadow->differences[i]);
    json_close(json);
    json_array(json, "first", JSON_LINES);
    for (size_t i = 0; i < shadow->n_shown; i++) {
        const struct shadow_difference *line = &shadow->shown[i];
        char *name = comparison_job_name(of, line->job);
        json_object(json, NULL, JSON_LINE);
        json_int(json, "at_us", line->now_us);
        json_uint(json, "cycle", line->cycle);
        json_string(json, "job", name);
        free(name);
        json_string(json, "what", difference_keys[line->what]);
        json_string(json, "a", line->text[SIDE_A]);
        json_string(json, "b", line->text[SIDE_B]);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void json_side(struct json *json, const struct comparison *of, size_t side) {
    json_object(json, side == SIDE_A ? "a" : "b", JSON_LINE);
    json_string(json, "policy", of->policies[side].word);
    json_uint(json, "cycles", of->cycles[side]);
    json_hash(json, "plans_hash", of->plans_hash[side]);
    json_string(json, "ended_early", of->ended_early[side]);
    json_close(json);
}

void compare_report_json(struct comparison *of) {
    struct json json;
    json_begin_object(&json, stdout);
    json_string(&json, "trace", of->file.name);
    json_string(&json, "trace_kind", trace_names[of->kind]);
    if (of->kind == TRACE_SWF) {
        json_uint(&json, "jobs_never_ran", of->never_ran);
        json_uint(&json, "jobs_with_repeated_number", of->repeated);
    }
    for (size_t side = 0; side < SIDES; side++) json_side(&json, of, side);
    json_measures(&json, of);
    json_first(&json, of);
    json_jobs(&json, of);
    json_shadow(&json, of);
    json_end(&json);
}
