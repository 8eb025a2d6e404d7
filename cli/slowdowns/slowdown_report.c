/* slowdown_report.c -- see slowdown_report.h. */
#include "cli/slowdowns/slowdown_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/json_writer.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"

enum { THOUSAND = 1000, NUMBER_BYTES = 32, REMARK_BYTES = 128 };

static const lsched_forecast_slowdown *pair_of(const struct slowdown_report *r, size_t kind,
                                               size_t beside) {
    return &r->table[kind * r->rows->kinds.n + beside];
}

static bool is_known(const lsched_forecast_slowdown *pair) {
    return (pair->flags & LSCHED_SLOWDOWN_UNKNOWN) == 0;
}

/* True if a number of the table is about the kind. */
static bool has_number(const struct slowdown_report *r, size_t kind) {
    for (size_t other = 0; other < r->rows->kinds.n; other++)
        if (is_known(pair_of(r, kind, other)) || is_known(pair_of(r, other, kind))) return true;
    return false;
}

/* Counts the pairs without a number of the kinds that have one. */
static size_t count_unknown(const struct slowdown_report *r) {
    size_t n = 0, kinds = r->rows->kinds.n;
    for (size_t a = 0; a < kinds; a++)
        for (size_t b = 0; b < kinds; b++)
            n += has_number(r, a) && has_number(r, b) && !is_known(pair_of(r, a, b));
    return n;
}

/* ---- Lua ---- */

/* True if the name can stand in front of '=' as it is: a word of Lua that is no keyword. */
static bool is_lua_name(lsched_text name) {
    static const char *const keywords[] = {"and",   "break", "do",       "else", "elseif", "end",
                                           "false", "for",   "function", "goto", "if",     "in",
                                           "local", "nil",   "not",      "or",   "repeat", "return",
                                           "then",  "true",  "until",    "while"};
    for (uint64_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strlen(keywords[i]) == name.len && memcmp(keywords[i], name.ptr, name.len) == 0)
            return false;
    return true;
}

static void put_lua_name(FILE *out, lsched_text name) {
    if (is_lua_name(name)) {
        fprintf(out, "%.*s", (int)name.len, name.ptr);
        return;
    }
    fputs("[\"", out);
    for (uint64_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 127)
            fprintf(out, "\\%03d", c);
        else
            fputc(c, out);
    }
    fputs("\"]", out);
}

/* Writes a slow-down, in thousandths, rounded up, without zeros at its end. */
static const char *number_text(double slowdown, char text[NUMBER_BYTES]) {
    int64_t milli = (int64_t)(slowdown * THOUSAND);
    if ((double)milli < slowdown * THOUSAND - 1e-6) milli++;
    char digits[NUMBER_TEXT_BYTES];
    snprintf(text, NUMBER_BYTES, "%s", milli_text(milli, digits));
    return text;
}

static void put_lua(FILE *out, const struct slowdown_report *r) {
    const struct name_table *kinds = &r->rows->kinds;
    size_t unknown = count_unknown(r);
    char text[NUMBER_BYTES];
    fputs("slowdown = {\n", out);
    if (unknown > 0)
        fprintf(out, "    -- %zu pair%s no number; a policy reads %s as 1.0\n", unknown,
                unknown == 1 ? " has" : "s have", unknown == 1 ? "it" : "them");
    for (size_t a = 0; a < kinds->n; a++) {
        const char *comma = " ";
        if (!has_number(r, a)) continue;
        fputs("    ", out);
        put_lua_name(out, kinds->names[a]);
        fputs(" = {", out);
        for (size_t b = 0; b < kinds->n; b++) {
            if (!is_known(pair_of(r, a, b))) continue;
            fputs(comma, out);
            put_lua_name(out, kinds->names[b]);
            fprintf(out, " = %s", number_text(pair_of(r, a, b)->slowdown, text));
            comma = ", ";
        }
        fputs(*comma == ' ' ? "},\n" : " },\n", out);
    }
    fputs("}\n", out);
}

/* ---- text ---- */

