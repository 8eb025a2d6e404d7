/* sacct_log.c -- see sacct_log.h. */
#include "cli/slurm/sacct_log.h"

#include <inttypes.h>
#include <string.h>

#include "cli/input/last_line.h"
#include "cli/slurm_records/json_records.h"
#include "cli/slurm_records/slurm_values.h"
#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

enum { COLUMNS_MAX = 256 };
#define SECOND_US ((int64_t)1000000)

struct sacct {
    struct sacct_log *out;
    enum sacct_unit unit;
    enum sacct_queues queues;
    uint32_t row;
    lsched_error *err;
};

/* ---- one job ---- */

static int32_t wrong(struct sacct *s, const struct record *record, const char *keys,
                     const char *expected, const char *got) {
    const char *id = record_find(record, "JobID|job_id", NULL);
    return error_at(s->err, LSCHED_E_SYNTAX, record->line, 1,
                    "job %.*s: %.*s: expected %s, got '%.*s'", RECORD_WORD_SHOWN,
                    id != NULL ? id : "?", (int)strcspn(keys, "|"), keys, expected,
                    RECORD_WORD_SHOWN, got);
}

/* Reads a time in seconds; 0 if it is not said. */
static int32_t read_time(struct sacct *s, const struct record *record, const char *keys,
                         int64_t *out) {
    const char *text = record_find(record, keys, NULL);
    *out = 0;
    if (text == NULL || slurm_time(text, out)) return LSCHED_OK;
    return wrong(s, record, keys, "a time such as 2026-01-05T08:30:00", text);
}

/* Reads a span in seconds; -1 if it is not said or has no limit. */
static int32_t read_span(struct sacct *s, const struct record *record, const char *keys,
                         bool (*parse)(const char *, int64_t *), int64_t scale, int64_t *out) {
    const char *text = record_find(record, keys, NULL);
    int64_t value = 0;
    *out = -1;
    if (text == NULL || strcmp(text, "Partition_Limit") == 0) return LSCHED_OK;
    if (!parse(text, &value)) return wrong(s, record, keys, "a duration", text);
    if (value < SLURM_SECONDS_MAX / scale) *out = value * scale;
    return LSCHED_OK;
}

static int32_t read_limit(struct sacct *s, const struct record *record, int64_t *out) {
    const char *infinite = record_find(record, "time.limit.infinite", NULL);
    *out = -1;
    if (infinite != NULL && strcmp(infinite, "true") == 0) return LSCHED_OK;
    int32_t rc = read_span(s, record, "Timelimit", slurm_duration, 1, out);
    if (rc < 0 || *out >= 0) return rc;
    return read_span(s, record, "TimelimitRaw|time.limit.number|time.limit", slurm_duration, 1,
                     out);
}

static int32_t read_elapsed(struct sacct *s, const struct record *record, int64_t start_s,
                            int64_t *out) {
    int64_t end_s = 0;
    int32_t rc = read_span(s, record, "ElapsedRaw|time.elapsed", slurm_number, 1, out);
    if (rc >= 0 && *out < 0) rc = read_span(s, record, "Elapsed", slurm_duration, 1, out);
    if (rc < 0 || *out >= 0) return rc;
    rc = read_time(s, record, "End|time.end", &end_s);
    if (rc >= 0 && end_s >= start_s && end_s > 0) *out = end_s - start_s;
    return rc;
}

/* Reads a count; 0 if it is not said. */
static int32_t read_count(struct sacct *s, const struct record *record, const char *keys,
                          int64_t *out) {
    const char *text = record_find(record, keys, NULL);
    *out = 0;
    if (text == NULL || slurm_count(text, strlen(text), out)) return LSCHED_OK;
    return wrong(s, record, keys, "a whole number", text);
}

/* True if an element such as "gres/gpu=x" that cannot be read has this name. Other elements do not
 * matter: sacct writes an energy of 2^64 - 2 if it knows none. */
static bool begins_as(struct slurm_part element, const char *name) {
    size_t at = element.len >= 5 && memcmp(element.text, "gres", 4) == 0 ? 5 : 0, n = strlen(name);
    return element.len > at + n && memcmp(element.text + at, name, n) == 0 &&
           strchr("=:", element.text[at + n]) != NULL;
}

