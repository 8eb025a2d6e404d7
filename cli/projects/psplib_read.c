/*
 * psplib_read.c -- see psplib_read.h.
 */
#include "cli/projects/psplib_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"

enum section { HEAD, INFORMATION, PRECEDENCE, REQUESTS, CAPACITIES, SECTIONS };

static const char *const headings[SECTIONS] = {
    [INFORMATION] = "PROJECT INFORMATION",
    [PRECEDENCE] = "PRECEDENCE RELATIONS",
    [REQUESTS] = "REQUESTS/DURATIONS",
    [CAPACITIES] = "RESOURCEAVAILABILITIES",
};

struct reader {
    struct rows rows;
    struct project *out;
    lsched_error *err;
    int64_t n, n_resources;     /* -1 before the head says them */
    uint32_t seen;              /* mask of the sections that have begun */
    uint32_t rows_of[SECTIONS]; /* rows that were read in each section */
    int64_t total;              /* sum of the durations */
    uint32_t *line_of;          /* [n] line of each activity in PRECEDENCE RELATIONS */
    uint32_t *request_line;     /* [n] line of each activity in REQUESTS/DURATIONS */
};

/* ---- words and numbers ---- */

static bool starts(const struct rows *rows, const char *word) {
    const char *at = rows->row;
    while (at < rows->end && (*at == ' ' || *at == '\t')) at++;
    size_t len = strlen(word);
    return (size_t)(rows->end - at) >= len && strncmp(at, word, len) == 0;
}

static bool is_decoration(const struct rows *rows) {
    for (const char *at = rows->row; at < rows->end; at++) {
        if (*at != '*' && *at != '-' && *at != '=' && *at != ' ' && *at != '\t') return false;
    }
    return true;
}

/* Reads a field as a whole number from `least` to `most`. */
static int32_t whole(struct reader *r, const struct csv_field *field, const char *what,
                     int64_t least, int64_t most, int64_t *out) {
    int64_t micro = 0;
    enum decimal form = decimal_parse(field->text, field->len, &micro);
    *out = micro / MILLION;
    if (form == DECIMAL_OK && micro % MILLION == 0 && *out >= least && *out <= most) return 0;
    return scan_field_error(
        r->err, form == DECIMAL_BAD ? LSCHED_E_SYNTAX : LSCHED_E_RANGE, r->rows.line, field,
        "%s: expected a whole number from %" PRId64 " to %" PRId64, what, least, most);
}

static int32_t next_whole(struct reader *r, const char *what, int64_t least, int64_t most,
                          int64_t *out) {
    struct csv_field field;
    if (rows_word(&r->rows, &field)) return whole(r, &field, what, least, most, out);
    return error_at(r->err, LSCHED_E_SYNTAX, r->rows.line, rows_end_column(&r->rows),
                    "expected the %s, got the end of the line", what);
}

static int32_t no_more(struct reader *r, const char *after) {
    struct csv_field field;
    if (!rows_word(&r->rows, &field)) return 0;
    return scan_field_error(r->err, LSCHED_E_SYNTAX, r->rows.line, &field,
                            "expected the end of the line after the %s", after);
}

/* ---- the head ---- */

/* Reads the number after the colon of a line such as "jobs (incl. supersource/sink ):  32". */
static int32_t head_number(struct reader *r, const char *what, int64_t least, int64_t most,
                           int64_t *out) {
    const char *colon = memchr(r->rows.row, ':', (size_t)(r->rows.end - r->rows.row));
    if (colon == NULL)
        return error_at(r->err, LSCHED_E_SYNTAX, r->rows.line, rows_end_column(&r->rows),
                        "expected ':' and the %s, got the end of the line", what);
    r->rows.from = colon + 1;
    return next_whole(r, what, least, most, out);
}

static int32_t read_head_row(struct reader *r) {
    int64_t number = 0;
    int32_t rc = 0;
    if (starts(&r->rows, "projects")) {
        rc = head_number(r, "number of projects", 1, INT32_MAX, &number);
        if (rc == 0 && number != 1)
            rc = error_at(r->err, LSCHED_E_TYPE, r->rows.line, 1,
                          "expected 1 project, got %" PRId64 "; give each project a file of its "
                          "own",
                          number);
    } else if (starts(&r->rows, "jobs")) {
        rc = head_number(r, "number of jobs", 1, PROJECT_ACTIVITIES_MAX, &r->n);
    } else if (starts(&r->rows, "- renewable")) {
        rc = head_number(r, "number of renewable resources", 0, PROJECT_RESOURCES_MAX,
                         &r->n_resources);
    } else if (starts(&r->rows, "- nonrenewable") || starts(&r->rows, "- doubly")) {
        rc = head_number(r, "number of resources", 0, INT32_MAX, &number);
        if (rc == 0 && number != 0)
            rc = error_at(r->err, LSCHED_E_TYPE, r->rows.line, 1,
                          "expected 0 nonrenewable and doubly constrained resources, got %" PRId64
                          "; only single-mode files (.sm) are read",
                          number);
    }
    return rc;
}

