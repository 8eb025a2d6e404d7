/* advise_report.c -- see advise_report.h. */
#include "cli/advise/advise_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advise/money.h"
#include "cli/advise/node_bounds.h"
#include "cli/support/name_list.h"
#include "cli/support/number_text.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

enum { NAMES_SHOWN = 6, MODELS_MAX = 64, MONEY_TEXT_BYTES = 32 };
#define SECOND_US 1000000.0

static const char *money_format(int64_t micro, char out[MONEY_TEXT_BYTES]) {
    int64_t cents = (micro < 0 ? -micro : micro) / 10000;
    snprintf(out, MONEY_TEXT_BYTES, "%s%" PRId64 ".%02" PRId64, micro < 0 ? "-" : "", cents / 100,
             cents % 100);
    return out;
}

static const char *wait_format(int64_t span_us, char out[TIME_TEXT_BYTES]) {
    if (span_us == LSCHED_NEVER_US) return "never";
    return span_short((double)span_us / SECOND_US, out);
}

static size_t count_drained(const struct node_trials *trials, const struct node_advice *advice) {
    size_t n = 0;
    for (size_t i = 0; advice->change.drained != NULL && i < trials->n_own; i++)
        n += advice->change.drained[i];
    return n;
}

static size_t count_added(const struct node_trials *trials, const struct node_advice *advice) {
    size_t n = 0;
    for (size_t t = 0; trials->catalogue != NULL && t < trials->catalogue->n_types; t++)
        n += advice->change.counts[t];
    return n;
}

/* ---- energy ---- */

struct model_power {
    const char *model;
    size_t nodes, idle;
    int64_t milliwatt, idle_milliwatt, idle_micro; /* sums; idle_micro: per hour */
};

/* The power of the nodes by model. Nodes of further models beyond the bound are left out. */
static size_t model_powers(const struct node_trials *trials, struct model_power out[MODELS_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < trials->n_own; i++) {
        const struct own_node *node = &trials->own[i];
        size_t at = 0;
        if (node->power_milliwatt == 0) continue;
        while (at < n && strcmp(out[at].model, node->model) != 0) at++;
        if (at == MODELS_MAX) continue;
        if (at == n) out[n++] = (struct model_power){.model = node->model};
        out[at].nodes++;
        out[at].milliwatt = money_add(out[at].milliwatt, node->power_milliwatt);
        if (node->used) continue;
        out[at].idle++;
        out[at].idle_milliwatt = money_add(out[at].idle_milliwatt, node->power_milliwatt);
        out[at].idle_micro = money_add(
            out[at].idle_micro, money_of_power(node->power_milliwatt, trials->opts.energy_micro));
    }
    return n;
}

/* ---- what was assumed ---- */

enum { ASSUMED_MAX = 8, ASSUMED_BYTES = 256 };

static size_t assumed(const struct node_trials *trials, char out[ASSUMED_MAX][ASSUMED_BYTES]) {
    size_t n = 0;
    char a[TIME_TEXT_BYTES], b[TIME_TEXT_BYTES], m[MONEY_TEXT_BYTES];
    snprintf(out[n++], ASSUMED_BYTES,
             "No job arrives later, and the events of the scenario do not happen.");
    snprintf(out[n++], ASSUMED_BYTES,
             "A run takes its duration, or else its time limit; %zu of %zu jobs have neither, and "
             "never end.",
             trials->n_unknown, trials->n_jobs);
    snprintf(out[n++], ASSUMED_BYTES,
             "A run that has lasted longer than that already ends at once, and tasks that were "
             "asked to stop are gone now.");
    snprintf(out[n++], ASSUMED_BYTES, "An hour in which a job waits costs %s.",
             money_format(trials->opts.value_micro, m));
    snprintf(out[n++], ASSUMED_BYTES,
             "An added node is paid from now until its last work ends, and for at least %s.",
             span_format(trials->opts.hold_us, a));
    snprintf(out[n++], ASSUMED_BYTES,
             "A drained node saves its price from the time at which it is empty until %s from now.",
             span_format(trials->period_us, a));
    snprintf(out[n++], ASSUMED_BYTES,
             "A kWh costs %s. Plays end after %s; what has not started then never starts.",
             money_format(trials->opts.energy_micro, m), span_format(trials->opts.horizon_us, b));
    return n;
}

