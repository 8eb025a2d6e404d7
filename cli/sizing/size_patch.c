/* size_patch.c -- see size_patch.h. */
#include "cli/sizing/size_patch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/number_text.h"

/* ---- which sizes ---- */

static bool row_gets_size(const struct size_row *row) {
    return (row->reason == LSCHED_ADVICE_GROWN || row->reason == LSCHED_ADVICE_SHRUNK) &&
           row->kind != NULL && strcmp(row->from, "whole") != 0;
}

static int compare_job(const void *name, const void *row) {
    return strcmp(name, ((const struct size_row *)row)->job);
}

/* The number of the first row with the same change, plus 1: jobs of one entry that get the same
 * size stay in one entry. */
static int size_class(const void *user, const char *name) {
    const struct size_advice *advice = user;
    const struct size_row *row = advice->n_rows > 0 ? bsearch(name, advice->rows, advice->n_rows,
                                                              sizeof advice->rows[0], compare_job)
                                                    : NULL;
    if (row == NULL || !row_gets_size(row)) return 0;
    for (size_t i = 0; i < advice->n_rows; i++) {
        const struct size_row *first = &advice->rows[i];
        if (row_gets_size(first) && strcmp(first->kind, row->kind) == 0 &&
            strcmp(first->to, row->to) == 0)
            return (int)i + 1;
    }
    return 0;
}

/* ---- the request of an entry ---- */

/* True if the value has an anchor. If it went, an alias below would have no value, or the value of
 * an anchor of the same name above, so that something else in the scenario would change. */
static bool size_has_anchor(const struct yaml_text *text, const struct yaml_pair *pair) {
    return pair->value.from < pair->value.to && text->bytes[pair->value.from] == '&';
}

/* A share stands in place of all that the request had of a device. */
static bool set_share(const struct yaml_text *text, const struct yaml_map *map, const char *share,
                      struct text_edits *edits) {
    static const char *const keys[] = {"gpu", "gpu_memory", "gpu_sm_count"};
    bool set = false;
    if (yaml_find(text, map, "devices") != NULL) return false;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct yaml_pair *pair = yaml_find(text, map, keys[i]);
        if (pair == NULL) continue;
        if (size_has_anchor(text, pair)) return false;
        if (set) {
            if (!entry_remove(text, map, pair, edits)) return false;
            continue;
        }
        text_edits_replace(edits, pair->key, "gpu", 3);
        text_edits_replace(edits, pair->value, share, strlen(share));
        set = true;
    }
    return set;
}

static bool set_size(const void *user, const struct yaml_text *text, const struct yaml_map *map,
                     int class, struct text_edits *edits) {
    const struct size_advice *advice = user;
    const struct size_row *row = &advice->rows[class - 1];
    const struct yaml_pair *tasks = yaml_find(text, map, "tasks");
    struct yaml_map request;
    if (tasks == NULL || tasks->value.from == tasks->value.to ||
        !yaml_map_read(text, tasks->value.from, &request))
        return false;
    if (strcmp(row->kind, "share") == 0) return set_share(text, &request, row->to, edits);
    const char *key = strcmp(row->kind, "profile") == 0 ? "mig" : "gpu_memory";
    const struct yaml_pair *pair = yaml_find(text, &request, key);
    if (pair == NULL || size_has_anchor(text, pair)) return false;
    text_edits_replace(edits, pair->value, row->to, strlen(row->to));
    return true;
}

int size_patch_make(const struct size_advice *advice, struct scenario_edit *edit) {
    struct entry_change change = {.user = advice, .class_of = size_class, .change = set_size};
    struct refused_entries refused = {.n = 0};
    size_t whole = 0;
    const char *first = NULL;
    for (size_t i = 0; i < advice->n_rows; i++) {
        const struct size_row *row = &advice->rows[i];
        if (row->kind == NULL || strcmp(row->from, "whole") != 0 || row->to[0] == '\0') continue;
        if (row->reason != LSCHED_ADVICE_SHRUNK && row->reason != LSCHED_ADVICE_GROWN) continue;
        if (whole++ == 0) first = row->job;
    }
    if (whole > 0)
        complain("--patch: %zu job%s with a whole GPU keep%s it, such as '%s': a profile needs a "
                 "device in mode mig",
                 whole, plural(whole), whole == 1 ? "s" : "", first);
    size_t before = edit->edits.n, sizes = 0;
    for (size_t i = 0; i < advice->n_rows; i++) sizes += row_gets_size(&advice->rows[i]);
    int rc = scenario_edit_entries(edit, "jobs", &change, &refused);
    if (rc == EXIT_OK && refused.n == 0 && sizes > 0 && edit->edits.n == before)
        complain("--patch: %zu job%s keep%s the size: expected an entry of `jobs` for each", sizes,
                 plural(sizes), sizes == 1 ? "s" : "");
    if (refused.n > 0)
        complain("--patch: %zu entr%s of `jobs` keep%s the size, %sline %zu: expected the request "
                 "in the short form `tasks`, without an anchor before `tasks` or before the size",
                 refused.n, refused.n == 1 ? "y" : "ies", refused.n == 1 ? "s" : "",
                 refused.n == 1 ? "in " : "the first one in ", refused.line);
    return rc;
}

