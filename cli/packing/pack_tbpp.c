/*
 * pack_tbpp.c -- see pack_tbpp.h.
 */
#include "cli/packing/pack_tbpp.h"

#include "cli/input/last_line.h"

#include <inttypes.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"

enum { WORD_INDEX, WORD_START, WORD_END, WORD_SIZE, WORDS };
static const char *const word_names[WORDS] = {"index", "start", "end", "size"};

#define TIME_MICRO_MAX ((int64_t)1 << 60)

static int32_t read_whole(const struct rows *rows, const struct csv_field *field, const char *what,
                          int64_t min, int64_t max, int64_t *out, lsched_error *err) {
    int64_t micro = 0;
    int32_t rc = scan_decimal(err, rows->line, field, what, &micro);
    if (rc < 0) return rc;
    *out = micro / MILLION;
    if (micro % MILLION == 0 && *out >= min && *out <= max) return LSCHED_OK;
    return scan_field_error(err, LSCHED_E_RANGE, rows->line, field,
                            "%s: expected a whole number from %" PRId64 " to %" PRId64, what, min,
                            max);
}

static int32_t read_head(struct rows *rows, int64_t *n, int64_t *capacity, lsched_error *err) {
    struct csv_field word;
    if (!rows_next(rows))
        return error_at(err, LSCHED_E_SYNTAX, 1, 1,
                        "expected the number of items and the capacity, got an empty file");
    /* this return cannot happen, because a row has at least one word */
    if (!rows_word(rows, &word)) return LSCHED_E_SYNTAX;
    int32_t rc = read_whole(rows, &word, "number of items", 1, LSCHED_PACK_ITEMS_MAX, n, err);
    if (rc < 0) return rc;
    if (!rows_word(rows, &word))
        return error_at(err, LSCHED_E_SYNTAX, rows->line, rows_end_column(rows),
                        "expected the capacity after the number of items, got the end of the "
                        "line");
    rc = scan_decimal(err, rows->line, &word, "capacity", capacity);
    if (rc == 0 && *capacity == 0)
        rc = scan_field_error(err, LSCHED_E_RANGE, rows->line, &word,
                              "capacity: expected more than 0");
    return rc;
}

/* Reads the four words of a row. A row with fewer or more words is an error. */
static int32_t read_words(struct rows *rows, struct csv_field words[WORDS], lsched_error *err) {
    struct csv_field more;
    for (int i = 0; i < WORDS; i++) {
        if (!rows_word(rows, &words[i]))
            return error_at(err, LSCHED_E_SYNTAX, rows->line, rows_end_column(rows),
                            "expected 4 fields (index, start, end, size), got %d", i);
    }
    if (rows_word(rows, &more))
        return scan_field_error(err, LSCHED_E_SYNTAX, rows->line, &more,
                                "expected the end of the line after the size");
    return LSCHED_OK;
}

static int32_t read_item(struct rows *rows, struct pack_input *out, uint32_t at,
                         lsched_error *err) {
    struct csv_field words[WORDS];
    int64_t value[WORDS] = {0};
    int32_t rc = read_words(rows, words, err);
    for (int i = WORD_START; rc == 0 && i < WORDS; i++)
        rc = scan_decimal(err, rows->line, &words[i], word_names[i], &value[i]);
    for (int i = WORD_START; rc == 0 && i < WORD_SIZE; i++) {
        if (value[i] > TIME_MICRO_MAX)
            rc = scan_field_error(err, LSCHED_E_RANGE, rows->line, &words[i],
                                  "%s: expected a time below 2^60 millionths", word_names[i]);
    }
    if (rc == 0 && value[WORD_END] <= value[WORD_START])
        rc = scan_field_error(err, LSCHED_E_RANGE, rows->line, &words[WORD_END],
                              "end: expected more than the start %.*s", (int)words[WORD_START].len,
                              words[WORD_START].text);
    if (rc == 0 && value[WORD_SIZE] > out->capacity[0])
        rc = scan_field_error(err, LSCHED_E_RANGE, rows->line, &words[WORD_SIZE],
                              "size: expected at most the capacity of a bin, %g",
                              (double)out->capacity[0] / (double)MILLION);
    if (rc < 0) return rc;
    lsched_pack_item *item = &out->items[at];
    item->name = (lsched_text){words[WORD_INDEX].text, words[WORD_INDEX].len};
    item->ready_us = item->latest_us = value[WORD_START];
    out->configs[at].duration_us = value[WORD_END] - value[WORD_START];
    out->amounts[at] = value[WORD_SIZE];
    out->origins[at] = (struct pack_origin){rows->line, words[WORD_INDEX].column};
    return LSCHED_OK;
}

int32_t pack_tbpp_read(const char *text, size_t len, uint32_t bins, struct pack_input *out,
                       lsched_error *err) {
    struct rows rows;
    int64_t n = 0, capacity = 0;
    rows_begin(&rows, text, len);
    int32_t rc = read_head(&rows, &n, &capacity, err);
    if (rc < 0) return rc;
    pack_input_begin(out, (uint32_t)n, 1, 1, bins);
    out->capacity[0] = capacity;
    out->resources[0].name = (lsched_text){"size", 4};
    out->problem.now_us = INT64_MAX;
    for (uint32_t i = 0; rc == 0 && i < (uint32_t)n; i++) {
        if (!rows_next(&rows))
            return error_at(err, LSCHED_E_SYNTAX, rows.line, rows_end_column(&rows),
                            "the file is cut off: expected %" PRId64 " items, got %" PRIu32, n, i);
        rc = read_item(&rows, out, i, err);
        if (rc == 0 && out->items[i].ready_us < out->problem.now_us)
            out->problem.now_us = out->items[i].ready_us;
    }
    if (rc < 0) return rc;
    if (rows_next(&rows))
        return error_at(err, LSCHED_E_SYNTAX, rows.line, 1,
                        "expected the end of the file after %" PRId64 " items", n);
    return last_line_check(text, len, err);
}