/* ---- text ---- */

static void text_row(struct text_table *table, const char *what,
                     const struct node_figures *figures) {
    char p50[TIME_TEXT_BYTES], p95[TIME_TEXT_BYTES], most[TIME_TEXT_BYTES];
    char wait[MONEY_TEXT_BYTES], added[MONEY_TEXT_BYTES], saved[MONEY_TEXT_BYTES],
        total[MONEY_TEXT_BYTES];
    TABLE_WORDS(table, what, wait_format(figures->wait_p50_us, p50),
                wait_format(figures->wait_p95_us, p95), wait_format(figures->wait_max_us, most));
    table_cell(table, "%zu", figures->never);
    TABLE_WORDS(
        table, money_format(figures->wait_micro, wait), money_format(figures->added_micro, added),
        money_format(figures->saved_micro, saved), money_format(figures->total_micro, total));
}

static char *names_of(const struct node_trials *trials, const struct node_advice *advice,
                      size_t pieces) {
    lsched_text *names = must_alloc((trials->n_own + 1) * sizeof names[0]);
    size_t n = 0;
    for (size_t i = 0; i < trials->n_own; i++)
        if (advice->change.drained[i]) names[n++] = trials->own[i].name;
    char *text = name_list(names, n, pieces);
    free(names);
    return text;
}

static void text_added(const struct node_trials *trials, const struct node_advice *advice) {
    char before[TIME_TEXT_BYTES], after[TIME_TEXT_BYTES], price[MONEY_TEXT_BYTES],
        less[MONEY_TEXT_BYTES], boot[TIME_TEXT_BYTES];
    for (size_t t = 0; trials->catalogue != NULL && t < trials->catalogue->n_types; t++) {
        const struct node_type *type = &trials->catalogue->types[t];
        if (advice->change.counts[t] == 0) continue;
        printf("Add %zu of %zu '%.*s', at %s per hour each", advice->change.counts[t], type->n,
               (int)type->name.len, type->name.ptr,
               money_format(trials->catalogue->offers[type->first].price_micro, price));
        if (type->boot_us > 0) printf(", ready after %s", span_format(type->boot_us, boot));
        if (type->life_us > 0) printf(", lost after %s", span_format(type->life_us, boot));
        printf(".\n");
    }
    if (count_added(trials, advice) == 0) {
        printf("Add no node: %s.\n",
               trials->n_waiting == 0 ? "no job waits"
               : trials->catalogue == NULL
                   ? "no catalogue was given"
                   : "no number of nodes of the catalogue saves what it costs");
        return;
    }
    printf("p95 wait %s -> %s; the nodes cost %s, and waiting costs %s less.\n",
           wait_format(trials->base.wait_p95_us, before),
           wait_format(advice->added.wait_p95_us, after),
           money_format(advice->added.added_micro, price),
           money_format(trials->base.wait_micro - advice->added.wait_micro, less));
}

static void text_drained(const struct node_trials *trials, const struct node_advice *advice) {
    char saved[MONEY_TEXT_BYTES], more[MONEY_TEXT_BYTES];
    if (count_drained(trials, advice) == 0) {
        printf("Drain no node.\n");
        return;
    }
    char *names = names_of(trials, advice, NAMES_SHOWN);
    printf("Drain %zu: %s. That saves %s, and waiting costs %s more; %" PRIu64
           " job%s stopped on the way.\n",
           count_drained(trials, advice), names, money_format(advice->all.saved_micro, saved),
           money_format(advice->all.wait_micro - advice->added.wait_micro, more),
           advice->all.evicted_jobs, plural(advice->all.evicted_jobs));
    free(names);
}

static void text_bounds(const struct node_bounds *bounds) {
    char at[TIME_TEXT_BYTES];
    for (size_t g = 0; bounds != NULL && g < bounds->names.n; g++) {
        const struct node_group *group = &bounds->groups[g];
        lsched_text name = bounds->names.names[g];
        if (!group->no_fall) continue;
        printf("'%.*s': the advice changed %s the last 24 hours, the last time at %s: %s.\n",
               (int)name.len, name.ptr, group->no_rise ? "twice in" : "in",
               time_format(group->changed_us[0], at),
               group->no_rise ? "it stays as it is" : "the number of nodes does not fall");
    }
}

