/* advice_state.c -- see advice_state.h. */
#define _POSIX_C_SOURCE 200809L /* needed for open_memstream */

#include "cli/sizing/advice_state.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/text_hash.h"

#define STATE_FORMAT    "lsched-advice,2"
#define STATE_BEFORE    "lsched-advice,1" /* without nodes */
#define STATE_TIME_MAX  ((int64_t)1 << 61)
#define STATE_PRICE_MAX ((int64_t)1 << 61)

/* ---- in memory ---- */

void advice_state_begin(struct advice_state *state) {
    *state = (struct advice_state){.at_us = LSCHED_NEVER_US, .nodes = {.at_us = LSCHED_NEVER_US}};
}

void kept_nodes_free(struct kept_nodes *nodes) {
    name_table_free(&nodes->groups);
    name_table_free(&nodes->added);
    name_table_free(&nodes->drained);
    free(nodes->changed_us);
    free(nodes->price_micro);
    *nodes = (struct kept_nodes){.at_us = LSCHED_NEVER_US};
}

void kept_nodes_put(struct kept_nodes *nodes, lsched_text group, const int64_t changed_us[2]) {
    uint32_t i = name_table_add(&nodes->groups, group);
    nodes->changed_us =
        must_grow(nodes->changed_us, i, &nodes->capacity, sizeof nodes->changed_us[0]);
    memcpy(nodes->changed_us[i], changed_us, sizeof nodes->changed_us[0]);
}

void kept_nodes_add(struct kept_nodes *nodes, lsched_text node, int64_t price_micro) {
    uint32_t i = name_table_add(&nodes->added, node);
    nodes->price_micro =
        must_grow(nodes->price_micro, i, &nodes->price_capacity, sizeof nodes->price_micro[0]);
    nodes->price_micro[i] = price_micro;
}

void advice_state_free(struct advice_state *state) {
    kept_nodes_free(&state->nodes);
    name_table_free(&state->jobs);
    free(state->kept);
    advice_state_begin(state);
}

const struct kept_advice *advice_state_find(const struct advice_state *state, lsched_text job) {
    uint32_t i = name_table_find(&state->jobs, job);
    return i != UINT32_MAX ? &state->kept[i] : NULL;
}

void advice_state_put(struct advice_state *state, lsched_text job, const struct kept_advice *kept) {
    uint32_t i = name_table_add(&state->jobs, job);
    state->kept = must_grow(state->kept, i, &state->capacity, sizeof state->kept[0]);
    state->kept[i] = *kept;
}

/* ---- reading ---- */

/* A position in the text. `line` and `column` are those of the field that was read last. */
struct state_scan {
    const char *at, *end, *from;
    uint32_t line;
    lsched_error *err;
};

static int32_t state_error(const struct state_scan *s, const char *expected) {
    return error_at(s->err, LSCHED_E_SYNTAX, s->line, (uint32_t)(s->at - s->from) + 1,
                    "expected %s; to begin anew, remove the file", expected);
}

/* Goes to the next line. */
static int32_t state_line(struct state_scan *s) {
    if (s->line > 0) s->at++; /* the newline, which the last field has found */
    s->from = s->at;
    s->line++;
    if (s->at == s->end || memchr(s->at, '\n', (size_t)(s->end - s->at)) == NULL)
        return state_error(s, "a line that ends with a newline, and 'end' in the last line");
    return LSCHED_OK;
}

/* Length of the field here, which ends at a comma or at the end of the line. */
static size_t state_field(const struct state_scan *s) {
    const char *to = s->at;
    while (*to != ',' && *to != '\n') to++;
    return (size_t)(to - s->at);
}

/* Goes behind a field of `len` bytes. last: it must be the last one of its line. */
static int32_t state_pass(struct state_scan *s, size_t len, bool last) {
    s->at += len;
    if ((*s->at == '\n') != last) return state_error(s, last ? "the end of the line" : "a comma");
    if (!last) s->at++;
    return LSCHED_OK;
}

/* True if the field here is this word. */
static bool state_begins(const struct state_scan *s, const char *word) {
    size_t len = strlen(word);
    return state_field(s) == len && memcmp(s->at, word, len) == 0;
}