/* ---- the check ---- */

static bool same_text(lsched_text a, lsched_text b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, (size_t)a.len) == 0);
}

/* True if the tasks of a job ask for the size of a row. */
static bool asks_for(const struct gpu_ask *ask, const struct size_row *row) {
    if (strcmp(row->kind, "profile") == 0)
        return same_text(ask->profile, (lsched_text){row->to, strlen(row->to)});
    if (strcmp(row->kind, "share") == 0)
        return ask->milli == (uint32_t)(strtod(row->to, NULL) * 1000.0 + 0.5) &&
               ask->memory_bytes == 0 && ask->sm_count == 0;
    return ask->milli == 0 && ask->memory_bytes > 0;
}

static bool same_labels(const lsched_job_desc *a, const lsched_job_desc *b) {
    if (a->n_labels != b->n_labels) return false;
    for (uint32_t i = 0; i < a->n_labels; i++)
        if (!same_text(a->labels[i].key, b->labels[i].key) ||
            !same_text(a->labels[i].value, b->labels[i].value))
            return false;
    return true;
}

/* The amount of a kind of resource that each task of a group needs. */
static int64_t job_amount(const lsched_group_desc *group, uint32_t kind) {
    for (uint32_t i = 0; i < group->n_request; i++)
        if (group->request[i].kind == kind) return group->request[i].amount;
    return 0;
}

/* True if all amounts of one group but those of GPUs are amounts of the other. */
static bool has_job_amounts(const lsched_group_desc *one, const lsched_group_desc *other) {
    for (uint32_t i = 0; i < one->n_request; i++)
        if (one->request[i].kind != LSCHED_GPU &&
            one->request[i].amount != job_amount(other, one->request[i].kind))
            return false;
    return true;
}

/* True if each group of a job needs the same amounts as before, but for GPUs. */
static bool same_job_amounts(const lsched_job_desc *a, const lsched_job_desc *b) {
    if (a->n_groups != b->n_groups) return false;
    for (uint32_t i = 0; i < a->n_groups; i++)
        if (!has_job_amounts(&a->groups[i], &b->groups[i]) ||
            !has_job_amounts(&b->groups[i], &a->groups[i]))
            return false;
    return true;
}

/* True if what an edit could change beside the size is as it was. */
static bool same_job(const lsched_job_desc *a, const lsched_job_desc *b) {
    return same_labels(a, b) && same_job_amounts(a, b) && same_text(a->queue_name, b->queue_name) &&
           same_text(a->user, b->user) && a->priority == b->priority && a->flags == b->flags &&
           a->submit_us == b->submit_us && a->duration_us == b->duration_us &&
           a->deadline_us == b->deadline_us && a->time_limit_us == b->time_limit_us &&
           a->soft_limit_us == b->soft_limit_us && a->begin_us == b->begin_us;
}

static bool job_holds(const struct size_advice *advice, const lsched_job_desc *before,
                      const lsched_job_desc *after) {
    struct gpu_ask was, is;
    enum gpu_ask_result result = gpu_ask_read(before, &was);
    if (gpu_ask_read(after, &is) != result || !same_job(before, after)) return false;
    if (result != GPU_ASK_ONE) return true;
    if (is.tasks != was.tasks || is.devices != was.devices) return false;
    bool same = same_text(is.profile, was.profile) && is.milli == was.milli &&
                is.sm_count == was.sm_count && is.memory_bytes == was.memory_bytes;
    char *name = must_copy(before->name.ptr, before->name.len);
    int class = size_class(advice, name);
    free(name);
    return same || (class > 0 && asks_for(&is, &advice->rows[class - 1]));
}

bool size_patch_holds(const struct size_advice *advice, const lsched_cluster *before,
                      const lsched_cluster *after) {
    uint64_t cursor = 0;
    bool good = true;
    for (lsched_id id; good && (id = lsched_next(before, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_description *old = NULL, *new = NULL;
        good = lsched_describe(before, id, &old, NULL) >= 0;
        if (good) {
            const lsched_job_desc *desc = lsched_description_job(old);
            lsched_id other = lsched_find(after, LSCHED_KIND_JOB, desc->name);
            good = other != 0 && lsched_describe(after, other, &new, NULL) >= 0 &&
                   job_holds(advice, desc, lsched_description_job(new));
        }
        lsched_description_destroy(old);
        lsched_description_destroy(new);
    }
    return good;
}
