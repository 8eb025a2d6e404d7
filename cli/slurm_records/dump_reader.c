/* dump_reader.c -- see dump_reader.h. */
#include "cli/slurm_records/dump_reader.h"

#include <string.h>

#include "cli/input/last_line.h"
#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

static const char *const heads[] = {
    "NodeName=", "JobId=", "PartitionName=", "ReservationName=", "LicenseName="};
/* Fields whose values people write, with the beginning of the line on which they stand alone. */
static const char *const free_texts[] = {
    "Comment", "AdminComment", "SystemComment", "Extra",  "Command", "WorkDir",
    "StdErr",  "StdIn",        "StdOut",        "Reason", "OS",      "JobDefaults"};

struct dump {
    struct record record;
    record_fn call;
    void *user;
    lsched_error *err;
};

static bool begins_record(const char *line, size_t len) {
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t n = strlen(heads[i]);
        if (len >= n && memcmp(line, heads[i], n) == 0) return true;
    }
    return false;
}

/* Returns the length of the key at the begin of a word, or 0 if the word begins no field. */
static size_t key_length(const char *word, size_t len) {
    if (len == 0 ||
        ((word[0] < 'A' || word[0] > 'Z') && memcmp(word, "mem", len < 3 ? len : 3) != 0))
        return 0;
    size_t i = 0;
    for (; i < len && word[i] != '='; i++) {
        char c = word[i];
        bool part = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '/' || c == ':' ||
                    c == '_' || c == '.';
        if (!part) return 0;
    }
    return i < len ? i : 0;
}

static bool is_free_text(const char *key, size_t len) {
    for (size_t i = 0; i < sizeof free_texts / sizeof free_texts[0]; i++) {
        if (strlen(free_texts[i]) == len && memcmp(free_texts[i], key, len) == 0) return true;
    }
    return false;
}

/* Adds the words of a line to the record. */
static int32_t add_line(struct dump *dump, const char *line, size_t len, uint32_t number,
                        bool indented) {
    int32_t rc = LSCHED_OK;
    for (size_t at = 0; rc >= 0 && at < len;) {
        size_t from = at;
        while (at < len && line[at] != ' ') at++;
        size_t key = key_length(line + from, at - from);
        if (key > 0) {
            if (indented && from == 0 && is_free_text(line + from, key)) at = len;
            rc = record_add(&dump->record, line + from, key, line + from + key + 1,
                            at - from - key - 1, number, dump->err);
        } else if (at > from) {
            rc = record_append(&dump->record, " ", 1, dump->err);
            if (rc >= 0) rc = record_append(&dump->record, line + from, at - from, dump->err);
        }
        while (at < len && line[at] == ' ') at++;
    }
    return rc;
}

static int32_t end_record(struct dump *dump) {
    if (dump->record.n == 0) return LSCHED_OK;
    int32_t rc = dump->call(dump->user, &dump->record, dump->err);
    dump->record.n = 0;
    return rc;
}

static int32_t read_line(struct dump *dump, const char *line, size_t len, uint32_t number) {
    size_t blanks = 0;
    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\r')) len--;
    while (blanks < len && (line[blanks] == ' ' || line[blanks] == '\t')) blanks++;
    if (blanks == len) return LSCHED_OK;
    if (blanks == 0 && begins_record(line, len)) {
        int32_t rc = end_record(dump);
        record_begin(&dump->record, number);
        return rc < 0 ? rc : add_line(dump, line, len, number, false);
    }
    if (dump->record.n == 0) {
        size_t shown = len < RECORD_WORD_SHOWN ? len : RECORD_WORD_SHOWN;
        return error_at(dump->err, LSCHED_E_SYNTAX, number, 1,
                        "expected a line that begins with NodeName=, JobId=, PartitionName=, "
                        "ReservationName= or LicenseName=, got '%.*s'; the file should have the "
                        "output of scontrol show node, job, partition, reservation or licenses",
                        (int)shown, line);
    }
    return add_line(dump, line + blanks, len - blanks, number, true);
}

int32_t dump_read(const char *text, size_t len, record_fn record, void *user, lsched_error *err) {
    struct dump dump = {.call = record, .user = user, .err = err};
    uint32_t number = 0;
    int32_t rc = LSCHED_OK;
    for (size_t at = utf8_mark(text, len); rc >= 0 && at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line_len = end != NULL ? (size_t)(end - (text + at)) : len - at;
        rc = read_line(&dump, text + at, line_len, ++number);
        at += line_len + 1;
    }
    if (rc >= 0) rc = end_record(&dump);
    record_free(&dump.record);
    return rc < 0 ? rc : last_line_check(text, len, err);
}
