/* parse_task_refs.c -- see parse_task_refs.h. */
#include <string.h>

#include "config/read/name_range.h"
#include "config/steps/parse_task_refs.h"

static int task_digits(const char *text, size_t n, uint32_t *out) {
    uint32_t value = 0;
    if (n < 1 || n > 9) return 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *out = value;
    return 1;
}

/* Splits a reference such as "llm/3" or "llm/0-7" into the name of the job and the numbers of the
 * first and the last task. A text without such a number is the name of a job and means all of its
 * tasks. The name of the job can have ranges in brackets. */
static void task_split(const char *text, size_t len, size_t *job_len, uint32_t *first,
                       uint32_t *last) {
    size_t slash = len;
    while (slash > 0 && text[slash - 1] != '/') slash--;
    const char *dash = slash > 0 ? memchr(text + slash, '-', len - slash) : NULL;
    size_t middle = dash ? (size_t)(dash - text) : len;
    *job_len = len;
    *first = 0;
    *last = TASK_REF_ALL;
    if (slash == 0 || slash == 1 || !task_digits(text + slash, middle - slash, first)) {
        *first = 0;
        return;
    }
    *last = *first;
    if (dash && (!task_digits(text + middle + 1, len - middle - 1, last) || *last < *first)) {
        *first = 0;
        *last = TASK_REF_ALL;
        return;
    }
    *job_len = slash - 1;
}

static int32_t task_range(struct field_reader *r, uint32_t value, struct name_range *jobs,
                          struct task_ref *ref) {
    size_t len, job_len;
    if (!read_is(r, value, YTREE_SCALAR))
        return read_expected(r, LSCHED_E_TYPE, value, "a task such as llm/0");
    const char *text = read_chars(r, value, &len);
    task_split(text, len, &job_len, &ref->first, &ref->last);
    ref->mark = read_mark(r, value);
    const char *wrong = len == 0 ? "it is empty" : name_range_parse(jobs, text, job_len);
    if (!wrong) return 0;
    return complain_at(&r->complain, LSCHED_E_SYNTAX, ref->mark,
                       "expected a job or task such as llm, llm/0 or llm/0-3, got %s: %s",
                       read_got(r, value).text, wrong);
}

int32_t read_task_ref(struct field_reader *r, uint32_t value, void *task_ref) {
    struct name_range jobs = {0};
    struct task_ref *out = task_ref;
    int32_t code = task_range(r, value, &jobs, out);
    if (!code && jobs.count > 1) code = read_expected(r, LSCHED_E_TYPE, value, "one job");
    return code ? code : read_range_name(r, &jobs, 0, &out->job);
}

static int32_t task_ref_item(struct field_reader *r, uint32_t value, void *list) {
    struct name_range jobs = {0};
    struct task_ref ref = {{NULL, 0}, 0, 0, {0, 0}};
    int32_t code = task_range(r, value, &jobs, &ref);
    if (!code) code = read_budget(r, value, jobs.count);
    for (uint64_t i = 0; !code && i < jobs.count; i++) {
        struct task_ref *item = read_add(r, list, NULL, sizeof *item, value);
        if (!item) return LSCHED_E_NOMEM;
        code = read_range_name(r, &jobs, i, &ref.job);
        *item = ref;
    }
    return code;
}

int32_t read_task_refs(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, task_ref_item, list);
}