/* Reads how many units the job had; 0 if it is not said. */
static int32_t read_units(struct sacct *s, const struct record *record, int64_t *out) {
    static const char *const names[] = {"cpu", "node", "gpu"};
    static const char *const keys[] = {"AllocCPUS|NCPUS|ReqCPUS|required.CPUs",
                                       "AllocNodes|NNodes|ReqNodes|allocation_nodes", ""};
    const char *list = "AllocTRES|tres.allocated|ReqTRES|tres.requested";
    const char *tres = record_find(record, list, NULL);
    struct slurm_part name, type;
    int64_t count = 0, plain = 0, typed = 0;
    int rc = 0;
    for (const char *at = tres != NULL ? tres : "";
         (rc = slurm_next_tres(&at, &name, &type, &count)) != 0;) {
        if (rc < 0 && begins_as(name, names[s->unit]))
            return wrong(s, record, list, "a whole number of each resource", tres);
        if (rc < 0 || !slurm_part_is(name, names[s->unit])) continue;
        if (count > JOB_UNITS_MAX) count = JOB_UNITS_MAX + 1; /* an error for the caller */
        /* "gres/gpu=8,gres/gpu:a100=8" names the GPUs twice */
        if (type.len > 0) typed += count;
        if (type.len == 0) plain += count;
    }
    *out = plain > 0 ? plain : typed;
    return *out > 0 ? LSCHED_OK : read_count(s, record, keys[s->unit], out);
}

static uint32_t add_name(struct name_table *names, const char *name) {
    if (name == NULL) name = "none";
    size_t len = strlen(name);
    return name_table_add(
        names, (lsched_text){name, len < LSCHED_NAME_BYTES_MAX ? len : LSCHED_NAME_BYTES_MAX});
}

static uint64_t number_at_start(const char *id) {
    uint64_t number = 0;
    for (; *id >= '0' && *id <= '9' && number < UINT32_MAX; id++)
        number = 10 * number + (uint64_t)(*id - '0');
    return number;
}

static int32_t add_job(struct sacct *s, const struct record *record, const char *id,
                       int64_t arrival_s, int64_t elapsed_s, int64_t limit_s) {
    static const char *const keys[] = {"Account", "User", "Partition", "Cluster"};
    int64_t units = 0;
    int32_t rc = read_units(s, record, &units);
    if (rc < 0) return rc;
    if (units <= 0) {
        s->out->without_units++;
        return LSCHED_OK;
    }
    if (units > JOB_UNITS_MAX)
        return error_at(s->err, LSCHED_E_RANGE, record->line, 1,
                        "job %.*s: expected at most %d units, got %" PRId64, RECORD_WORD_SHOWN, id,
                        JOB_UNITS_MAX, units);
    struct listed_job job = {
        .submit_us = arrival_s * SECOND_US,
        .duration_us = elapsed_s * SECOND_US,
        .estimate_us = limit_s > 0 ? limit_s * SECOND_US : 0,
        .number = number_at_start(id),
        .units = (uint32_t)units,
        .queue = add_name(&s->out->queue_names, record_find(record, keys[s->queues], NULL)),
        .user = add_name(&s->out->user_names, record_find(record, "User", NULL)),
        .row = s->row++,
    };
    if (s->out->queue_names.n > JOB_QUEUES_MAX)
        return error_at(s->err, LSCHED_E_LIMIT, record->line, 1,
                        "expected at most %d queues, got more", JOB_QUEUES_MAX);
    job_list_add(&s->out->list, &job);
    return LSCHED_OK;
}

static int32_t take_job(struct sacct *s, const struct record *record) {
    const char *id = record_find(record, "JobIDRaw|JobID|job_id", NULL);
    const char *shown = record_find(record, "JobID|job_id", NULL);
    const char *state = record_find(record, "State|state.current", NULL);
    int64_t submit_s = 0, eligible_s = 0, start_s = 0, elapsed_s = -1, limit_s = -1;
    if (shown == NULL) shown = id;
    if (shown == NULL) return wrong(s, record, "JobID", "the number of a job", "nothing");
    if (strchr(shown, '.') != NULL) return LSCHED_OK; /* a step */
    int32_t rc = read_time(s, record, "Submit|time.submission", &submit_s);
    if (rc >= 0) rc = read_time(s, record, "Eligible|time.eligible", &eligible_s);
    if (rc >= 0) rc = read_time(s, record, "Start|time.start", &start_s);
    if (rc >= 0) rc = read_elapsed(s, record, start_s, &elapsed_s);
    if (rc >= 0) rc = read_limit(s, record, &limit_s);
    if (rc < 0) return rc;
    if (state != NULL &&
        (strncmp(state, "RUNNING", 7) == 0 || strncmp(state, "SUSPENDED", 9) == 0)) {
        s->out->still_runs++;
        return LSCHED_OK;
    }
    if (start_s == 0 || elapsed_s < 0 || (state != NULL && strncmp(state, "PENDING", 7) == 0)) {
        s->out->never_ran++;
        return LSCHED_OK;
    }
    if (submit_s == 0) return wrong(s, record, "Submit", "the time of the submission", "nothing");
    int64_t arrival_s = eligible_s > submit_s && eligible_s <= start_s ? eligible_s : submit_s;
    return add_job(s, record, id, arrival_s, elapsed_s, limit_s);
}