static void text_energy(const struct node_trials *trials) {
    struct model_power models[MODELS_MAX];
    struct text_table table;
    char money[MONEY_TEXT_BYTES];
    size_t n = model_powers(trials, models);
    if (n == 0) return;
    printf("\nPower of the nodes (idle: no work now, and none in the play):\n");
    table_begin(&table, "lrrrrr");
    TABLE_WORDS(&table, "model", "nodes", "kW", "idle", "kW", "cost of idle per hour");
    for (size_t i = 0; i < n; i++) {
        table_cell(&table, "%s", models[i].model);
        table_cell(&table, "%zu", models[i].nodes);
        table_cell(&table, "%.2f", (double)models[i].milliwatt / 1e6);
        table_cell(&table, "%zu", models[i].idle);
        table_cell(&table, "%.2f", (double)models[i].idle_milliwatt / 1e6);
        table_cell(&table, "%s", money_format(models[i].idle_micro, money));
    }
    table_print(&table, stdout, 2, 0);
}

void advise_report_text(const struct node_trials *trials, const struct node_advice *advice,
                        const char *file, const struct advise_more *more) {
    struct text_table table;
    char lines[ASSUMED_MAX][ASSUMED_BYTES];
    printf("%s: %zu job%s waiting, %zu node%s\n\n", file, trials->n_waiting,
           plural(trials->n_waiting), trials->n_own, plural(trials->n_own));
    text_added(trials, advice);
    text_drained(trials, advice);
    text_bounds(trials->bounds);
    printf("\n");
    table_begin(&table, "lrrrrrrrr");
    TABLE_WORDS(&table, "nodes", "p50 wait", "p95 wait", "longest", "never", "waiting", "added",
                "saved", "price");
    text_row(&table, "as they are", &trials->base);
    if (count_added(trials, advice) > 0) text_row(&table, "with those added", &advice->added);
    if (count_drained(trials, advice) > 0) text_row(&table, "and those drained", &advice->all);
    table_print(&table, stdout, 2, 0);
    text_energy(trials);
    if (more != NULL) more->text(more->advice);
    printf("\nAssumed:\n");
    size_t n = assumed(trials, lines);
    for (size_t i = 0; i < n; i++) {
        printf("  - ");
        print_wrapped(stdout, lines[i], 4, 4, 100);
        printf("\n");
    }
    printf("%" PRIu64 " trial%s, %" PRIu64 " of %" PRIu64 " units of work%s\n", trials->trials,
           plural(trials->trials), trials->work, trials->opts.budget,
           trials->stopped ? ": the budget is spent, and this is the best that was tried" : "");
    if (trials->endless > 0)
        printf("%" PRIu64 " trial%s reached the limit of %d cycles, and did not count\n",
               trials->endless, plural(trials->endless), CLUSTER_PLAY_CYCLES_MAX);
}

/* ---- JSON ---- */

static void json_money(struct json *json, const char *key, int64_t micro) {
    json_fixed(json, key, (double)micro / 1e6, 6);
}

static void json_wait(struct json *json, const char *key, int64_t span_us) {
    if (span_us == LSCHED_NEVER_US)
        json_null(json, key);
    else
        json_fixed(json, key, (double)span_us / SECOND_US, 6);
}

static void json_figures(struct json *json, const char *key, const struct node_figures *figures) {
    json_object(json, key, JSON_LINE);
    json_wait(json, "wait_p50", figures->wait_p50_us);
    json_wait(json, "wait_p95", figures->wait_p95_us);
    json_wait(json, "wait_max", figures->wait_max_us);
    json_uint(json, "never", figures->never);
    json_uint(json, "evicted", figures->evicted_jobs);
    json_money(json, "waiting", figures->wait_micro);
    json_money(json, "added", figures->added_micro);
    json_money(json, "saved", figures->saved_micro);
    json_money(json, "price", figures->total_micro);
    json_close(json);
}

