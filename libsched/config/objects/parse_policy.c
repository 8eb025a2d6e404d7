/* parse_policy.c -- see parse_policy.h. */
#include <string.h>

#include "config/objects/parse_policy.h"
#include "config/read/quantity_reader.h"

/* ---- parameters ---- */

/* Reads a plain decimal number so that every machine gets the same double. The function divides the
 * number that all digits form (at most 2^53) by a power of ten (at most 10^22). Both operands are
 * exact doubles, and the IEEE division rounds only once. Returns 0 for every text that is not such
 * a number. */
static int policy_number(const char *text, size_t len, double *out) {
    uint64_t digits = 0;
    double power = 1;
    size_t i = len > 0 && text[0] == '-', first = i;
    int point = 0;
    for (; i < len; i++) {
        if (text[i] == '.' && !point && i > first && i + 1 < len) {
            point = 1;
            continue;
        }
        if (text[i] < '0' || text[i] > '9') return 0;
        digits = digits * 10 + (uint64_t)(text[i] - '0');
        if (digits > (UINT64_C(1) << 53)) return 0;
        if (point) power *= 10;
        if (power > 1e22) return 0;
    }
    if (i == first) return 0;
    *out = (double)digits / power;
    if (first) *out = -*out;
    return 1;
}

struct param_lists {
    struct scn_list params, marks;
};

static int32_t policy_param(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    size_t len = 0;
    struct param_lists *lists = out;
    lsched_param *param = read_add(r, &lists->params, &lists->marks, sizeof *param, key);
    if (!param) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &param->key);
    if (code) return code;
    const char *text = read_scalar(r, value, &len);
    int is_plain = !ytree_at(&r->tree, value)->quoted;
    if (is_plain && policy_number(text, len, &param->number)) return 1;
    if (is_plain && (strchr("0123456789.+", text[0]) || (text[0] == '-' && text[1] != '\0')) &&
        len > 0)
        return read_expected(r, LSCHED_E_TYPE, value,
                             "a decimal number of at most 15 digits, or a text in quotes");
    code = read_text(r, value, &param->text);
    return code ? code : 1;
}

static int32_t policy_params(struct field_reader *r, uint32_t value, void *out) {
    struct policy_form *form = out;
    struct param_lists lists = {{NULL, 0, 0}, {NULL, 0, 0}};
    int32_t code = read_map(r, value, "parameters", NULL, 0, &lists, policy_param);
    form->opts.params = lists.params.items;
    form->opts.n_params = lists.params.n;
    form->param_marks = lists.marks.items;
    return code;
}

static int32_t policy_limits(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(struct policy_form, "instructions_per_call", read_u64, opts.instructions_per_call),
        FIELD(struct policy_form, "instructions_per_cycle", read_u64, opts.instructions_per_cycle),
        FIELD(struct policy_form, "memory", read_memory, opts.memory_limit_bytes),
        FIELD(struct policy_form, "failures", read_count, opts.failures_max),
    };
    return READ_MAP(r, value, "limits of a policy", fields, out, NULL);
}

/* ---- the policy ---- */

static int32_t policy_text(struct field_reader *r, uint32_t value, void *out) {
    struct policy_form *form = out;
    form->text_mark = read_mark(r, value);
    form->text_indent = ytree_at(&r->tree, value)->block;
    return read_text(r, value, &form->text);
}

static int32_t policy_map(struct field_reader *r, uint32_t value, struct policy_form *form) {
    static const struct field fields[] = {
        FIELD(struct policy_form, "name", read_text, name),
        FIELD_KEY("text", policy_text),
        FIELD(struct policy_form, "file", read_text, file),
        FIELD_KEY("params", policy_params),
        FIELD_KEY("limits", policy_limits),
    };
    int32_t code = READ_MAP(r, value, "a policy", fields, form, NULL);
    if (code) return code;
    if (form->text.ptr && form->file.ptr)
        return read_expected(r, LSCHED_E_KEY, value, "a policy with either \"text\" or \"file\"");
    if (form->text.ptr || form->file.ptr || form->name.ptr) return 0;
    return read_expected(r, LSCHED_E_KEY, value, "a policy with \"name\", \"text\" or \"file\"");
}

int32_t read_policy(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct action *action = step_action_add(r, step, ACTION_POLICY, value);
    if (!action) return LSCHED_E_NOMEM;
    struct policy_form *form = read_add(r, &action->items, &action->marks, sizeof *form, value);
    if (!form) return LSCHED_E_NOMEM;
    form->opts = (lsched_policy_opts)LSCHED_POLICY_OPTS_INIT;
    if (!read_is(r, value, YTREE_MAP)) return read_text(r, value, &form->name);
    return policy_map(r, value, form);
}