static int32_t state_word(struct state_scan *s, const char *word, bool last) {
    char expected[ADVICE_STATE_TEXT];
    size_t len = strlen(word);
    snprintf(expected, sizeof expected, "'%s'", word);
    if (state_field(s) != len || memcmp(s->at, word, len) != 0) return state_error(s, expected);
    return state_pass(s, len, last);
}

/* True if a text has this byte as %XX. */
static bool state_is_coded(unsigned char byte) {
    return byte <= ' ' || byte == 0x7f || byte == ',' || byte == '%' || byte == '"';
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte that %XX stands for at this place; -1 if it is none that must be written so. */
static int coded_byte(const char *at, size_t left) {
    int high = left > 2 ? hex_digit(at[1]) : -1, low = left > 2 ? hex_digit(at[2]) : -1;
    int byte = high < 0 || low < 0 ? -1 : high * 16 + low;
    return byte > 0 && state_is_coded((unsigned char)byte) ? byte : -1;
}

/* Reads a text of 1 to `capacity` - 1 bytes. */
static int32_t state_text(struct state_scan *s, char *out, size_t capacity, bool last) {
    size_t len = state_field(s), n = 0;
    bool good = len > 0;
    for (size_t i = 0; i < len && good; i++) {
        bool coded = s->at[i] == '%';
        int byte = coded ? coded_byte(s->at + i, len - i) : (unsigned char)s->at[i];
        good = n + 1 < capacity && byte > 0 && (coded || !state_is_coded((unsigned char)byte));
        if (good) out[n++] = (char)byte;
        i += coded ? 2 : 0;
    }
    out[n] = '\0';
    return good ? state_pass(s, len, last) : state_error(s, "a text, with %2C for a comma");
}

static int32_t state_number(struct state_scan *s, int64_t most, bool last, int64_t *out) {
    size_t len = state_field(s);
    bool good = len > 0 && len < 20 && (len == 1 || s->at[0] != '0');
    *out = 0;
    for (size_t i = 0; i < len && good; i++) {
        int digit = s->at[i] - '0';
        good = digit >= 0 && digit <= 9 && digit <= most && *out <= (most - digit) / 10;
        if (good) *out = *out * 10 + digit;
    }
    return good ? state_pass(s, len, last) : state_error(s, "a number in its range");
}

/* Reads two times, the later first, each of them at most `at_us`, or `-`. */
static int32_t state_times(struct state_scan *s, int64_t at_us, bool last, int64_t out[2]) {
    int32_t rc = LSCHED_OK;
    for (int i = 0; i < 2 && rc == LSCHED_OK; i++) {
        bool ends = last && i == 1;
        if (state_field(s) == 1 && s->at[0] == '-') {
            out[i] = LSCHED_NEVER_US;
            rc = state_pass(s, 1, ends);
        } else if (i == 1 && out[0] == LSCHED_NEVER_US) {
            rc = state_error(s, "'-', because there was no later change");
        } else {
            rc = state_number(s, i == 0 ? at_us : out[0], ends, &out[i]);
        }
    }
    return rc;
}

/* Reads a time or `-` at the end of a line. */
static int32_t state_time(struct state_scan *s, int64_t *out) {
    *out = LSCHED_NEVER_US;
    if (state_field(s) == 1 && s->at[0] == '-') return state_pass(s, 1, true);
    return state_number(s, STATE_TIME_MAX, true, out);
}

static int32_t state_mode(struct state_scan *s, uint32_t *mode) {
    size_t len = state_field(s);
    for (*mode = 0; *mode < LSCHED_MODES; ++*mode) {
        const char *word = lsched_forecast_mode_name(*mode);
        if (strlen(word) == len && memcmp(word, s->at, len) == 0) return state_pass(s, len, false);
    }
    return state_error(s, "a mode");
}

static int32_t state_kind(struct state_scan *s, char *out, size_t capacity) {
    if (state_begins(s, "profile") || state_begins(s, "share") || state_begins(s, "memory"))
        return state_text(s, out, capacity, false);
    return state_error(s, "profile, share or memory");
}

/* Reads a name, which must come after the latest one of the table. */
static int32_t state_name(struct state_scan *s, const struct name_table *table,
                          char out[LSCHED_NAME_BYTES_MAX + 1], bool last) {
    char before[LSCHED_NAME_BYTES_MAX + 1] = "";
    size_t n = table->n;
    if (n > 0) memcpy(before, table->names[n - 1].ptr, (size_t)table->names[n - 1].len);
    if (n > 0) before[table->names[n - 1].len] = '\0';
    int32_t rc = state_text(s, out, LSCHED_NAME_BYTES_MAX + 1, last);
    if (rc == LSCHED_OK && n > 0 && strcmp(before, out) >= 0)
        rc = state_error(s, "the lines of one kind in the order of their names, each name once");
    return rc;
}

static int32_t state_job(struct state_scan *s, struct advice_state *out) {
    char job[LSCHED_NAME_BYTES_MAX + 1];
    struct kept_advice kept = {.mode = 0};
    int64_t demand = 0;
    int32_t rc = state_name(s, &out->jobs, job, false);
    if (rc == LSCHED_OK) rc = state_text(s, kept.device, sizeof kept.device, false);
    if (rc == LSCHED_OK) rc = state_kind(s, kept.kind, sizeof kept.kind);
    if (rc == LSCHED_OK) rc = state_text(s, kept.had, sizeof kept.had, false);
    if (rc == LSCHED_OK) rc = state_text(s, kept.size, sizeof kept.size, false);
    if (rc == LSCHED_OK) rc = state_text(s, kept.before, sizeof kept.before, false);
    if (strcmp(kept.before, "-") == 0) kept.before[0] = '\0';
    if (rc == LSCHED_OK) rc = state_times(s, out->at_us, false, kept.changed_us);
    if (rc == LSCHED_OK) rc = state_mode(s, &kept.mode);
    if (rc == LSCHED_OK) rc = state_number(s, ADVICE_DEMAND_MAX, false, &demand);
    if (rc == LSCHED_OK) rc = state_times(s, out->at_us, true, kept.mode_us);
    kept.demand = (uint32_t)demand;
    if (rc == LSCHED_OK) advice_state_put(out, (lsched_text){job, strlen(job)}, &kept);
    return rc;
}

static int32_t state_group(struct state_scan *s, struct kept_nodes *out) {
    char name[LSCHED_NAME_BYTES_MAX + 1];
    int64_t changed_us[2];
    int32_t rc = state_name(s, &out->groups, name, false);
    if (rc == LSCHED_OK && state_begins(s, "-")) rc = state_error(s, "the time of a change");
    if (rc == LSCHED_OK) rc = state_times(s, out->at_us, true, changed_us);
    if (rc == LSCHED_OK) kept_nodes_put(out, (lsched_text){name, strlen(name)}, changed_us);
    return rc;
}

/* Reads the rest of the line of a node to add. */
static int32_t state_added(struct state_scan *s, struct kept_nodes *out) {
    char name[LSCHED_NAME_BYTES_MAX + 1];
    int64_t price_micro = -1;
    bool priced = s->at[state_field(s)] == ',';
    int32_t rc = state_name(s, &out->added, name, !priced);
    if (rc == LSCHED_OK && priced) rc = state_number(s, STATE_PRICE_MAX, true, &price_micro);
    if (rc == LSCHED_OK) kept_nodes_add(out, (lsched_text){name, strlen(name)}, price_micro);
    return rc;
}

/* Reads the rest of the line of a node to drain. */
static int32_t state_drained(struct state_scan *s, struct kept_nodes *out) {
    char name[LSCHED_NAME_BYTES_MAX + 1];
    int32_t rc = state_name(s, &out->drained, name, true);
    if (rc == LSCHED_OK) name_table_add(&out->drained, (lsched_text){name, strlen(name)});
    return rc;
}

/* Reads the lines about nodes, and stops before the first other line. */
static int32_t state_nodes(struct state_scan *s, struct kept_nodes *out) {
    int32_t rc = state_line(s);
    if (rc == LSCHED_OK) rc = state_word(s, "nodes-at", false);
    if (rc == LSCHED_OK) rc = state_time(s, &out->at_us);
    if (rc == LSCHED_OK) rc = state_line(s);
    while (rc == LSCHED_OK && out->at_us != LSCHED_NEVER_US && state_begins(s, "group")) {
        rc = state_word(s, "group", false);
        if (rc == LSCHED_OK) rc = state_group(s, out);
        if (rc == LSCHED_OK) rc = state_line(s);
    }
    for (int drained = 0; drained < 2; drained++) {
        const char *word = drained ? "drain" : "add";
        while (rc == LSCHED_OK && out->at_us != LSCHED_NEVER_US && state_begins(s, word)) {
            rc = state_word(s, word, false);
            if (rc == LSCHED_OK) rc = (drained ? state_drained : state_added)(s, out);
            if (rc == LSCHED_OK) rc = state_line(s);
        }
    }
    return rc;
}

/* Reads the last line, behind its first word. `len`: bytes before this line. */
static int32_t state_end(struct state_scan *s, const struct advice_state *out, const char *text,
                         size_t len) {
    char sum[ADVICE_STATE_TEXT], is[ADVICE_STATE_TEXT];
    int64_t n = 0;
    int32_t rc = state_number(s, INT64_MAX, false, &n);
    if (rc == LSCHED_OK && (uint64_t)n != out->jobs.n)
        rc = state_error(s, "as many jobs as the last line says");
    if (rc == LSCHED_OK) rc = state_text(s, sum, sizeof sum, true);
    snprintf(is, sizeof is, "%016" PRIx64, text_hash(text, len));
    if (rc == LSCHED_OK && strcmp(sum, is) != 0)
        rc = state_error(s, "the checksum of the lines before: the file was changed");
    if (rc == LSCHED_OK && s->at + 1 != s->end) rc = state_error(s, "nothing behind this line");
    return rc;
}

/* Reads the first line. *nodes: the file is of a version that has nodes. */
static int32_t state_version(struct state_scan *s, bool *nodes) {
    int32_t rc = state_line(s);
    size_t len = strlen(STATE_FORMAT);
    if (rc != LSCHED_OK) return rc;
    bool long_enough = (size_t)(s->end - s->at) >= len + 1;
    *nodes = long_enough && memcmp(s->at, STATE_FORMAT "\n", len + 1) == 0;
    if (!*nodes && !(long_enough && memcmp(s->at, STATE_BEFORE "\n", len + 1) == 0))
        return state_error(s, "'" STATE_FORMAT "' or '" STATE_BEFORE "', because this program "
                              "reads no other version");
    return state_pass(s, len, true);
}

static int32_t state_head(struct state_scan *s, const char *scenario, struct advice_state *out) {
    char of[LSCHED_NAME_BYTES_MAX + 1];
    bool nodes = false;
    int32_t rc = state_version(s, &nodes);
    if (rc == LSCHED_OK) rc = state_line(s);
    if (rc == LSCHED_OK) rc = state_word(s, "scenario", false);
    if (rc == LSCHED_OK) rc = state_text(s, of, sizeof of, true);
    if (rc == LSCHED_OK && strncmp(of, scenario, sizeof of - 1) != 0)
        return error_at(s->err, LSCHED_E_INVAL, s->line, 1,
                        "this is the advice for the scenario '%s', not for '%s'; each scenario "
                        "needs a file of its own",
                        of, scenario);
    if (rc == LSCHED_OK) rc = state_line(s);
    if (rc == LSCHED_OK) rc = state_word(s, "at", false);
    if (rc == LSCHED_OK) rc = state_time(s, &out->at_us);
    if (rc == LSCHED_OK) rc = nodes ? state_nodes(s, &out->nodes) : state_line(s);
    return rc;
}

int32_t advice_state_read(const char *text, size_t len, const char *scenario,
                          struct advice_state *out, lsched_error *err) {
    struct state_scan s = {.at = text, .end = text + len, .from = text, .err = err};
    advice_state_begin(out);
    int32_t rc = state_head(&s, scenario, out);
    while (rc == LSCHED_OK && !state_begins(&s, "end")) {
        rc = state_word(&s, "job", false);
        if (rc == LSCHED_OK) rc = state_job(&s, out);
        if (rc == LSCHED_OK) rc = state_line(&s);
    }
    size_t before = (size_t)(s.at - text);
    if (rc == LSCHED_OK) rc = state_word(&s, "end", false);
    return rc == LSCHED_OK ? state_end(&s, out, text, before) : rc;
}

/* ---- writing ---- */

/* Writes a text with %XX for the bytes that a field cannot hold. */
static void put_text(FILE *out, const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        if (state_is_coded((unsigned char)*at))
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*at);
        else
            fputc(*at, out);
    }
}