/* Allocates the project when the first section with rows begins. */
static int32_t need_head(struct reader *r) {
    const char *missing = r->n < 0 ? "jobs" : r->n_resources < 0 ? "- renewable" : NULL;
    if (missing != NULL)
        return error_at(r->err, LSCHED_E_SYNTAX, r->rows.line, 1,
                        "expected a line '%s ... : NUMBER' above the sections, got none", missing);
    if (r->line_of != NULL) return 0;
    project_begin(r->out, (uint32_t)r->n, (uint32_t)r->n_resources);
    r->line_of = must_alloc_zero((size_t)r->n * sizeof r->line_of[0]);
    r->request_line = must_alloc_zero((size_t)r->n * sizeof r->request_line[0]);
    return 0;
}

/* ---- sections ---- */

/* Reads the number of a job, which a section must have once. */
static int32_t read_job(struct reader *r, uint32_t *lines, uint32_t *job) {
    int64_t number = 0;
    int32_t rc = next_whole(r, "number of the job", 1, r->n, &number);
    if (rc < 0) return rc;
    *job = (uint32_t)number - 1;
    if (lines[*job] != 0)
        return error_at(r->err, LSCHED_E_EXISTS, r->rows.line, 1,
                        "expected one row for each job, got a second row for job %" PRId64
                        "; the first is in line %" PRIu32,
                        number, lines[*job]);
    lines[*job] = r->rows.line;
    return 0;
}

static int32_t read_precedence(struct reader *r) {
    uint32_t job = 0;
    int64_t modes = 0, successors = 0, next = 0;
    int32_t rc = read_job(r, r->line_of, &job);
    if (rc == 0) rc = next_whole(r, "number of modes", 1, INT32_MAX, &modes);
    if (rc == 0 && modes != 1)
        return error_at(r->err, LSCHED_E_TYPE, r->rows.line, 1,
                        "expected 1 mode for job %" PRIu32 ", got %" PRId64 "; files with several "
                        "modes (.mm) are not read",
                        job + 1, modes);
    if (rc == 0) rc = next_whole(r, "number of successors", 0, r->n - 1, &successors);
    for (int64_t i = 0; rc == 0 && i < successors; i++) {
        rc = next_whole(r, "successor", 1, r->n, &next);
        if (rc == 0 && r->out->n_links >= PROJECT_LINKS_MAX)
            rc = error_at(r->err, LSCHED_E_RANGE, r->rows.line, 1,
                          "expected at most %d successors in all, got more", PROJECT_LINKS_MAX);
        if (rc == 0) project_link(r->out, job, (uint32_t)next - 1);
    }
    return rc == 0 ? no_more(r, "last successor") : rc;
}

static int32_t read_request(struct reader *r) {
    uint32_t job = 0;
    int64_t mode = 0, number = 0;
    int32_t rc = read_job(r, r->request_line, &job);
    if (rc == 0) rc = next_whole(r, "mode", 1, 1, &mode);
    if (rc == 0) rc = next_whole(r, "duration", 0, PROJECT_TIME_MAX, &number);
    if (rc < 0) return rc;
    r->out->duration[job] = (int32_t)number;
    r->total += number;
    if (r->total > PROJECT_TIME_MAX)
        return error_at(r->err, LSCHED_E_RANGE, r->rows.line, 1,
                        "expected durations with a sum of at most %d, got %" PRId64
                        "; use a coarser unit of time",
                        PROJECT_TIME_MAX, r->total);
    for (uint32_t k = 0; rc == 0 && k < r->out->n_resources; k++) {
        rc = next_whole(r, "demand", 0, PROJECT_AMOUNT_MAX, &number);
        r->out->demand[(size_t)job * r->out->n_resources + k] = (int32_t)number;
    }
    return rc == 0 ? no_more(r, "last demand") : rc;
}

static int32_t read_capacities(struct reader *r) {
    int64_t number = 0;
    int32_t rc = 0;
    if (r->rows_of[CAPACITIES] > 1)
        return error_at(r->err, LSCHED_E_SYNTAX, r->rows.line, 1,
                        "expected one row of capacities and then the end of the file, got another "
                        "row");
    for (uint32_t k = 0; rc == 0 && k < r->out->n_resources; k++) {
        rc = next_whole(r, "capacity", 0, PROJECT_AMOUNT_MAX, &number);
        r->out->capacity[k] = (int32_t)number;
    }
    return rc == 0 ? no_more(r, "last capacity") : rc;
}