/* ---- the two forms ---- */

static int32_t json_job(void *user, const char *array, const struct record *record,
                        lsched_error *err) {
    (void)err;
    return strcmp(array, "jobs") == 0 ? take_job(user, record) : LSCHED_OK;
}

struct columns {
    const char *name[COLUMNS_MAX];
    size_t len[COLUMNS_MAX];
    size_t n;
};

/* Cuts a line at '|'. `sacct -p` ends each line with another '|'. */
static void cut(const char *line, size_t len, struct columns *out) {
    out->n = 0;
    for (size_t at = 0; at <= len && out->n < COLUMNS_MAX;) {
        const char *end = memchr(line + at, '|', len - at);
        out->name[out->n] = line + at;
        out->len[out->n++] = end != NULL ? (size_t)(end - line) - at : len - at;
        if (end == NULL) break;
        at = (size_t)(end - line) + 1;
    }
    if (out->n > 1 && out->len[out->n - 1] == 0) out->n--;
}

static bool has_column(const struct columns *head, const char *name) {
    for (size_t i = 0; i < head->n; i++)
        if (same_word(head->name[i], head->len[i], name, strlen(name))) return true;
    return false;
}

static int32_t check_head(struct sacct *s, const struct columns *head) {
    static const char *const needed[] = {"JobID", "Submit", "Start"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!has_column(head, needed[i]))
            return error_at(s->err, LSCHED_E_SYNTAX, 1, 1,
                            "expected a first line with the column %s; make the file with sacct -X "
                            "-P -o JobID,User,Account,Partition,Submit,Eligible,Start,End,Elapsed,"
                            "Timelimit,State,AllocTRES",
                            needed[i]);
    }
    return LSCHED_OK;
}

static int32_t read_row(struct sacct *s, const struct columns *head, const struct columns *row,
                        uint32_t line, struct record *record) {
    /* an empty last column and the '|' at the end of sacct -p look alike */
    if (row->n != head->n && row->n + 1 != head->n)
        return error_at(
            s->err, LSCHED_E_SYNTAX, line, 1,
            "expected %zu columns as in the first line, got %zu; a name with '|' can be "
            "the cause: leave the column JobName out",
            head->n, row->n);
    record_begin(record, line);
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; rc >= 0 && i < row->n; i++)
        rc = record_add(record, head->name[i], head->len[i], row->name[i], row->len[i], line,
                        s->err);
    return rc < 0 ? rc : take_job(s, record);
}

static int32_t read_rows(struct sacct *s, const char *text, size_t len) {
    struct columns head = {.n = 0}, row = {.n = 0};
    struct record record = {0};
    uint32_t number = 0;
    int32_t rc = LSCHED_OK;
    for (size_t at = utf8_mark(text, len); rc >= 0 && at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line_len = end != NULL ? (size_t)(end - (text + at)) : len - at, shown = line_len;
        if (shown > 0 && text[at + shown - 1] == '\r') shown--;
        number++;
        if (shown > 0 && head.n == 0) {
            cut(text + at, shown, &head);
            rc = check_head(s, &head);
        } else if (shown > 0) {
            cut(text + at, shown, &row);
            rc = read_row(s, &head, &row, number, &record);
        }
        at += line_len + 1;
    }
    record_free(&record);
    return rc < 0 ? rc : last_line_check(text, len, s->err);
}

int32_t sacct_read(char *text, size_t len, enum sacct_unit unit, enum sacct_queues queues,
                   struct sacct_log *out, lsched_error *err) {
    struct sacct s = {.out = out, .unit = unit, .queues = queues, .err = err};
    memset(out, 0, sizeof *out);
    int32_t rc = json_records_here(text, len) ? json_records_read(text, len, json_job, &s, err)
                                              : read_rows(&s, text, len);
    if (rc < 0) return rc;
    if (out->list.n_jobs == 0)
        return error_at(err, LSCHED_E_SYNTAX, 1, 1,
                        "expected at least one job that ran and had %s, got none",
                        unit == SACCT_GPUS    ? "GPUs"
                        : unit == SACCT_NODES ? "nodes"
                                              : "CPUs");
    for (size_t i = 0; i < out->queue_names.n; i++)
        job_list_add_queue(&out->list, out->queue_names.names[i], 0);
    for (size_t i = 0; i < out->user_names.n; i++)
        job_list_add_user(&out->list, out->user_names.names[i]);
    job_list_sort(&out->list);
    return LSCHED_OK;
}

void sacct_free(struct sacct_log *log) {
    job_list_free(&log->list);
    name_table_free(&log->queue_names);
    name_table_free(&log->user_names);
    memset(log, 0, sizeof *log);
}