static void put_field(FILE *out, const char *text) {
    put_text(out, text);
    fputc(',', out);
}

static void put_times(FILE *out, const int64_t us[2]) {
    for (int i = 0; i < 2; i++) {
        if (us[i] == LSCHED_NEVER_US)
            fputs(",-", out);
        else
            fprintf(out, ",%" PRId64, us[i]);
    }
}

static void put_job(FILE *out, const char *job, const struct kept_advice *kept) {
    fputs("job,", out);
    put_field(out, job);
    put_field(out, kept->device);
    put_field(out, kept->kind);
    put_field(out, kept->had);
    put_field(out, kept->size);
    put_text(out, kept->before[0] != '\0' ? kept->before : "-");
    put_times(out, kept->changed_us);
    fprintf(out, ",%s,%" PRIu32, lsched_forecast_mode_name(kept->mode), kept->demand);
    put_times(out, kept->mode_us);
    fputc('\n', out);
}

static void state_no_memory(void) {
    complain("out of memory");
    exit(EXIT_INTERNAL);
}

/* A name and its index. */
struct state_order {
    char *name; /* owned */
    size_t index;
};

static int compare_state(const void *a, const void *b) {
    return strcmp(((const struct state_order *)a)->name, ((const struct state_order *)b)->name);
}