static void json_added(struct json *json, const struct node_trials *trials,
                       const struct node_advice *advice) {
    json_array(json, "add", JSON_LINES);
    for (size_t t = 0; trials->catalogue != NULL && t < trials->catalogue->n_types; t++) {
        const struct node_type *type = &trials->catalogue->types[t];
        const struct node_offer *first = &trials->catalogue->offers[type->first];
        if (advice->change.counts[t] == 0) continue;
        json_object(json, NULL, JSON_LINE);
        json_text(json, "type", type->name.ptr, type->name.len);
        json_uint(json, "count", advice->change.counts[t]);
        json_uint(json, "of", type->n);
        json_money(json, "price_per_hour", first->price_micro);
        json_fixed(json, "boot", (double)type->boot_us / SECOND_US, 6);
        if (type->life_us > 0)
            json_fixed(json, "life", (double)type->life_us / SECOND_US, 6);
        else
            json_null(json, "life");
        json_array(json, "names", JSON_LINE);
        for (size_t i = 0; i < advice->change.counts[t]; i++)
            json_text(json, NULL, first[i].name.ptr, first[i].name.len);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void json_drained(struct json *json, const struct node_trials *trials,
                         const struct node_advice *advice) {
    json_array(json, "drain", JSON_LINES);
    for (size_t i = 0; advice->change.drained != NULL && i < trials->n_own; i++) {
        const struct own_node *node = &trials->own[i];
        if (!advice->change.drained[i]) continue;
        json_object(json, NULL, JSON_LINE);
        json_text(json, "name", node->name.ptr, node->name.len);
        json_string(json, "model", node->model);
        json_uint(json, "tasks", node->info.n_tasks);
        json_money(json, "per_hour", node->rate_micro);
        json_close(json);
    }
    json_close(json);
}

static void json_bounds(struct json *json, const struct node_bounds *bounds) {
    char at[TIME_TEXT_BYTES];
    json_array(json, "bound", JSON_LINES);
    for (size_t g = 0; g < bounds->names.n; g++) {
        const struct node_group *group = &bounds->groups[g];
        if (!group->no_fall) continue;
        json_object(json, NULL, JSON_LINE);
        json_text(json, "group", bounds->names.names[g].ptr, bounds->names.names[g].len);
        json_string(json, "since", time_format(group->changed_us[0], at));
        json_string(json, "rule", group->no_rise ? "stays" : "does not fall");
        json_close(json);
    }
    json_close(json);
}

static void json_energy(struct json *json, const struct node_trials *trials) {
    struct model_power models[MODELS_MAX];
    size_t n = model_powers(trials, models);
    json_array(json, "energy", JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        json_object(json, NULL, JSON_LINE);
        json_string(json, "model", models[i].model);
        json_uint(json, "nodes", models[i].nodes);
        json_fixed(json, "watts", (double)models[i].milliwatt / 1e3, 3);
        json_uint(json, "idle_nodes", models[i].idle);
        json_fixed(json, "idle_watts", (double)models[i].idle_milliwatt / 1e3, 3);
        json_money(json, "idle_cost_per_hour", models[i].idle_micro);
        json_close(json);
    }
    json_close(json);
}

void advise_report_json(const struct node_trials *trials, const struct node_advice *advice,
                        const char *file, const struct advise_more *more) {
    struct json json;
    char lines[ASSUMED_MAX][ASSUMED_BYTES];
    json_begin_object(&json, stdout);
    json_string(&json, "file", file);
    json_uint(&json, "waiting_jobs", trials->n_waiting);
    json_object(&json, "nodes", JSON_LINES);
    json_added(&json, trials, advice);
    json_drained(&json, trials, advice);
    if (trials->bounds != NULL) json_bounds(&json, trials->bounds);
    json_figures(&json, "before", &trials->base);
    json_figures(&json, "with_added", &advice->added);
    json_figures(&json, "with_all", &advice->all);
    json_energy(&json, trials);
    json_close(&json);
    if (more != NULL) more->json(more->advice, &json);
    json_array(&json, "assumed", JSON_LINES);
    size_t n = assumed(trials, lines);
    for (size_t i = 0; i < n; i++) json_string(&json, NULL, lines[i]);
    json_close(&json);
    json_uint(&json, "trials", trials->trials);
    json_uint(&json, "endless_trials", trials->endless);
    json_uint(&json, "work", trials->work);
    json_uint(&json, "budget", trials->opts.budget);
    json_bool(&json, "stopped", trials->stopped);
    json_end(&json);
}