/* Writes what a reader should know of the number. */
static const char *remark_of(const lsched_forecast_slowdown *pair, char text[REMARK_BYTES]) {
    static const struct {
        uint32_t flag;
        const char *says;
    } remarks[] = {{LSCHED_SLOWDOWN_UNKNOWN, "no job to compare"},
                   {LSCHED_SLOWDOWN_FEW, "few jobs"},
                   {LSCHED_SLOWDOWN_INDIRECT, "no job ran alone"},
                   {LSCHED_SLOWDOWN_CUT, "above 60, the most that a table can say"}};
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++)
        if (pair->flags & remarks[i].flag)
            at += (size_t)snprintf(text + at, REMARK_BYTES - at, "%s%s", at > 0 ? "; " : "",
                                   remarks[i].says);
    return text;
}

void slowdown_report_text(const struct slowdown_report *r) {
    const struct name_table *kinds = &r->rows->kinds;
    struct text_table table;
    char text[NUMBER_BYTES], remark[REMARK_BYTES];
    printf("%" PRIu64 " row%s of %zu job%s and %zu kind%s; left out: %" PRIu64
           " with several neighbours, %" PRIu64 " in which the job stood still; %" PRIu64
           " measurement%s too short\n\n",
           r->rows->rows, plural(r->rows->rows), r->rows->jobs.n, plural(r->rows->jobs.n), kinds->n,
           plural(kinds->n), r->rows->crowded, r->summary->stalled, r->summary->brief,
           r->summary->brief == 1 ? " was" : "s were");
    table_begin(&table, "llrrrrl");
    TABLE_WORDS(&table, "kind", "beside", "slow-down", "jobs", "lower quarter", "upper quarter",
                "remark");
    for (size_t a = 0; a < kinds->n; a++) {
        for (size_t b = 0; b < kinds->n; b++) {
            const lsched_forecast_slowdown *pair = pair_of(r, a, b);
            table_cell(&table, "%.*s", (int)kinds->names[a].len, kinds->names[a].ptr);
            table_cell(&table, "%.*s", (int)kinds->names[b].len, kinds->names[b].ptr);
            table_cell(&table, "%s", is_known(pair) ? number_text(pair->slowdown, text) : "-");
            table_cell(&table, "%" PRIu32, pair->jobs);
            if (is_known(pair)) {
                table_cell(&table, "%.3f", pair->low);
                table_cell(&table, "%.3f", pair->high);
            } else {
                TABLE_WORDS(&table, "-", "-");
            }
            table_cell(&table, "%s", remark_of(pair, remark));
        }
    }
    table_print(&table, stdout, 0, 0);
    printf("\nFor the table `contention` of a policy:\n\n");
    put_lua(stdout, r);
}

/* ---- JSON ---- */

static void json_pair(struct json *json, const struct slowdown_report *r, size_t a, size_t b) {
    const lsched_forecast_slowdown *pair = pair_of(r, a, b);
    lsched_text kind = r->rows->kinds.names[a], beside = r->rows->kinds.names[b];
    json_object(json, NULL, JSON_LINE);
    json_text(json, "kind", kind.ptr, (size_t)kind.len);
    json_text(json, "beside", beside.ptr, (size_t)beside.len);
    json_known(json, "slowdown", is_known(pair), pair->slowdown, 6);
    json_uint(json, "jobs", pair->jobs);
    json_known(json, "low", is_known(pair), pair->low, 6);
    json_known(json, "high", is_known(pair), pair->high, 6);
    json_bool(json, "few", (pair->flags & LSCHED_SLOWDOWN_FEW) != 0);
    json_bool(json, "indirect", (pair->flags & LSCHED_SLOWDOWN_INDIRECT) != 0);
    json_bool(json, "cut", (pair->flags & LSCHED_SLOWDOWN_CUT) != 0);
    json_close(json);
}

void slowdown_report_json(const struct slowdown_report *r) {
    struct json json;
    size_t n = r->rows->kinds.n;
    json_begin_object(&json, stdout);
    json_uint(&json, "rows", r->rows->rows);
    json_uint(&json, "jobs", r->rows->jobs.n);
    json_uint(&json, "crowded", r->rows->crowded);
    json_uint(&json, "stalled", r->summary->stalled);
    json_uint(&json, "brief", r->summary->brief);
    json_fixed(&json, "quantile", (double)r->quantile_ppm / 1e6, 6);
    json_array(&json, "pairs", JSON_LINES);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) json_pair(&json, r, a, b);
    json_close(&json);
    json_end(&json);
}