/* The names of a table in order. The caller calls state_order_free(). */
static struct state_order *state_order_of(const struct name_table *table) {
    struct state_order *order = must_alloc((table->n + 1) * sizeof order[0]);
    for (size_t i = 0; i < table->n; i++)
        order[i] =
            (struct state_order){must_copy(table->names[i].ptr, (size_t)table->names[i].len), i};
    if (table->n > 0) qsort(order, table->n, sizeof order[0], compare_state);
    return order;
}

static void state_order_free(struct state_order *order, size_t n) {
    for (size_t i = 0; i < n; i++) free(order[i].name);
    free(order);
}

/* `price_micro` by index of the name; NULL: none. */
static void put_names(FILE *out, const char *word, const struct name_table *table,
                      const int64_t *price_micro) {
    struct state_order *order = state_order_of(table);
    for (size_t i = 0; i < table->n; i++) {
        fprintf(out, "%s,", word);
        put_text(out, order[i].name);
        if (price_micro != NULL && price_micro[order[i].index] >= 0)
            fprintf(out, ",%" PRId64, price_micro[order[i].index]);
        fputc('\n', out);
    }
    state_order_free(order, table->n);
}

static void put_at(FILE *out, const char *word, int64_t at_us) {
    if (at_us == LSCHED_NEVER_US)
        fprintf(out, "%s,-\n", word);
    else
        fprintf(out, "%s,%" PRId64 "\n", word, at_us);
}