/* True if the row has names of columns, such as "jobnr." or "R 1  R 2". */
static bool is_column_names(const struct rows *rows) {
    return starts(rows, "jobnr") || starts(rows, "pronr") || starts(rows, "R ") ||
           starts(rows, "R1") || starts(rows, "R\t");
}

static int32_t begin_section(struct reader *r, enum section section) {
    if (r->seen & 1u << section)
        return error_at(r->err, LSCHED_E_SYNTAX, r->rows.line, 1,
                        "expected the section %s once, got it again", headings[section]);
    r->seen |= 1u << section;
    return section == INFORMATION ? 0 : need_head(r);
}

static int32_t read_row(struct reader *r, enum section section) {
    static int32_t (*const reads[SECTIONS])(struct reader *) = {
        [PRECEDENCE] = read_precedence, [REQUESTS] = read_request, [CAPACITIES] = read_capacities};
    if (section == HEAD) return read_head_row(r);
    if (reads[section] == NULL || is_column_names(&r->rows)) return 0;
    r->rows_of[section]++;
    return reads[section](r);
}

static int32_t read_sections(struct reader *r) {
    enum section section = HEAD;
    int32_t rc = 0;
    while (rc == 0 && rows_next(&r->rows)) {
        enum section next = HEAD;
        for (enum section s = INFORMATION; s < SECTIONS; s++)
            if (starts(&r->rows, headings[s])) next = s;
        if (next != HEAD) {
            section = next;
            rc = begin_section(r, section);
        } else if (!is_decoration(&r->rows)) {
            rc = read_row(r, section);
        }
    }
    return rc;
}

/* ---- the whole ---- */

static int32_t check_counts(struct reader *r) {
    uint32_t line = r->rows.line > 0 ? r->rows.line : 1;
    for (enum section s = PRECEDENCE; s < SECTIONS; s++) {
        int64_t expected = s == CAPACITIES ? (r->n_resources > 0) : r->n;
        if ((r->seen & 1u << s) == 0)
            return error_at(r->err, LSCHED_E_SYNTAX, line, 1,
                            "expected the section %s, got the end of the file: the file is cut "
                            "off, or it is not a PSPLIB file (.sm)",
                            headings[s]);
        if (r->rows_of[s] < expected)
            return error_at(r->err, LSCHED_E_SYNTAX, line, 1,
                            "expected %" PRId64 " row%s in the section %s, got %" PRIu32
                            ": the file is cut off, or its head has a wrong count",
                            expected, expected == 1 ? "" : "s", headings[s], r->rows_of[s]);
    }
    return 0;
}

static int32_t check_demands(struct reader *r) {
    const struct project *p = r->out;
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t k = 0; k < p->n_resources; k++) {
            if (project_demand(p, i, k) > p->capacity[k] && p->duration[i] > 0)
                return error_at(r->err, LSCHED_E_RANGE, r->request_line[i], 1,
                                "job %" PRIu32 " needs %" PRId32 " of resource R %" PRIu32
                                ": expected at most the capacity %" PRId32
                                "; lower the demand or raise the capacity",
                                i + 1, project_demand(p, i, k), k + 1, p->capacity[k]);
        }
    }
    return 0;
}

bool psplib_read_is(const char *text, size_t len) {
    struct rows rows;
    rows_begin(&rows, text, len);
    for (int i = 0; i < 40 && rows_next(&rows); i++) {
        for (enum section s = INFORMATION; s < SECTIONS; s++)
            if (starts(&rows, headings[s])) return true;
        if (starts(&rows, "file with basedata") || starts(&rows, "jobs (incl.")) return true;
    }
    return false;
}

int32_t psplib_read(const char *text, size_t len, struct project *out, lsched_error *err) {
    struct reader r = {.out = out, .err = err, .n = -1, .n_resources = -1};
    memset(out, 0, sizeof *out);
    rows_begin(&r.rows, text, len);
    int32_t rc = read_sections(&r);
    if (rc == 0) rc = check_counts(&r);
    if (rc == 0) rc = check_demands(&r);
    if (rc == 0) {
        uint32_t stuck = project_finish(out);
        if (stuck < out->n)
            rc = error_at(err, LSCHED_E_CYCLE, r.line_of[stuck], 1,
                          "job %" PRIu32 " is its own successor through other jobs: expected "
                          "precedence without a cycle; remove a successor of the cycle",
                          stuck + 1);
    }
    free(r.line_of);
    free(r.request_line);
    return rc;
}
