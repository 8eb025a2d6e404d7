/*
 * parse_dependencies.c -- see parse_dependencies.h. A scenario writes:
 *
 *   after: {job: prepare, outcome: success, delay: 5m}
 *   after: [{job: a}, {job: b, outcome: end}]
 *   after: [a, b]
 *   after: {job: gone, delay: 5m, happened: 30s}
 */
#include "config/objects/parse_dependencies.h"

#include "config/read/quantity_reader.h"

static int32_t dependency_outcome(struct field_reader *r, uint32_t value, void *out) {
    /* in the order of LSCHED_AFTER_* */
    static const char *const words[] = {"success", "failure", "end", "start"};
    return read_word(r, value, words, 4, out);
}

/* Reads the time of an event, or the word "never". */
static int32_t dependency_happened(struct field_reader *r, uint32_t value, void *out) {
    int64_t *at = out;
    if (!read_is_word(r, value, "never")) return read_time(r, value, out);
    *at = LSCHED_NEVER_US;
    return LSCHED_OK;
}

static int32_t dependency_item(struct field_reader *r, uint32_t value, void *list) {
    static const struct field fields[] = {
        FIELD(lsched_dependency, "job", read_text, name),
        FIELD(lsched_dependency, "outcome", dependency_outcome, after),
        FIELD(lsched_dependency, "delay", read_duration, delay_us),
        FIELD(lsched_dependency, "happened", dependency_happened, happened_us),
    };
    lsched_dependency *one = read_add(r, list, NULL, sizeof *one, value);
    if (!one) return LSCHED_E_NOMEM;
    *one = (lsched_dependency)LSCHED_DEPENDENCY_INIT;
    if (!read_is(r, value, YTREE_MAP)) return read_text(r, value, &one->name);
    int32_t code = READ_MAP(r, value, "a dependency", fields, one, NULL);
    if (!code && !one->name.ptr)
        code = read_expected(r, LSCHED_E_KEY, value, "a dependency with \"job\"");
    return code;
}

int32_t read_dependencies(struct field_reader *r, uint32_t value, void *list) {
    return read_one_or_items(r, value, dependency_item, list);
}

int32_t read_on_never(struct field_reader *r, uint32_t value, void *out) {
    /* in the order of LSCHED_ON_NEVER_* */
    static const char *const words[] = {"wait", "remove"};
    return read_word(r, value, words, 2, out);
}