static void put_nodes(FILE *out, const struct kept_nodes *nodes) {
    struct state_order *order = state_order_of(&nodes->groups);
    put_at(out, "nodes-at", nodes->at_us);
    for (size_t i = 0; i < nodes->groups.n; i++) {
        fputs("group,", out);
        put_text(out, order[i].name);
        put_times(out, nodes->changed_us[order[i].index]);
        fputc('\n', out);
    }
    state_order_free(order, nodes->groups.n);
    put_names(out, "add", &nodes->added, nodes->price_micro);
    put_names(out, "drain", &nodes->drained, NULL);
}

char *advice_state_text(const struct advice_state *state, const char *scenario, size_t *len) {
    char *text = NULL;
    size_t n = state->jobs.n;
    struct state_order *order = state_order_of(&state->jobs);
    FILE *out = open_memstream(&text, len);
    if (out == NULL) state_no_memory();
    fputs(STATE_FORMAT "\nscenario,", out);
    put_text(out, scenario);
    fputc('\n', out);
    put_at(out, "at", state->at_us);
    put_nodes(out, &state->nodes);
    for (size_t i = 0; i < n; i++) put_job(out, order[i].name, &state->kept[order[i].index]);
    fflush(out);
    uint64_t sum = text_hash(text, *len);
    fprintf(out, "end,%zu,%016" PRIx64 "\n", n, sum);
    if (fclose(out) != 0) state_no_memory();
    state_order_free(order, n);
    return text;
}
